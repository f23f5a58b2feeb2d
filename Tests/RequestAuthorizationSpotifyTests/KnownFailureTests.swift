// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
import LoopbackServer
import RedactionChecks
import RequestAuthorizationSpotify
import RequestAuthorizationTesting
import RequestAuthorizationURLSession
import Testing

/// Failures that users of other libraries for Spotify met, and that must not happen here.
@Suite(.timeLimit(.minutes(5))) struct `Failures that are known from elsewhere` {
    private let clock = ManualClock()
    private let expired = #"{"access_token":"b","token_type":"Bearer","expires_in":3600,"refresh_token":"AQ-2"}"#

    private func service(_ transport: any TokenTransport, redirectURI: String = "my-app://cb") -> SpotifyTokenService {
        .pkce(
            clientID: "c", redirectURI: redirectURI, pendingSignIns: InMemoryPendingSignIns(), transport: transport,
            clock: clock)
    }

    private func token(_ name: String = "a", refresh: String? = "AQ-1") -> OAuthToken {
        OAuthToken(
            accessToken: name, refreshToken: refresh, scopes: ["streaming"], lifetime: .seconds(3600),
            expiresAt: clock.now.addingTimeInterval(3600), authorizedAt: clock.now)
    }

    // MARK: - Authorization managers

    @Test func `a log-out during a refresh stays a log-out`() async throws {
        let transport = ScriptedTokenTransport(.heldIgnoringCancellation)
        let store = InMemoryTokenStore<OAuthToken>()
        let auth = service(transport).authorization(store: store, clock: clock)
        try await auth.setToken(token())
        clock.advance(by: .seconds(3600))
        let waiting = Task { try await auth.validToken() }
        let call = try await transport.nextCall()
        await auth.reset()
        call.succeed(TokenResponse(statusCode: 200, body: Array(expired.utf8)))
        await #expect(throws: NotAuthorized.self) { try await waiting.value }
        await #expect(throws: NotAuthorized.self) { try await auth.validToken() }
        #expect(try await store.load()?.token == nil)
    }

    @Test func `a late answer for A does not overwrite B`() async throws {
        let transport = ScriptedTokenTransport(.heldIgnoringCancellation)
        let store = InMemoryTokenStore<OAuthToken>()
        let auth = service(transport).authorization(store: store, clock: clock)
        try await auth.setToken(token("A"))
        clock.advance(by: .seconds(3600))
        let waiting = Task { try await auth.validToken() }
        let call = try await transport.nextCall()
        try await auth.setToken(token("B"))
        call.succeed(TokenResponse(statusCode: 200, body: Array(expired.utf8)))
        #expect(try await waiting.value.accessToken == "B")
        #expect(try await auth.validToken().accessToken == "B")
        #expect(try await store.load()?.token?.accessToken == "B")
    }

    @Test func `a 401 is answered by one refresh and the same request again`() async throws {
        let transport = ScriptedTokenTransport(.response(200, json: expired))
        let auth = RefreshableTokenAuthorization(service: service(transport), token: token(), clock: clock)
        try await withServer { request in
            request["Authorization"] == "Bearer b" ? .text("ok") : .unauthorized(#"Bearer realm="spotify""#)
        } body: { server in
            let (data, _) = try await session().data(for: URLRequest(url: server.url("/v1/me")), authorizedBy: auth)
            #expect(String(decoding: data, as: UTF8.self) == "ok")
            #expect(await server.requests.map { $0["Authorization"] } == ["Bearer a", "Bearer b"])
        }
        #expect(transport.calls == 1)
    }

    @Test func `after invalid_grant no request is authorized`() async throws {
        let transport = ScriptedTokenTransport(.response(400, json: #"{"error":"invalid_grant"}"#))
        let auth = RefreshableTokenAuthorization(service: service(transport), token: token(), clock: clock)
        clock.advance(by: .seconds(3600))
        for _ in 0..<2 {
            let error = await #expect(throws: NotAuthorized.self) { try await auth.validToken() }
            #expect(error?.reason == .rejected)
            #expect(await !auth.isAuthorized(for: [.streaming]))
        }
        #expect(transport.calls == 1)
    }

    @Test func `an answer without scopes keeps them, and one without a refresh token keeps that`() async throws {
        let transport = ScriptedTokenTransport(.response(200, json: #"{"access_token":"b","token_type":"Bearer"}"#))
        let renewed = try await service(transport).refresh(token())
        #expect(renewed.scopes == ["streaming"] && renewed.refreshToken == "AQ-1" && renewed.accessToken == "b")
    }

    @Test func `a code is sent once, also after a 503`() async throws {
        let transport = ScriptedTokenTransport(forever: .response(503, json: "{}"))
        let spotify = service(transport)
        let auth = RefreshableTokenAuthorization(service: spotify, clock: clock)
        let pending = try await spotify.signIn(scopes: [])
        let failure = await #expect(throws: TokenEndpointError.self) {
            try await auth.signIn { try await spotify.finish(callback: pending.callback()) }
        }
        #expect(failure?.status == 503)
        let again = await #expect(throws: SignInError.self) { try await spotify.finish(callback: pending.callback()) }
        #expect(again?.kind == .alreadyUsed)
        #expect(transport.calls == 1)
    }

    @Test(arguments: ["error=access_denied", "code=c"])
    func `a callback with a forged state is foreign, and the sign-in waits on`(answer: String) async throws {
        let transport = ScriptedTokenTransport(.response(200, json: signedIn))
        let spotify = service(transport)
        let pending = try await spotify.signIn(scopes: [])
        let forged = pending.callback(answer, state: "forged")
        #expect(!pending.accepts(forged))
        let error = await #expect(throws: SignInError.self) { try await spotify.finish(callback: forged) }
        #expect(error?.kind == .foreign && error?.accessWasDenied == false)
        _ = try await spotify.finish(callback: pending.callback())
    }

    @Test func `a denial is a denial`() async throws {
        let spotify = service(NoTransport())
        let pending = try await spotify.signIn(scopes: [])
        let denial = pending.callback("error=access_denied")
        let error = await #expect(throws: SignInError.self) { try await spotify.finish(callback: denial) }
        #expect(error?.accessWasDenied == true)
    }

    @Test func `no secret is printed, also not in errors`() async throws {
        let refusal = #"{"error":"invalid_grant","error_description":"\#(Secret.text)"}"#
        let transport = ScriptedTokenTransport(forever: .response(400, json: refusal))
        let spotify = SpotifyTokenService.authorizationCode(
            clientID: "c", clientSecret: Secret.text, redirectURI: "my-app://cb",
            pendingSignIns: InMemoryPendingSignIns(), transport: transport, clock: clock)
        let secret = token(Secret.text, refresh: Secret.text)
        let pending = try await spotify.signIn(scopes: [])
        var exhibits: [Any] = [
            spotify, secret, pending, RefreshableTokenAuthorization(service: spotify, token: secret),
        ]
        do { _ = try await spotify.refresh(secret) } catch { exhibits.append(error) }
        do { _ = try await spotify.finish(callback: pending.callback("code=\(Secret.text)")) } catch {
            exhibits.append(error)
        }
        #expect(exhibits.count == 6)
        for exhibit in exhibits {
            let texts = Channel.allCases.map { $0.text(of: exhibit) }
            #expect(
                !texts.contains {
                    Secret.isPart(of: $0) || $0.contains(pending.codeVerifier) || $0.contains(pending.state)
                })
        }
    }

    @Test func `the token goes to no other host`() async throws {
        let auth = RefreshableTokenAuthorization(service: service(NoTransport()), token: token(), clock: clock)
            .restricted(to: "https://api.spotify.com")
        let request = URLRequest(url: URL(make: "https://api.spotify.com.evil.example/v1/me"))
        let error = await #expect(throws: NotAuthorized.self) { try await auth.authorize(request) }
        #expect(error?.reason == .originNotAllowed)
        let ours = try await auth.authorize(URLRequest(url: URL(make: "https://api.spotify.com/v1/me")))
        #expect(ours.value(forHTTPHeaderField: "Authorization") == "Bearer a")
    }

    @Test func `a plus sign is sent unchanged in codes, verifiers and refresh tokens`() async throws {
        try await withServer { _ in
            .text(signedIn)
        } body: { server in
            let spotify = SpotifyTokenService.pkce(
                clientID: "c", redirectURI: "my-app://cb", accounts: .spotify(accounts: server.url("")),
                pendingSignIns: InMemoryPendingSignIns(), transport: session())
            let pending = try await spotify.signIn(scopes: [])
            _ = try await spotify.finish(callback: pending.callback("code=a%2Bb%2F%25%26%C3%BC"))
            _ = try await spotify.refresh(token(refresh: "r+/%&ü"))
            let bodies = await server.requests.map(\.text)
            #expect(bodies.first?.contains("code=a%2Bb%2F%25%26%C3%BC&") == true)
            #expect(bodies.last?.contains("refresh_token=r%2B%2F%25%26%C3%BC") == true)
        }
    }

    // MARK: - The example app

    @Test func `an app needs no client secret`() async throws {
        let transport = ScriptedTokenTransport(.response(200, json: signedIn))
        let spotify = service(transport)
        let pending = try await spotify.signIn(scopes: [])
        _ = try await spotify.finish(callback: pending.callback())
        let request = try #require(transport.requests.first)
        #expect(request["Authorization"] == nil && request.form["client_secret"] == nil)
        #expect(request.form["code_verifier"] == pending.codeVerifier)
    }

    @Test(arguments: [
        "my-app://other?code=c", "my-app://cb/x?code=c", "my-app:cb?code=c", "my-app://cb.evil?code=c",
        "MY-APP://user@cb?code=c", "https://cb?code=c", "my-app://open-settings",
    ])
    func `another link of the app's scheme leaves the sign-in unharmed`(link: String) async throws {
        let transport = ScriptedTokenTransport(.response(200, json: signedIn))
        let spotify = service(transport)
        let pending = try await spotify.signIn(scopes: [])
        let foreign = URL(make: link + (link.contains("?") ? "&" : "?") + "state=\(pending.state)")
        #expect(!pending.accepts(foreign))
        let error = await #expect(throws: SignInError.self) { try await spotify.finish(callback: foreign) }
        #expect(error?.kind == .foreign && transport.calls == 0)
        _ = try await spotify.finish(callback: pending.callback())
    }

    @Test func `a callback is handled once`() async throws {
        let transport = ScriptedTokenTransport(forever: .response(200, json: signedIn))
        let spotify = service(transport)
        let pending = try await spotify.signIn(scopes: [])
        _ = try await spotify.finish(callback: pending.callback())
        let again = await #expect(throws: SignInError.self) {
            try await spotify.finish(pending, callback: pending.callback())
        }
        #expect(again?.kind == .alreadyUsed)
        #expect(transport.calls == 1)
    }

    // MARK: - Token storage

    @Test func `five stale 401s make one refresh`() async throws {
        let transport = ScriptedTokenTransport(.response(200, json: expired))
        let auth = RefreshableTokenAuthorization(service: service(transport), token: token(), clock: clock)
        let stale = try await auth.authorize(URLRequest(url: URL(make: "https://api.spotify.com/v1/me")))
        for _ in 1...5 {
            try await auth.setNeedsRefreshAfterUnauthorizedResponse(for: stale)
            #expect(try await auth.validToken().accessToken == "b")
        }
        #expect(transport.calls == 1)
    }

    @Test func `five callers after a cold start make one refresh`() async throws {
        let transport = ScriptedTokenTransport(.response(200, json: expired))
        let store = InMemoryTokenStore<OAuthToken>()
        let before = service(NoTransport()).authorization(store: store, clock: clock)
        try await before.setToken(token())
        clock.advance(by: .seconds(3600))

        let auth = service(transport).authorization(store: store, clock: clock)
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 1...5 { group.addTask { try await auth.validToken().accessToken } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(tokens == ["b", "b", "b", "b", "b"] && transport.calls == 1)
    }

    @Test func `a refresh token is not lost if its save fails`() async throws {
        struct DiskFull: Error {}
        let transport = ScriptedTokenTransport(.response(200, json: expired))
        let store = ScriptedTokenStore(InMemoryTokenStore<OAuthToken>())
        let auth = service(transport).authorization(store: store, clock: clock)
        try await auth.setToken(token())
        clock.advance(by: .seconds(3600))
        store.fail(next: .save, with: DiskFull())
        #expect(try await auth.validToken().refreshToken == "AQ-2", "the request goes on all the same")
        #expect(try await store.base.load()?.token?.refreshToken == "AQ-1")

        let save = store.hold(next: .save)
        clock.advance(by: .seconds(1))
        _ = try await auth.validToken()
        await save.begins()
        let saved = store.operations.compactMap {
            if case .save(let stored) = $0 { stored.token?.refreshToken } else { nil }
        }
        #expect(saved == ["AQ-1", "AQ-2", "AQ-2"])
        save.release()
    }

    @Test func `a log-out clears the store, and no refresh undoes it`() async throws {
        let transport = ScriptedTokenTransport()
        let store = InMemoryTokenStore<OAuthToken>()
        let auth = service(transport).authorization(store: store, clock: clock)
        try await auth.setToken(token())
        try await auth.signOut()
        let restarted = service(transport).authorization(store: store, clock: clock)
        for provider in [auth, restarted] {
            await #expect(throws: NotAuthorized.self) { try await provider.validToken() }
        }
        #expect(try await store.load()?.token == nil && transport.calls == 0)
    }

    @Test func `a Retry-After of hours does not hold requests for hours`() async throws {
        let transport = ScriptedTokenTransport(
            .response(429, json: "{}", fields: ["Retry-After": "20520"]), .response(200, json: expired))
        let auth = RefreshableTokenAuthorization(service: service(transport), token: token(), clock: clock)
        clock.advance(by: .seconds(3600))
        let error = await #expect(throws: RefreshFailed.self) { try await auth.validToken() }
        #expect(error.map { $0.nextTryAt.timeIntervalSince(clock.now) <= 300 } == true)
        clock.advance(by: .seconds(300))
        #expect(try await auth.validToken().accessToken == "b")
    }

    @Test func `two equal POSTs are sent twice`() async throws {
        let auth = RefreshableTokenAuthorization(service: service(NoTransport()), token: token(), clock: clock)
        try await withServer { _ in
            .text("")
        } body: { server in
            var request = URLRequest(url: server.url("/v1/me/player/next"))
            request.httpMethod = "POST"
            let (one, session) = (request, session())
            async let first = session.data(for: one, authorizedBy: auth)
            async let second = session.data(for: one, authorizedBy: auth)
            _ = try await (first, second)
            #expect(await server.requests.count == 2)
        }
    }

    @Test func `any callback host but the registered one is refused`() async throws {
        let spotify = service(NoTransport(), redirectURI: "http://127.0.0.1:8080/callback")
        let pending = try await spotify.signIn(scopes: [])
        for host in [
            "http://127.0.0.1:8081/callback", "http://localhost:8080/callback", "http://evil.example/callback",
        ] {
            #expect(!pending.accepts(URL(make: "\(host)?code=c&state=\(pending.state)")))
        }
        #expect(pending.accepts(pending.callback()))
    }

    @Test func `a custom store compiles, because a program can create tokens`() async throws {
        actor Dictionary: TokenStore {
            var kept: [String: StoredToken<OAuthToken>] = [:]
            func load() async throws -> StoredToken<OAuthToken>? { kept["me"] }
            func save(_ stored: StoredToken<OAuthToken>) async throws { kept["me"] = stored }
            func clear() async throws { kept = [:] }
        }
        let store = Dictionary()
        let auth = service(NoTransport()).authorization(store: store, clock: clock)
        try await auth.setToken(OAuthToken(accessToken: "mine", refreshToken: "r"))
        #expect(try await store.load()?.token?.accessToken == "mine")
    }

    private func session() -> URLSession { URLSession(configuration: .ephemeral) }
}
#endif
