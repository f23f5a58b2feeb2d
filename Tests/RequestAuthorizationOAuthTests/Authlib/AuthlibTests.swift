// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full && canImport(Glibc)
import Foundation
import RequestAuthorizationOAuth
import RequestAuthorizationTesting
import Testing

/// The effect of answers on a session, with a third-party server behind a fault injector: a hundred callers, and one
/// call per slot.
@Suite(.enabled(if: Authlib.isThere, Authlib.how), .authlib, .serialized, .timeLimit(.minutes(2)))
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
    @Test(arguments: [SignatureAlgorithm.es256, .rs256, .ps256])
    func `RFC 7523 §2.2: a client that signs is verified by Authlib at sign-in, at each refresh and at sign-out`(
        algorithm: SignatureAlgorithm
    ) async throws {
        let signer = try PrivateKeySigner(
            jwk: algorithm == .es256 ? PublishedKey.p256 : PublishedKey.rsa, algorithm: algorithm)
        let server = try #require(Authlib.current)
        try await server.register(signer.publicKey)
        let bench = try await AuthlibBench(.public(id: "bank"), authentication: .privateKeyJWT(signer))
        for _ in 0..<3 { #expect(try await !bench.auth.refreshNow().accessToken.isEmpty) }
        #expect(try await bench.calls() == .init(came: 3, seen: 3))
        // Another key is another client's: the session is kept, and goes on when the key is right again.
        var other = PrivateKeySigner.generated().publicKey
        if algorithm != .es256 {
            var members = signer.publicKey.members
            members["n"] = members["n"].map { "x\($0.dropFirst())" }
            other = try JSONWebKey(JSONEncoder().encode(members))
        }
        try await server.register(other)
        let error = await #expect(throws: NotAuthorized.self) { try await bench.auth.refreshNow() }
        #expect(error?.reason == .clientRefused)
        try await server.register(signer.publicKey)
        #expect(try await !bench.auth.refreshNow().accessToken.isEmpty)
        try await bench.auth.signOut()
        #expect(bench.store.stored?.token == nil)
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
