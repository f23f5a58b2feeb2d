// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
import LoopbackServer
import RequestAuthorization
import RequestAuthorizationOAuth
import RequestAuthorizationStorage
import RequestAuthorizationTesting
import StoreFixtures
import Testing

/// A token belongs to its issuer: a program that is set up for another server never sends it there. Each test runs two
/// servers, and none of them sees anything of the other's.
@Suite(.timeLimit(.minutes(5))) struct OtherIssuerTests {
    @Test(arguments: TokenPlace.allCases)
    func `the session of another server is kept, and never sent`(place: TokenPlace) async throws {
        let place = try place.make()
        try await IssuingServer.runTwo { a, b in
            let former = a.provider(place.open())
            try await a.signIn(former)
            #expect(try await a.status(former) == 200)
            let kept = try #require(try await place.open().load()?.token)

            // The program is set up for B now.
            let auth = b.provider(place.open())
            await Self.expectRefusal(of: "127.0.0.1:\(a.raw.port)") { try await auth.validToken() }
            await Self.expectRefusal(of: "127.0.0.1:\(a.raw.port)") { _ = try await b.status(auth) }
            a.clock.advance(by: .seconds(7200))
            await Self.expectRefusal(of: "127.0.0.1:\(a.raw.port)") { try await auth.refreshNow() }
            #expect(await !auth.isAuthorized())
            #expect(await auth.missingScopes(of: []) == nil)
            #expect(try await place.open().load()?.token == kept)
            #expect(await b.targets == [])

            // And for A again: nothing was lost.
            #expect(try await a.status(a.provider(place.open())) == 200)
        }
    }

    @Test(arguments: TokenPlace.allCases)
    func `a sign-in at the new server replaces it`(place: TokenPlace) async throws {
        let place = try place.make()
        try await IssuingServer.runTwo { a, b in
            try await a.signIn(a.provider(place.open()))
            let auth = b.provider(place.open())
            await Self.expectRefusal { try await auth.validToken() }
            try await b.signIn(auth)
            #expect(try await b.status(auth) == 200)
            #expect(await auth.isAuthorized())
            #expect(try await b.status(b.provider(place.open())) == 200)
            await Self.expectRefusal { try await a.provider(place.open()).validToken() }
        }
    }

    @Test(arguments: TokenPlace.allCases)
    func `a service that needs no person replaces it at once`(place: TokenPlace) async throws {
        let place = try place.make()
        try await IssuingServer.runTwo { a, b in
            // From a session of a person, with a refresh token, and from one without.
            try await a.signIn(a.provider(place.open()))
            let auth = b.provider(place.open(), b.ownService)
            #expect(try await b.status(auth) == 200)
            #expect(try await place.open().load()?.token?.issuer == TokenIssuer(of: b.server))
            #expect(try await a.status(a.provider(place.open(), a.ownService)) == 200)
            #expect(try await b.status(b.provider(place.open(), b.ownService)) == 200)
            #expect(await b.targets == ["/token", "/api", "/token", "/api"])
        }
    }

    @Test(arguments: TokenPlace.allCases)
    func `a sign-out revokes nothing at the new server, and goes on`(place: TokenPlace) async throws {
        let place = try place.make()
        try await IssuingServer.runTwo { a, b in
            let former = a.provider(place.open())
            try await a.signIn(former)
            // Once with the token loaded, once before.
            for isLoaded in [true, false] {
                try await a.signIn(former)
                var auth: RefreshableTokenAuthorization? = b.provider(place.open())
                if isLoaded { await Self.expectRefusal { try await auth?.validToken() } }
                var events = try #require(auth).events.makeAsyncIterator()
                try await auth?.signOut()
                #expect(try await place.open().load()?.token == nil)
                // The events end with their provider.
                auth = nil
                var refusals: [any Error] = []
                while let event = await events.next() {
                    if event.kind == .revocationRefused, let error = event.error { refusals.append(error) }
                }
                #expect(refusals.count == 1 && refusals.first is TokenOfOtherIssuer)
            }
            #expect(await b.targets == [])
            #expect(await !a.targets.contains("/revoke"))
        }
    }

    @Test func `the token of another process is adopted, and not sent if it is of another server`() async throws {
        let place = InMemorySharedTokenStore<OAuthToken>()
        try await IssuingServer.runTwo { a, b in
            let auth = b.provider(place)
            try await b.signIn(auth)
            var events = auth.events.makeAsyncIterator()
            try await a.signIn(a.provider(place.sibling()))
            while let event = await events.next(), event.kind != .tokenAdopted {}
            await Self.expectRefusal { try await b.status(auth) }
            // A process of the new set-up signs in again.
            try await b.signIn(b.provider(place.sibling()))
            while let event = await events.next(), event.kind != .tokenAdopted {}
            #expect(try await b.status(auth) == 200)
        }
    }

    @Test func `the token that a refresh finds under its lock is not sent to another server`() async throws {
        let place = InMemorySharedTokenStore<OAuthToken>()
        try await IssuingServer.runTwo { a, b in
            // A store that announces no changes, so that only the refresh reads it again.
            let auth = b.provider(Unannounced(base: place))
            try await b.signIn(auth)
            try await a.signIn(a.provider(place.sibling()))
            a.clock.advance(by: .seconds(7200))
            // The request that begins the refresh is one of B's session.
            let error = await #expect(throws: NotAuthorized.self) { try await auth.validToken() }
            #expect(error?.reason == .sessionReplaced)
            await Self.expectRefusal { try await auth.validToken() }
            #expect(await b.targets == ["/token"])
            // Others get the lock, and no intent stays behind.
            try await place.lock(within: .seconds(60)).unlock()
            #expect(place.intent == nil)
        }
    }

    @Test func `a widget, which only reads, sends no token of another server`() async throws {
        let place = InMemorySharedTokenStore<OAuthToken>()
        try await IssuingServer.runTwo { a, b in
            try await a.signIn(a.provider(place))
            let widget = b.provider(place.sibling().readOnly)
            let error = await #expect(throws: NotAuthorized.self) { try await b.status(widget) }
            #expect(error?.reason == .refreshedElsewhere)
            #expect(error?.detail?.contains("127.0.0.1:\(a.raw.port)") == true)
            #expect(await b.targets == [])
        }
    }

    @Test func `of a pool, each provider refuses the token of another server`() async throws {
        let stores = ["ada": InMemoryTokenStore<OAuthToken>(), "bob": InMemoryTokenStore<OAuthToken>()]
        try await IssuingServer.runTwo { a, b in
            for store in stores.values { try await a.signIn(a.provider(store)) }
            let service = b.service()
            let pool = AuthorizationPool { (user: String) in
                RefreshableTokenAuthorization(
                    service: service, store: stores[user] ?? InMemoryTokenStore(), clock: b.clock)
            }
            for user in stores.keys { await Self.expectRefusal { try await pool[user].validToken() } }
            try await b.signIn(pool["ada"])
            #expect(try await b.status(pool["ada"]) == 200)
            await Self.expectRefusal { try await pool["bob"].validToken() }
        }
    }

    @Test func `a token that was moved to another store still names its server`() async throws {
        try await IssuingServer.runTwo { a, b in
            let (old, new) = (try TokenPlace.file.make(), try TokenPlace.memory.make())
            try await a.signIn(a.provider(old.open()))
            #expect(try await old.open().migrated(to: new.open()) == .moved)
            await Self.expectRefusal { try await b.provider(new.open()).validToken() }
            #expect(try await a.status(a.provider(new.open())) == 200)
        }
    }

    @Test func `the issuer is inside of what is encrypted`() async throws {
        let items = InMemoryItems()
        let store = EncryptedTokenStore<OAuthToken, _>(
            around: items, key: try .bytes(Data(repeating: 7, count: 32)), client: "tool", account: "me")
        try await IssuingServer.runTwo { a, b in
            try await a.signIn(a.provider(store))
            #expect(try await store.load()?.token?.issuer == TokenIssuer(of: a.server))
            let envelope = String(decoding: try #require(items.item), as: UTF8.self)
            #expect(!envelope.contains("127.0.0.1") && !envelope.contains("issuer"))
            await Self.expectRefusal { try await b.provider(store).validToken() }
        }
    }

    // MARK: - Tokens from the program

    @Test func `a token from the program is noted as the service's, unless it names another server`() async throws {
        let store = InMemoryTokenStore<OAuthToken>()
        try await IssuingServer.runTwo { a, b in
            let own = try await b.service().endpoint.token(grantType: "authorization_code")
            let silent = OAuthToken(accessToken: own.accessToken, refreshToken: own.refreshToken)
            let auth = b.provider(store)
            try await auth.setToken(silent)
            #expect(store.stored?.token?.issuer == TokenIssuer(of: b.server))
            try await auth.signIn { silent }
            #expect(store.stored?.token?.issuer == TokenIssuer(of: b.server))
            #expect(try await b.status(auth) == 200)

            let foreign = try await a.service().endpoint.token(grantType: "authorization_code")
            let installs: [@Sendable () async throws -> Void] = [
                { try await auth.setToken(foreign) }, { try await auth.signIn { foreign } },
            ]
            for install in installs {
                let error = await #expect(throws: NotAuthorized.self) { try await install() }
                #expect(error?.reason == .malformedCredential)
                #expect(error?.detail?.contains("127.0.0.1:\(a.raw.port)") == true)
            }
            // The session lives, and the token that was refused is not revoked at B.
            try await auth.settle(within: .seconds(60))
            #expect(try await b.status(auth) == 200)
            #expect(await b.targets == ["/token", "/api", "/api"])
            // Nor is a token with which the provider is made.
            let made = RefreshableTokenAuthorization(service: b.service(), token: foreign, clock: b.clock)
            await Self.expectRefusal { try await made.validToken() }
        }
    }

    @Test func `the service itself sends no token of another server`() async throws {
        try await IssuingServer.runTwo { a, b in
            let token = try await a.service().endpoint.token(grantType: "authorization_code")
            let service = b.service()
            await Self.expectRefusal { try await service.refresh(token) }
            let expected = TokenOfOtherIssuer(issuer: TokenIssuer(of: a.server), expected: TokenIssuer(of: b.server))
            await #expect(throws: expected) { try await service.revoke(token) }
            await #expect(throws: expected) { try await service.introspect(token) }
            await service.discard(token)
            #expect(throws: NotAuthorized.self) { try service.proof(for: token) }
            #expect(await b.targets == [])
            #expect(try await a.service().introspect(token).isActive)
        }
    }

    @Test func `a grant of the program's own may bring the token of any server`() async throws {
        try await IssuingServer.runTwo { a, _ in
            let inner = a.ownService
            let service = OAuthTokenService.custom(
                server: AuthorizationServer(issuer: "https://broker.example"), client: .public(id: "t"),
                transport: .patient, clock: a.clock
            ) { _ in try await inner.initialToken() }
            let auth = RefreshableTokenAuthorization(service: service, clock: a.clock)
            for _ in 0..<2 {
                let status = try await a.status(auth)
                #expect(status == 200)
                a.clock.advance(by: .seconds(7200))
            }
        }
    }

    // MARK: - Fleets of several versions

    @Test func `a stored token that names no server is used, and named with the next save`() async throws {
        let store = InMemorySharedTokenStore<OAuthToken>()
        try await IssuingServer.runTwo { a, b in
            try await a.signIn(a.provider(store))
            for _ in 0..<3 {
                // An older process refreshes the token, and writes what it knows.
                var stored = try #require(store.stored?.token)
                stored.issuer = nil
                let version = try #require(store.stored?.version)
                try await store.save(StoredToken(.token(stored), version: version, obtainedAt: a.clock.now))
                let auth = a.provider(store.sibling())
                #expect(try await a.status(auth) == 200)
                try await auth.refreshNow()
                #expect(store.stored?.token?.issuer == TokenIssuer(of: a.server))
                await Self.expectRefusal { try await b.provider(store.sibling()).validToken() }
            }
        }
    }

    @Test func `a server under a new name gets its tokens, and gives them that name`() async throws {
        let store = InMemoryTokenStore<OAuthToken>()
        try await IssuingServer.runTwo { a, _ in
            try await a.signIn(a.provider(store))
            let renamed = { (server: inout AuthorizationServer) in
                (server.issuer, server.formerIssuers) = ("https://new.example", ["https://x.example", a.base])
            }
            let auth = a.provider(store, a.service(change: renamed))
            #expect(try await a.status(auth) == 200)
            try await auth.refreshNow()
            #expect(store.stored?.token?.issuer?.name == "https://new.example")
            await Self.expectRefusal(of: "https://new.example") { try await a.provider(store).validToken() }
        }
    }

    // MARK: -

    /// Expects that a sign-in is asked for, because the token is of another server.
    private static func expectRefusal<Result>(
        of issuer: String = "127.0.0.1", sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () async throws -> Result
    ) async {
        let error = await #expect(throws: NotAuthorized.self, sourceLocation: sourceLocation) { _ = try await body() }
        #expect(error?.reason == .needsInteraction && error?.needsSignIn == true, sourceLocation: sourceLocation)
        #expect(error?.underlying is TokenOfOtherIssuer, sourceLocation: sourceLocation)
        let text = "\(error.map { "\($0)" } ?? "")"
        #expect(text.contains("was issued by") && text.contains(issuer), sourceLocation: sourceLocation)
        #expect(text.contains("sign in"), sourceLocation: sourceLocation)
    }
}

/// A shared store whose siblings are silent.
private struct Unannounced: SharedTokenStore {
    let base: InMemorySharedTokenStore<OAuthToken>

    func load() async throws -> StoredToken<OAuthToken>? { try await base.load() }
    func save(_ stored: StoredToken<OAuthToken>) async throws { try await base.save(stored) }
    func clear() async throws { try await base.clear() }
    func lock(within limit: Duration) async throws -> TokenStoreLock { try await base.lock(within: limit) }
    func loadWithIntent() async throws -> TokenWithIntent<OAuthToken> { try await base.loadWithIntent() }
    func save(
        _ stored: StoredToken<OAuthToken>, replacing condition: TokenSaveCondition, ending intent: RefreshIntent?
    ) async throws -> SaveResult<StoredToken<OAuthToken>> {
        try await base.save(stored, replacing: condition, ending: intent)
    }
    func setIntent(_ intent: RefreshIntent?) async throws { try await base.setIntent(intent) }
}

extension TokenStore {
    /// For stores whose type is not known.
    fileprivate func migrated(to other: any TokenStore<Token>) async throws -> TokenMigration {
        try await migrate(to: other)
    }
}
#endif
