// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorizationStorage

/// A lease of 10 s is renewed, lost and released, over a database that a test disturbs.
@Suite(.timeLimit(.minutes(1))) struct LeaseRenewalTests {
    private let clock = ManualClock()
    private let records = MemoryRecords()

    private func store(clock: ManualClock? = nil) throws -> LeasedByteStore {
        try LeasedByteStore(database: records, key: "ada", clock: clock ?? self.clock)
    }

    /// Says after each replacement that it was made.
    private struct HeardRecords: RecordDatabase {
        let base: MemoryRecords
        let replaced: AsyncStream<Void>.Continuation

        func read(_ key: String) async throws -> DatabaseRecord? { try await base.read(key) }

        func replace(_ old: Data?, by new: Data?, at key: String) async throws -> Bool {
            let isDone = try await base.replace(old, by: new, at: key)
            replaced.yield()
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
        #expect(try await store.save(Data("b".utf8), ending: intent) { _, _ in true } == .saved)
        // The former lock was not unlocked yet.
        let next = try await store.lock(within: .zero)
        #expect(next.remaining == .seconds(10))
        await lock.unlock()
        #expect(next.remaining == .seconds(10))
        await next.unlock()
    }

    @Test func `a lease that was granted without an answer is given back`() async throws {
        let (heard, hearer) = AsyncStream.makeStream(of: Void.self)
        let (one, other) = (try store(), try store())
        try await one.save(Data("a".utf8))
        let store = try LeasedByteStore(
            database: HeardRecords(base: records, replaced: hearer), key: "ada", clock: clock)
        records.next(.replace, .answerLost)
        records.next(.replace, .lost)
        await #expect(throws: TokenStoreError.self) { try await store.lock(within: .zero) }
        #expect(try holder() != nil)
        for await _ in heard { break }
        #expect(try holder() == nil)
        #expect(try await other.lock(within: .zero).remaining == .seconds(10))
    }
}
