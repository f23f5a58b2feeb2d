// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full && canImport(Glibc)
import Foundation
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorizationOAuth

/// All flows against a third-party server.
@Suite(.enabled(if: Glewlwyd.isThere, Glewlwyd.how), .glewlwyd(), .serialized, .timeLimit(.minutes(5)))
struct GlewlwydTests {
    @Test(arguments: Carrier.allCases)
    func `discovery finds the document in its only place, below the issuer`(carrier: Carrier) async throws {
        let bench = try await GlewlwydBench(carrier)
        let issuer = bench.server.issuer
        #expect(bench.metadata.issuer == issuer)
        #expect(bench.metadata.authorizationEndpoint?.absoluteString == issuer + "/auth")
        #expect(bench.metadata.tokenEndpoint?.absoluteString == issuer + "/token")
        #expect(bench.metadata.deviceAuthorizationEndpoint?.absoluteString == issuer + "/device_authorization")
        #expect(bench.metadata.revocationEndpoint?.absoluteString == issuer + "/revoke")
        #expect(bench.metadata.introspectionEndpoint?.absoluteString == issuer + "/introspect")
        // It sends `iss` all the same.
        #expect(!bench.metadata.announcesIssuer)
    }

    @Test func `another spelling of the issuer is another issuer`() async throws {
        let bench = try await GlewlwydBench()
        let other = bench.server.issuer.replacing("localhost", with: "127.0.0.1")
        let error = await #expect(throws: AuthorizationServerError.self) {
            try await AuthorizationServer.discover(issuer: other, transport: bench.transport)
        }
        #expect(error?.problem == .otherIssuer)
    }

    @Test func `the caller's metadata take precedence over the server's`() async throws {
        let bench = try await GlewlwydBench()
        let own = try URL.make("https://proxy.example.com/token")
        let server = try await AuthorizationServer(issuer: bench.server.issuer, tokenEndpoint: own)
            .completed(by: bench.transport)
        #expect(server.tokenEndpoint == own)
        #expect(server.authorizationEndpoint == bench.metadata.authorizationEndpoint)
    }

    // MARK: - Code and PKCE

    @Test(
        arguments: [
            OAuthClient.public(id: "native"), .secretBasic(id: "web", secret: "websecret"),
            .secretPost(id: "web", secret: "websecret"),
        ], Carrier.allCases)
    func `a user signs in with a code and PKCE`(client: OAuthClient, carrier: Carrier) async throws {
        let bench = try await GlewlwydBench(carrier)
        let token = try await bench.signIn(bench.service(client))
        #expect(token.scopes == ["read", "write"])
        #expect(token.tokenType.lowercased() == "bearer")
        #expect(token.refreshToken != nil)
        #expect(token.lifetime == .seconds(3600))
        guard client.authentication != .none else { return }
        let answer = try await bench.introspection(of: token, by: client)
        #expect(answer.isActive)
        #expect(answer.clientID == client.id)
        #expect(answer.scopes == ["read", "write"])
    }

    @Test(
        arguments: [OAuthClient.public(id: "native"), .secretBasic(id: "web", secret: "websecret")], Carrier.allCases)
    func `RFC 9126: a user signs in with a request that was pushed`(
        client: OAuthClient, carrier: Carrier
    ) async throws {
        let bench = try await GlewlwydBench(carrier)
        let service = bench.service(client, pushesRequests: true)
        let pending = try await service.signIn(scopes: ["read"])
        #expect(pending.url.absoluteString.contains("?client_id=\(client.id)&request_uri=urn%3Aietf"))
        #expect(pending.openBefore == bench.clock.now.addingTimeInterval(90))
        let callback = try await GlewlwydPerson(at: bench.server).open(pending.url)
        #expect(try await service.finish(callback: callback).scopes == ["read"])
    }

    @Test(arguments: [OAuthClient.public(id: "native"), .secretBasic(id: "web", secret: "websecret")], [false, true])
    func `OpenID Connect: the server says who signed in, also on another device and after a refresh`(
        client: OAuthClient, isDevice: Bool
    ) async throws {
        let bench = try await GlewlwydBench()
        let service = bench.service(client)
        let person = try await GlewlwydPerson(at: bench.server)
        var token: OAuthToken
        if isDevice {
            let device = try await service.deviceSignIn(scopes: ["read"], identity: true)
            try await person.enter(device.userCode)
            async let outcome = device.token()
            await bench.clock.sleeper(for: .seconds(2))
            bench.clock.advance(by: .seconds(2))
            token = try await outcome
        } else {
            let pending = try await service.signIn(scopes: ["read"], identity: true)
            token = try await service.finish(callback: person.open(pending.url))
        }
        let identity = try #require(token.identity)
        #expect(identity.issuer == bench.server.issuer && !identity.subject.isEmpty)
        for _ in 0..<3 {
            token = try await service.refresh(token)
            #expect(token.identity == identity)
        }
        // The same person, at the other client: what a client may not accept.
        let other = bench.service(client.id == "web" ? .public(id: "native") : GlewlwydBench.web)
        let pending = try await other.signIn(scopes: ["read"], identity: true)
        let theirs = try await other.finish(callback: person.open(pending.url))
        #expect(theirs.identity?.subject == identity.subject)
        #expect(throws: IdentityTokenError(.otherPerson, claim: "aud")) {
            try identity.isRenewed(by: theirs.idToken ?? "", of: service.endpoint.server, at: bench.clock.now)
        }
    }

    @Test func `the callback names its issuer, and serves once`() async throws {
        let bench = try await GlewlwydBench()
        let service = bench.service()
        let pending = try await service.signIn(scopes: ["read"])
        let callback = try await GlewlwydPerson(at: bench.server).open(pending.url)
        let named = URLComponents(url: callback, resolvingAgainstBaseURL: false)?.queryItems?.first { $0.name == "iss" }
        #expect(named?.value == bench.server.issuer)
        #expect(pending.accepts(callback))
        let before = try await bench.server.refreshTokens()
        _ = try await service.finish(callback: callback)
        let error = await #expect(throws: SignInError.self) { try await service.finish(callback: callback) }
        #expect(error?.kind == .alreadyUsed)
        // The code was sent once: a second time would have made the server revoke the tokens.
        #expect(try await bench.server.refreshTokens() == before + 1)
        let last = "select gpor_enabled from gpo_refresh_token order by gpor_id desc limit 1"
        #expect(try await bench.server.query(last) == "1")
    }

    @Test func `a code that is replayed is invalid_code, and its tokens are revoked`() async throws {
        let bench = try await GlewlwydBench()
        let service = bench.service()
        let pending = try await service.signIn(scopes: ["read"])
        let callback = try await GlewlwydPerson(at: bench.server).open(pending.url)
        let token = try await service.finish(callback: callback)
        // An attacker who has seen the code, and the verifier too.
        let thief = bench.service()
        let replay = await #expect(throws: TokenEndpointError.self) {
            try await thief.finish(pending, callback: callback)
        }
        #expect(replay?.status == 403)
        #expect(replay?.code == "invalid_code")
        #expect(replay?.kind == .transient)
        let refusal = await #expect(throws: TokenEndpointError.self) { try await service.refresh(token) }
        #expect(refusal?.status == 400)
        #expect(refusal?.code == nil)
        #expect(refusal?.kind == .terminal)
    }

    @Test func `a code without its verifier is invalid_code, and the former session stays`() async throws {
        let bench = try await GlewlwydBench()
        let service = bench.service()
        let held = OAuthToken.make(accessToken: "held", scopes: ["read"])
        let auth = RefreshableTokenAuthorization(service: service, token: held, clock: bench.clock)
        let pending = try await service.signIn(scopes: ["read"])
        let callback = try await GlewlwydPerson(at: bench.server).open(pending.url)
        let forged = PendingSignIn(
            state: pending.state, codeVerifier: PKCE.makeVerifier(), redirectURI: pending.redirectURI,
            clientID: pending.clientID, issuer: pending.issuer, announcesIssuer: false,
            tokenEndpoint: pending.tokenEndpoint, scopes: pending.scopes, createdAt: pending.createdAt,
            url: pending.url)
        let error = await #expect(throws: TokenEndpointError.self) {
            try await auth.signIn { try await bench.service().finish(forged, callback: callback) }
        }
        #expect(error?.code == "invalid_code")
        #expect(try await auth.validToken() == held)
    }

    // MARK: - Client credentials

    @Test(
        arguments: [
            OAuthClient.secretBasic(id: "m2m", secret: "m2msecret"), .secretPost(id: "m2m", secret: "m2msecret"),
        ], Carrier.allCases)
    func `a client fetches tokens for itself`(client: OAuthClient, carrier: Carrier) async throws {
        let bench = try await GlewlwydBench(carrier)
        let service = OAuthTokenService.clientCredentials(
            server: bench.metadata, client: client, scopes: ["read"], transport: bench.transport, clock: bench.clock)
        let auth = RefreshableTokenAuthorization(
            service: service, policy: .init(backOff: .init(patience: .zero)), clock: bench.clock)
        let first = try await auth.validToken()
        #expect(first.scopes == ["read"])
        #expect(first.refreshToken == nil)
        bench.clock.advance(by: .seconds(3601))
        let second = try await auth.validToken()
        #expect(second.accessToken != first.accessToken)
        // The server was seen to report tokens as inactive that were fetched with the secret in the body.
        guard case .secretBasic = client.authentication else { return }
        #expect(try await bench.introspection(of: second, by: client).clientID == "m2m")
    }

    @Test func `a wrong secret is an empty 403, and the next try comes only after a while`() async throws {
        let bench = try await GlewlwydBench()
        let service = OAuthTokenService.clientCredentials(
            server: bench.metadata, client: .secretBasic(id: "m2m", secret: "wrong"), transport: bench.transport,
            clock: bench.clock)
        let auth = RefreshableTokenAuthorization(
            service: service, policy: .init(backOff: .init(patience: .zero)), clock: bench.clock)
        let failure = await #expect(throws: RefreshFailed.self) { try await auth.validToken() }
        let refusal = try #require(failure?.underlying as? TokenEndpointError)
        #expect(refusal == TokenEndpointError(status: 403))
        #expect(refusal.kind == .transient)
        let same = await #expect(throws: RefreshFailed.self) { try await auth.validToken() }
        #expect(same?.nextTryAt == failure?.nextTryAt)
        bench.clock.advance(by: .seconds(61))
        let next = await #expect(throws: RefreshFailed.self) { try await auth.validToken() }
        #expect(next?.nextTryAt != failure?.nextTryAt)
    }

    @Test func `a scope that the client may not have is the server's own error code`() async throws {
        let bench = try await GlewlwydBench()
        let service = OAuthTokenService.clientCredentials(
            server: bench.metadata, client: .secretBasic(id: "m2m", secret: "m2msecret"), scopes: ["write"],
            transport: bench.transport, clock: bench.clock)
        let error = await #expect(throws: TokenEndpointError.self) { try await service.initialToken() }
        #expect(error?.status == 400)
        #expect(error?.code == "scope_invalid")
    }

    // MARK: - Refresh tokens

    @Test func `a hundred refreshes in a row, each with a one-time token`() async throws {
        let bench = try await GlewlwydBench(.asyncHTTPClient)
        let service = bench.service(GlewlwydBench.web)
        let first = try await bench.signIn(service)
        let before = try await bench.server.refreshTokens()
        var (token, seen) = (first, Set([first.refreshToken]))
        for _ in 0..<100 {
            token = try await service.refresh(token)
            #expect(seen.insert(token.refreshToken).inserted)
            #expect(token.scopes == ["read", "write"])
        }
        #expect(try await bench.server.refreshTokens() == before + 100)
        #expect(try await bench.introspection(of: token).isActive)
        // A second use of one token would end them all.
        await #expect(throws: TokenEndpointError.self) { try await service.refresh(first) }
        let error = await #expect(throws: TokenEndpointError.self) { try await service.refresh(token) }
        #expect(error == TokenEndpointError(status: 400, kind: .terminal))
    }

    @Test
    func `an empty refusal is no verdict: the token is kept without limit, and after a while a sign-in is suggested`()
        async throws
    {
        let bench = try await GlewlwydBench()
        let store = InMemoryTokenStore<OAuthToken>()
        var plain = bench.metadata
        plain.quirks = ServerQuirks()
        let auth = RefreshableTokenAuthorization(
            service: bench.service(at: plain), store: store, policy: .init(backOff: .init(patience: .zero)),
            clock: bench.clock)
        try await auth.setToken(spent)
        for number in 1...7 {
            let failure = await #expect(throws: RefreshFailed.self) { try await auth.validToken() }
            #expect(failure?.underlying as? TokenEndpointError == TokenEndpointError(status: 400))
            #expect(failure?.delivery == .answered)
            #expect(failure?.refusals?.count == number)
            #expect(failure?.suggestsSignIn == (number > 5))
            #expect(store.stored?.token == bench.service(at: plain).completed(spent))
            bench.clock.advance(by: .seconds(60))
        }
    }

    @Test func `where the server is known to refuse so, an empty 400 ends the session`() async throws {
        let bench = try await GlewlwydBench()
        let store = InMemoryTokenStore<OAuthToken>()
        let auth = RefreshableTokenAuthorization(service: bench.service(), store: store, clock: bench.clock)
        try await auth.setToken(spent)
        let end = await #expect(throws: NotAuthorized.self) { try await auth.validToken() }
        #expect(end?.reason == .rejected)
        #expect(end?.needsSignIn == true)
    }

    /// A token whose refresh token the server does not know.
    private var spent: OAuthToken {
        OAuthToken(accessToken: "spent", refreshToken: "nonsense", lifetime: .seconds(3600), expiresAt: .distantPast)
    }

    // MARK: - Revocation and introspection

    @Test func `signing out revokes at the server`() async throws {
        let bench = try await GlewlwydBench()
        let service = bench.service(GlewlwydBench.web)
        let store = InMemoryTokenStore<OAuthToken>()
        let auth = RefreshableTokenAuthorization(service: service, store: store, clock: bench.clock)
        try await auth.signIn { try await bench.signIn(service) }
        let token = try await auth.validToken()
        #expect(try await bench.introspection(of: token).isActive)
        try await auth.signOut()
        #expect(store.stored?.token == nil)
        #expect(try await !bench.introspection(of: token).isActive)
        await #expect(throws: TokenEndpointError.self) { try await service.refresh(token) }
    }

    /// Glewlwyd refuses with an empty 401, which could come from a proxy as well. So its quirk must be known.
    @Test func `a server that revokes nothing for public clients does not stop a sign-out, once that is known`()
        async throws
    {
        let bench = try await GlewlwydBench()
        let service = bench.service()
        let store = InMemoryTokenStore<OAuthToken>()
        let auth = RefreshableTokenAuthorization(service: service, store: store, clock: bench.clock)
        try await auth.signIn { try await bench.signIn(service) }
        let token = try await auth.validToken()
        let refusal = await #expect(throws: TokenEndpointError.self) { try await service.revoke(token) }
        #expect(refusal?.status == 401)
        #expect(refusal?.kind == .transient)
        await #expect(throws: TokenEndpointError.self) { try await auth.signOut() }
        #expect(store.stored?.token == token)

        var server = service.endpoint.server
        server.quirks.refusesPublicRevocation = true
        let knowing = OAuthTokenService.authorizationCode(
            server: server, client: service.endpoint.client, transport: service.endpoint.transport,
            clock: bench.clock)
        let other = RefreshableTokenAuthorization(service: knowing, store: store, clock: bench.clock)
        try await other.signOut()
        #expect(store.stored?.token == nil)
        let end = await #expect(throws: NotAuthorized.self) { try await other.validToken() }
        #expect(end?.reason == .signedOut)
    }

    @Test func `an unknown token is not active, and revoking it is no error`() async throws {
        let bench = try await GlewlwydBench()
        let unknown = OAuthToken.make(accessToken: "nonsense", refreshToken: "n+o%n&s=ü")
        #expect(try await !bench.introspection(of: unknown).isActive)
        // RFC 7009 §2.2
        try await bench.service(GlewlwydBench.web).revoke(unknown)
    }
}
#endif
