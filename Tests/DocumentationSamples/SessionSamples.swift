// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationTesting
import Testing

@Suite struct SessionSamples {
    let stored = WidgetToken(accessToken: "a", refreshToken: "r", expiresAt: .distantFuture)

    // sample: launch
    enum Screen { case content, logIn }

    func firstScreen(_ auth: RefreshableTokenAuthorization<WidgetToken>) async throws -> Screen {
        do {
            _ = try await auth.validToken()  // loads what is stored, and refreshes it if it has expired
            return .content
        } catch is RefreshFailed {
            return .content  // offline: the session goes on
        } catch let error as NotAuthorized where error.needsSignIn {
            return .logIn
        }
    }
    // end sample

    @Test func `a session is restored`() async throws {
        let service = ScriptedTokenService<WidgetToken>()
        let version = TokenVersion(session: UUID(), generation: 0)
        let store = InMemoryTokenStore(StoredToken(.token(stored), version: version, obtainedAt: .now))
        // sample: restore
        let auth = RefreshableTokenAuthorization(service: service, store: store)
        // end sample
        #expect(try await firstScreen(auth) == .content)
        await auth.reset()
        #expect(try await firstScreen(auth) == .logIn)
        #expect(store.stored == nil)
    }

    @Test func `a session is restored by hand`() async throws {
        let (service, saved) = (ScriptedTokenService<WidgetToken>(), stored)
        // sample: restore-by-hand
        let auth = RefreshableTokenAuthorization(service: service, token: saved)
        // end sample
        #expect(try await auth.validToken() == saved)
    }

    @Test func `signing in, replacing and signing out`() async throws {
        let server = ScriptedTokenService<WidgetToken>(.success(stored))
        let logIn: @Sendable (String, String) async throws -> WidgetToken = { _, _ in try await server.initialToken() }
        let auth = RefreshableTokenAuthorization(service: ScriptedTokenService<WidgetToken>())
        let (user, password, token) = ("ada", "secret", stored)
        // sample: sign-in
        try await auth.signIn { try await logIn(user, password) }  // returns when the outcome is known
        try await auth.setToken(token)  // a token that you have already
        // end sample
        #expect(try await auth.validToken() == token)
        // sample: sign-out
        await auth.reset()  // waiting and later requests throw NotAuthorized
        // end sample
        await #expect(throws: NotAuthorized.self) { try await auth.validToken() }
    }

    @Test func `signing out at the server, or here alone`() async throws {
        struct Offline: Error {}
        let service = ScriptedTokenService<WidgetToken>()
        service.failRevocation(with: Offline())
        let auth = RefreshableTokenAuthorization(service: service, token: stored)
        // sample: sign-out-everywhere
        do {
            try await auth.signOut()  // at the server, in the store, in memory
        } catch {
            await auth.reset()  // no network: sign out here alone, or try again later
        }
        // end sample
        #expect(service.revoked == [stored])
        await #expect(throws: NotAuthorized.self) { try await auth.validToken() }
    }

    @Test func `credentials that need no person fetch their first token themselves`() async throws {
        // sample: initial
        struct MachineTokenService: RefreshableTokenService {
            let fetch: @Sendable () async throws -> WidgetToken

            func initialToken() async throws -> WidgetToken { try await fetch() }
            func refresh(_ token: WidgetToken) async throws -> WidgetToken { try await fetch() }
        }
        // end sample
        let token = stored
        let auth = RefreshableTokenAuthorization(service: MachineTokenService { token })
        #expect(try await auth.validToken() == stored)
    }

    @Test func `each identity has one provider`() {
        let service = ScriptedTokenService<WidgetToken>()
        let store: @Sendable (String) -> InMemoryTokenStore<WidgetToken> = { _ in InMemoryTokenStore() }
        // sample: identities
        let pool = AuthorizationPool(idleFor: .seconds(600), atMost: 10_000) { (user: String) in
            RefreshableTokenAuthorization(service: service, store: store(user))
        }
        let auth = pool["ada"]  // the one provider of this user, for all requests
        // end sample
        #expect(pool["ada"] === auth)
        #expect(pool["bob"] !== auth)
    }

    @Test func `a server with many users ends`() async throws {
        let pool = AuthorizationPool { (_: String) in
            RefreshableTokenAuthorization(service: ScriptedTokenService<WidgetToken>())
        }
        // sample: pool-end
        pool.stopBackgroundRefresh()  // asked to end: refreshes begin only for requests that are still served
        try await pool.shutdown(within: .seconds(10))  // the last answer is out: wait for refreshes and saves
        // end sample
        await #expect(throws: NotAuthorized.self) { try await pool["ada"].validToken() }
    }
}
