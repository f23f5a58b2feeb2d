// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

/// Many tasks at once, real threads: run these under the thread sanitizer.
@Suite(.timeLimit(.minutes(5))) struct PoolConcurrencyTests {
    @Test func `many tasks that ask for one identity at the same time get one provider, made once`() async {
        let made = SharedCount(0)
        let pool = AuthorizationPool { (_: Int) in
            made.add(1)
            return RefreshableTokenAuthorization(service: CountingService())
        }
        let providers = await withTaskGroup { group in
            for number in 0..<2000 { group.addTask { (number / 20, pool[number / 20]) } }
            return await group.reduce(into: [Int: [RefreshableTokenAuthorization<TestToken>]]()) {
                $0[$1.0, default: []].append($1.1)
            }
        }
        #expect(made.value == 100)
        #expect(providers.values.allSatisfy { all in all.count == 20 && all.allSatisfy { $0 === all[0] } })
    }

    @Test func `holders, evictions, sign-outs and expiries at random never make two providers of one identity`()
        async throws
    {
        let clock = ManualClock()
        let bank = TokenBank(identities: 100, clock: clock)
        let pool = AuthorizationPool(idleFor: .seconds(8), atMost: 10, clock: clock) { bank.provider(for: $0) }
        await withTaskGroup { group in
            for seed in 0..<64 {
                group.addTask {
                    var randomness = Seeded(seed: UInt64(seed))
                    await Self.use(pool, of: bank, clock, rounds: 300, &randomness)
                }
            }
        }
        try await pool.settle(within: .seconds(60))
        #expect(bank.violations == [])
        #expect(bank.made > 100)
        try await pool.shutdown(within: .seconds(60))
    }

    private typealias Pool = AuthorizationPool<Int, TestToken>

    private static func use(
        _ pool: Pool, of bank: TokenBank, _ clock: ManualClock, rounds: Int, _ randomness: inout Seeded
    ) async {
        var held: [Pool.Provider] = []
        weak var weakly: Pool.Provider?
        for _ in 0..<rounds {
            let identity = Int.random(in: 0..<bank.identities, using: &randomness)
            switch Int.random(in: 0..<20, using: &randomness) {
            case 0: clock.advance(by: .seconds(1))
            case 1: await pool[identity].reset()
            case 2:
                held.append(pool[identity])
                if held.count > 5 { held.removeFirst() }
            case 3: weakly = pool[identity]
            case 4: if let revived = weakly { _ = try? await revived.validToken() }
            case 5:
                var changes = pool[identity].tokenChanges.makeAsyncIterator()
                _ = try? await pool[identity].validToken()
                _ = await changes.next()
            case 6:
                let task = Task { try await pool[identity].refreshNow() }
                await Task.yield()
                task.cancel()
            case 7: try? await pool[identity].signIn { bank.logIn() }
            default: _ = try? await pool[identity].validToken()
            }
        }
    }
}
