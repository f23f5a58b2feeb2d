// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
import LoopbackServer
import RequestAuthorizationURLSession
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(1))) struct RefreshTests {
    @Test(arguments: Way.allCases) func `a 401 is answered by a refresh and the same request once more`(
        way: Way
    ) async throws {
        try await withServer { request in
            request["Authorization"] == "Bearer 0" ? .unauthorized("Bearer", body: "no") : .text("hello")
        } body: { server in
            let received = try await way.send(way.request(server.url("/me")))
            #expect(received == .init(200, "hello"))
            let requests = await server.requests
            #expect(requests.map { $0["Authorization"] } == ["Bearer 0", "Bearer 1"])
            #expect(requests.map(\.text) == [way.sentBody, way.sentBody])
        }
    }

    @Test func `the body in a request is sent again byte for byte`() async throws {
        let body = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try await withServer { request in
            request["Authorization"] == "Bearer 0" ? .unauthorized("Bearer") : .text("hello")
        } body: { server in
            var request = URLRequest(url: server.url("/"))
            request.httpMethod = "PATCH"
            request.httpBody = Data(body)
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            let received = try await Way.data.send(request)
            #expect(received == .init(200, "hello"))
            #expect(await server.requests.map(\.body) == [body, body])
            #expect(await server.requests.map { $0["Content-Type"] } == ["application/json", "application/json"])
        }
    }

    @Test(arguments: Way.allCases) func `a second 401 is returned`(way: Way) async throws {
        try await withServer { _ in
            .unauthorized("Bearer", body: "no")
        } body: { server in
            let received = try await way.send(way.request(server.url("/")))
            #expect(received == .init(401, "no"))
            #expect(await server.requests.count == 2)
        }
    }

    @Test func `as many tries as asked for`() async throws {
        try await withServer { _ in
            .unauthorized("Bearer", body: "no")
        } body: { server in
            let provider = CountingProvider()
            let request = URLRequest(url: server.url("/"))
            let received = try await Way.data.send(request, authorizedBy: provider, refreshCount: 0)
            #expect(received == .init(401, "no"))
            #expect(provider.refusals.withLock { $0 } == 0)
            _ = try await Way.data.send(request, authorizedBy: provider, refreshCount: 3)
            #expect(provider.refusals.withLock { $0 } == 3)
            #expect(await server.requests.count == 1 + 4)
        }
    }

    @Test func `a 401 without a way forward is returned`() async throws {
        try await withServer { _ in
            .unauthorized("Bearer", body: "no")
        } body: { server in
            let request = URLRequest(url: server.url("/"))
            let received = try await Way.data.send(request, authorizedBy: .bearer("abc"))
            #expect(received == .init(401, "no"))
            #expect(await server.requests.count == 1)
        }
    }

    @Test(arguments: [400, 403, 429, 500, 503]) func `no other status is repeated`(status: Int) async throws {
        try await withServer { _ in
            .status(status, ("Retry-After", "0"), body: "no")
        } body: { server in
            let received = try await Way.data.send(URLRequest(url: server.url("/")))
            #expect(received == .init(status, "no"))
            #expect(await server.requests.count == 1)
        }
    }

    @Test func `a stream is not sent twice`() async throws {
        try await withServer { _ in
            .unauthorized("Bearer", body: "no")
        } body: { server in
            var request = URLRequest(url: server.url("/"))
            request.httpMethod = "POST"
            request.httpBodyStream = InputStream(data: Data("once".utf8))
            let provider = CountingProvider()
            let received = try await Way.data.send(request, authorizedBy: provider)
            #expect(received == .init(401, "no"))
            #expect(await server.requests.map(\.text) == ["once"])
        }
    }

    @Test func `an actor that refreshes serves many calls with one refresh`() async throws {
        let auth = RefreshableTokenAuthorization(service: NumberedTokens(), token: NumberedToken(number: 0))
        try await withServer { request in
            request["Authorization"] == "Bearer 0" ? .unauthorized("Bearer error=\"invalid_token\"") : .text("hello")
        } body: { server in
            let request = URLRequest(url: server.url("/"))
            try await withThrowingTaskGroup { group in
                for _ in 0..<20 {
                    group.addTask { try await URLSession.shared.data(for: request, authorizedBy: auth).0 }
                }
                for try await data in group { #expect(data == Data("hello".utf8)) }
            }
            #expect(Set(await server.requests.map { $0["Authorization"] }) == ["Bearer 0", "Bearer 1"])
        }
    }

    @Test func `challenges over several lines are all understood`() async throws {
        let provider = RefusalKeeper()
        try await withServer { _ in
            .status(401, ("WWW-Authenticate", "Bearer realm=\"a, b\""), ("WWW-Authenticate", "DPoP algs=\"ES256\""))
        } body: { server in
            _ = try await Way.data.send(URLRequest(url: server.url("/")), authorizedBy: provider)
        }
        #expect(provider.refusals.withLock { $0.map { $0.challenges.map(\.scheme) } } == [["Bearer", "DPoP"]])
    }
}

private struct NumberedToken: AuthorizationToken {
    let number: Int
    var authorizationHeaderValue: String { "Bearer \(number)" }
    var expiresAt: Date? { nil }
}

private struct NumberedTokens: RefreshableTokenService {
    func refresh(_ token: NumberedToken) async throws -> NumberedToken { NumberedToken(number: token.number + 1) }
}
#endif
