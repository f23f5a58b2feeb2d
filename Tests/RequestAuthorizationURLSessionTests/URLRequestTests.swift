// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationTesting
import RequestAuthorizationURLSession
import TestProviders
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

struct URLRequestTests {
    private func request(_ url: String = "https://api.example.com/v1?x=1#f") throws -> URLRequest {
        URLRequest(url: try #require(URL(string: url)))
    }

    @Test func `a constant credential is put on the request`() async throws {
        var request = try request()
        try await request.authorize(using: .bearer("ABC"))
        #expect(request.allHTTPHeaderFields == ["Authorization": "Bearer ABC"])
    }

    @Test(arguments: [
        "https://api.example.com/v1", "https://API.EXAMPLE.COM:443/", "https://user@api.example.com/",
        "https://api.example.com:444/", "http://api.example.com/", "https://api.example.com@evil.example/",
        "https://b%C3%BCcher.example/", "mailto:a@b.example", "/v1",
    ])
    func `a request goes to its own origin and to no other`(url: String) throws {
        let request = try request(url)
        for origin: Origin in ["https://api.example.com", "https://evil.example", "https://xn--bcher-kva.example"] {
            #expect(request.goes(to: origin) == (request.origin == origin))
        }
        if let origin = request.origin { #expect(request.goes(to: origin)) }
    }

    @Test func `a URL with a base has the origin of both together`() throws {
        let base = try #require(URL(string: "https://api.example.com/v1/"))
        let request = URLRequest(url: try #require(URL(string: "//evil.example/", relativeTo: base)))
        #expect(request.goes(to: "https://evil.example"))
        #expect(!request.goes(to: "https://api.example.com"))
        let relative = URLRequest(url: try #require(URL(string: "widgets", relativeTo: base)))
        #expect(relative.goes(to: "https://api.example.com"))
    }

    @Test func `the original request stays unchanged`() async throws {
        let request = try request()
        let authorized = try await request.authorized(using: .bearer("ABC"))
        #expect(request.allHTTPHeaderFields ?? [:] == [:])
        #expect(authorized.value(forHTTPHeaderField: "authorization") == "Bearer ABC")
    }

    @Test func `a credential replaces every spelling of its field and no other field`() throws {
        var request = try request()
        request.allHTTPHeaderFields = [
            "authorization": "1", "AUTHORIZATION": "2", "Authorization": "3", "Accept": "a", "Authorizatiom": "m",
        ]
        request.setCredential("new", in: "Authorization")
        #expect(request.allHTTPHeaderFields == ["Authorization": "new", "Accept": "a", "Authorizatiom": "m"])
    }

    @Test(arguments: ["a\r\nX-Evil: 1", "a\nb", "a\rb", "a\0b", String(repeating: "x", count: 200) + "\n"])
    func `a value with a line break is not set, and an older value is removed`(value: String) throws {
        var request = try request()
        request.allHTTPHeaderFields = ["authorization": "old", "Accept": "a"]
        request.setCredential(value, in: "Authorization")
        #expect(request.allHTTPHeaderFields == ["Accept": "a"])
    }

    @Test(arguments: ["a\r\nX-Evil: 1", "a\0b"])
    func `a provider that sets a value with a line break throws, and the request stays unchanged`(value: String)
        async throws
    {
        var request = try request()
        request.allHTTPHeaderFields = ["Accept": "a"]
        for field in ["Authorization", "X-Key"] {
            let error = await #expect(throws: NotAuthorized.self) {
                try await request.authorize(using: LooseProvider([field: value]))
            }
            #expect(error?.reason == .malformedCredential)
        }
        #expect(request.allHTTPHeaderFields == ["Accept": "a"])
    }

    @Test func `a URLRequest passes the checks of a request`() async throws {
        let url = try #require(URL(string: "https://api.example.com/v1?x=1#f"))
        try await AuthorizableRequestChecks(method: "GET", target: "https://api.example.com/v1?x=1") {
            URLRequest(url: url)
        }.run()
    }

    @Test func `a URLRequest shows a body in memory, an absent body, and no stream`() async throws {
        let url = try #require(URL(string: "https://api.example.com/v1"))
        for body in [nil, Data(), Data([1, 2, 3])] {
            try await AuthorizableRequestChecks(
                method: "POST", target: "https://api.example.com/v1", body: body.map { Array($0) } ?? []
            ) {
                var request = URLRequest(url: url)
                request.httpMethod = "POST"
                request.httpBody = body
                return request
            }.run()
        }
        var request = URLRequest(url: url)
        request.httpBodyStream = InputStream(data: Data([1, 2, 3]))
        #expect(request.bodyBytes == nil)
    }

    @Test(arguments: ["a\tb", "a b", "é", "x\u{1}y", String(repeating: "x", count: 4096)])
    func `any other value is set`(value: String) throws {
        var request = try request()
        request.setCredential(value, in: "X-Key")
        #expect(request.allHTTPHeaderFields == ["X-Key": value])
    }

    @Test func `a field whose name has a line break is not set`() throws {
        var request = try request()
        request.setCredential("v", in: "X: 1\r\nY")
        #expect(request.allHTTPHeaderFields ?? [:] == [:])
    }

    @Test func `a credential is found by any spelling of its field`() throws {
        var request = try request()
        #expect(request.credential(in: "Authorization") == nil)
        request.allHTTPHeaderFields = ["auTHorization": "x"]
        #expect(request.credential(in: "Authorization") == "x")
        #expect(request.credential(in: "auTHorization") == "x")
        #expect(request.credential(in: "Authorizatio") == nil)
    }

    @Test(arguments: [
        ("https://api.example.com/", false), ("HTTPS://api.example.com/", false), ("wss://api.example.com/", false),
        ("http://api.example.com/", true), ("HtTp://api.example.com/", true), ("ws://api.example.com/", true),
        ("http://localhost:8080/", false), ("http://127.0.0.1/", false), ("http://[::1]/", false),
        ("http://127.0.0.1.example.com/", true), ("http://localhost.example.com/", true), ("/relative", true),
        ("http:relative", true),
    ])
    func `plain http is readable unless it goes to this machine`(url: String, isPlaintext: Bool) throws {
        #expect(try request(url).isPlaintext == isPlaintext)
    }

    @Test func `a relative URL has the scheme of its base`() throws {
        let base = try #require(URL(string: "http://api.example.com/"))
        let request = URLRequest(url: try #require(URL(string: "v1", relativeTo: base)))
        #expect(request.isPlaintext)
        #expect(request.targetURI == "http://api.example.com/v1")
    }

    @Test func `a request without a URL counts as readable`() throws {
        var request = try request()
        request.url = nil
        #expect(request.isPlaintext)
        #expect(request.origin == nil)
        #expect(request.targetURI == nil)
    }

    @Test func `origin, method and target are the request's`() throws {
        var request = try request("https://user:secret@API.example.com:8443/v1?x=1")
        #expect(request.origin == "https://api.example.com:8443")
        #expect(request.requestMethod == "GET")
        request.httpMethod = "PATCH"
        #expect(request.requestMethod == "PATCH")
        #expect(try self.request().targetURI == "https://api.example.com/v1?x=1")
    }

    @Test func `only a stream cannot be sent again`() throws {
        var request = try request()
        #expect(request.isReplayable)
        request.httpBody = Data("x".utf8)
        #expect(request.isReplayable)
        request.httpBodyStream = InputStream(data: Data("x".utf8))
        #expect(!request.isReplayable)
    }

    @Test func `a response returns its values by any spelling of the field`() throws {
        let url = try #require(URL(string: "https://api.example.com/"))
        let response = try #require(
            HTTPURLResponse(
                url: url, statusCode: 401, httpVersion: nil,
                headerFields: ["WWW-Authenticate": "Bearer realm=\"a\", Basic realm=\"b\""]))
        #expect(response.headerValues(for: "www-authenticate") == ["Bearer realm=\"a\", Basic realm=\"b\""])
        #expect(response.headerValues(for: "Retry-After") == [])
        #expect(response.unauthorized?.challenges.map(\.scheme) == ["Bearer", "Basic"])
    }
}
