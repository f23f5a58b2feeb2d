// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
import LoopbackServer
import RequestAuthorizationSpotify
import RequestAuthorizationTesting
import RequestAuthorizationURLSession
import Testing

/// A session of Spotify is not sent to another accounts service, over real sockets.
@Suite(.timeLimit(.minutes(5))) struct OtherAccountsTests {
    private let clock = ManualClock()

    private func service(_ server: RawServer, _ flow: SpotifyConfiguration.Flow = .pkce) -> SpotifyTokenService {
        SpotifyTokenService(
            SpotifyConfiguration(
                flow: flow, client: .public(id: "c"), redirectURI: "my-app://cb",
                accounts: .spotify(accounts: server.url(""))),
            pendingSignIns: InMemoryPendingSignIns(), transport: URLSession.shared, clock: clock)
    }

    private static let answer: RawServer.Script = { _ in
        .status(200, ("Content-Type", "application/json"), body: signedIn)
    }

    @Test func `its refresh token and its access token stay away from another accounts service`() async throws {
        let store = InMemoryTokenStore<OAuthToken>()
        try await withServer(Self.answer) { a in
            try await withServer(Self.answer) { b in
                let spotify = service(a)
                let pending = try await spotify.signIn(scopes: [.streaming])
                try await spotify.authorization(store: store, clock: clock).signIn {
                    try await spotify.finish(callback: pending.callback())
                }

                let auth = service(b).authorization(store: store, clock: clock)
                for _ in 0..<2 {
                    let error = await #expect(throws: NotAuthorized.self) { try await auth.validToken() }
                    #expect(error?.underlying is TokenOfOtherIssuer)
                    clock.advance(by: .seconds(7200))
                }
                #expect(await !auth.isAuthorized())
                try await auth.signOut()
                #expect(await b.requests.isEmpty)
            }
        }
    }

    @Test func `a token from another library is noted as that of the accounts service`() async throws {
        let store = InMemoryTokenStore<OAuthToken>()
        try await withServer(Self.answer) { a in
            try await withServer(Self.answer) { b in
                let saved = Data(
                    #"{"access_token":"BQ-old","refresh_token":"AQ-old","expiration_date":800000000}"#.utf8)
                let auth = service(a).authorization(store: store, clock: clock)
                try await auth.setToken(OAuthToken(spotifyAPI: saved))
                #expect(store.stored?.token?.issuer?.name == "http://127.0.0.1:\(a.port)")
                let other = service(b).authorization(store: store, clock: clock)
                await #expect(throws: NotAuthorized.self) { try await other.validToken() }
                #expect(await b.requests.isEmpty)
                // Public data need no person, so the token is replaced.
                let own = service(b, .clientCredentials).authorization(store: store, clock: clock)
                #expect(try await own.validToken().accessToken == "BQ-access")
                #expect(await b.requests.map(\.text) == ["client_id=c&grant_type=client_credentials"])
            }
        }
    }
}
#endif
