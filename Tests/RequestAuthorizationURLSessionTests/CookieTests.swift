// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
import LoopbackServer
import RequestAuthorizationURLSession
import TestProviders
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A call stores cookies where and as `data(for:)` does.
@Suite(.timeLimit(.minutes(5))) struct CookieTests {
    private func session(_ change: (URLSessionConfiguration) -> Void = { _ in }) -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        change(configuration)
        return URLSession(configuration: configuration)
    }

    static let fields: [[String]] = [
        ["a=1; Path=/"], ["a=1", "b=2; Path=/x; Secure", "c=3; HttpOnly"],
        ["a=1; Expires=Wed, 21 Oct 2037 07:28:00 GMT; Path=/", "b=2; Expires=Wed, 21-Oct-2037 07:28:00 GMT", "c=3"],
        ["a=1; Max-Age=1000; SameSite=Lax", "b=2; Domain=127.0.0.1", "c=3; Domain=example.org"],
        ["a=1; Max-Age=0", "b=2; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "c="],
        ["a=1; Path=/", "user[name]=2; Path=/", "my cookie=3; Secure", "\"d\"=4"],
        ["a=\"1, 2\"; Path=/", "b=3,c=4; Path=/", "d=5, e=6"], ["a", "", "b=2=3; =; ;"],
        ["a=1; Path=/", "b=\u{338}x; Path=/y"],
    ]

    @Test(arguments: fields, [nil, URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil)])
    func `they are the same as those of a call without a provider`(lines: [String], cache: URLCache?) async throws {
        try await withServer { _ in
            .raw(
                "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n" + lines.map { "Set-Cookie: \($0)\r\n" }.joined() + "\r\n")
        } body: { server in
            let (authorized, plain) = (session { $0.urlCache = cache }, session { $0.urlCache = cache })
            _ = try await authorized.data(from: server.url("/"), authorizedBy: .bearer("abc"))
            _ = try await plain.data(for: URLRequest(url: server.url("/")))
            #expect(authorized.storedCookies == plain.storedCookies)
            #expect(authorized.storedCookies != [])
        }
    }

    @Test(arguments: Way.allCases, [true, false])
    func `every function stores and sends them`(way: Way, hasCache: Bool) async throws {
        try await withServer { _ in
            .status(200, ("Set-Cookie", "a=b"))
        } body: { server in
            let session = session { if !hasCache { $0.urlCache = nil } }
            for _ in 1...2 { _ = try await way.send(way.request(server.url("/")), through: session) }
            #expect(session.storedCookies == ["a=b"])
            #expect(await server.requests.map { $0["Cookie"] } == [nil, "a=b"])
        }
    }

    @Test(arguments: Way.allCases, [true, false])
    func `a stored one takes the place of no credential`(way: Way, hasCache: Bool) async throws {
        try await withServer { request in
            .status(200, ("Set-Cookie", "user=\(request.target.dropFirst()); Path=/"))
        } body: { server in
            let session = session { if !hasCache { $0.urlCache = nil } }
            _ = try await way.send(way.request(server.url("/1")), through: session)
            for user in 2...3 {
                let provider = HeaderAuthorization(field: "Cookie", value: "user=\(user)")
                _ = try await way.send(way.request(server.url("/\(user)")), through: session, authorizedBy: provider)
            }
            #expect(await server.requests.map { $0["Cookie"] } == [nil, "user=2", "user=3"])
            #expect(session.storedCookies == ["user=1"])
        }
    }

    @Test(arguments: Way.allCases, [true, false])
    func `a request that wants none neither sends nor stores them`(way: Way, hasCache: Bool) async throws {
        try await withServer { request in
            .status(200, ("Set-Cookie", "\(request.target.dropFirst())=1; Path=/"))
        } body: { server in
            let session = session { if !hasCache { $0.urlCache = nil } }
            _ = try await way.send(way.request(server.url("/a")), through: session)
            var request = way.request(server.url("/b"))
            request.httpShouldHandleCookies = false
            _ = try await way.send(request, through: session)
            #expect(session.storedCookies == ["a=1"])
            #expect(await server.requests.map { $0["Cookie"] } == [nil, nil])
        }
    }

    @Test func `those of a redirect and of a 401 come with the request that follows`() async throws {
        try await withServer { request in
            switch (request.target, request["Authorization"]) {
            case ("/", _): .status(302, ("Location", "/there"), ("Set-Cookie", "a=1"))
            case (_, "Bearer 0"): .status(401, ("WWW-Authenticate", "Basic realm=\"x\""), ("Set-Cookie", "a=2"))
            default: .text("hello")
            }
        } body: { server in
            let session = session()
            let received = try await Way.data.send(URLRequest(url: server.url("/")), through: session)
            #expect(received == .init(200, "hello"))
            #expect(await server.requests.map { $0["Cookie"] } == [nil, "a=1", "a=2"])
        }
    }

    @Test(arguments: Way.allCases, [true, false])
    func `a session that accepts none stores none`(way: Way, hasStorage: Bool) async throws {
        try await withServer { _ in
            .status(200, ("Set-Cookie", "a=b"))
        } body: { server in
            let storage = session().configuration.httpCookieStorage
            let session = session {
                $0.httpCookieStorage = hasStorage ? storage : nil
                if hasStorage { $0.httpCookieAcceptPolicy = .never }
            }
            for _ in 1...2 { _ = try await way.send(way.request(server.url("/")), through: session) }
            #expect(storage?.cookies == [])
            #expect(await server.requests.map { $0["Cookie"] } == [nil, nil])
        }
    }

    @Test func `a session that sends none stores them`() async throws {
        try await withServer { _ in
            .status(200, ("Set-Cookie", "a=b"))
        } body: { server in
            let session = session { $0.httpShouldSetCookies = false }
            for _ in 1...2 { _ = try await Way.data.send(URLRequest(url: server.url("/")), through: session) }
            #expect(session.storedCookies == ["a=b"])
            #expect(await server.requests.map { $0["Cookie"] } == [nil, nil])
        }
    }

    #if canImport(FoundationNetworking)
    /// `URLSession` on Linux ignores these lines.
    @Test(arguments: ["set-cookie", "SET-COOKIE"])
    func `the name of the field has any case`(name: String) async throws {
        try await withServer { _ in
            .status(200, (name, "a=b"))
        } body: { server in
            let session = session()
            _ = try await Way.data.send(URLRequest(url: server.url("/")), through: session)
            #expect(session.storedCookies == ["a=b"])
        }
    }

    @Test func `those of a cached answer are not stored again`() async throws {
        let cache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil)
        let session = session { $0.urlCache = cache }
        let url = try #require(URL(string: "http://127.0.0.1:9/"))
        let fields = ["Date": "Wed, 21 Oct 2037 07:28:00 GMT", "Cache-Control": "max-age=600", "Set-Cookie": "a=b"]
        let kept = try #require(
            HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: fields))
        cache.storeCachedResponse(CachedURLResponse(response: kept, data: Data("kept".utf8)), for: URLRequest(url: url))
        let received = try await Way.data.send(
            URLRequest(url: url), through: session, authorizedBy: LooseProvider([:]))
        #expect(received == .init(200, "kept"))
        #expect(session.storedCookies == [])
    }
    #endif
}

extension URLSession {
    /// The stored cookies, each as its name and value and the attributes that differ from the default.
    fileprivate var storedCookies: [String] {
        (configuration.httpCookieStorage?.cookies ?? []).map { cookie in
            var text = "\(cookie.name)=\(cookie.value)"
            if cookie.domain != "127.0.0.1" { text += " \(cookie.domain)" }
            if cookie.path != "/" { text += " \(cookie.path)" }
            if let date = cookie.expiresDate { text += date.timeIntervalSinceNow < 3_600 ? " soon" : " \(date)" }
            if cookie.isSecure { text += " secure" }
            if cookie.isHTTPOnly { text += " http-only" }
            return text
        }.sorted()
    }
}
#endif
