// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if AsyncHTTPClient
import RequestAuthorizationAsyncHTTPClient
import Testing

@Suite struct HTTPClientRequestTests {
    private func request(_ url: String = "https://api.example.com/v1?x=1") -> HTTPClientRequest {
        HTTPClientRequest(url: url)
    }

    @Test func `a constant credential is put on the request`() async throws {
        var request = request()
        try await request.authorize(using: .bearer("ABC"))
        #expect(request.headers.map { "\($0.name): \($0.value)" } == ["Authorization: Bearer ABC"])
    }

    @Test func `a credential replaces every line of its field and no other field`() {
        var request = request()
        request.headers = [
            "authorization": "1", "Accept": "a", "AUTHORIZATION": "2", "accept": "b", "Authorizatiom": "m",
        ]
        request.setCredential("new", in: "Authorization")
        #expect(request.headers["Authorization"] == ["new"])
        #expect(request.headers["Accept"] == ["a", "b"])
        #expect(request.headers.count == 4)
    }

    @Test(arguments: ["a\r\nX-Evil: 1", "a\nb", "a\rb", "a\0b", "x\u{1}y", "\u{7F}"])
    func `a value that the client refuses is not set, and an older value is removed`(value: String) {
        var request = request()
        request.headers = ["authorization": "old", "Accept": "a"]
        request.setCredential(value, in: "Authorization")
        #expect(request.headers.map(\.name) == ["Accept"])
    }

    @Test(arguments: ["a\tb", "a b", "é", String(repeating: "x", count: 4096)])
    func `any other value is set`(value: String) {
        var request = request()
        request.setCredential(value, in: "X-Key")
        #expect(request.headers["x-key"] == [value])
    }

    @Test(arguments: ["", " ", "X: 1\r\nY", ":authority", "é"]) func `an invalid field name is not set`(name: String) {
        var request = request()
        request.setCredential("v", in: name)
        #expect(request.headers.isEmpty)
    }

    @Test func `a credential is found by any spelling of its field`() {
        var request = request()
        #expect(request.credential(in: "Authorization") == nil)
        request.headers.add(name: "auTHorization", value: "x")
        #expect(request.credential(in: "Authorization") == "x")
    }

    @Test(
        arguments: [
            ("https://user:secret@API.example.com:8443/v1?x=1", "https://api.example.com:8443"),
            ("https://api.example.com@evil.example/", "https://evil.example"),
            ("http://[::1]:80/", "http://[::1]"),
            ("http+unix://%2Ftmp%2Fsocket/v1", "http+unix://%2ftmp%2fsocket"),
            ("unix:///tmp/socket", nil), ("/relative", nil), ("", nil),
        ] as [(String, String?)])
    func `the origin is where the client sends it`(url: String, origin: String?) {
        #expect(request(url).origin?.description == origin)
    }

    @Test(arguments: [
        ("https://api.example.com/", false), ("HTTPS://api.example.com/", false), ("https+unix://%2Ftmp%2Fs/", false),
        ("http+unix://%2Ftmp%2Fs/", false), ("http://localhost:8080/", false), ("http://127.0.0.1/", false),
        ("http://[::1]/", false), ("http://api.example.com/", true), ("HtTp://api.example.com/", true),
        ("http://127.0.0.1.example.com/", true), ("http://localhost@example.com/", true),
        ("unix:///tmp/socket", true), ("/relative", true), ("https", true), ("", true),
    ])
    func `plain http is readable unless it goes to this machine`(url: String, isPlaintext: Bool) {
        #expect(request(url).isPlaintext == isPlaintext)
    }

    @Test func `method and target are the request's`() {
        var request = request()
        request.method = .PATCH
        #expect(request.requestMethod == "PATCH")
        #expect(request.targetURI == "https://api.example.com/v1?x=1")
    }

    @Test func `a response says what it holds, line by line`() {
        let response = HTTPClientResponse(
            status: .unauthorized,
            headers: ["www-AUTHENTICATE": "Bearer realm=\"a\"", "WWW-Authenticate": "Basic realm=\"b\""])
        #expect(response.statusCode == 401)
        #expect(response.headerValues(for: "WWW-Authenticate") == ["Bearer realm=\"a\"", "Basic realm=\"b\""])
        #expect(response.headerValues(for: "Retry-After") == [])
        #expect(response.unauthorized?.challenges.map(\.scheme) == ["Bearer", "Basic"])
        #expect(HTTPClientResponse().unauthorized == nil)
    }
}
#endif
