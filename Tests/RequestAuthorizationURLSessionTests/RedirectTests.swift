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

/// Over real sockets; every case of the rule itself is in `RedirectRuleTests`.
@Suite(.timeLimit(.minutes(5))) struct RedirectTests {
    /// The other header fields of these tests' requests.
    private static let credentials = [
        "DPoP": "proof", "Cookie": "a=b", "Proxy-Authorization": "Basic eA==", "X-Key": "k",
    ]

    private func request(_ way: Way, _ url: URL) -> URLRequest {
        var request = way.request(url)
        request.allHTTPHeaderFields = ["Accept-Language": "tlh"]
        return request
    }

    private var provider: LooseProvider {
        LooseProvider(Self.credentials.merging(["Authorization": "Bearer 0"]) { $1 })
    }

    @Test(arguments: [301, 302, 303, 307, 308], Way.allCases)
    func `a redirect to the same origin keeps every credential`(status: Int, way: Way) async throws {
        try await withServer { request in
            request.target == "/a" ? .redirect(status, to: "/b", body: "moved") : .text("hello")
        } body: { server in
            let received = try await way.send(request(way, server.url("/a")), authorizedBy: provider)
            #expect(received == .init(200, "hello"))
            let last = try #require(await server.requests.last)
            #expect(last.target == "/b")
            #expect(last["Authorization"] == "Bearer 0")
            for (field, value) in Self.credentials { #expect(last[field] == value) }
        }
    }

    @Test(arguments: Way.allCases) func `a scheme in capitals is recognized, and the rule for credentials holds`(
        way: Way
    ) async throws {
        try await withServer { request in
            let here = "HTTP://127.0.0.1:\(request.port)/b"
            return request.target == "/a" ? .redirect(302, to: here) : .text("hello")
        } body: { server in
            let received = try await way.send(request(way, server.url("/a")), authorizedBy: provider)
            #expect(received == .init(200, "hello"))
            #expect(await server.requests.map { $0["Authorization"] } == ["Bearer 0", "Bearer 0"])
        }
    }

    @Test(arguments: [301, 302, 303, 307, 308], Way.allCases)
    func `a redirect to another port drops the credential`(status: Int, way: Way) async throws {
        try await withServer { _ in
            .text("hello")
        } body: { other in
            try await withServer { _ in
                .redirect(status, to: other.url("/b").absoluteString)
            } body: { server in
                let received = try await way.send(request(way, server.url("/a")), authorizedBy: provider)
                #expect(received == .init(200, "hello"))
            }
            let last = try #require(await other.requests.last)
            for field in Self.credentials.keys + ["Authorization"] { #expect(last[field] == nil) }
            #expect(last["Accept-Language"] == "tlh")
        }
    }

    @Test func `a credential that the request held already is dropped too`() async throws {
        try await withServer { request in
            request.target == "/a" ? .redirect(302, to: "http://localhost:\(request.port)/b") : .text("hello")
        } body: { server in
            let key = LooseProvider(["X-Key": "k"])
            let request = try await URLRequest(url: server.url("/a")).authorized(using: key)
            _ = try await Way.data.send(request, authorizedBy: key)
            #expect(await server.requests.map { $0["X-Key"] } == ["k", nil])
        }
    }

    @Test func `a 401 of the first origin is not reported either if the credential was dropped`() async throws {
        let provider = CountingProvider()
        try await withServer { request in
            switch request.target {
            case "/a": .redirect(302, to: "http://localhost:\(request.port)/b")
            case "/b": .redirect(302, to: "http://127.0.0.1:\(request.port)/c")
            case "/c": .redirect(302, to: "/d")
            default: .unauthorized("Bearer")
            }
        } body: { server in
            let received = try await Way.data.send(request(.data, server.url("/a")), authorizedBy: provider)
            #expect(received.status == 401)
            #expect(provider.refusals == 0)
        }
    }

    @Test func `a 401 behind a redirect to the same origin is sent again, and what led there is not`() async throws {
        try await withServer { request in
            if request.target == "/a" { return .redirect(307, to: "/b") }
            return request["Authorization"] == "Bearer 0" ? .unauthorized("Basic realm=\"x\"") : .text("hello")
        } body: { server in
            let received = try await Way.data.send(request(.data, server.url("/a")))
            #expect(received == .init(200, "hello"))
            #expect(await server.requests.map(\.target) == ["/a", "/b", "/b"])
        }
    }

    // MARK: - Bodies

    @Test(arguments: [307, 308], [Way.uploadData, .uploadFile])
    func `an upload keeps method and body`(status: Int, way: Way) async throws {
        try await withServer { request in
            request.target == "/a" ? .redirect(status, to: "/b") : .text("hello")
        } body: { server in
            _ = try await way.send(request(way, server.url("/a")))
            #expect(await server.requests.map(\.method) == ["POST", "POST"])
            #expect(await server.requests.map(\.text) == [Way.payload, Way.payload])
        }
    }

    @Test(arguments: [307, 308], ["POST", "PUT", "PATCH"])
    func `a request keeps method and body`(status: Int, method: String) async throws {
        try await withServer { request in
            request.target == "/a" ? .redirect(status, to: "/b") : .text("hello")
        } body: { server in
            var request = request(.data, server.url("/a"))
            request.httpMethod = method
            request.httpBody = Data("body".utf8)
            _ = try await Way.data.send(request)
            #expect(await server.requests.map(\.method) == [method, method])
            #expect(await server.requests.map(\.text) == ["body", "body"])
        }
    }

    @Test(arguments: [(301, "GET"), (302, "GET"), (303, "GET")], [Way.uploadData, .uploadFile])
    func `an upload becomes a GET without body where browsers make it one`(
        redirect: (status: Int, method: String), way: Way
    ) async throws {
        try await withServer { request in
            request.target == "/a" ? .redirect(redirect.status, to: "/b") : .text("hello")
        } body: { server in
            var request = request(way, server.url("/a"))
            request.setValue("text/plain", forHTTPHeaderField: "Content-Type")
            let received = try await way.send(request)
            #expect(received == .init(200, "hello"))
            let last = try #require(await server.requests.last)
            #expect(last.method == "GET")
            #expect(last.body.isEmpty)
            #expect(last["Content-Type"] == nil)
            #expect(last["Authorization"] == "Bearer 0")
        }
    }

    @Test(arguments: [307, 308]) func `a redirect that needs a stream twice is returned`(status: Int) async throws {
        try await withServer { _ in
            .redirect(status, to: "/b")
        } body: { server in
            var request = request(.data, server.url("/a"))
            request.httpMethod = "POST"
            request.httpBodyStream = InputStream(data: Data("once".utf8))
            let (_, response) = try await URLSession.shared.data(for: request, authorizedBy: provider)
            #expect((response as? HTTPURLResponse)?.statusCode == status)
            #expect((response as? HTTPURLResponse)?.headerValues(for: "Location") == ["/b"])
            #expect(await server.requests.map(\.text) == ["once"])
        }
    }

    @Test func `a stream that is not needed again does not stop a redirect`() async throws {
        try await withServer { request in
            request.target == "/a" ? .redirect(303, to: "/b") : .text("hello")
        } body: { server in
            var request = request(.data, server.url("/a"))
            request.httpMethod = "POST"
            request.httpBodyStream = InputStream(data: Data("once".utf8))
            let received = try await Way.data.send(request)
            #expect(received == .init(200, "hello"))
            #expect(await server.requests.map(\.text) == ["once", ""])
        }
    }

    // MARK: - Limits

    @Test func `twenty redirects are followed, and no more`() async throws {
        try await withServer { request in
            let number = Int(request.target.dropFirst()) ?? 0
            return number == 20 ? .text("hello") : .redirect(302, to: "/\(number + 1)")
        } body: { server in
            let received = try await Way.data.send(request(.data, server.url("/0")))
            #expect(received == .init(200, "hello"))
        }
        try await withServer { _ in
            .redirect(302, to: "/again")
        } body: { server in
            let error = await #expect(throws: URLError.self) {
                try await Way.data.send(request(.data, server.url("/0")))
            }
            #expect(error?.code == .httpTooManyRedirects)
            #expect(await server.requests.count == 21)
        }
    }

    @Test(arguments: [300, 304, 305, 306]) func `a status that is no redirect is an answer`(status: Int) async throws {
        try await withServer { _ in
            .status(status, ("Location", "/b"))
        } body: { server in
            let (_, response) = try await URLSession.shared.data(
                for: request(.data, server.url("/a")), authorizedBy: provider)
            #expect((response as? HTTPURLResponse)?.statusCode == status)
            #expect(await server.requests.count == 1)
        }
    }

    @Test(arguments: ["ftp://127.0.0.1/", "mailto:x@example.com", "http://", ""])
    func `a redirect without a location is an answer`(location: String) async throws {
        try await withServer { _ in
            .redirect(302, to: location)
        } body: { server in
            let (_, response) = try await URLSession.shared.data(
                for: request(.data, server.url("/a")), authorizedBy: provider)
            #expect((response as? HTTPURLResponse)?.statusCode == 302)
            #expect(await server.requests.count == 1)
        }
    }

    @Test func `a session that adds a credential itself does not follow a redirect to another origin`() async throws {
        try await withServer { _ in
            .text("hello")
        } body: { other in
            try await withServer { _ in
                .redirect(302, to: other.url("/b").absoluteString)
            } body: { server in
                let configuration = URLSessionConfiguration.ephemeral
                configuration.httpAdditionalHeaders = ["authorization": "Basic eA=="]
                let received = try await Way.data.send(
                    request(.data, server.url("/a")), through: URLSession(configuration: configuration))
                #expect(received.status == 302)
            }
            #expect(await other.connections == 0)
        }
    }
}
#endif
