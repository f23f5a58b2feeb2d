// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
import RequestAuthorizationURLSession
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(1))) struct RefreshTests {
    @Test func `a 401 is answered by a refresh and one more try`() async throws {
        let provider = CountingProvider()
        try await withServer { request in
            request["Authorization"] == "Bearer 0" ? .unauthorized("Bearer", body: "no") : .text("hello")
        } body: { server in
            let (data, response) = try await URLSession.shared.data(
                for: URLRequest(url: server.url("/me")), authorizedBy: provider)
            #expect(String(decoding: data, as: UTF8.self) == "hello")
            #expect((response as? HTTPURLResponse)?.statusCode == 200)
            #expect(await server.requests.map { $0["Authorization"] } == ["Bearer 0", "Bearer 1"])
        }
    }
    @Test func `a 401 basic`() async throws {
        let provider = CountingProvider()
        try await withServer { request in
            request["Authorization"] == "Bearer 0" ? .unauthorized("Basic realm=\"x\"", body: "no") : .text("hello")
        } body: { server in
            let (data, response) = try await URLSession.shared.data(
                for: URLRequest(url: server.url("/me")), authorizedBy: provider)
            #expect(String(decoding: data, as: UTF8.self) == "hello")
            #expect((response as? HTTPURLResponse)?.statusCode == 200)
            #expect(await server.requests.map { $0["Authorization"] } == ["Bearer 0", "Bearer 1"])
        }
    }
}
#endif
