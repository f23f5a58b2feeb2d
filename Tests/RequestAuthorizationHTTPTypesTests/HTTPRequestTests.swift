// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if HTTPTypes
import RequestAuthorizationHTTPTypes
import Testing

@Suite struct HTTPRequestTests {
    private let key = HTTPField.Name("X-Key")

    private func request(
        _ method: HTTPRequest.Method = .get, scheme: String? = "https", authority: String? = "api.example.com",
        path: String? = "/v1?x=1"
    ) -> HTTPRequest {
        HTTPRequest(method: method, scheme: scheme, authority: authority, path: path)
    }

    @Test func `a constant credential is put on the request, never to be indexed`() async throws {
        var request = request()
        try await request.authorize(using: .bearer("ABC"))
        #expect(request.headerFields.map(\.description) == ["Authorization: Bearer ABC"])
        #expect(request.headerFields.map(\.indexingStrategy) == [.disallow])
    }

    @Test func `a key in a field of its own is not to be indexed either`() async throws {
        let request = try await request().authorized(using: .header("X-Key", "k"))
        #expect(request.headerFields.map(\.description) == ["X-Key: k"])
        #expect(request.headerFields.map(\.indexingStrategy) == [.disallow])
    }

    @Test func `a credential replaces every spelling of its field and no other field`() throws {
        var request = request()
        for (name, value) in [
            ("authorization", "1"), ("Accept", "a"), ("AUTHORIZATION", "2"), ("Authorization", "3"), ("Accept", "b"),
        ] {
            request.headerFields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
        }
        request.setCredential("new", in: "aUthorization")
        #expect(request.headerFields[values: .authorization] == ["new"])
        #expect(request.headerFields[values: .accept] == ["a", "b"])
        #expect(request.headerFields.count == 3)
    }

    @Test(arguments: ["a\r\nX-Evil: 1", "a\nb", "a\rb", "a\0b", "x\u{1}y", " a", "a "])
    func `a value that no field can hold is not set, and an older value is removed`(value: String) {
        var request = request()
        request.headerFields[.authorization] = "old"
        request.headerFields[.accept] = "a"
        request.setCredential(value, in: "Authorization")
        #expect(request.headerFields.map(\.description) == ["Accept: a"])
    }

    @Test(arguments: ["", " ", "X: 1\r\nY", ":authority", ":path", "é", "X Key"])
    func `an invalid field name is not set`(name: String) {
        var request = request()
        request.setCredential("v", in: name)
        #expect(request.headerFields.isEmpty)
        #expect(request.credential(in: name) == nil)
        #expect(request.authority == "api.example.com")
    }

    @Test func `a malformed token is refused, and the request stays as it was`() async throws {
        var request = request()
        let error = await #expect(throws: NotAuthorized.self) { try await request.authorize(using: .bearer("a\r\nb")) }
        #expect(error?.reason == .malformedCredential)
        #expect(request.headerFields.isEmpty)
    }

    @Test func `a credential is found by any spelling of its field`() {
        var request = request()
        #expect(request.credential(in: "Authorization") == nil)
        request.headerFields[.authorization] = "x"
        #expect(request.credential(in: "auTHorization") == "x")
    }

    // MARK: - Where it goes

    @Test(
        arguments: [
            ("https", "api.example.com", "/v1", "https://api.example.com"),
            ("HTTPS", "API.Example.com:8443", "/", "https://api.example.com:8443"),
            ("https", "user:secret@api.example.com", "/", "https://api.example.com"),
            ("https", "api.example.com@evil.example", "/", "https://evil.example"),
            ("https", "api.example.com", nil, "https://api.example.com"),
            ("http", "[::1]:80", "/", "http://[::1]"),
            // A client would read another host from these.
            ("https", "api.example.com", ".evil.example/", nil),
            ("https", "api.example.com", "@evil.example/", nil),
            ("https", "api.example.com", ":8443/", nil),
            (nil, "api.example.com", "/", nil), ("https", nil, "/", nil), ("https", "", "/", nil),
        ] as [(String?, String?, String?, String?)])
    func `the origin is that to which a client would send it`(
        scheme: String?, authority: String?, path: String?, origin: String?
    ) {
        let request = request(scheme: scheme, authority: authority, path: path)
        #expect(request.origin?.description == origin)
    }

