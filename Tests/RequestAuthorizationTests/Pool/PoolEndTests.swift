// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorizationTesting
import TestProviders
import Testing

@testable import RequestAuthorization

/// The end of programs with many providers.
@Suite(.timeLimit(.minutes(5))) struct PoolEndTests {
    /// No other sleep is as long.
    private let limit = Duration.seconds(7)

    /// A provider that refreshes, and all that is its own.
    private struct Member {
        let clock = ManualClock()
        let service = ScriptedTokenService<TestToken>(.held)
        let store = InMemoryTokenStore<TestToken>(.make("stored", lasts: 0))
    }

    /// A pool in which `ada` and `bob` refresh, their calls, and those who wait for them.
    private struct Refreshing {
        let members: [String: Member]
        let pool: AuthorizationPool<String, TestToken>
        private(set) var calls: [String: ScriptedTokenService<TestToken>.Call] = [:]
        private(set) var waiting: [Task<TestToken, any Error>] = []

        init() async throws {
            let members = ["ada": Member(), "bob": Member()]
            self.members = members
            pool = AuthorizationPool { (name: String) in
                let member = members[name] ?? Member()
                return RefreshableTokenAuthorization(
                    service: member.service, store: member.store, policy: .impatient, clock: member.clock)
            }
            _ = pool["idle"]
            for (name, member) in members {
                let auth = pool[name]
                waiting.append(Task { try await auth.validToken() })
                calls[name] = try await member.service.nextCall()
            }
        }

        /// The names of the stored tokens.
        var stored: [String?] { members.values.map { $0.store.stored?.token?.name } }

        /// Suspends until somebody waits for both with this limit.
        func areAwaited(within limit: Duration) async {
            for member in members.values { await member.clock.sleeper(for: limit) }
        }

        func answer() { for call in calls.values { call.succeed(TestToken("new")) } }
    }

    @Test(arguments: [("ada", "bob"), ("bob", "ada")])
    func `settling waits for all providers`(first: String, last: String) async throws {
        let refreshing = try await Refreshing()
        let settled = Task { [limit, pool = refreshing.pool] in try await pool.settle(within: limit) }
        await refreshing.areAwaited(within: limit)
        refreshing.calls[first]?.succeed(TestToken("new"))
        #expect(try await refreshing.pool[first].validToken().name == "new")
        refreshing.members[last]?.clock.advance(by: limit)
        let error = await #expect(throws: ProvidersNotSettled<String>.self) { try await settled.value }
        #expect(error?.unsettled.keys.sorted() == [last])
        refreshing.calls[last]?.succeed(TestToken("new"))
        try await refreshing.pool.settle(within: limit)
        #expect(refreshing.stored == ["new", "new"])
    }

    @Test func `one time limit applies to all, and the identities that have not settled are named`() async throws {
        let refreshing = try await Refreshing()
        let settled = Task { [limit, pool = refreshing.pool] in try await pool.settle(within: limit) }
        await refreshing.areAwaited(within: limit)
        for member in refreshing.members.values { member.clock.advance(by: limit) }
        let error = await #expect(throws: ProvidersNotSettled<String>.self) { try await settled.value }
        #expect(error?.unsettled.keys.sorted() == ["ada", "bob"])
        #expect(error?.unsettled.values.allSatisfy { $0.isRefreshing } == true)
        #expect(error.map { "\($0)".contains("ada") || "\($0)".contains("bob") } == false)
        refreshing.answer()
    }

    @Test func `after a shutdown no provider writes to its store, neither an idle one nor a later one`() async throws {
        let bench = PoolBench.make(atMost: 9)
        let idle = bench.pool["idle"]
        try await bench.pool.shutdown(within: limit)
        for auth in [idle, bench.pool["later"]] { #expect(auth.core.read { $0.vault.isClosed }) }
    }

    @Test func `settling that is cancelled ends at once`() async throws {
        let refreshing = try await Refreshing()
        let settled = Task { [limit, pool = refreshing.pool] in try await pool.settle(within: limit) }
        await refreshing.areAwaited(within: limit)
        settled.cancel()
        await #expect(throws: CancellationError.self) { try await settled.value }
        refreshing.answer()
    }

    @Test func `after a shutdown nothing begins, also in providers that are made later`() async throws {
        let bench = PoolBench.make(atMost: 9, storing: 0, .token("new"))
        let held = bench.pool["ada"]
        try await bench.pool.shutdown(within: limit)
        for auth in [held, bench.pool["ada"], bench.pool["later"]] {
            let error = await #expect(throws: NotAuthorized.self) { try await auth.validToken() }
            #expect(error?.reason == .shutDown)
        }
        #expect(bench.service.calls == 0)
    }

    @Test func `a shutdown lets running work end`() async throws {
        let refreshing = try await Refreshing()
        let ended = Task { [limit, pool = refreshing.pool] in try await pool.shutdown(within: limit) }
        await refreshing.areAwaited(within: limit)
        refreshing.answer()
        try await ended.value
        #expect(refreshing.stored == ["new", "new"])
        for request in refreshing.waiting { #expect(try await request.value.name == "new") }
    }

    @Test func `background refreshes stop for all providers, also for those that are made later`() async throws {
        let bench = PoolBench.make(atMost: 9, storing: 100)
        _ = try await bench.pool["ada"].validToken()
        bench.pool.stopBackgroundRefresh()
        _ = try await bench.pool["later"].validToken()
        bench.clock.advance(by: .seconds(99))
        for name in ["ada", "later"] { #expect(try await bench.pool[name].validToken().name == "stored") }
        // A refresh that has begun would end before this.
        try await bench.pool.settle(within: limit)
        #expect(bench.service.calls == 0)
    }

    @Test func `a sign-out after the shutdown is stored`() async throws {
        let bench = PoolBench.make(atMost: 9)
        try await bench.pool.shutdown(within: limit)
        await bench.pool["ada"].reset()
        #expect(bench.store.base.stored == nil)
    }
}
