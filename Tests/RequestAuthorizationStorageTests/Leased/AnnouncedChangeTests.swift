// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationStorage
import RequestAuthorizationTesting
import Testing

/// The record that a lock has read serves the next load. It must not serve one that follows a change.
struct AnnouncedChangeTests {
    private let clock = ManualClock()
    private let records = MemoryRecords()

    private func store(over database: (any RecordDatabase)? = nil) throws -> LeasedByteStore {
        try LeasedByteStore(database: AnyRecords(base: database ?? records), key: "ada", clock: clock)
    }

    @Test func `an announced change is read although the lock has just read the record`() async throws {
        let (one, other) = (try store(), try store())
        try await other.save(Data("a".utf8))
        var changes = try #require(one.changes).makeAsyncIterator()
        let lock = try await one.lock(within: .seconds(1))
        try await other.save(Data("b".utf8))
        await changes.next()
        #expect(try await one.load() == Data("b".utf8))
        await lock.unlock()
    }

    @Test func `the record that a lock has read serves one load`() async throws {
        let (one, other) = (try store(), try store())
        try await other.save(Data("a".utf8))
        let lock = try await one.lock(within: .seconds(1))
        #expect(try await one.load() == Data("a".utf8))
        try await other.save(Data("b".utf8))
        #expect(try await one.load() == Data("b".utf8))
        await lock.unlock()
    }

    @Test func `a record is read again if its answer took a second`() async throws {
        let other = try store()
        try await other.save(Data("a".utf8))
        let hook = Lock<(@Sendable () async -> Void)?>(nil)
        let one = try store(over: SlowRecords(base: records, afterRead: hook))
        _ = try await one.load()
        try await other.save(Data("b".utf8))
        hook.withLock {
            $0 = { [clock] in
                clock.advance(by: .seconds(1))
                try? await other.save(Data("c".utf8))
            }
        }
        // The lock sees another item than the store has handed out, and needs no lease.
        let lock = try await one.lock(within: .seconds(10))
        #expect(try await one.load() == Data("c".utf8))
        await lock.unlock()
    }

    /// A database whose next read is slow.
    private struct SlowRecords: RecordDatabase {
        let base: MemoryRecords
        let afterRead: Lock<(@Sendable () async -> Void)?>

        func read(_ key: String) async throws -> DatabaseRecord? {
            let record = try await base.read(key)
            await afterRead.exchange(nil)?()
            return record
        }

        func replace(_ old: Data?, by new: Data?, at key: String) async throws -> Bool {
            try await base.replace(old, by: new, at: key)
        }
    }

    private struct AnyRecords: RecordDatabase {
        let base: any RecordDatabase

        func read(_ key: String) async throws -> DatabaseRecord? { try await base.read(key) }
        func replace(_ old: Data?, by new: Data?, at key: String) async throws -> Bool {
            try await base.replace(old, by: new, at: key)
        }
        var changes: AsyncStream<RecordChange>? { base.changes }
        func announce(_ key: String) async { await base.announce(key) }
    }
}
