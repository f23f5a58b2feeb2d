// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorizationStorage

/// Who removes an intent from a record.
@Suite(.timeLimit(.minutes(5))) struct LeasedIntentTests {
    private let clock = ManualClock()
    private let records = MemoryRecords()
    private let intent = Data("intent".utf8)

    private func store() throws -> LeasedByteStore { try LeasedByteStore(database: records, key: "ada", clock: clock) }

    private func record() throws -> LeasedRecord { try LeasedRecord(decoding: #require(records["ada"])) }

    /// A store that has written an intent under its lease, and another one.
    private func announced() async throws -> (one: LeasedByteStore, other: LeasedByteStore, lock: TokenStoreLock) {
        let (one, other) = (try store(), try store())
        try await one.save(Data("a".utf8))
        let lock = try await one.lock(within: .zero)
        _ = try await one.load()
        try await one.saveIntent(intent)
        #expect(try record().intent == intent)
        return (one, other, lock)
    }

    @Test func `an intent is removed also if the record has changed meanwhile`() async throws {
        let (one, other, lock) = try await announced()
        try await other.save(Data("b".utf8))
        try await one.saveIntent(nil)
        #expect(try record().intent == nil)
        #expect(try await other.load() == Data("b".utf8))
        await lock.unlock()
    }

    @Test func `a host without the lease removes no intent of another one`() async throws {
        let (_, other, lock) = try await announced()
        let error = await #expect(throws: TokenStoreError.self) { try await other.saveIntent(nil) }
        #expect(error?.kind == .timedOut)
        #expect(try record().intent == intent)
        await lock.unlock()
    }

    @Test func `an intent needs no read of its own after a load under the lease`() async throws {
        let (one, _, lock) = try await announced()
        records.next(.replace, .lost)
        records.next(.replace, .lost)
        await #expect(throws: TokenStoreError.self) { try await one.saveIntent(nil) }
        _ = try await one.load()
        _ = records.calls()
        try await one.saveIntent(nil)
        #expect(records.calls() == [.replace])
        await lock.unlock()
    }

    /// Beside the item, the record takes 51 bytes, 16 more with a lease, and 26 more with this intent.
    @Test func `a record without room for an intent lets the request go on without one`() async throws {
        let (store, item) = (try store(), Data(repeating: 1, count: 65_536 - 51 - 16 - 25))
        try await store.save(item)
        let lock = try await store.lock(within: .zero)
        #expect(try await store.load() == item)
        let error = await #expect(throws: TokenStoreError.self) { try await store.saveIntent(intent) }
        #expect(error?.kind == .unsuitable && error?.detail.contains("make the token smaller") == true)
        #expect(lock.remaining == .seconds(10))
        let saved = try await store.save(Data("b".utf8), ending: intent) { kept, _ in kept == item }
        #expect(saved == .saved)
        #expect(try await self.store().load() == Data("b".utf8))
        await lock.unlock()
    }

    @Test func `an intent that is not there needs no lease to be removed`() async throws {
        let store = try store()
        try await store.save(Data("a".utf8))
        _ = records.calls()
        try await store.saveIntent(nil)
        #expect(records.calls() == [.read])
    }
}
