// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorization

/// One provider for each identity, while it is in use.
@Suite(.timeLimit(.minutes(5))) struct AuthorizationPoolTests {
    // MARK: One alive

    @Test func `an identity has one provider, for any number of calls`() {
        let bench = PoolBench.make(atMost: 9)
        #expect(bench.pool["ada"] === bench.pool["ada"])
        #expect(bench.pool["bob"] !== bench.pool["ada"])
        #expect(bench.made == ["ada", "bob"])
        #expect(bench.pool.count == 2)
    }

    @Test func `a provider with a reference stays alive, above the limit and beyond the idle time`() async {
        let bench = PoolBench.make(atMost: 1)
        let held = bench.pool["ada"]
        bench.crowd()
        for _ in 0..<9 { await bench.passTurn() }
        #expect(bench.pool["ada"] === held)
        #expect(bench.made.filter { $0 == "ada" } == ["ada"])
    }

    @Test func `the limit evicts an idle provider, and it is made again`() {
        let bench = PoolBench.make(atMost: 1)
        _ = bench.pool["ada"]
        bench.crowd()
        #expect(bench.pool.count == 1)
        _ = bench.pool["ada"]
        #expect(bench.made == ["ada", "crowd", "ada"])
    }

    @Test func `an idle provider goes after its time, and a used one stays`() async {
        let bench = PoolBench.make(atMost: 9)
        _ = bench.pool["idle"]
        for _ in 0..<4 {
            _ = bench.pool["used"]
            await bench.passTurn()
        }
        #expect(bench.pool.count == 2)
        _ = bench.pool["used"]
        await bench.passTurn()
        #expect(bench.pool.count == 1)
        _ = bench.pool["used"]
        #expect(bench.made == ["idle", "used"])
    }

    @Test func `a process without requests lets go of all providers, and the clock has no sleeper left`() async throws {
        let gone = OneShot<Void>()
        let clock = ManualClock()
        let pool = AuthorizationPool(idleFor: .zero, clock: clock) { (_: Int) in
            RefreshableTokenAuthorization(service: MournedService(gone: gone), clock: clock)
        }
        _ = pool[1]
        await clock.sleeper(for: .milliseconds(100))
        clock.advance(by: .milliseconds(100))
        try await gone.value()
        #expect(pool.count == 0)
    }

    // MARK: In use

    @Test func `a refresh that is under way keeps its provider`() async throws {
        let bench = PoolBench.make(storing: 0, .held)
        let request = Task { [pool = bench.pool] in try await pool["ada"].validToken().name }
        let call = try await bench.service.nextCall()
        request.cancel()
        await #expect(throws: CancellationError.self) { try await request.value }
        bench.crowd()
        call.succeed(TestToken("new"))
        #expect(try await bench.pool["ada"].validToken().name == "new")
        #expect(bench.made == ["ada", "crowd"])
    }

    @Test func `an unsaved token keeps its provider`() async throws {
        let bench = PoolBench.make(storing: 0, .token("new"))
        bench.store.fail(all: .save, with: DiskFull())
        #expect(try await bench.pool["ada"].validToken().name == "new")
        bench.crowd()
        #expect(try await bench.pool["ada"].validToken().name == "new")
        #expect(bench.made == ["ada", "crowd"])
    }

    @Test func `a sign-out that is not stored yet keeps its provider`() async throws {
        let bench = PoolBench.make()
        bench.store.fail(all: .clear, with: DiskFull())
        await bench.pool["ada"].reset()
        bench.crowd()
        await #expect(throws: NotAuthorized.self) { try await bench.pool["ada"].validToken() }
        #expect(bench.made == ["ada", "crowd"])
    }

    @Test func `an observer keeps its provider`() async throws {
        let bench = PoolBench.make(atMost: 1, .token("new"))
        var changes = bench.pool["ada"].tokenChanges.makeAsyncIterator()
        var events = bench.pool["bob"].events.makeAsyncIterator()
        bench.crowd()
        _ = try await bench.pool["ada"].validToken()
        #expect(await changes.next()?.name == "stored")
        _ = try await bench.pool["bob"].validToken()
        #expect(await events.next()?.kind == .refreshStarted)
        #expect(bench.made == ["ada", "bob", "crowd"])
    }

    @Test @MainActor func `a status on screen keeps its provider`() {
        let bench = PoolBench.make(atMost: 1)
        let status = AuthorizationStatus(following: bench.pool["ada"])
        bench.crowd()
        _ = bench.pool["ada"]
        #expect(bench.made == ["ada", "crowd"])
        withExtendedLifetime(status) {}
    }

    @Test func `a time that the server has named keeps the provider`() async throws {
        let refusal = TokenEndpointError(status: 503, retryAfter: .seconds(60))
        let bench = PoolBench.make(storing: 0, .failure(refusal))
        await #expect(throws: RefreshFailed.self) { try await bench.pool["ada"].validToken() }
        bench.crowd()
        await #expect(throws: RefreshFailed.self) { try await bench.pool["ada"].validToken() }
        #expect(bench.made == ["ada", "crowd"])
        #expect(bench.service.calls == 1)
    }

    @Test func `a session that exists only in memory is kept, unless the service began it by itself`() async throws {
        let bench = PoolBench.make(isStored: false, .token("fetched"), .token("again"))
        try await bench.pool["ada"].setToken(TestToken("given"))
        #expect(try await bench.pool["machine"].validToken().name == "fetched")
        bench.crowd()
        #expect(try await bench.pool["ada"].validToken().name == "given")
        #expect(try await bench.pool["machine"].validToken().name == "again")
        #expect(bench.made == ["ada", "machine", "crowd", "machine"])
    }

    @Test func `after a sign-out without a store the service fetches no token by itself again`() async throws {
        let bench = PoolBench.make(isStored: false, .token("fetched"), .token("again"))
        _ = try await bench.pool["machine"].validToken()
        await bench.pool["machine"].reset()
        // The same before the first token.
        await bench.pool["other"].reset()
        bench.crowd()
        for identity in ["machine", "other"] {
            let error = await #expect(throws: NotAuthorized.self) { try await bench.pool[identity].validToken() }
            #expect(error?.reason == .signedOut)
        }
        #expect(bench.made == ["machine", "other", "crowd"])
    }

    @Test func `an evicted provider that is still alive is found again`() async throws {
        let bench = PoolBench.make(atMost: 1)
        weak let weakly: RefreshableTokenAuthorization<TestToken>? = bench.pool["ada"]
        let held = try #require(weakly)
        bench.crowd()
        #expect(bench.pool["ada"] === held)
        #expect(bench.made == ["ada", "crowd"])
    }

    @Test func `a 401 counts for a session whose provider the pool has dropped meanwhile`() async throws {
        let bench = PoolBench.make(.token("new"))
        bench.clock.advance(by: .seconds(50))
        let tries = Lock(0)
        _ = try await ByUser(pool: bench.pool).send(TestRequest("https://api.example.com")) { _ in
            if tries.withLock({
                $0 += 1; return $0
            }) == 1 {
                bench.crowd()
            }
            return FakeResponse.unauthorized("Bearer")
        }
        // The next provider has the same token. It hears of the second 401, and refreshes.
        #expect(tries.withLock { $0 } == 2)
        #expect(try await bench.pool["ada"].validToken().name == "new")
        #expect(bench.service.calls == 1)
    }

    @Test func `RFC 7009 §2.2.1: a provider is kept until the time that the server has named for a revocation`()
        async throws
    {
        let bench = PoolBench.make()
        bench.service.failRevocation(with: TokenEndpointError(status: 503, retryAfter: .seconds(60)))
        await #expect(throws: TokenEndpointError.self) { try await bench.pool["ada"].signOut() }
        bench.crowd()
        await #expect(throws: TokenEndpointError.self) { try await bench.pool["ada"].signOut() }
        #expect(bench.service.revoked.count == 1)
        bench.clock.advance(by: .seconds(60))
        try await bench.pool["ada"].signOut()
        #expect(bench.service.revoked.count == 2)
    }

}

/// Signals its deallocation, and so that of its provider.
private final class MournedService: RefreshableTokenService {
    private let gone: OneShot<Void>

    init(gone: OneShot<Void>) { self.gone = gone }
    deinit { gone.fulfill() }

    func refresh(_ token: TestToken) async throws -> TestToken { token }
}

/// A provider that asks a pool each time.
private struct ByUser: AuthorizationProvider {
    let pool: AuthorizationPool<String, TestToken>

    func credential(for request: some AuthorizableRequest) async throws -> Credential {
        try await pool["ada"].credential(for: request)
    }
}
