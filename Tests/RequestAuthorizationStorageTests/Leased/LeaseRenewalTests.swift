// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorizationStorage

/// A lease of 10 s is renewed, lost and released, over a database that a test disturbs.
@Suite(.timeLimit(.minutes(5))) struct LeaseRenewalTests {
    private let clock = ManualClock()
    private let records = MemoryRecords()

    private func store(clock: ManualClock? = nil) throws -> LeasedByteStore {
        try LeasedByteStore(database: records, key: "ada", clock: clock ?? self.clock)
    }

    /// Says after each replacement that it was made. The first one may then never return.
    private struct HeardRecords: RecordDatabase {
        let base: MemoryRecords
        let replaced: AsyncStream<Void>.Continuation
        let hangs: Lock<Bool>

        func read(_ key: String) async throws -> DatabaseRecord? { try await base.read(key) }

        func replace(_ old: Data?, by new: Data?, at key: String) async throws -> Bool {
            let isDone = try await base.replace(old, by: new, at: key)
            replaced.yield()
            if hangs.exchange(false) { for await _ in AsyncStream(Never.self, { _ in }) {} }
            return isDone
        }
    }

    /// Takes over a lease, on a host whose clock is 11 s ahead by then.
    private func takeOver(_ other: LeasedByteStore, _ itsClock: ManualClock) async throws -> TokenStoreLock {
        await #expect(throws: TokenStoreError.self) { try await other.lock(within: .zero) }
        itsClock.advance(by: .seconds(11))
        return try await other.lock(within: .zero)
    }

    private func id(of store: LeasedByteStore) throws -> UUID { try #require(store.state.withLock { $0.rules.id }) }

    private func holder() throws -> UUID? { try LeasedRecord(decoding: #require(records["ada"])).holder }

    @Test func `a cancelled task releases its lease`() async throws {
        let store = try store()
        let lock = try await store.lock(within: .zero)
        await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await lock.unlock()
        }.value
        #expect(try holder() == nil)
    }

    // MARK: - Renewing

    @Test func `a renewed lease lasts from when it was asked for`() async throws {
        let store = try store()
        let lock = try await store.lock(within: .zero)
        clock.advance(by: .seconds(3))
        #expect(lock.remaining == .seconds(7))
        #expect(await store.renew(try id(of: store)))
        #expect(lock.remaining == .seconds(10))
        await lock.unlock()
    }

    @Test func `a renewal without an answer leaves the lease as it is, and the next one is asked for`() async throws {
        let store = try store()
        let lock = try await store.lock(within: .zero)
        clock.advance(by: .seconds(3))
        // A replacement is asked for twice.
        records.next(.replace, .lost)
        records.next(.replace, .lost)
        #expect(await store.renew(try id(of: store)))
        #expect(lock.remaining == .seconds(7))
        records.next(.read, .lost)
        #expect(await store.renew(try id(of: store)))
        #expect(lock.remaining == .seconds(7))
        #expect(await store.renew(try id(of: store)))
        #expect(lock.remaining == .seconds(10))
        await lock.unlock()
    }

    @Test func `a renewal that finds another holder ends the lease, and is the last one`() async throws {
        let itsClock = ManualClock()
        let (one, other) = (try store(), try store(clock: itsClock))
        let lock = try await one.lock(within: .zero)
        let taken = try await takeOver(other, itsClock)
        #expect(lock.remaining == .seconds(10))
        #expect(await !one.renew(try id(of: one)))
        #expect(lock.remaining == .zero)
        #expect(try holder() == id(of: other))
        withExtendedLifetime(taken) {}
    }

    @Test func `a lease that was released has no time left, and is renewed no more`() async throws {
        let store = try store()
        let lock = try await store.lock(within: .zero)
        let id = try id(of: store)
        await lock.unlock()
        #expect(lock.remaining == .zero)
        _ = records.calls()
        #expect(await !store.renew(id))
        #expect(records.calls().isEmpty)
    }

    // MARK: - Releasing

    @Test func `a release takes one call`() async throws {
        let store = try store()
        let lock = try await store.lock(within: .zero)
        _ = records.calls()
        await lock.unlock()
        #expect(records.calls() == [.replace])
        #expect(try holder() == nil)
    }

    @Test func `a lease is released also if the record has changed under it`() async throws {
        let (one, other) = (try store(), try store())
        let lock = try await one.lock(within: .zero)
        try await other.save(Data("b".utf8))
        #expect(try holder() != nil)
        await lock.unlock()
        #expect(try holder() == nil)
        #expect(try await other.load() == Data("b".utf8))
    }

    @Test func `a store gives access again as soon as a save has ended its lease`() async throws {
        let store = try store()
        let lock = try await store.lock(within: .zero)
        let intent = Data("intent".utf8)
        _ = try await store.load()
        try await store.saveIntent(intent)
        let waiting = Task { try await store.lock(within: .seconds(1)) }
        await clock.sleeper(for: .seconds(1))
        #expect(try await store.save(Data("b".utf8), ending: intent) { _, _ in true } == .saved)
        #expect(lock.remaining == .zero)
        // The former lock was not unlocked yet.
        let next = try await waiting.value
        #expect(next.remaining == .seconds(10))
        await lock.unlock()
        #expect(next.remaining == .seconds(10))
        await next.unlock()
    }

    /// The second answer says nothing of the first request.
    @Test(arguments: [MemoryRecords.Fault.lost, .full])
    func `a lease that was granted without an answer is given back`(second: MemoryRecords.Fault) async throws {
        let (heard, hearer) = AsyncStream.makeStream(of: Void.self)
        try await store().save(Data("a".utf8))
        let one = try LeasedByteStore(
            database: HeardRecords(base: records, replaced: hearer, hangs: Lock(false)), key: "ada", clock: clock)
        records.next(.replace, .answerLost)
        records.next(.replace, second)
        // The second read is that of giving back. It may come before this task has the error.
        let granted = Lock<UUID?>(nil)
        records.next(.read, .none)
        records.next(
            .read,
            .after { records in
                granted.withLock { $0 = records["ada"].flatMap { try? LeasedRecord(decoding: $0) }?.holder }
            })
        let error = await #expect(throws: TokenStoreError.self) { try await one.lock(within: .zero) }
        #expect(error?.kind == .unavailable)
        for await _ in heard { break }
        #expect(granted.withLock { $0 } != nil)
        #expect(try holder() == nil)
        #expect(try await store().lock(within: .zero).remaining == .seconds(10))
    }

    @Test func `a lease that was granted without an answer is given back if the wait for it ends`() async throws {
        let (heard, hearer) = AsyncStream.makeStream(of: Void.self)
        var replacements = heard.makeAsyncIterator()
        let other = try store()
        try await other.save(Data("a".utf8))
        let one = try LeasedByteStore(
            database: HeardRecords(base: records, replaced: hearer, hangs: Lock(false)), key: "ada", clock: clock)
        records.next(.replace, .answerLost)
        records.next(.replace, .after { _ in _ = try? await other.save(Data("b".utf8)) })
        let error = await #expect(throws: TokenStoreError.self) { try await one.lock(within: .zero) }
        #expect(error?.kind == .timedOut)
        // The second request, its confirmation, and giving back.
        for _ in 1...3 { await replacements.next() }
        #expect(try holder() == nil)
        #expect(try await other.load() == Data("b".utf8))
    }

    @Test func `a lease that was granted without an answer to an intent is given back if a read fails`() async throws {
        let (heard, hearer) = AsyncStream.makeStream(of: Void.self)
        var replacements = heard.makeAsyncIterator()
        let other = try store()
        let one = try LeasedByteStore(
            database: HeardRecords(base: records, replaced: hearer, hangs: Lock(false)), key: "ada", clock: clock)
        try await one.save(Data("a".utf8))
        try await other.save(Data("b".utf8))
        // The item is another one than the store knows: access without a lease.
        let lock = try await one.lock(within: .zero)
        #expect(try await one.load() == Data("b".utf8))
        records.next(.replace, .answerLost)
        records.next(.replace, .after { _ in _ = try? await other.save(Data("c".utf8)) })
        records.next(.read, .none)
        // That of the other store.
        records.next(.read, .none)
        records.next(.read, .lost)
        let announcing = Task { try await one.saveIntent(Data("intent".utf8)) }
        while clock.sleeping.min() ?? .seconds(1) > .milliseconds(5) { await Task.yield() }
        clock.advance(by: .milliseconds(5))
        let error = await #expect(throws: TokenStoreError.self) { try await announcing.value }
        #expect(error?.kind == .unavailable)
        while try holder() != nil { await replacements.next() }
        #expect(lock.remaining == .zero)
        await lock.unlock()
    }

    @Test func `a lease that comes with an intent after its lock was released is given back`() async throws {
        let (one, other) = (try store(), try store())
        try await one.save(Data("a".utf8))
        try await other.save(Data("b".utf8))
        // The item is another one than the store knows: access without a lease.
        let lock = try await one.lock(within: .zero)
        #expect(try await one.load() == Data("b".utf8))
        records.next(.replace, .after { _ in await lock.unlock() })
        let error = await #expect(throws: TokenStoreError.self) { try await one.saveIntent(Data("intent".utf8)) }
        #expect(error?.kind == .timedOut)
        #expect(lock.remaining == .zero)
        #expect(try holder() == nil)
    }

    @Test func `a lease that was granted to a cancelled task is given back`() async throws {
        let (heard, hearer) = AsyncStream.makeStream(of: Void.self)
        var replacements = heard.makeAsyncIterator()
        try await store().save(Data("a".utf8))
        let one = try LeasedByteStore(
            database: HeardRecords(base: records, replaced: hearer, hangs: Lock(true)), key: "ada", clock: clock)
        let locking = Task { try await one.lock(within: .seconds(1)) }
        await replacements.next()
        #expect(try holder() != nil)
        locking.cancel()
        await #expect(throws: CancellationError.self) { try await locking.value }
        await replacements.next()
        #expect(try holder() == nil)
    }

    @Test(arguments: [MemoryRecords.Fault.lost, .answerLost])
    func `a lease without an answer is asked for again`(first: MemoryRecords.Fault) async throws {
        let store = try store()
        try await store.save(Data("a".utf8))
        records.next(.replace, first)
        let lock = try await store.lock(within: .zero)
        #expect(lock.remaining == .seconds(10))
        await lock.unlock()
        #expect(try holder() == nil)
    }

    // MARK: - Waiting

    @Test func `a lease of which nothing is known is not over`() {
        var rules = LeaseRules(length: .seconds(10))
        var record = LeasedRecord(place: nil)
        record.holder = UUID()
        let isFree = { (time: Duration) in
            rules.leasing(record, as: UUID(), at: time, unchangedFor: nil) != nil
        }
        #expect(!isFree(.seconds(100)))
        rules.watch(record, answeredAt: .seconds(100))
        #expect(!isFree(.seconds(110)))
        #expect(isFree(.seconds(111)))
        record.beat += 1
        #expect(!isFree(.seconds(111)))
    }

    @Test func `a store waits for its own lease no longer than it may`() async throws {
        let store = try store()
        let lock = try await store.lock(within: .zero)
        let error = await #expect(throws: TokenStoreError.self) { try await store.lock(within: .zero) }
        #expect(error?.kind == .timedOut)
        await lock.unlock()
        // The former lock is still there.
        #expect(try await store.lock(within: .zero).remaining == .seconds(10))
        withExtendedLifetime(lock) {}
    }

    @Test func `nobody waits for a lease that has ended already`() async throws {
        let lease = HeldLease(UUID(), of: try store())
        await lease.end()
        for await _ in lease.wait() {}
    }

    @Test func `a lock that is dropped is released, even if its own store waits for it`() async throws {
        let store = try store()
        let waiting: Task<TokenStoreLock, any Error>
        do {
            let lock = try await store.lock(within: .zero)
            waiting = Task { try await store.lock(within: .seconds(1)) }
            await clock.sleeper(for: .seconds(1))
            withExtendedLifetime(lock) {}
        }
        let isKept = store.state.withLock { $0.lease != nil }
        try #require(!isKept)
        await (try await waiting.value).unlock()
        #expect(try holder() == nil)
    }

    @Test func `what a store has saved itself is no reason to have access without a lease`() async throws {
        let store = try store()
        try await store.save(Data("a".utf8))
        _ = try await store.load()
        try await store.save(Data("b".utf8))
        let lock = try await store.lock(within: .zero)
        #expect(lock.remaining == .seconds(10))
        await lock.unlock()
    }

    @Test func `the pauses double to 40 ms, and then grow by half to a second`() {
        let limits = [5, 10, 20, 40, 60, 90, 135, 202.5, 303.75, 455.625, 683.4375, 1_000, 1_000]
        for _ in 1...200 {
            var pauses = LeasePauses()
            for limit in limits {
                let share = pauses.next() / .milliseconds(limit)
                #expect(share > 0.499 && share < 1.001)
            }
        }
    }
}
