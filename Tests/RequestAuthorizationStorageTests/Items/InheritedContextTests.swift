// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorizationStorage

/// What outlives a call of a store keeps none of the task-local values of its caller, such as a user's context.
@Suite(.timeLimit(.minutes(5))) struct InheritedContextTests {
    private final class Context: Sendable {}
    @TaskLocal private static var context: Context?

    @Test func `the timer of a lock does not keep the context of who wanted the lock`() async throws {
        let folder = try TemporaryFolder()
        let store = folder.store()
        weak var kept: Context?
        do {
            let context = Context()
            kept = context
            try await Self.$context.withValue(context) { try await store.lock(within: .seconds(3_600)).unlock() }
        }
        #expect(kept == nil)
    }

    @Test func `the changes of a database are followed without the context of who asked first`() async {
        let (seen, seer) = AsyncStream.makeStream(of: Bool.self)
        let news = RecordNews(FollowedRecords { seer.yield(Self.context != nil) }, clock: ManualClock())
        let changes = Self.$context.withValue(Context()) { news.changes(of: .key("ada")) }
        #expect(await seen.first { _ in true } == false)
        withExtendedLifetime((news, changes)) {}
    }

    #if canImport(CryptoKit) || Crypto
    @Test func `a lease is renewed, and released when it was dropped, without the context of who took it`() async throws
    {
        let (clock, records) = (ManualClock(), MemoryRecords())
        let tokens = try await LeasedTokens(
            database: records, key: .bytes(Data(repeating: 1, count: 32)), lease: .seconds(9), clock: clock)
        let store: LeasedTokenStore<TestToken> = tokens.store(client: "web", account: "ada")
        let (seen, seer) = AsyncStream.makeStream(of: Bool.self)
        let note = MemoryRecords.Fault.after { _ in seer.yield(Self.context != nil) }
        var all = seen.makeAsyncIterator()

        var lock: TokenStoreLock? = try await Self.$context.withValue(Context()) {
            try await store.lock(within: .seconds(1))
        }
        records.next(.replace, note)
        await clock.sleeper(for: .seconds(3))
        clock.advance(by: .seconds(3))
        #expect(await all.next() == false)

        await clock.sleeper(for: .seconds(3))
        records.next(.replace, note)
        Self.$context.withValue(Context()) { lock = nil }
        #expect(await all.next() == false)
        #expect(lock == nil)
    }
    #endif
}

/// A database that says when its changes are followed.
private struct FollowedRecords: RecordDatabase {
    let onFollow: @Sendable () -> Void

    init(onFollow: @escaping @Sendable () -> Void) { self.onFollow = onFollow }

    func read(_ key: String) async throws -> DatabaseRecord? { nil }
    func replace(_ old: Data?, by new: Data?, at key: String) async throws -> Bool { true }

    var changes: AsyncStream<RecordChange>? {
        AsyncStream {
            onFollow()
            return nil
        }
    }
}
