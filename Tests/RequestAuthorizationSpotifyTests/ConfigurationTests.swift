// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
import RedactionChecks
@testable import RequestAuthorization
@testable import RequestAuthorizationSpotify
import RequestAuthorizationStorage
import RequestAuthorizationTesting
import Testing

@Suite struct `The configuration` {
    private let proxy = SpotifyProxy(tokenURL: URL(make: "https://my.example/token"))

    private var all: [SpotifyConfiguration] {
        [
            SpotifyConfiguration(flow: .pkce, client: .public(id: "c"), redirectURI: "my-app://cb", proxy: proxy),
            SpotifyConfiguration(flow: .authorizationCode, client: .secretBasic(id: "c", secret: Secret.text)),
            SpotifyConfiguration(
                flow: .clientCredentials, client: .secretBasic(id: "c", secret: "s"),
                accounts: .spotify(accounts: URL(make: "http://127.0.0.1:1"))),
        ]
    }

    @Test func `is the same after it was kept`() throws {
        for configuration in all {
            let kept = try JSONDecoder().decode(SpotifyConfiguration.self, from: JSONEncoder().encode(configuration))
            #expect(kept == configuration)
        }
    }

    @Test func `makes the service that the short form makes`() {
        let service = SpotifyTokenService(all[0], pendingSignIns: .inMemory, transport: NoTransport())
        #expect(service.configuration == all[0])
        #expect(service.oauth.endpoint.server.tokenEndpoint == proxy.tokenURL)
        #expect(
            service.oauth.endpoint.server.authorizationEndpoint == AuthorizationServer.spotify.authorizationEndpoint)
    }

    @Test func `a stand-in for Spotify has Spotify's paths and rules`() {
        let local = AuthorizationServer.spotify(accounts: URL(make: "http://127.0.0.1:8080"))
        #expect(local.authorizationEndpoint?.absoluteString == "http://127.0.0.1:8080/authorize")
        #expect(local.tokenEndpoint?.absoluteString == "http://127.0.0.1:8080/api/token")
        #expect(local.quirks == AuthorizationServer.spotify.quirks)
        #expect(AuthorizationServer.spotify.revocationEndpoint == nil)
        #expect(AuthorizationServer.spotify.deviceAuthorizationEndpoint == nil)
    }

    @Test func `keeps tokens and pending sign-ins where the program says`() throws {
        let spotify = SpotifyTokenService.pkce(
            clientID: "CLIENT_ID", pendingSignIns: .items(.default(client: "CLIENT_ID")), transport: NoTransport())
        let auth = spotify.authorization(store: .default(client: "CLIENT_ID", account: "me"))
        let store = try #require(auth.store as? DefaultTokenStore<OAuthToken>)
        #expect(spotify.oauth.pendingSignIns is ItemPendingSignIns<DefaultTokenStore<OAuthToken>.Items>)
        #if !canImport(Security)
        #expect(store.items.client == "CLIENT_ID" && store.items.account == "me")
        #endif
    }

    @Test func `keeps both in memory by default`() {
        let spotify = SpotifyTokenService.pkce(clientID: "CLIENT_ID", transport: NoTransport())
        #expect(spotify.oauth.pendingSignIns is InMemoryPendingSignIns)
        #expect(RefreshableTokenAuthorization(service: spotify).store == nil)
    }

    @Test func `prints no secret, and neither does the service`() throws {
        let configuration = all[1]
        let service = SpotifyTokenService(configuration, pendingSignIns: .inMemory, transport: NoTransport())
        let exhibits: [Any] = [configuration, service, service.authorization(store: InMemoryTokenStore())]
        for exhibit in exhibits {
            #expect(Channel.allCases.filter { Secret.isPart(of: $0.text(of: exhibit)) } == [])
        }
        #expect(
            try PublicTypes.declared(in: ["RequestAuthorizationSpotify"]) == [
                "SpotifyScope", "SpotifyProxy", "SpotifyConfiguration", "SpotifyConfiguration.Flow",
                "SpotifyTokenService",
            ])
    }
}
#endif
