// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
import RequestAuthorizationSpotify
import RequestAuthorizationTesting
import RequestAuthorizationURLSession
import Testing

/// The samples of the page on Spotify, run against an accounts service that answers as Spotify does.
@Suite struct SpotifySamples {
    private let answer = #"{"access_token":"a","token_type":"Bearer","expires_in":3600,"refresh_token":"r"}"#

    private func transport() -> ScriptedTokenTransport { ScriptedTokenTransport(forever: .response(200, json: answer)) }

    @Test func `three flows, each direct or through a proxy`() async throws {
        let (id, secret, transport) = ("CLIENT_ID", "CLIENT_SECRET", transport())
        let backend = try #require(URL(string: "https://my.example/spotify"))
        // sample: flows
        let proxy = SpotifyProxy(
            tokenURL: backend.appending(path: "token"), refreshURL: backend.appending(path: "refresh"))

        // an app or a tool: no secret
        let app = SpotifyTokenService.pkce(clientID: id, transport: transport)
        let appWithServer = SpotifyTokenService.pkce(clientID: id, proxy: proxy, transport: transport)
        // a server that keeps the secret, and an app that has such a server
        let server = SpotifyTokenService.authorizationCode(clientID: id, clientSecret: secret, transport: transport)
        let client = SpotifyTokenService.authorizationCode(clientID: id, proxy: proxy, transport: transport)
        // data that belongs to no user: no sign-in
        let robot = SpotifyTokenService.clientCredentials(clientID: id, clientSecret: secret, transport: transport)
        let robotWithServer = SpotifyTokenService.clientCredentials(clientID: id, proxy: proxy, transport: transport)
        // end sample
        for service in [app, appWithServer, server, client] {
            await #expect(throws: NotAuthorized.self) { try await service.initialToken() }
        }
        for service in [robot, robotWithServer] {
            #expect(try await RefreshableTokenAuthorization(service: service).validToken().accessToken == "a")
        }
    }

    @Test func `scopes`() async throws {
        let spotify = SpotifyTokenService.pkce(
            clientID: "c", redirectURI: "my-app://cb", pendingSignIns: .inMemory, transport: transport())
        let auth = RefreshableTokenAuthorization(service: spotify)
        try await auth.setToken(OAuthToken(accessToken: "a", scopes: ["user-read-email"]))
        let open = { @Sendable (_: URL) in }
        // sample: scopes
        let needed: Set<SpotifyScope> = [.userReadEmail, .userReadPlaybackState, "user-personalized"]
        let missing = await auth.missingScopes(of: needed)  // nil: no user is signed in
        if missing?.isEmpty != true {
            let pending = try await spotify.signIn(scopes: needed)  // all of them: scopes are not added
            open(pending.url)
        }
        // end sample
        #expect(missing == [.userReadPlaybackState, "user-personalized"])
    }

    @Test func `a configuration is kept`() async throws {
        let transport = transport()
        // sample: configuration
        let configuration = SpotifyConfiguration(
            flow: .pkce, client: .public(id: "CLIENT_ID"), redirectURI: "my-app://login-callback")
        let kept = try JSONEncoder().encode(configuration)  // holds the client secret, if there is one

        let restored = try JSONDecoder().decode(SpotifyConfiguration.self, from: kept)
        let spotify = SpotifyTokenService(restored, transport: transport)
        // end sample
        #expect(spotify.configuration == configuration)
    }

    @Test func `an error of a proxy's own`() async throws {
        let proxy = SpotifyProxy(tokenURL: try #require(URL(string: "https://my.example/spotify/token")))
        let transport = ScriptedTokenTransport(forever: .response(403, json: #"{"reason":"not a member"}"#))
        // sample: proxy-errors
        let spotify = SpotifyTokenService.pkce(
            clientID: "CLIENT_ID", proxy: proxy,
            proxyError: { answer in
                guard answer.statusCode == 403 else { return nil }  // read it as Spotify's
                return TokenEndpointError(status: 403, code: "not_a_member", kind: .transient)
            }, transport: transport)
        // end sample
        let error = await #expect(throws: TokenEndpointError.self) {
            try await spotify.refresh(OAuthToken(accessToken: "a", refreshToken: "r"))
        }
        #expect(error?.code == "not_a_member")
    }

    @Test func `a token of SpotifyAPI or SpotifyKit is taken over`() async throws {
        let saved = Data(
            """
            {"access_token":"a","refresh_token":"r","expiration_date":790000000,"scope":"streaming"}
            """.utf8)
        let spotify = SpotifyTokenService.pkce(clientID: "CLIENT_ID", pendingSignIns: .inMemory, transport: transport())
        let store = InMemoryTokenStore<OAuthToken>()
        // sample: taking-over
        let auth = spotify.authorization(store: store)
        if try await store.load() == nil {  // the first launch of the new version
            try await auth.setToken(OAuthToken(spotifyAPI: saved))  // or OAuthToken(spotifyKit: saved)
        }
        // end sample
        #expect(try await store.load()?.token?.refreshToken == "r")
    }
}
#endif
