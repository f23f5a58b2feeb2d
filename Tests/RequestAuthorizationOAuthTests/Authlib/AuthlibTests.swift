// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full && canImport(Glibc)
import Crypto
import Foundation
import LoopbackServer
import RequestAuthorizationOAuth
import RequestAuthorizationTesting
import RequestAuthorizationURLSession
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The effect of answers on a session, with a third-party server behind a fault injector: a hundred callers, and one
/// call per slot.
@Suite(.enabled(if: Authlib.isThere, Authlib.how), .authlib, .serialized, .timeLimit(.minutes(5)))
struct AuthlibTests {
    @Test(arguments: try FailureTable.rows())
    func `an injected answer has the effect on the session that the table names`(row: FailureTable.Row) async throws {
        let bench = try await AuthlibBench()
        let session = bench.store.stored?.version.session
        try await bench.server.inject(.answer(row.status, row.body))
        let expected = row.status == 200 && row.code == nil ? "later: 0" : row.outcome
        #expect(await bench.outcomes() == [expected])
        #expect(await bench.outcomes() == [expected])
        #expect(try await bench.calls() == .init(came: 1, seen: 0))
        bench.clock.advance(by: .seconds(60))
        let after = await bench.outcomes()
        guard row.kind != .terminal else {
            #expect(after == [expected])
            #expect(bench.store.stored?.token == nil)
            return #expect(try await bench.calls() == .init(came: 1, seen: 0))
        }
        // Authlib takes the refresh token: nothing was lost.
        let token = try #require(bench.store.stored?.token)
        #expect(after == ["token \(token.accessToken)"])
        #expect(bench.store.stored?.version == session.map { TokenVersion(session: $0, generation: 1) })
        #expect(try await bench.calls() == .init(came: 2, seen: 1))
    }

    @Test func `a captive portal's page costs one call per slot for hours, and ends no session`() async throws {
        let bench = try await AuthlibBench()
        for slot in 1...60 {
            try await bench.server.inject(.answer(403, "<html>Please accept our terms</html>"))
            #expect(await bench.outcomes() == ["later: 403"])
            #expect(try await bench.calls() == .init(came: slot, seen: 0))
            bench.clock.advance(by: .seconds(60))
        }
        // A new process, on another network.
        let later = RefreshableTokenAuthorization(service: bench.service, store: bench.store, clock: bench.clock)
        let outcome = await bench.outcomes(of: later)
        #expect(outcome == ["token \(try #require(bench.store.stored?.token).accessToken)"])
        #expect(try await bench.calls() == .init(came: 61, seen: 1))
    }

