// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import TestProviders

/// One of several providers over one shared store. They play several processes in one.
struct SharedBench {
    typealias Store = ScriptedTokenStore<InMemorySharedTokenStore<TestToken>>

    let clock: ManualClock
    let place: InMemorySharedTokenStore<TestToken>
    let store: Store
    let service: DiscardingService
    let held = Tally()
    let auth: RefreshableTokenAuthorization<TestToken>

    /// - Parameters:
    ///   - lifetime: in seconds, of the stored token `old`.
    ///   - follows: whether the provider is notified of siblings' changes.
    static func make(
        lasts lifetime: Double = 10, follows: Bool = true, _ script: ScriptedTokenService<TestToken>.Step...
    ) -> SharedBench {
        let clock = ManualClock()
        let place = InMemorySharedTokenStore<TestToken>(.make("old", lasts: lifetime), clock: clock)
        return SharedBench(clock: clock, place: place, follows: follows, script: script)
    }

    func sibling(follows: Bool = true, _ script: ScriptedTokenService<TestToken>.Step...) -> SharedBench {
        SharedBench(clock: clock, place: place.sibling(), follows: follows, script: script)
    }

    private init(
        clock: ManualClock, place: InMemorySharedTokenStore<TestToken>, follows: Bool,
        script: [ScriptedTokenService<TestToken>.Step]
    ) {
        self.clock = clock
        self.place = place
        store = ScriptedTokenStore(place)
        let service = ScriptedTokenService<TestToken>(clock: clock)
        for step in script { service.append(step) }
        self.service = DiscardingService(script: service)
        let shared: any TokenStore<TestToken> = follows ? store : DeafStore(store: store)
        auth = RefreshableTokenAuthorization(
            service: self.service, token: nil, store: shared, policy: .impatient, clock: clock, random: { 1 },
            onHold: { [held] in held.add() })
    }

    func name() async throws -> String { try await auth.validToken().name }

    /// Signs in as `signed-in`. The save hangs until the provider gives it up.
    ///
    /// - Returns: the save, which can still be made.
    func signInWithoutSave() async throws -> HeldStoreCall {
        let save = store.hold(next: .save)
        let signIn = Task { try await auth.signIn { TestToken("signed-in") } }
        await save.begins()
        await clock.sleeper(for: .seconds(10))
        clock.advance(by: .seconds(10))
        try await signIn.value
        return save
    }

    /// Suspends until exclusive access is free.
    func unlocked() async {
        try? await place.sibling().lock(within: .seconds(1)).unlock()
    }

    func event(_ kind: AuthorizationEvent.Kind, while body: () async -> Void) async -> AuthorizationEvent? {
        var events = auth.events.makeAsyncIterator()
        await body()
        while let event = await events.next() { if event.kind == kind { return event } }
        return nil
    }
}

/// A scripted service that also lets a test wait for discarded tokens.
struct DiscardingService: RefreshableTokenService {
    let script: ScriptedTokenService<TestToken>
    let discards = Tally()

    var calls: Int { script.calls }
    var discarded: [String] { script.discarded.map(\.name) }

    func nextCall() async throws -> ScriptedTokenService<TestToken>.Call { try await script.nextCall() }
    func refresh(_ token: TestToken) async throws -> TestToken { try await script.refresh(token) }
    func initialToken() async throws -> TestToken { try await script.initialToken() }
    func discard(_ token: TestToken) async {
        await script.discard(token)
        discards.add()
    }
    func revoke(_ token: TestToken) async throws { try await script.revoke(token) }
}

/// A shared store without notices of changes.
private struct DeafStore: SharedTokenStore {
    let store: SharedBench.Store

    func load() async throws -> StoredToken<TestToken>? { try await store.load() }
    func save(_ stored: StoredToken<TestToken>) async throws { try await store.save(stored) }
    func clear() async throws { try await store.clear() }
    func lock(within limit: Duration) async throws -> TokenStoreLock { try await store.lock(within: limit) }
    func save(
        _ stored: StoredToken<TestToken>, replacing condition: TokenSaveCondition, ending intent: RefreshIntent?
    ) async throws -> SaveResult<StoredToken<TestToken>> {
        try await store.save(stored, replacing: condition, ending: intent)
    }
    func loadWithIntent() async throws -> TokenWithIntent<TestToken> { try await store.loadWithIntent() }
    func setIntent(_ intent: RefreshIntent?) async throws { try await store.setIntent(intent) }
}
