// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import LoopbackServer
import RequestAuthorizationAsyncHTTPClient
import TestProviders
import Testing

/// async-http-client follows redirects itself and decides which fields it keeps. This package decides which fields it
/// gets.
@Suite(.timeLimit(.minutes(5))) struct RedirectTests {
    @Test(arguments: [301, 302, 303, 307, 308]) func `a redirect to the same origin keeps the credential`(
        status: Int
    ) async throws {
        try await withServer { request in
            request.target == "/a" ? .redirect(status, to: "/b", body: "moved") : .text("hello")
        } body: { server in
            try await withClient { client in
                let received = try await client.received(.get(server.url("/a")))
                #expect(received == .init(200, "hello"))
                #expect(await server.requests.map { $0["Authorization"] } == ["Bearer 0", "Bearer 0"])
            }
        }
    }

    @Test(arguments: [301, 302, 303, 307, 308]) func `a redirect to another port drops the credential`(
        status: Int
    ) async throws {
        let provider = LooseProvider([
            "Authorization": "Bearer 0", "Cookie": "a=b", "Proxy-Authorization": "Basic eA==",
        ])
        try await withServer { _ in
            .text("hello")
        } body: { other in
            try await withServer { _ in
                .redirect(status, to: other.url("/b").absoluteString)
            } body: { server in
                try await withClient { client in
                    let received = try await client.received(.get(server.url("/a")), authorizedBy: provider)
                    #expect(received == .init(200, "hello"))
                    let first = try #require(await server.requests.first)
                    #expect(provider.fields.allSatisfy { first[$0.key] == $0.value })
                    let last = try #require(await other.requests.last)
                    #expect(provider.fields.keys.allSatisfy { last[$0] == nil })
                }
            }
        }
    }

    @Test func `a 401 of another origin, or behind one, is not reported to the provider`() async throws {
        let provider = CountingProvider()
        try await withServer { request in
            switch request.target {
            case "/a": .redirect(302, to: "http://localhost:\(request.port)/b")
            case "/b": .redirect(302, to: "http://127.0.0.1:\(request.port)/c")
            default: .unauthorized("Bearer", body: "no")
            }
        } body: { server in
            try await withClient { client in
                let there = try await client.received(.get(server.url("/b")), authorizedBy: .bearer("x"))
                #expect(there == .init(401, "no"))
                let received = try await client.received(.get(server.url("/a")), authorizedBy: provider)
                #expect(received == .init(401, "no"))
                #expect(provider.refusals == 0)
                let sent = await server.requests.dropFirst(2).map { $0["Authorization"] }
                #expect(sent == ["Bearer 0", nil, nil])
            }
        }
    }

    @Test func `a 401 of another origin does not concern a credential without fields either`() async throws {
        let provider = BareProvider()
        try await withServer { request in
            request.target == "/a"
                ? .redirect(302, to: "http://localhost:\(request.port)/b") : .unauthorized("Bearer", body: "no")
        } body: { server in
            try await withClient { client in
                let there = try await client.received(.get(server.url("/a")), authorizedBy: provider)
                #expect(there == .init(401, "no") && provider.judged == 0)
                let here = try await client.received(.get(server.url("/b")), authorizedBy: provider)
                #expect(here == .init(401, "no") && provider.judged == 1)
            }
        }
    }

    @Test func `a 401 behind a redirect to the same origin is sent again, and what led there is not`() async throws {
        try await withServer { request in
            if request.target == "/a" { return .redirect(307, to: "/b") }
            return request["Authorization"] == "Bearer 0" ? .unauthorized("Bearer", body: "no") : .text("hello")
        } body: { server in
            try await withClient { client in
                let received = try await client.received(.post(server.url("/a"), .bytes([1])))
                #expect(received == .init(200, "hello"))
                #expect(await server.requests.map(\.target) == ["/a", "/b", "/b"])
                #expect(await server.requests.map(\.body) == [[1], [1], [1]])
            }
        }
    }

    @Test func `a stream's redirect is returned`() async throws {
        try await withServer { _ in
            .redirect(307, to: "/b", body: "moved")
        } body: { server in
            try await withClient { client in
                let body = HTTPClientRequest.Body.stream([ByteBuffer(bytes: [1])].async, length: .unknown)
                let received = try await client.received(.post(server.url("/a"), body))
                #expect(received == .init(307, "moved"))
                #expect(await server.requests.count == 1)
            }
        }
    }

    // MARK: - Fields that the client does not take off

    @Test(arguments: ["X-API-Key", "DPoP", "x-api-key"]) func `a field that the client would keep is not sent at all`(
        field: String
    ) async throws {
        try await withServer { _ in
            .text("hello")
        } body: { server in
            try await withClient { client in
                let error = await #expect(throws: NotAuthorized.self) {
                    try await client.received(.get(server.url("/")), authorizedBy: .header(field, "secret"))
                }
                #expect(error?.reason == .redirectsFollowed)
                #expect("\(error as Any)".contains("would send \(field.lowercased()) to other hosts"))
                #expect(await server.connections == 0)
            }
        }
    }

    @Test func `a field that the request held already is not sent either`() async throws {
        try await withServer { _ in
            .text("hello")
        } body: { server in
            try await withClient { client in
                var held = HTTPClientRequest.get(server.url("/"))
                held.headers.add(name: "X-API-Key", value: "secret")
                let error = await #expect(throws: NotAuthorized.self) {
                    try await client.received(held, authorizedBy: LooseProvider(["X-API-Key": "secret"]))
                }
                #expect(error?.reason == .redirectsFollowed)
                #expect(await server.connections == 0)
            }
        }
    }

    @Test func `a client that follows no redirects sends such a field`() async throws {
        try await withServer { _ in
            .text("hello")
        } body: { other in
            try await withServer { _ in
                .redirect(302, to: other.url("/b").absoluteString, body: "moved")
            } body: { server in
                try await withClient(redirects: .disallow) { client in
                    let received = try await client.received(
                        .get(server.url("/")), authorizedBy: .header("X-API-Key", "k"), clientFollowsRedirects: false)
                    #expect(received == .init(302, "moved"))
                    #expect(await server.requests.map { $0["X-API-Key"] } == ["k"])
                    #expect(await other.connections == 0)
                }
            }
        }
    }

    @Test func `a client that follows redirects although it was declared not to is detected`() async throws {
        try await withServer { request in
            request.target == "/a" ? .redirect(302, to: "/b") : .text("hello")
        } body: { server in
            try await withClient { client in
                let error = await #expect(throws: NotAuthorized.self) {
                    try await client.received(
                        .get(server.url("/a")), authorizedBy: .header("X-API-Key", "k"), clientFollowsRedirects: false)
                }
                #expect(error?.reason == .redirectsFollowed)
            }
        }
    }
}

/// Adds nothing, and counts the refusals that it is asked about.
private final class BareProvider: AuthorizationProvider, CredentialReceipt {
    private let count = Lock(0)

    var judged: Int { count.withLock { $0 } }

    func credential(for request: some AuthorizableRequest) async throws -> Credential { .withoutFields(receipt: self) }

    func judge(_ answer: some AuthorizableResponse, afterRefresh: Bool) async throws -> Verdict {
        count.withLock { $0 += 1 }
        return .accept
    }
}
#endif
