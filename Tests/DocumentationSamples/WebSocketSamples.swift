// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationTesting
import RequestAuthorizationURLSession
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct WebSocketSamples {
    @Test func `a handshake over wss has the origin of https`() async throws {
        let feed = try #require(URL(string: "wss://api.widgets.example/feed"))
        let provider = RefreshableTokenAuthorization(service: ScriptedTokenService(.token("a")))
        // sample: handshake
        let auth = provider.restricted(to: "https://api.widgets.example")
        let handshake = try await URLRequest(url: feed).authorized(using: auth)  // wss://api.widgets.example/feed
        // end sample
        #expect(handshake.value(forHTTPHeaderField: "Authorization") == "Bearer a")
        #expect(handshake.url == feed)
    }

    @Test func `plain ws is refused, unless it stays on this machine`() async throws {
        let plain = URLRequest(url: try #require(URL(string: "ws://api.widgets.example/feed")))
        let error = await #expect(throws: NotAuthorized.self) { try await plain.authorized(using: .bearer("a")) }
        #expect(error?.reason == .insecureTransport)

        let local = URLRequest(url: try #require(URL(string: "ws://127.0.0.1:8080/feed")))
        let authorized = try await local.authorized(using: .bearer("a"))
        #expect(authorized.value(forHTTPHeaderField: "Authorization") == "Bearer a")
    }

    @Test func `plain ws to one origin can be allowed by its name in http`() async throws {
        let request = URLRequest(url: try #require(URL(string: "ws://feed.internal:8080/")))
        let auth = BearerTokenAuthorization.bearer("a").restricted(
            to: "http://feed.internal:8080", allowingPlaintext: true)
        let authorized = try await request.authorized(using: auth)
        #expect(authorized.value(forHTTPHeaderField: "Authorization") == "Bearer a")
    }
}