    @Test func `a refresh token that Authlib has revoked ends the session, once`() async throws {
        let bench = try await AuthlibBench()
        try await bench.server.revokeEverything()
        for _ in 0..<2 { #expect(await bench.outcomes() == ["rejected by the token endpoint"]) }
        #expect(bench.store.stored?.token == nil)
        #expect(try await bench.calls() == .init(came: 1, seen: 1))
    }

    @Test func `a client secret that was changed at Authlib ends no session, which goes on with the right secret`()
        async throws
    {
        let bench = try await AuthlibBench(AuthlibBench.web)
        try await bench.server.changeSecret(to: "another")
        for _ in 0..<2 { #expect(await bench.outcomes() == ["client refused by the token endpoint"]) }
        #expect(try await bench.calls() == .init(came: 1, seen: 1))
        try await bench.server.changeSecret(to: "websecret")
        await bench.auth.retryNow()
        let outcome = await bench.outcomes()
        #expect(outcome == ["token \(try #require(bench.store.stored?.token).accessToken)"])
        #expect(bench.store.stored?.version.generation == 1)
        #expect(try await bench.calls() == .init(came: 2, seen: 2))
    }

    /// Authlib verifies the signatures, takes each `jti` once, and wants the issuer as the audience.
    @Test(arguments: [
        SignatureAlgorithm.es256, .es384, .es512, .rs256, .rs384, .rs512, .ps256, .ps384, .ps512, .edDSA,
    ])
    func `RFC 7523 §2.2: a client that signs is verified by Authlib at sign-in, at each refresh and at sign-out`(
        algorithm: SignatureAlgorithm
    ) async throws {
        let keys: [SignatureAlgorithm: Data] = [
            .es256: PublishedKey.p256, .es384: PublishedKey.p384, .es512: PublishedKey.p521,
            .edDSA: PublishedKey.ed25519,
        ]
        let signer = try PrivateKeySigner(jwk: keys[algorithm] ?? PublishedKey.rsa, algorithm: algorithm)
        let server = try #require(Authlib.current)
        try await server.register(signer.publicKey)
        let bench = try await AuthlibBench(.public(id: "bank"), authentication: .privateKeyJWT(signer))
        for _ in 0..<3 { #expect(try await !bench.auth.refreshNow().accessToken.isEmpty) }
        #expect(try await bench.calls() == .init(came: 3, seen: 3))
        // Another key is another client's: the session is kept, and goes on when the key is right again.
        var members = signer.publicKey.members
        switch algorithm {
        case .es256: members = PrivateKeySigner.generated().publicKey.members
        case .es384: members.setPoint(P384.Signing.PrivateKey().publicKey.rawRepresentation)
        case .es512: members.setPoint(P521.Signing.PrivateKey().publicKey.rawRepresentation)
        case .edDSA:
            members["x"] = Base64URLText.text(Curve25519.Signing.PrivateKey().publicKey.rawRepresentation)
        default: members["n"] = members["n"].map { "x\($0.dropFirst())" }
        }
        try await server.register(try JSONWebKey(JSONEncoder().encode(members)))
        let error = await #expect(throws: NotAuthorized.self) { try await bench.auth.refreshNow() }
        #expect(error?.reason == .clientRefused)
        try await server.register(signer.publicKey)
        #expect(try await !bench.auth.refreshNow().accessToken.isEmpty)
        try await bench.auth.signOut()
        #expect(bench.store.stored?.token == nil)
    }

    @Test func `OpenID Connect: Authlib's ID token says who signed in, and another sign-in's nonce is refused`()
        async throws
    {
        let base = try #require(Authlib.current).base
        let service = OAuthTokenService.authorizationCode(
            server: .make(at: base), client: .public(id: "native"), redirectURI: "http://127.0.0.1:8400/cb",
            pendingSignIns: InMemoryPendingSignIns(), transport: .patient)
        func callback(_ pending: PendingSignIn) async throws -> URL {
            let page = try await PatientTransport.patient.send(TokenRequest(method: "GET", url: pending.url))
            return try .make(try #require(page.headerValues(for: "Location").first))
        }
        let pending = try await service.signIn(scopes: ["read"], identity: true)
        let token = try await service.finish(callback: callback(pending))
        #expect(token.identity?.subject == "alice" && token.identity?.issuer == base)
        #expect(token.scopes == ["read", "openid"])
        // An attacker's code is brought to the victim's sign-in, with all that belongs to it but the nonce.
        let theirs = try await service.signIn(scopes: ["read"], identity: true)
        let mine = try await service.signIn(scopes: ["read"], identity: true)
        var members = try JSONDecoder().decode([String: JSONValue].self, from: JSONEncoder().encode(theirs))
        members["identity"] = try JSONDecoder().decode([String: JSONValue].self, from: JSONEncoder().encode(mine))[
            "identity"]
        let mixed = try JSONDecoder().decode(PendingSignIn.self, from: JSONEncoder().encode(members))
        let error = await #expect(throws: IdentityTokenError.self) {
            try await service.finish(mixed, callback: callback(theirs))
        }
        #expect(error == IdentityTokenError(.claim, claim: "nonce"))
    }

    @Test func `a connection that drops before Authlib sees the request costs nothing`() async throws {
        let bench = try await AuthlibBench()
        try await bench.server.inject(.drop(.before))
        #expect(await bench.outcomes() == ["later: 0"])
        bench.clock.advance(by: .seconds(1))
        let outcome = await bench.outcomes()
        #expect(outcome == ["token \(try #require(bench.store.stored?.token).accessToken)"])
        #expect(try await bench.calls() == .init(came: 2, seen: 1))
    }

    @Test func `after a lost answer only Authlib's verdict ends the session`()
        async throws
    {
        let bench = try await AuthlibBench()
        try await bench.server.inject(.drop(.after))
        #expect(await bench.outcomes() == ["later: 0"])
        #expect(bench.store.stored?.token != nil)
        bench.clock.advance(by: .seconds(1))
        // Authlib never accepts a refresh token again that it has exchanged.
        #expect(await bench.outcomes() == ["rejected by the token endpoint"])
        #expect(try await bench.calls() == .init(came: 2, seen: 2))
    }
}

extension [String: String] {
    /// The coordinates of another public key.
    fileprivate mutating func setPoint(_ point: Data) {
        self["x"] = Base64URLText.text(point.prefix(point.count / 2))
        self["y"] = Base64URLText.text(point.suffix(point.count / 2))
    }
}

extension FailureTable.Row {
    /// The outcomes of callers.
    fileprivate var outcome: String {
        switch kind {
        case .terminal: "rejected by the token endpoint"
        case .client: "client refused by the token endpoint"
        case .interaction: "needs interaction"
        case .noRefreshToken, .transient: "later: \(status)"
        }
    }
}
#endif
