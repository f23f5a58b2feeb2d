// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization
import RequestAuthorizationTesting
import TestProviders

/// A pool whose clock, service and stores a test moves by hand.
struct PoolBench {
    typealias Store = ScriptedTokenStore<InMemoryTokenStore<TestToken>>

    let clock: ManualClock
    let service: ScriptedTokenService<TestToken>
    let store: Store
    let pool: AuthorizationPool<String, TestToken>
    private let journal: Lock<[String]>

    /// The identities for which a provider was made, in order.
    var made: [String] { journal.withLock { $0 } }

    /// - Parameters:
    ///   - lifetime: of the stored token; `nil` for none.
    ///   - isStored: whether the providers have a store; it is the same for all.
    static func make(
        atMost limit: Int = 1, storing lifetime: Double? = 100, isStored: Bool = true,
        _ script: ScriptedTokenService<TestToken>.Step...
    ) -> PoolBench {
        let clock = ManualClock()
        let service = ScriptedTokenService<TestToken>(clock: clock)
        for step in script { service.append(step) }
        let store = Store(InMemoryTokenStore(lifetime.map { .make("stored", lasts: $0) }))
        let journal = Lock<[String]>([])
        let pool = AuthorizationPool(idleFor: .seconds(100), atMost: limit, clock: clock) { (name: String) in
            journal.withLock { $0.append(name) }
            return RefreshableTokenAuthorization(
                service: service, token: nil, store: isStored ? store : nil, policy: .impatient, clock: clock,
                random: { 1 })
        }
        return PoolBench(clock: clock, service: service, store: store, pool: pool, journal: journal)
    }

    /// Advances the clock by a quarter of the idle time, after which the pool has looked over its providers.
    func passTurn() async {
        await clock.sleeper(for: .seconds(25))
        clock.advance(by: .seconds(25))
        await clock.sleeper(for: .seconds(25))
    }

    /// Asks for another identity, which exceeds the limit.
    func crowd() { _ = pool["crowd"] }
}
