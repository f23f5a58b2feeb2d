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

@Suite(.timeLimit(.minutes(5))) struct RefreshTests {
    @Test(arguments: Way.allCases) func `a 401 leads to one refresh, and the same request once more`(
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

    @Test(arguments: Way.allCases) func `a second 401 is returned`(way: Way) async throws {
        try await withServer { _ in
            .unauthorized("Bearer", body: "no")
        } body: { server in
            let received = try await way.send(way.request(server.url("/")))
            #expect(received == .init(401, "no"))
            #expect(await server.requests.count == 2)
        }
    }

    @Test func `challenges in several lines are all read`() async throws {
        let provider = LooseProvider()
        try await withServer { _ in
            .status(401, ("WWW-Authenticate", "Bearer realm=\"a, b\""), ("WWW-Authenticate", "DPoP algs=\"ES256\""))
        } body: { server in
            _ = try await Way.data.send(URLRequest(url: server.url("/")), authorizedBy: provider)
        }
        #expect(provider.refusals.withLock { $0.map { $0.challenges.map(\.scheme) } } == [["Bearer", "DPoP"]])
    }
}
#endif
