// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Dispatch
import Foundation
import RequestAuthorizationTesting
import Testing

private struct DiskFull: Error {}

extension StoredToken where Token == TestToken {
    fileprivate static func make(_ name: String, generation: Int = 0) -> StoredToken {
        StoredToken(
            .token(TestToken(name)), version: TokenVersion(session: session, generation: generation),
            obtainedAt: Date(timeIntervalSince1970: 0))
    }
    private static var session: UUID { UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)) }
}

struct InMemorySharedTokenStoreTests {
    let clock = ManualClock()
    let store: InMemorySharedTokenStore<TestToken>
    let sibling: InMemorySharedTokenStore<TestToken>

    init() {
        store = InMemorySharedTokenStore(clock: clock)
        sibling = store.sibling()
    }

    @Test func `a task that waits for access gives up at the deadline`() async throws {
        let lock = try await store.lock(within: .seconds(1))
        async let second = sibling.lock(within: .seconds(10))
        await clock.sleepers(1)
        clock.advance(by: .seconds(9))
        #expect(clock.sleeping == [.seconds(1)])
        clock.advance(by: .seconds(1))
        do {
            _ = try await second
            Issue.record("two tasks have access")
        } catch let error as TokenStoreError {
            #expect(error.kind == .timedOut && error.detail.contains("\(Duration.seconds(10))"))
        }
        await lock.unlock()
        try await sibling.lock(within: .seconds(1)).unlock()
    }

    @Test func `nothing sleeps for access that is free`() async throws {
        let clock = RecordingClock()
        let store = InMemorySharedTokenStore<TestToken>(clock: clock)
        for _ in 0..<100 { try await store.lock(within: .seconds(1)).unlock() }
        let lock = try await store.lock(within: .seconds(1))
        await #expect(throws: TokenStoreError.self) { try await store.lock(within: .seconds(2)) }
        await lock.unlock()
        #expect(clock.sleeps.list == [.seconds(2)])
    }

    @Test func `access passes to the next waiter as soon as it is released`() async throws {
        let lock = try await store.lock(within: .seconds(1))
        async let second = sibling.lock(within: .seconds(10))
        await clock.sleepers(1)
        await lock.unlock()
        let next = try await second
        await lock.unlock()  // The second call has no effect, because the access is another's.
        let third = Task { try await store.lock(within: .seconds(10)) }
        await clock.sleepers(1)
        third.cancel()
        await #expect(throws: CancellationError.self) { try await third.value }
        await next.unlock()
        try await store.lock(within: .seconds(1)).unlock()
    }

    @Test func `access lasts until it is unlocked or lost, also if nobody else holds its handle`() async throws {
        let lock = try await store.sibling().lock(within: .seconds(1))
        await #expect(throws: TokenStoreError.self) { try await store.lock(within: .zero) }
        await lock.unlock()
        _ = try await store.sibling().lock(within: .zero)
        try await store.lock(within: .zero).unlock()
    }

    @Test func `a crash releases access and keeps the intent and the token`() async throws {
        let intent = RefreshIntent(session: UUID(), generation: 1, beganAt: clock.now)
        _ = try await store.lock(within: .seconds(1))
        try await store.save(.make("a"))
        try await store.setIntent(intent)
        store.crash()
        try await sibling.lock(within: .seconds(1)).unlock()
        #expect(sibling.intent == intent)
        #expect(sibling.stored == .make("a"))
    }

    @Test func `a crash ends the wait for access and the changes`() async throws {
        let lock = try await sibling.lock(within: .seconds(1))
        var changes = try #require(store.changes).makeAsyncIterator()
        let waiting = Task { try await store.lock(within: .seconds(10)) }
        await clock.sleepers(1)
        store.crash()
        clock.advance(by: .seconds(10))
        await #expect(throws: CancellationError.self) { try await waiting.value }
        var later = try #require(store.changes).makeAsyncIterator()
        try await sibling.save(.make("a"))
        #expect(await changes.next() == nil)
        #expect(await later.next() == nil)
        await lock.unlock()
        try await sibling.lock(within: .seconds(1)).unlock()
    }

