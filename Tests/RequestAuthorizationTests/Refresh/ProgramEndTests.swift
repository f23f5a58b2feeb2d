// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorization

/// Calls that a program awaits before it ends, so that a rotated token is not lost.
@Suite(.timeLimit(.minutes(5))) struct ProgramEndTests {
    typealias Store = ScriptedTokenStore<InMemoryTokenStore<TestToken>>

    /// No other sleep is as long.
    private let limit = Duration.seconds(7)

    /// A provider whose background refresh is under way, and a task that waits for it.
    private func settling(
        _ store: Store, _ body: @escaping @Sendable (RefreshableTokenAuthorization<TestToken>) async throws -> Void
    ) async throws -> (Bench, ScriptedTokenService<TestToken>.Call, Task<Void, any Error>) {
        let bench = Bench.make(store: store, .held)
        #expect(try await bench.name() == "stored")
        bench.clock.advance(by: .seconds(99))
        #expect(try await bench.name() == "stored")
        let call = try await bench.service.nextCall()
        let task = Task { try await body(bench.auth) }
        await bench.clock.sleeper(for: limit)
        return (bench, call, task)
    }

    @Test func `settling waits for the refresh, and until its token is stored`() async throws {
        let store = Store(InMemoryTokenStore(.make("stored")))
        let save = store.hold(next: .save)
        let (_, call, settled) = try await settling(store) { [limit] auth in
            try await auth.settle(within: limit)
            #expect(store.base.stored?.token?.name == "new")
        }
        call.succeed(TestToken("new"))
        await save.begins()
        save.release()
        try await settled.value
    }

    @Test func `settling reports the running work when its time has ended, and cancels nothing`() async throws {
        let store = Store(InMemoryTokenStore(.make("stored")))
        let (bench, call, settled) = try await settling(store) { [limit] in try await $0.settle(within: limit) }
        bench.clock.advance(by: limit)
        let error = await #expect(throws: NotSettled.self) { try await settled.value }
        #expect(error?.isRefreshing == true && error?.isUnstored == false)
        #expect(call.succeed(TestToken("new")))
        #expect(try await bench.name() == "new")
    }

    @Test func `after a shutdown a sign-in gets that as its error, whatever the server has asked for`() async throws {
        let bench = Bench.make(.failure(TokenEndpointError(status: 503, retryAfter: .seconds(100))))
        bench.clock.advance(by: .seconds(100))
        await #expect(throws: RefreshFailed.self) { try await bench.name() }
        try await bench.auth.shutdown(within: .seconds(1))
        let error = await #expect(throws: NotAuthorized.self) { try await bench.auth.signIn { TestToken("a") } }
        #expect(error?.reason == .shutDown)
    }

    @Test func `settling that is cancelled ends at once`() async throws {
        let store = Store(InMemoryTokenStore(.make("stored")))
        let (_, _, settled) = try await settling(store) { [limit] in try await $0.settle(within: limit) }
        settled.cancel()
        await #expect(throws: CancellationError.self) { try await settled.value }
    }

    @Test func `settling in a cancelled task does not wait`() async throws {
        let store = Store(InMemoryTokenStore(.make("stored")))
        let (bench, _, settled) = try await settling(store) { [limit] in try await $0.settle(within: limit) }
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await bench.auth.settle(within: .seconds(3))
        }
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        settled.cancel()
    }

    /// The intent of the refresh is removed before the lock is released. The next process would refresh because of it.
    @Test(arguments: [true, false])
    func `settling waits for the release of the lock, and no longer than its limit`(isReleased: Bool) async throws {
        let store = ScriptedTokenStore(InMemorySharedTokenStore<TestToken>(.make("stored")))
        let unlock = store.hold(next: .unlock)
        let bench = Bench.make(store: store, .token("new"))
        #expect(try await bench.name() == "stored")
        #expect(try await bench.auth.refreshNow().name == "new")
        await unlock.begins()
        let settled = Task { [limit] in try await bench.auth.settle(within: limit) }
        await bench.clock.sleeper(for: limit)
        if isReleased { unlock.release() } else { bench.clock.advance(by: limit) }
        try await settled.value
        unlock.release()
    }

    @Test func `a sign-out in a cancelled task waits for the store`() async throws {
        let store = Store(InMemoryTokenStore(.make("stored")))
        let clear = store.hold(next: .clear)
        let bench = Bench.make(store: store)
        #expect(try await bench.name() == "stored")
        let isCleared = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await bench.auth.reset()
            return store.base.stored == nil
        }
        await clear.begins()
        clear.release()
        #expect(await isCleared.value)
    }

    @Test func `settling reports the unsaved token, and why`() async throws {
        let store = Store(InMemoryTokenStore(.make("stored", lasts: 10)))
        store.fail(all: .save, with: DiskFull())
        let bench = Bench.make(store: store, .token("new"))
        bench.clock.advance(by: .seconds(10))
        #expect(try await bench.name() == "new")
        let settled = Task { try await bench.auth.settle(within: .milliseconds(500)) }
        await bench.clock.sleeper(for: .milliseconds(500))
        bench.clock.advance(by: .milliseconds(500))
        let error = await #expect(throws: NotSettled.self) { try await settled.value }
        #expect(error?.isRefreshing == false && error?.isUnstored == true)
        #expect(error?.storeError is DiskFull)
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func `settling leaves no timer behind`() async throws {
        let bench = Bench.make(holding: nil, .held)
        let request = await bench.hold(1)[0]
        let call = try await bench.service.nextCall()
        let callers = (1...200).map { _ in Task.immediate { try await bench.auth.settle(within: .seconds(3_600)) } }
        #expect(bench.auth.timer.capacity > 200)
        call.succeed(TestToken("new"))
        for caller in callers { try await caller.value }
        #expect(bench.auth.timer.capacity < 100)
        _ = try await request.value
    }

    @Test(arguments: [true, false])
    func `settling waits for a call that a sign-out has overtaken, and for the revocation of its token`(
        isShutDown: Bool
    ) async throws {
        let bench = Bench.make(holding: nil, .heldIgnoringCancellation)
        let request = await bench.hold(1)[0]
        let call = try await bench.service.nextCall()
        await bench.auth.reset()
        await #expect(throws: NotAuthorized.self) { try await request.value }
        let early = await #expect(throws: NotSettled.self) { try await bench.auth.settle(within: .zero) }
        #expect(early?.isRefreshing == true && early?.isUnstored == false)
        let settled = Task { [limit] in
            if isShutDown { return try await bench.auth.shutdown(within: limit) }
            try await bench.auth.settle(within: limit)
        }
        await bench.clock.sleeper(for: limit)
        call.succeed(TestToken("late"))
        try await settled.value
        #expect(bench.service.discarded.map(\.name) == ["late"])
    }

    @Test func `after its hard limit a call that a sign-out has overtaken is not waited for`() async throws {
        let bench = Bench.make(holding: nil, .heldIgnoringCancellation)
        let request = await bench.hold(1)[0]
        _ = try await bench.service.nextCall()
        await bench.auth.reset()
        _ = await request.result
        let settled = Task { try await bench.auth.settle(within: .seconds(3_600)) }
        await bench.clock.sleepers(1)
        bench.clock.advance(by: .seconds(60))
        try await settled.value
    }

    @Test func `after a shutdown has given up, a request behind a store that hangs fails at once`() async throws {
        let store = Store(InMemoryTokenStore(.make("stored", lasts: 10)))
        let save = store.hold(next: .save)
        let bench = Bench.make(store: store, .token("new"))
        bench.clock.advance(by: .seconds(10))
        let request = await bench.hold(1)[0]
        await save.begins()
        await #expect(throws: NotSettled.self) { try await bench.auth.shutdown(within: .zero) }
        let error = await #expect(throws: NotAuthorized.self) { try await request.value }
        #expect(error?.reason == .shutDown)
        save.release()
    }

    @Test func `settling does not wait for user input`() async throws {
        let bench = Bench.make()
        let answer = OneShot<TestToken>()
        let begun = OneShot<Void>()
        let signIn = Task {
            try await bench.auth.signIn {
                begun.fulfill()
                return try await answer.value()
            }
        }
        try await begun.value()
        try await bench.auth.settle(within: limit)
        answer.fulfill(with: .success(TestToken("new")))
        try await signIn.value
    }

    @Test func `after a shutdown calls throw, and no sign-in would help`() async throws {
        let bench = Bench.make(.token("new"))
        try await bench.auth.shutdown(within: limit)
        let calls: [@Sendable () async throws -> Void] = [
            { _ = try await bench.name() }, { _ = try await bench.auth.refreshNow() },
            { try await bench.auth.signIn { TestToken("a") } },
            { _ = try await TestRequest().authorized(using: bench.auth) },
        ]
        for call in calls {
            let error = await #expect(throws: NotAuthorized.self) { try await call() }
            #expect(error?.reason == .shutDown)
            #expect(error?.needsSignIn == false)
        }
        #expect(bench.service.calls == 0)
    }

    @Test func `requests that wait for a refresh go on after a shutdown`() async throws {
        let bench = Bench.make(.held)
        bench.clock.advance(by: .seconds(100))
        let request = await bench.hold(1)[0]
        let shutdown = Task { [limit] in try await bench.auth.shutdown(within: limit) }
        await bench.clock.sleeper(for: limit)
        try await bench.service.nextCall().succeed(TestToken("new"))
        #expect(try await request.value == "new")
        try await shutdown.value
    }

    @Test func `sign-ins that are under way end with a shutdown`() async throws {
        let bench = Bench.make()
        let (begun, never) = (OneShot<Void>(), OneShot<TestToken>())
        let signIn = Task {
            try await bench.auth.signIn {
                begun.fulfill()
                return try await never.value()
            }
        }
        try await begun.value()
        try await bench.auth.shutdown(within: limit)
        let error = await #expect(throws: NotAuthorized.self) { try await signIn.value }
        #expect(error?.reason == .shutDown)
    }

    @Test func `a sign-out after a shutdown is stored`() async throws {
        let store = Store(InMemoryTokenStore(.make("stored")))
        let bench = Bench.make(store: store)
        #expect(try await bench.name() == "stored")
        try await bench.auth.shutdown(within: limit)
        await bench.auth.reset()
        #expect(store.base.stored?.token == nil)
    }

    // MARK: - Staying alive

    /// A provider whose store refuses the token that it holds.
    private func unsaved(_ store: Store) async throws -> Bench {
        store.fail(all: .save, with: DiskFull())
        let bench = Bench.make(store: store, .token("new", lasts: .seconds(10_000)))
        bench.clock.advance(by: .seconds(10))
        #expect(try await bench.name() == "new")
        return bench
    }

    @Test func `a provider with an unsaved rotated token stays alive until it is saved`() async throws {
        let store = Store(InMemoryTokenStore(.make("stored", lasts: 10)))
        var bench: Bench? = try await unsaved(store)
        let clock = try #require(bench?.clock)
        let provider = Weak(bench?.auth)
        var events = try #require(bench?.auth.events.makeAsyncIterator())
        bench = nil
        await clock.sleeper(for: .seconds(1))
        #expect(provider.object != nil)
        store.fail(all: .save, with: nil)
        clock.advance(by: .seconds(1))
        while await events.next() != nil {}  // They end with the provider.
        #expect(provider.object == nil)
        #expect(store.base.stored?.token?.name == "new")
    }

    @Test func `a provider with an unstored sign-out stays alive until it is stored`() async throws {
        let store = Store(InMemoryTokenStore(.make("stored")))
        store.fail(next: .clear, with: DiskFull())
        var bench: Bench? = Bench.make(store: store)
        let clock = try #require(bench?.clock)
        let provider = Weak(bench?.auth)
        var events = try #require(bench?.auth.events.makeAsyncIterator())
        #expect(try await bench?.name() == "stored")
        await bench?.auth.reset()
        await clock.sleeper(for: .seconds(1))
        bench = nil
        #expect(provider.object != nil)
        clock.advance(by: .seconds(1))
        while await events.next() != nil {}
        #expect(provider.object == nil)
        #expect(store.base.stored == nil)
    }

    @Test func `a shutdown discards the unsaved token, and lets the provider go`() async throws {
        let store = Store(InMemoryTokenStore(.make("stored", lasts: 10)))
        var bench: Bench? = try await unsaved(store)
        let clock = try #require(bench?.clock)
        let provider = Weak(bench?.auth)
        var events = try #require(bench?.auth.events.makeAsyncIterator())
        let shutdown = Task { [auth = bench?.auth] in try await auth?.shutdown(within: .milliseconds(500)) }
        bench = nil
        await clock.sleeper(for: .milliseconds(500))
        clock.advance(by: .milliseconds(500))
        let error = await #expect(throws: NotSettled.self) { try await shutdown.value }
        #expect(error?.isUnstored == true)
        while await events.next() != nil {}
        #expect(provider.object == nil)
        #expect(store.base.stored?.token?.name == "stored")
    }

    @Test func `what has not settled is named, and the store's error by its type`() {
        let working = NotSettled(isRefreshing: true, isUnstored: false, storeError: DiskFull())
        #expect(
            working.description
                == "the provider has not settled: a refresh or a revocation is under way; wait longer")
        let unstored = NotSettled(isRefreshing: false, isUnstored: true, storeError: DiskFull())
        #expect(
            unstored.description
                == "the provider has not settled: the store does not hold the result yet (DiskFull); wait longer")
    }
}
