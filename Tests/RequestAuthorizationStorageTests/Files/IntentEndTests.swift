// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

@_spi(FileLayer) @testable import RequestAuthorizationStorage

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// An intent ends when the token that replaces the spent one is durable: neither before, nor for any other save.
@Suite struct IntentEndTests {
    @Test func `the save of a refresh ends its intent, once the token is durable`() async throws {
        let refresh = try await Refresh()
        let lock = try await refresh.begin()
        try await refresh.leaveIntent()
        refresh.calls.withLock { $0 = [] }
        #expect(try await refresh.save(2) == .saved)
        #expect(
            refresh.changes == [
                "create client,me.new", "write client,me.new", "sync client,me.new", "rename client,me.token", "sync .",
                "write client,me.intent",
            ])
        #expect(try await refresh.sibling.openIntent() == nil)
        await lock.unlock()
    }

    /// A save that hung was given up, and a sibling refreshes the same token meanwhile.
    @Test func `a late save ends no intent of a sibling`() async throws {
        let refresh = try await Refresh()
        let lock = try await refresh.begin()
        try await refresh.leaveIntent()
        await lock.unlock()
        let other = RefreshIntent(session: TokenVersion.test(1).session, generation: 1, beganAt: .now + 1)
        try await refresh.sibling.setIntent(other)
        #expect(try await refresh.save(2) == .saved)
        #expect(try await refresh.sibling.openIntent()?.beganAt == other.beganAt)
    }

    /// Reading and overwriting a file are not exclusive: part of the bytes may be new.
    @Test(arguments: [false, true])
    func `an intent that is read while it is overwritten is read again, without the sibling`(isDamaged: Bool)
        async throws
    {
        let (folder, place, reads) = (try TemporaryFolder(), "client,me.intent", Lock(0))
        try await folder.store().save(.make(1))
        let whole = try #require(folder.content(of: place))
        let torn = IntentRecord.encode(Data("an intent".utf8)).prefix(12) + whole.dropFirst(12)
        let isFirst = { @Sendable call in
            call == FileCall(function: "read", name: place) && reads.withLock { $0 } == 0
        }
        let layer = ObservedFileLayer(
            before: { if isFirst($0) { try folder.write(Data(torn), to: place) } },
            after: { call in
                if isFirst(call), !isDamaged { try folder.write(whole, to: place) }
                if call.function == "read", call.name == place { reads.withLock { $0 += 1 } }
            })
        #expect(try await folder.store(on: layer).openIntent()?.generation == (isDamaged ? 1 : nil))
        #expect(reads.withLock { $0 } == 2)
    }

    @Test func `a save without an intent's end ends no intent`() async throws {
        let refresh = try await Refresh()
        let lock = try await refresh.begin()
        try await refresh.leaveIntent()
        #expect(try await refresh.store.save(.make(3), replacing: .anything) == .saved)
        #expect(try await refresh.sibling.openIntent()?.generation == 1)
        await lock.unlock()
    }

    @Test func `a save that is refused, or fails, ends no intent`() async throws {
        let refresh = try await Refresh()
        let lock = try await refresh.begin()
        try await refresh.leaveIntent()
        refresh.fails("sync", "client,me.new")
        await #expect(throws: TokenStoreError.self) { try await refresh.save(2) }
        refresh.fails("", "")
        #expect(try await refresh.sibling.openIntent()?.generation == 1)
        // The earlier read does not count any more.
        #expect(try await refresh.store.load() == .make(1))
        let tombstone = StoredToken<TestToken>(.signedOut, version: .test(1), obtainedAt: .now)
        try await refresh.sibling.save(tombstone)
        #expect(try await refresh.save(2) == .refused(tombstone))
        #expect(try await refresh.sibling.openIntent()?.generation == 1)
        await lock.unlock()
    }

    @Test func `an intent that cannot be ended together with the save is an error, and the next try ends it`()
        async throws
    {
        let refresh = try await Refresh()
        let lock = try await refresh.begin()
        try await refresh.leaveIntent()
        refresh.fails("write", "client,me.intent")
        await #expect(throws: TokenStoreError.self) { try await refresh.save(2) }
        #expect(try await refresh.sibling.load() == .make(2))
        #expect(try await refresh.sibling.openIntent()?.generation == 1)
        refresh.fails("", "")
        #expect(try await refresh.save(2) == .saved)
        #expect(try await refresh.sibling.openIntent() == nil)
        await lock.unlock()
    }

    @Test func `an unreadable intent does not keep the token from being read`() async throws {
        let refresh = try await Refresh()
        let lock = try await refresh.store.lock(within: .seconds(10))
        refresh.fails("open", "client,me.intent")
        #expect(try await refresh.store.load() == .make(1))
        await #expect(throws: TokenStoreError.self) { try await refresh.store.loadWithIntent() }
        refresh.fails("", "")
        #expect(try await refresh.store.openIntent() == nil)
        await lock.unlock()
    }

    @Test func `an intent is the JSON of its type`() throws {
        let seconds = [0, -0.5, 1e-9, 816_985_512.123_456_7, .greatestFiniteMagnitude, -63_114_076_800]
        for (generation, second) in zip([0, 1, .max, -1, 1 << 40, 7], seconds) {
            let intent = RefreshIntent(
                session: UUID(), generation: generation, beganAt: Date(timeIntervalSinceReferenceDate: second))
            let data = try RefreshIntentFormat.encode(intent)
            #expect(try JSONDecoder().decode(RefreshIntent.self, from: data) == intent)
            #expect(RefreshIntentFormat.decode(try JSONEncoder().encode(intent)) == intent)
        }
        let never = RefreshIntent(session: UUID(), generation: 0, beganAt: Date(timeIntervalSinceReferenceDate: .nan))
        #expect(throws: (any Error).self) { try RefreshIntentFormat.encode(never) }
    }
}