    @Test func `a crashed process reads and changes nothing, and the next one does`() async throws {
        let intent = RefreshIntent(session: UUID(), generation: 1, beganAt: clock.now)
        try await store.save(.make("a"))
        try await store.setIntent(intent)
        store.crash()
        let calls: [@Sendable () async throws -> Void] = [
            { [store] in _ = try await store.load() },
            { [store] in _ = try await store.loadWithIntent() },
            { [store] in try await store.save(.make("lost")) },
            { [store] in _ = try await store.save(.make("lost"), replacing: .anything, ending: intent) },
            { [store] in try await store.clear() },
            { [store] in try await store.setIntent(nil) },
            { [store] in _ = try await store.lock(within: .seconds(1)) },
        ]
        for call in calls {
            let error = await #expect(throws: TokenStoreError.self) { try await call() }
            #expect(error?.kind == .unavailable)
        }
        let next = store.sibling()
        let contents = try await next.loadWithIntent()
        #expect(contents.stored == .make("a"))
        #expect(contents.intent == intent)
        #expect(try await next.save(.make("b"), replacing: .anything, ending: intent) == .saved)
        try await next.lock(within: .seconds(1)).unlock()
    }

    @Test func `a lost place has no intent, a lost item does`() async throws {
        let intent = RefreshIntent(session: UUID(), generation: 1, beganAt: clock.now)
        for absence in [TokenAbsence.gone, .setAside, .placeMissing] {
            try await store.save(.make("a"))
            try await store.setIntent(intent)
            store.lose(absence)
            let contents = try await sibling.loadWithIntent()
            #expect(contents.stored == nil && contents.absence == absence)
            #expect(contents.intent == (absence == .placeMissing ? nil : intent))
        }
    }

    @Test func `siblings are notified of every change`() async throws {
        var changes = try #require(sibling.changes).makeAsyncIterator()
        try await store.save(.make("a"))
        #expect(await changes.next() != nil)
        try await store.clear()
        #expect(await changes.next() != nil)
        #expect(try await store.save(.make("b"), replacing: .anything) == .saved)
        #expect(await changes.next() != nil)
    }

    @Test func `the store that makes a change is not notified`() async throws {
        var handle: InMemorySharedTokenStore<TestToken>? = store.sibling()
        var changes = try #require(handle?.changes).makeAsyncIterator()
        try await handle?.save(.make("a"))
        handle = nil  // ends its changes after the earlier notices
        #expect(await changes.next() == nil)
    }

    @Test func `a refused save is no change`() async throws {
        var handle: InMemorySharedTokenStore<TestToken>? = store.sibling()
        try await store.save(.make("a", generation: 2))
        var changes = try #require(handle?.changes).makeAsyncIterator()
        let older = TokenSaveCondition.older(session: StoredToken.make("a").version.session, generation: 1)
        #expect(try await store.save(.make("b"), replacing: older) == .refused(.make("a", generation: 2)))
        handle = nil
        #expect(await changes.next() == nil)
    }

    @Test func `a former token that is deallocated holds up no thread that reads the store`() async throws {
        let store = InMemorySharedTokenStore<PartingToken>(clock: clock)
        let ends = Recorder<Bool>()
        try await store.save(
            StoredToken(
                .token(PartingToken { ends.append(endsElsewhere { _ = store.stored }) }),
                version: TokenVersion(session: UUID(), generation: 0), obtainedAt: clock.now))
        try await store.clear()
        #expect(ends.list == [true])
    }

    @Test func `no description of a store shows a token`() async throws {
        try await store.save(.make("a-secret"))
        let memory = InMemoryTokenStore(StoredToken.make("a-secret"))
        #expect("\(memory)" == "InMemoryTokenStore<TestToken>([redacted])")
        for value in [store, memory, ScriptedTokenStore(memory)] as [Any] {
            var dumped = ""
            dump(value, to: &dumped)
            #expect(!"\(value)\(String(reflecting: value))\(dumped)".contains("a-secret"))
        }
    }
}

/// A token that runs a body when its last copy is gone.
private struct PartingToken: AuthorizationToken {
    private final class Farewell: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }

        deinit { body() }
    }

    private let farewell: Farewell

    init(_ body: @escaping @Sendable () -> Void) { farewell = Farewell(body) }

    var authorizationHeaderValue: String { "Bearer parting" }
}

