// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorizationStorage

/// A record has a token that this host cannot read.
struct UnreadableTokenTests {
    private let records = MemoryRecords()
    private let items: LeasedByteStore
    private let store: LeasedTokenStore<TestToken>

    init() throws {
        items = try LeasedByteStore(database: records, key: "ada", clock: ManualClock())
        store = LeasedTokenStore<TestToken>(items, PlainItemCoding())
    }

    private let damaged = Data("{".utf8)
    private let later = Data(#"{"status":"later"}"#.utf8)

    private func record() throws -> LeasedRecord { try LeasedRecord(decoding: #require(records["ada"])) }

    private func older(_ generation: Int) -> TokenSaveCondition {
        .older(session: TokenVersion.test(0).session, generation: generation)
    }

    @Test func `a damaged one is set aside by the load that finds it`() async throws {
        try await items.save(damaged)
        let error = await #expect(throws: TokenStoreError.self) { try await store.load() }
        #expect(error?.kind == .corrupt)
        #expect(try record().aside == damaged)
        let contents = try await store.loadWithIntent()
        #expect(contents.stored == nil && contents.absence == .setAside)
    }

    @Test func `a damaged one is set aside by the refresh that takes its place`() async throws {
        try await items.save(damaged)
        #expect(try await store.save(.make(1), replacing: older(1)) == .saved)
        #expect(try record().aside == damaged)
        #expect(try await store.load() == .make(1))
    }

    @Test func `one of a later version makes room for a sign-in only`() async throws {
        try await items.save(later)
        let errors = [
            await #expect(throws: TokenStoreError.self) { _ = try await store.load() },
            await #expect(throws: TokenStoreError.self) { _ = try await store.save(.make(1), replacing: older(1)) },
        ]
        #expect(errors.map(\.?.kind) == [.unreadable, .unreadable])
        #expect(try record().item == later)
        #expect(try await store.save(.make(1), replacing: .anything) == .saved)
        #expect(try record().aside == later)
        #expect(try await store.load() == .make(1))
    }

    @Test func `one that can be read is not set aside`() async throws {
        try await store.save(.make(0))
        #expect(try await store.save(.make(1), replacing: older(1)) == .saved)
        #expect(try record().aside == nil)
    }
}
