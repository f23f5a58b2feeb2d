// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationTesting
import Testing

/// Correct types pass the checks, with the three lines that a third party writes.
struct GoodFixtureTests {
    let clock = ManualClock()

    @Test(
        arguments: [
            .bearer("a-bearer-token"), .basic(username: "Aladdin", password: "open sesame"),
            .header("X-Api-Key", "a-key-of-mine"),
            .header("X-Color", "red"),  // A part of `[redacted]`.
            ClosureAuthorization(field: "Authorization") { "Bearer a-bearer-token" },
            BearerTokenAuthorization(token: "a-bearer-token").restricted(to: "https://api.example.com"),
            OriginAuthorization(["https://api.example.com": .bearer("a-bearer-token")]),
        ] as [any AuthorizationProvider])
    func `providers without a refresh pass`(_ provider: any AuthorizationProvider) async throws {
        try await AuthorizationProviderChecks { provider }.run()
    }

    @Test(arguments: ["http://ledger.internal:8080", "http://127.0.0.1:8080"] as [Origin])
    func `a provider that allows plain http passes if the checks expect it`(origin: Origin) async throws {
        try await AuthorizationProviderChecks(origin: origin, allowsPlaintext: true) {
            BearerTokenAuthorization(token: "a-bearer-token").restricted(to: origin, allowingPlaintext: true)
        }.run()
    }

    @Test func `a refreshable provider passes`() async throws {
        let clock = clock
        let waiting = ScriptedTokenService<TestToken>(forever: .held)
        try await AuthorizationProviderChecks(
            waiting: { RefreshableTokenAuthorization(service: waiting, clock: clock) }
        ) {
            let service = ScriptedTokenService(clock: clock, forever: .numberedToken(lasts: .seconds(60)))
            return RefreshableTokenAuthorization(service: service, clock: clock)
        }.run()
    }

    @Test func `the in-memory store passes`() async throws {
        try await TokenStoreChecks { InMemoryTokenStore<TestToken>() }.run()
    }

    @Test func `the in-memory shared store passes`() async throws {
        try await SharedTokenStoreChecks(lockLimit: .zero) {
            let store = InMemorySharedTokenStore<TestToken>()
            return (store, store.sibling())
        }.run()
    }

    @Test func `a scripted store passes with the checks of the store that it wraps`() async throws {
        try await TokenStoreChecks(reopened: { $0 }) {
            ScriptedTokenStore(InMemoryTokenStore<TestToken>())
        }.run()
        try await SharedTokenStoreChecks(lockLimit: .zero) {
            let store = InMemorySharedTokenStore<TestToken>()
            return (ScriptedTokenStore(store), ScriptedTokenStore(store.sibling()))
        }.run()
    }

    @Test func `five callers make one call`() async throws {
        let clock = ManualClock()
        let service = ScriptedTokenService(
            clock: clock, .token("a", lasts: .seconds(60)), .token("b", lasts: .seconds(60)))
        let auth = RefreshableTokenAuthorization(service: service, clock: clock)
        try await withThrowingTaskGroup { group in
            for _ in 0..<5 { group.addTask { _ = try await auth.validToken() } }
            try await group.waitForAll()
        }
        #expect(service.calls == 1)
        try await AuthorizationProviderChecks { auth }.run()
        #expect(service.calls == 2)
    }
}