/// Whether a body ends on another thread while this one waits for it.
private func endsElsewhere(_ body: @escaping @Sendable () -> Void) -> Bool {
    let end = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
        body()
        end.signal()
    }
    return end.wait(timeout: .now() + 50) == .success
}

/// Records each sleep, which ends at once.
private struct RecordingClock: AuthorizationClock {
    let sleeps = Recorder<Duration>()

    var now: Date { Date(timeIntervalSince1970: 0) }
    var uptime: Duration { .zero }

    func sleep(for duration: Duration) async throws { sleeps.append(duration) }
}

struct ScriptedTokenStoreTests {
    let memory = InMemoryTokenStore<TestToken>()
    let store: ScriptedTokenStore<InMemoryTokenStore<TestToken>>

    init() { store = ScriptedTokenStore(memory) }

    @Test func `calls are recorded in order`() async throws {
        _ = try await store.load()
        try await store.save(.make("a"))
        try await store.clear()
        #expect(store.operations == [.load, .save(.make("a")), .clear])
    }

    @Test func `one call fails, before or after the store has done its work`() async throws {
        store.fail(next: .save, with: DiskFull())
        store.fail(next: .save, with: DiskFull(), afterwards: true)
        await #expect(throws: DiskFull.self) { try await store.save(.make("a")) }
        #expect(memory.stored == nil)
        await #expect(throws: DiskFull.self) { try await store.save(.make("b")) }
        #expect(memory.stored == .make("b"))
        try await store.save(.make("c"))
        #expect(store.operations.count == 3)
    }

    @Test func `all calls of a kind fail until the failure is lifted`() async throws {
        store.fail(all: .load, with: DiskFull())
        for _ in 1...2 { await #expect(throws: DiskFull.self) { try await store.load() } }
        try await store.save(.make("a"))
        store.fail(all: .load, with: nil)
        #expect(try await store.load() == .make("a"))
    }

    @Test func `a held call goes on, or fails, as the test decides`() async throws {
        let first = store.hold(next: .save)
        let second = store.hold(next: .save)
        let save = Task { try await store.save(.make("a")) }
        await first.begins()
        #expect(memory.stored == nil)
        save.cancel()
        first.release()
        try await save.value
        #expect(memory.stored == .make("a"))
        second.fail(DiskFull())
        await #expect(throws: DiskFull.self) { try await store.save(.make("b")) }
    }

    @Test func `access whose answer is lost is given back`() async throws {
        let shared = ScriptedTokenStore(InMemorySharedTokenStore<TestToken>())
        shared.fail(next: .lock, with: DiskFull(), afterwards: true)
        await #expect(throws: DiskFull.self) { try await shared.lock(within: .seconds(1)) }
        try await shared.lock(within: .zero).unlock()
    }

    @Test func `a scripted store around a shared one is shared, with its failures`() async throws {
        let shared = ScriptedTokenStore(InMemorySharedTokenStore<TestToken>())
        let plain: any TokenStore<TestToken> = shared
        let store = try #require(plain as? any SharedTokenStore<TestToken>)
        shared.fail(next: .lock, with: DiskFull())
        await #expect(throws: DiskFull.self) { try await store.lock(within: .seconds(1)) }
        let intent = RefreshIntent(session: UUID(), generation: 0, beganAt: Date(timeIntervalSince1970: 0))
        let lock = try await store.lock(within: .seconds(1))
        try await store.setIntent(intent)
        #expect(try await store.openIntent() == intent)
        shared.fail(next: .save, with: DiskFull())
        await #expect(throws: DiskFull.self) { try await store.save(.make("a"), replacing: .anything, ending: intent) }
        #expect(try await store.save(.make("a"), replacing: .anything, ending: intent) == .saved)
        await lock.unlock()
        #expect(
            shared.operations == [
                .lock(within: .seconds(1)), .lock(within: .seconds(1)), .setIntent(intent), .loadWithIntent,
                .conditionalSave(.make("a"), .anything, ending: intent),
                .conditionalSave(.make("a"), .anything, ending: intent), .unlock,
            ])
    }
}
