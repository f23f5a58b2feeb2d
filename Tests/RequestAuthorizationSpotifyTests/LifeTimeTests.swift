// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
import RequestAuthorizationSpotify
import RequestAuthorizationTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct `The life of a Spotify token` {
    private let clock = ManualClock()

    private func service(_ transport: ScriptedTokenTransport) -> SpotifyTokenService {
        .pkce(
            clientID: "c", redirectURI: "my-app://cb", pendingSignIns: InMemoryPendingSignIns(), transport: transport,
            clock: clock)
    }

    private func signIn(_ spotify: SpotifyTokenService) async throws -> OAuthToken {
        let pending = try await spotify.signIn(scopes: [.streaming])
        return try await spotify.finish(callback: pending.callback())
    }

    @Test func `it ends six months after the sign-in, however often it was renewed`() async throws {
        let transport = ScriptedTokenTransport(
            .response(200, json: signedIn),
            forever: .response(200, json: #"{"access_token":"b","token_type":"Bearer","expires_in":3600}"#))
        let spotify = service(transport)
        var token = try await signIn(spotify)
        let end = clock.now.addingTimeInterval(180 * 86400)
        #expect(token.refreshTokenExpiresAt == end)
        for _ in 1...3 {
            clock.advance(by: .seconds(30 * 86400))
            token = try await spotify.refresh(token)
            #expect(token.refreshTokenExpiresAt == end && token.refreshToken == "AQ-refresh")
        }
    }

    @Test func `a refresh that brings a new refresh token moves the end no further`() async throws {
        let transport = ScriptedTokenTransport(
            .response(200, json: signedIn),
            .response(
                200, json: #"{"access_token":"b","token_type":"Bearer","refresh_token":"AQ-2","expires_in":3600}"#))
        let spotify = service(transport)
        let first = try await signIn(spotify)
        clock.advance(by: .seconds(86400))
        let second = try await spotify.refresh(first)
        #expect(second.refreshToken == "AQ-2" && second.refreshTokenExpiresAt == first.refreshTokenExpiresAt)
    }

    @Test func `the end is an invalid_grant, and the user must sign in again`() async throws {
        let transport = ScriptedTokenTransport(
            .response(200, json: signedIn),
            .response(400, json: #"{"error":"invalid_grant","error_description":"Refresh token expired"}"#))
        let spotify = service(transport)
        let auth = RefreshableTokenAuthorization(service: spotify, clock: clock)
        try await auth.signIn { try await signIn(spotify) }
        clock.advance(by: .seconds(181 * 86400))
        let error = await #expect(throws: NotAuthorized.self) { try await auth.validToken() }
        #expect(error?.needsSignIn == true && error?.reason == .rejected)
        #expect(await !auth.isAuthorized(for: [.streaming]))
        #expect(transport.calls == 2)
    }

    @Test func `an event announces the end a week ahead`() async throws {
        let transport = ScriptedTokenTransport(
            .response(200, json: signedIn),
            .response(200, json: #"{"access_token":"b","token_type":"Bearer","expires_in":3600}"#))
        let spotify = service(transport)
        let auth = RefreshableTokenAuthorization(service: spotify, clock: clock)
        var events = auth.events.makeAsyncIterator()
        try await auth.signIn { try await signIn(spotify) }
        let end = try await auth.validToken().refreshTokenExpiresAt
        clock.advance(by: .seconds(174 * 86400))
        _ = try await auth.validToken()
        var notice: AuthorizationEvent?
        while notice == nil, let event = await events.next() { if event.kind == .signInNeeded { notice = event } }
        #expect(notice?.signInNeededBefore == end && end != nil)
    }

    @Test func `a log-out sends nothing to Spotify and says where to remove the app`() async throws {
        let transport = ScriptedTokenTransport(.response(200, json: signedIn))
        let spotify = service(transport)
        let store = InMemoryTokenStore<OAuthToken>()
        let auth = spotify.authorization(store: store, clock: clock)
        try await auth.signIn { try await signIn(spotify) }
        try await auth.signOut()
        await #expect(throws: NotAuthorized.self) { try await auth.validToken() }
        #expect(try await store.load()?.token == nil)
        #expect(transport.calls == 1)
        #expect(spotify.signOutAdvice?.contains("https://www.spotify.com/account/apps/") == true)
    }
}
#endif