/// A store whose file calls are recorded and can fail, with a token of generation 1, and a sibling.
private final class Refresh: Sendable {
    let folder: TemporaryFolder
    let store: RestrictedFileTokenStore<TestToken>
    let sibling: RestrictedFileTokenStore<TestToken>
    let calls = Lock<[String]>([])
    private let failing: Lock<FileCall?>
    private let intent = Lock<RefreshIntent?>(nil)

    init() async throws {
        let (folder, calls, failing) = (try TemporaryFolder(), calls, Lock<FileCall?>(nil))
        (self.folder, self.failing, sibling) = (folder, failing, folder.store())
        store = folder.store(
            on: ObservedFileLayer(
                before: { if $0 == failing.withLock({ $0 }) { throw FileError($0.function, EIO) } },
                after: { call in calls.withLock { $0.append("\(call.function) \(call.name)") } }))
        try await store.save(.make(1))
    }

    func fails(_ function: String, _ name: String) {
        failing.withLock { $0 = FileCall(function: function, name: name) }
    }

    /// The calls that change files.
    var changes: [String] {
        let functions: Set = ["create", "write", "sync", "syncData", "rename", "remove"]
        return calls.withLock { $0 }.filter { functions.contains(String($0.prefix { $0 != " " })) }
    }

    func begin() async throws -> TokenStoreLock {
        let lock = try await store.lock(within: .seconds(10))
        #expect(try await store.load() == .make(1))
        #expect(try await store.openIntent() == nil)
        return lock
    }

    func leaveIntent() async throws {
        let version = TokenVersion.test(1)
        let intent = RefreshIntent(session: version.session, generation: version.generation, beganAt: .now)
        self.intent.withLock { $0 = intent }
        try await store.setIntent(intent)
        #expect(try await sibling.openIntent()?.generation == 1)
    }

    func save(_ generation: Int) async throws -> SaveResult<StoredToken<TestToken>> {
        try await store.save(
            .make(generation), replacing: .older(session: TokenVersion.test(0).session, generation: generation),
            ending: intent.withLock { $0 })
    }
}