    @Test func `a request with the target * has an origin if its method is OPTIONS`() {
        #expect(request(.options, path: "*").origin == "https://api.example.com")
        #expect(request(path: "*").origin == nil)
    }

    @Test(
        arguments: [
            ("https", "api.example.com", false), ("HTTPS", "api.example.com", false), ("wss", "api.example.com", false),
            ("http", "api.example.com", true), ("HtTp", "api.example.com", true), ("ws", "api.example.com", true),
            ("http", "localhost:8080", false), ("http", "127.0.0.1", false), ("http", "[::1]", false),
            ("http", "localhost@evil.example", true), (nil, "localhost", true), ("http", nil, true),
            ("https", nil, true), ("https", "", true), ("wss", nil, true),
        ] as [(String?, String?, Bool)])
    func `plain http is readable unless it goes to this machine`(
        scheme: String?, authority: String?, isPlaintext: Bool
    ) {
        #expect(request(scheme: scheme, authority: authority).isPlaintext == isPlaintext)
    }

    @Test func `a credential that is bound to an origin does not follow a path to another`() async throws {
        let bound = BearerTokenAuthorization(token: "abc").restricted(to: "https://api.example.com")
        #expect(try await request().authorized(using: bound).credential(in: "Authorization") == "Bearer abc")
        let error = await #expect(throws: NotAuthorized.self) {
            try await request(path: ".evil.example/").authorized(using: bound)
        }
        #expect(error?.reason == .originNotAllowed)
    }

    @Test(arguments: ["http", "https"])
    func `a request whose path names another host is refused by each provider`(scheme: String) async throws {
        let error = await #expect(throws: NotAuthorized.self) {
            try await request(scheme: scheme, path: ".evil.example/").authorized(using: .bearer("abc"))
        }
        #expect(error?.reason == .insecureTransport)
    }

    @Test func `method and target are the request's`() {
        #expect(request(.patch).requestMethod == "PATCH")
        #expect(request().targetURI == "https://api.example.com/v1?x=1")
        #expect(request(path: nil).targetURI == "https://api.example.com")
        #expect(request(authority: nil).targetURI == nil)
    }

    @Test func `the target * is no part of the URI that a proof names`() {
        #expect(request(.options, path: "*").targetURI == "https://api.example.com")
        #expect(request(.options, path: "/*").targetURI == "https://api.example.com/*")
    }

    @Test(
        arguments: [
            (.get, [:], true), (.head, [:], true), (.delete, [:], true), (.options, [:], true), (.trace, [:], true),
            (.post, [:], false), (.put, [:], false), (.patch, [:], false), (.connect, [:], false),
            (.post, [.contentLength: "0"], true), (.post, [.contentLength: "3"], false),
            (.delete, [.contentLength: "3"], false), (.get, [.transferEncoding: "chunked"], false),
        ] as [(HTTPRequest.Method, HTTPFields, Bool)])
    func `only a request without any sign of a body is sent again by default`(
        method: HTTPRequest.Method, fields: HTTPFields, isReplayable: Bool
    ) {
        var request = request(method)
        request.headerFields = fields
        #expect(request.isReplayable == isReplayable)
        #expect(request.bodyBytes == (isReplayable ? [] : nil), "the client carries it")
    }

    // MARK: - Responses

    @Test func `a response says what it holds, line by line`() throws {
        var response = HTTPResponse(status: .unauthorized)
        let name = try #require(HTTPField.Name("www-AUTHENTICATE"))
        response.headerFields.append(HTTPField(name: name, value: "Bearer realm=\"a\""))
        response.headerFields.append(HTTPField(name: .wwwAuthenticate, value: "Basic realm=\"b\""))
        #expect(response.headerValues(for: "WWW-Authenticate") == ["Bearer realm=\"a\"", "Basic realm=\"b\""])
        #expect(response.headerValues(for: "Retry-After") == [])
        #expect(response.headerValues(for: "no name") == [])
        #expect(response.unauthorized?.challenges.map(\.scheme) == ["Bearer", "Basic"])
        #expect(HTTPResponse(status: .ok).unauthorized == nil)
    }
}
#endif
