// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorization

/// The end of programs with many providers.
@Suite(.timeLimit(.minutes(5))) struct PoolEndTests {
    /// No other sleep is as long.
    private let limit = Duration.seconds(7)

    /// A pool in which two providers refresh.
    private func refreshing() async throws -> (PoolBench, [ScriptedTokenService<TestToken>.Call]) {
        let bench = PoolBench.make(atMost: 9, storing: 0, .held, .held)
        _ = bench.pool["idle"]
        for name in ["ada", "bob"] {
            let auth = bench.pool[name]
            Task { try await auth.validToken() }
        }
        return (bench, [try await bench.service.nextCall(), try await bench.service.nextCall()])
    }

    @Test func `settling waits for all providers`() async throws {
        let (bench, calls) = try await refreshing()
        let settled = Task { [limit] in try await bench.pool.settle(within: limit) }
        await bench.clock.sleeper(for: limit)
        calls[0].succeed(TestToken("a"))
        calls[1].succeed(TestToken("b"))
        try await settled.value
        #expect(try await bench.pool["ada"].validToken().name != "stored")
    }

    @Test func `one time limit applies to all, and the identities that have not settled are named`() async throws {
        let clocks = ["ada": ManualClock(), "bob": ManualClock(), "idle": ManualClock()]
        let service = ScriptedTokenService<TestToken>(.held, .held)
        let pool = AuthorizationPool { [clocks] (name: String) in
            RefreshableTokenAuthorization(service: service, clock: clocks[name] ?? ManualClock())
        }
        _ = pool["idle"]
        for name in ["ada", "bob"] {
            let auth = pool[name]
            Task { try await auth.validToken() }
        }
        let calls = [try await service.nextCall(), try await service.nextCall()]
        let settled = Task { [limit] in try await pool.settle(within: limit) }
        for name in ["ada", "bob"] { await clocks[name]?.sleeper(for: limit) }
        for clock in clocks.values { clock.advance(by: limit) }
        let error = await #expect(throws: ProvidersNotSettled<String>.self) { try await settled.value }
        #expect(error?.unsettled.keys.sorted() == ["ada", "bob"])
        #expect(error?.unsettled.values.allSatisfy { $0.isRefreshing } == true)
        #expect(error.map { "\($0)".contains("ada") || "\($0)".contains("bob") } == false)
        for call in calls { call.succeed(TestToken("new")) }
    }

    @Test func `after a shutdown no provider writes to its store, neither an idle one nor a later one`() async throws {
        let bench = PoolBench.make(atMost: 9)
        let idle = bench.pool["idle"]
        try await bench.pool.shutdown(within: limit)
        for auth in [idle, bench.pool["later"]] { #expect(auth.core.read { $0.vault.isClosed }) }
    }

    @Test func `settling that is cancelled ends at once`() async throws {
        let (bench, calls) = try await refreshing()
        let settled = Task { [limit] in try await bench.pool.settle(within: limit) }
        await bench.clock.sleeper(for: limit)
        settled.cancel()
        await #expect(throws: CancellationError.self) { try await settled.value }
        for call in calls { call.succeed(TestToken("new")) }
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
        let (bench, calls) = try await refreshing()
        let waiting = Task { try await bench.pool["ada"].validToken().name }
        let ended = Task { [limit] in try await bench.pool.shutdown(within: limit) }
        await bench.clock.sleeper(for: limit)
        calls[0].succeed(TestToken("new"))
        calls[1].succeed(TestToken("new"))
        try await ended.value
        _ = try? await waiting.value
        #expect(bench.store.base.stored?.token?.name == "new")
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
