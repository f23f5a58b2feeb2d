// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import LocalSpotify
import RequestAuthorizationTesting
@testable import SpotifyWebAPI
import Testing

/// From the consent page to the first call, against a server that checks the requests.
@Suite(.timeLimit(.minutes(5))) struct `Signing in at the local Spotify` {
    private let clock = ManualClock()

    /// A flow in which a user signs in.
    enum UserFlow: String, CaseIterable, CustomTestStringConvertible {
        case pkce, authorizationCode, pkceThroughProxy, authorizationCodeThroughProxy
        var testDescription: String { rawValue }
    }

    private func service(_ flow: UserFlow, at url: URL) -> SpotifyTokenService {
        let (accounts, redirectURI) = (AuthorizationServer.spotify(accounts: url), "local-app://login-callback")
        let session = URLSession(configuration: .ephemeral)
        let proxy = proxy(at: url)
        return switch flow {
        case .pkceThroughProxy:
            .pkce(
                clientID: "local-web", redirectURI: redirectURI, proxy: proxy, accounts: accounts,
                pendingSignIns: InMemoryPendingSignIns(), transport: session, clock: clock)
        case .authorizationCodeThroughProxy:
            .authorizationCode(
                clientID: "local-web", proxy: proxy, redirectURI: redirectURI, accounts: accounts,
                pendingSignIns: InMemoryPendingSignIns(), transport: session, clock: clock)
        case .pkce:
            .pkce(
                clientID: "local-client", redirectURI: redirectURI, accounts: accounts,
                pendingSignIns: InMemoryPendingSignIns(), transport: session, clock: clock)
        case .authorizationCode:
            .authorizationCode(
                clientID: "local-web", clientSecret: "local-secret", redirectURI: redirectURI, accounts: accounts,
                pendingSignIns: InMemoryPendingSignIns(), transport: session, clock: clock)
        }
    }

    /// A proxy that adds the secret of `local-web`.
    private func proxy(at url: URL) -> SpotifyProxy {
        SpotifyProxy(tokenURL: url.appending(path: "proxy/token"), refreshURL: url.appending(path: "proxy/refresh"))
    }

    private func withSpotify(
        _ flow: UserFlow = .pkce, policy: TokenPolicy = TokenPolicy(),
        _ body: (LocalSpotify, SpotifyTokenService, URL) async throws -> Void
    ) async throws {
        let spotify = try LocalSpotify(policy: policy, clock: clock)
        try await spotify.serve { try await body(spotify, service(flow, at: $0), $0) }
    }

    @Test(arguments: UserFlow.allCases)
    func `a user agrees, and the app is signed in`(flow: UserFlow) async throws {
        try await withSpotify(flow) { spotify, service, url in
            let auth = RefreshableTokenAuthorization(service: service, clock: clock)
            let pending = try await service.signIn(scopes: [.userReadEmail, .userReadPlaybackState], showDialog: true)
            let callback = try await spotify.callback(for: pending.url)
            #expect(pending.accepts(callback))
            try await auth.signIn { try await service.finish(callback: callback) }

            #expect(await auth.isAuthorized(for: [.userReadEmail, .userReadPlaybackState]))
            #expect(await auth.missingScopes(of: [.userReadEmail, .streaming]) == [.streaming])
            let client = SpotifyClient(authorization: auth, base: url, clock: clock)
            #expect(try await client.currentUser().id == "local-listener")
            #expect(try await client.playbackState()?.isPlaying == true)
            await #expect(throws: MissingScopes(scopes: ["user-modify-playback-state"], isAlternative: false)) {
                try await client.pause()
            }
        }
    }

    @Test(arguments: UserFlow.allCases, [TokenPolicy.Rotation.on, .off])
    func `an expired token is refreshed once for all requests`(flow: UserFlow, rotation: TokenPolicy.Rotation)
        async throws
    {
        try await withSpotify(flow, policy: TokenPolicy(rotation: rotation, accessTokenLifetime: .seconds(60))) {
            spotify, service, url in
            let auth = RefreshableTokenAuthorization(service: service, clock: clock)
            let pending = try await service.signIn(scopes: [.userReadEmail])
            let callback = try await spotify.callback(for: pending.url)
            try await auth.signIn { try await service.finish(callback: callback) }
            let client = SpotifyClient(authorization: auth, base: url, clock: clock)

            for _ in 1...3 {
                clock.advance(by: .seconds(61))
                try await withThrowingTaskGroup { group in
                    for _ in 0..<5 { group.addTask { _ = try await client.currentUser() } }
                    try await group.waitForAll()
                }
            }
            let statistics = await spotify.statistics
            #expect(statistics.tokenCalls == 3 && statistics.duplicateTokenCalls == 0 && statistics.unauthorized == 0)
            #expect(await auth.isAuthorized(for: [.userReadEmail]), "an answer without scopes keeps the granted ones")
        }
    }

    @Test func `a revoked token is refreshed after its 401`() async throws {
        try await withSpotify { spotify, service, url in
            let auth = RefreshableTokenAuthorization(service: service, clock: clock)
            let pending = try await service.signIn(scopes: [])
            let callback = try await spotify.callback(for: pending.url)
            try await auth.signIn { try await service.finish(callback: callback) }
            await spotify.revokeAccessTokens()
            let client = SpotifyClient(authorization: auth, base: url, clock: clock)
            #expect(try await client.currentUser().id == "local-listener")
            let statistics = await spotify.statistics
            #expect(statistics.unauthorized == 1 && statistics.tokenCalls == 1)
        }
    }

    @Test func `after six months the user must sign in again, and the app knew the date`() async throws {
        try await withSpotify { spotify, service, _ in
            let auth = RefreshableTokenAuthorization(service: service, clock: clock)
            let pending = try await service.signIn(scopes: [])
            let callback = try await spotify.callback(for: pending.url)
            try await auth.signIn { try await service.finish(callback: callback) }
            let end = try #require(try await auth.validToken().refreshTokenExpiresAt)
            clock.advance(by: .seconds(90 * 86400))
            #expect(try await auth.validToken().refreshTokenExpiresAt == end)
            clock.advance(by: .seconds(end.timeIntervalSince(clock.now) + 1))
            let error = await #expect(throws: NotAuthorized.self) { try await auth.validToken() }
            #expect(error?.needsSignIn == true)
        }
    }

    @Test func `a denial is an error, and a code works once`() async throws {
        try await withSpotify { spotify, service, _ in
            let denied = try await service.signIn(scopes: [])
            let denial = try await spotify.callback(for: denied.url, decision: .deny)
            let error = await #expect(throws: SignInError.self) { try await service.finish(callback: denial) }
            #expect(error?.accessWasDenied == true)

            let pending = try await service.signIn(scopes: [])
            let callback = try await spotify.callback(for: pending.url)
            _ = try await service.finish(callback: callback)
            let again = await #expect(throws: SignInError.self) { try await service.finish(callback: callback) }
            #expect(again?.kind == .alreadyUsed)
        }
    }

    @Test(arguments: [false, true])
    func `client credentials need no user`(throughProxy: Bool) async throws {
        let spotify = try LocalSpotify(clock: clock)
        try await spotify.serve { url in
            let (accounts, session) = (
                AuthorizationServer.spotify(accounts: url), URLSession(configuration: .ephemeral)
            )
            let service =
                throughProxy
                ? SpotifyTokenService.clientCredentials(
                    clientID: "local-web", proxy: proxy(at: url), accounts: accounts, transport: session, clock: clock)
                : .clientCredentials(
                    clientID: "local-web", clientSecret: "local-secret", accounts: accounts, transport: session,
                    clock: clock)
            let auth = RefreshableTokenAuthorization(service: service, clock: clock)
            let client = SpotifyClient(authorization: auth, base: url, clock: clock)
            let found = try await client.search("night")
            #expect(found.tracks?.items.map(\.name) == ["Night Ferry"])
        }
    }
}
