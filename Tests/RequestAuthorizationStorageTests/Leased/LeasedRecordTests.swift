// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import StoreFixtures
import Testing

@testable import RequestAuthorizationStorage

/// What a record holds, and its bytes.
@Suite(.timeLimit(.minutes(5))) struct LeasedRecordTests {
    private let clock = ManualClock()
    private let records = MemoryRecords()

    private func store() throws -> LeasedByteStore { try LeasedByteStore(database: records, key: "ada", clock: clock) }

    private func record() throws -> LeasedRecord { try LeasedRecord(decoding: #require(records["ada"])) }

    private func expect<Value>(
        _ kind: TokenStoreError.Kind, _ attempt: () async throws -> Value,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        let error = await #expect(throws: TokenStoreError.self, sourceLocation: sourceLocation) {
            _ = try await attempt()
        }
        #expect(error?.kind == kind, sourceLocation: sourceLocation)
    }

    private static func id(from first: UInt8) -> UUID { UUID(bytes: Data(first..<first + 16)) }

    // MARK: - The bytes

    /// Hosts of all versions share the records: another format needs another version. Written by Python.
    @Test func `a record has the bytes of its version`() throws {
        let bytes = Data(
            hex: """
                52414c5201013f0000000000000007010203040506070841dad27480200000
                101112131415161718191a1b1c1d1e1f
                202122232425262728292a2b2c2d2e2f
                303132333435363738393a3b3c3d3e3f
                00000006696e74656e74 000000046974656d 000000056173696465
                """)
        var record = LeasedRecord(place: Self.id(from: 0x20))
        (record.item, record.status) = (Data("item".utf8), .token)
        (record.intent, record.intentLease) = (Data("intent".utf8), Self.id(from: 0x30))
        (record.holder, record.beat, record.mark) = (Self.id(from: 0x10), 7, 0x0102_0304_0506_0708)
        (record.changedAt, record.aside) = (1_800_000_000.5, Data("aside".utf8))
        #expect(record.encoded == bytes)
        #expect(try LeasedRecord(decoding: bytes) == record)

        let place = LeasedPlace(id: Self.id(from: 0x20), sealedRowKey: nil)
        #expect(place.encoded == Data(hex: "52414c5001202122232425262728292a2b2c2d2e2f"))
        #expect(try LeasedPlace(decoding: place.encoded) == place)
    }

    /// Saves an item, and damages its record.
    private func damage(_ store: LeasedByteStore) async throws -> Data {
        try await store.save(Data("a".utf8))
        let damaged = try #require(records["ada"]).dropLast()
        records["ada"] = damaged
        return damaged
    }

    @Test func `a damaged record is an error for a load, and a save takes its place`() async throws {
        let store = try store()
        let damaged = try await damage(store)
        await expect(.corrupt) { try await store.load() }
        #expect(try await store.save(Data("b".utf8), ending: nil) { $0 == nil && $1 == .setAside } == .saved)
        #expect(try await store.load() == Data("b".utf8))
        #expect(try record().aside == damaged)
    }

    #if canImport(CryptoKit) || Crypto
    @Test func `a sign-in takes the place of a damaged record in an encrypted store too`() async throws {
        let store = try sealedStore()
        let damaged = try await damage(store.items)
        try await store.save(.make(1))
        #expect(try await store.load() == .make(1))
        #expect(try record().aside == damaged)
    }

    private func sealedStore() throws -> EncryptedTokenStore<TestToken, LeasedByteStore> {
        EncryptedTokenStore(
            around: try store(), key: try .bytes(Data(repeating: 1, count: 32)), client: "web", account: "ada")
    }

    @Test func `a stale read refuses no token of an encrypted store`() async throws {
        let store = try sealedStore()
        let former = TokenVersion(session: UUID(), generation: 9)
        try await store.save(StoredToken(.token(TestToken("former")), version: former, obtainedAt: .now))
        try await store.save(.make(1))
        records.next(.read, .stale)
        let older = TokenSaveCondition.older(session: TokenVersion.test(2).session, generation: 2)
        #expect(try await store.save(.make(2), replacing: older) == .saved)
        #expect(try await store.load() == .make(2))
    }

    @Test func `a sign-in in an encrypted store is announced, and a refresh is not`() async throws {
        let store = try sealedStore()
        try await store.save(.make(1))
        let session = TokenVersion.test(1).session
        let intent = RefreshIntent(session: session, generation: 1, beganAt: Date(timeIntervalSince1970: 5))
        _ = records.calls()
        let older = TokenSaveCondition.older(session: session, generation: 2)
        #expect(try await store.save(.make(2), replacing: older, ending: intent) == .saved)
        #expect(!records.calls().contains(.announce))
        let signIn = StoredToken<TestToken>(
            .token(TestToken("other")), version: TokenVersion(session: UUID(), generation: 0),
            obtainedAt: Date(timeIntervalSince1970: 0))
        #expect(try await store.save(signIn, replacing: .anything) == .saved)
        #expect(records.calls().last == .announce)
    }
    #endif

    @Test func `the end of a session that is saved again is announced again`() async throws {
        struct PlainStore: SharedCodableTokenStore {
            typealias Token = TestToken
            let items: LeasedByteStore
        }
        #if canImport(CryptoKit) || Crypto
        let stores: [any SharedTokenStore<TestToken>] = [PlainStore(items: try store()), try sealedStore()]
        #else
        let stores: [any SharedTokenStore<TestToken>] = [PlainStore(items: try store())]
        #endif
        let ended = StoredToken<TestToken>(
            .signedOut, version: .test(2), obtainedAt: Date(timeIntervalSince1970: 0))
        for store in stores {
            try await store.save(.make(1))
            for _ in 1...2 {
                _ = records.calls()
                #expect(try await store.save(ended, replacing: .session(ended.version.session)) == .saved)
                #expect(records.calls().last == .announce)
            }
            try await store.clear()
        }
    }

    @Test(arguments: 0...5) func `a record of which only the beginning is left is damaged`(count: Int) async throws {
        let store = try store()
        try await store.save(Data("a".utf8))
        let damaged = try #require(records["ada"]).prefix(count)
        records["ada"] = damaged
        await expect(.corrupt) { try await store.load() }
        try await store.save(Data("b".utf8))
        #expect(try await store.load() == Data("b".utf8))
        #expect(try record().aside == damaged)
    }

    @Test func `a damaged record is cleared`() async throws {
        let store = try store()
        _ = try await damage(store)
        try await store.clear()
        #expect(try await store.load() == nil)
    }

    @Test func `a damaged record may be leased, and is leased anew once it is unchanged for long`() async throws {
        let store = try store()
        _ = try await damage(store)
        await expect(.timedOut) { try await store.lock(within: .zero) }
        clock.advance(by: .seconds(10))
        await expect(.timedOut) { try await store.lock(within: .zero) }
        clock.advance(by: .seconds(1))
        let lock = try await store.lock(within: .zero)
        #expect(lock.remaining == .seconds(10))
        // A host that holds the token saves it again.
        #expect(try await store.loadWithIntent().absence == .setAside)
        try await store.saveIntent(Data("intent".utf8))
        await lock.unlock()
    }

    @Test func `a record of a later version is left, also by a removal`() async throws {
        let store = try store()
        let later = Data("RALR".utf8) + [2]
        records["ada"] = later
        await expect(.unreadable) { try await store.load() }
        await expect(.unreadable) { try await store.clear() }
        #expect(records["ada"] == later)
    }

    @Test func `no two writes make the same record`() async throws {
        let store = try store()
        var seen: Set<Data> = []
        for item in ["a", "b", "a"] {
            try await store.save(Data(item.utf8))
            seen.insert(try #require(records["ada"]))
        }
        #expect(seen.count == 3)
    }

    // MARK: - The parts

    @Test func `an item that was set aside is kept, and its absence ends no session`() async throws {
        let (store, sibling) = (try store(), try store())
        try await store.save(Data("a".utf8))
        try await store.save(Data("b".utf8))
        #expect(try record().aside == nil)
        #expect(try await store.setAside(Data("a".utf8)) == nil)
        #expect(try await store.setAside(Data("b".utf8)) == "the spare part of its record")
        #expect(try record().aside == Data("b".utf8))
        for reader in [store, sibling] {
            let contents = try await reader.loadWithIntent()
            #expect(contents.item == nil && contents.absence == .setAside)
        }
        try await store.save(Data("c".utf8))
        #expect(try record().aside == Data("b".utf8))
        #expect(try await sibling.load() == Data("c".utf8))
    }

    /// The other parts of the record take 55 bytes.
    @Test(arguments: [(65_536 - 55 - 100, true), (65_536 - 55 - 99, false)])
    func `an item that was set aside gives way only to one that needs its room`(count: Int, isKept: Bool) async throws {
        let (store, damaged) = (try store(), Data(repeating: 1, count: 100))
        try await store.save(damaged)
        _ = try await store.setAside(damaged)
        try await store.save(Data(repeating: 2, count: count))
        #expect(try record().aside == (isKept ? damaged : nil))
        #expect(try await store.load()?.count == count)
        // So it does to a lease (16 bytes), and to an intent (20 and its own).
        let lock = try await store.lock(within: .zero)
        #expect(lock.remaining == .seconds(10))
        #expect(try await store.load()?.count == count)
        try await store.saveIntent(Data(repeating: 3, count: 60))
        #expect(try record().aside == nil)
        #expect(try record().intent?.count == 60)
        await lock.unlock()
    }

    @Test func `a replica that lags is asked again after pauses`() async throws {
        let clock = HastyClock()
        let store = try LeasedByteStore(database: records, key: "ada", clock: clock)
        try await store.save(Data("a".utf8))
        try await store.clear()
        try await store.save(Data("b".utf8))
        for _ in 1...20 { records.next(.read, .stale) }
        let began = clock.uptime
        #expect(try await store.load() == Data("b".utf8))
        #expect(clock.uptime - began == .milliseconds(220))
    }

    @Test func `a database that was emptied has lost what a store has saved there`() async throws {
        let store = try store()
        try await store.save(Data("a".utf8))
        records.dropAll()
        #expect(try await store.loadWithIntent().absence == .placeMissing)
        #expect(try await self.store().loadWithIntent().absence == .gone)
    }

    @Test func `an end that is not encrypted is known as one`() async throws {
        try await store().save(Data(#"{"status":"signedOut"}"#.utf8))
        #expect(try record().status == .ended)
    }

    @Test func `what a store removes is announced, and what is not there is not`() async throws {
        let store = try store()
        try await store.save(Data("a".utf8))
        _ = records.calls()
        try await store.clear(Data("b".utf8))
        #expect(records.calls() == [.read, .confirm])
        try await store.clear(Data("a".utf8))
        #expect(records.calls() == [.read, .replace, .announce])
        try await store.clear()
        #expect(records.calls() == [.read, .confirm])
        try await store.save(Data("a".utf8))
        #expect(records.calls() == [.read, .replace, .announce])
        try await store.clear()
        #expect(records.calls() == [.read, .replace, .announce])
    }

    @Test func `a removal whose answer was lost is announced when it is repeated`() async throws {
        let store = try store()
        try await store.save(Data("a".utf8))
        records.next(.replace, .answerLost)
        records.next(.replace, .lost)
        await expect(.unavailable) { try await store.clear() }
        _ = records.calls()
        try await store.clear()
        #expect(records.calls() == [.read, .confirm, .announce])
        try await store.clear()
        #expect(records.calls() == [.read, .confirm])
    }

    @Test func `a removal is announced also if another one has found nothing to remove meanwhile`() async throws {
        let store = try store()
        try await store.save(Data("a".utf8))
        records.next(.replace, .after { _ in _ = try? await store.clear(Data("b".utf8)) })
        _ = records.calls()
        try await store.clear()
        #expect(records.calls() == [.read, .replace, .read, .confirm, .announce, .announce])
        #expect(try await store.load() == nil)
    }

    @Test func `an item that is no token ends no session`() async throws {
        let store = try store()
        try await store.save(Data("a".utf8))
        #expect(try record().status == .token)
        _ = records.calls()
        // An end would be confirmed.
        #expect(try await store.load() == Data("a".utf8))
        #expect(records.calls() == [.read])
    }

    // MARK: - The limits

    @Test func `the limits are those of the documentation`() throws {
        let space = try LeasedByteStore(database: records, key: "ada").space
        #expect((space.lease, space.requestDeadline, space.calls.limit) == (.seconds(10), .seconds(4), .seconds(5)))
    }

    @Test(arguments: [
        (Duration.seconds(10), Duration.zero, false), (.seconds(10), .seconds(-1), false),
        (.seconds(6), .seconds(5), false), (.seconds(6), .seconds(4), true),
    ])
    func `a lease lasts two seconds longer than a token request`(
        lease: Duration, deadline: Duration, isLongEnough: Bool
    ) throws {
        let make = {
            _ = try LeasedByteStore(database: records, key: "ada", lease: lease, requestDeadline: deadline)
        }
        if isLongEnough { return try make() }
        let error = #expect(throws: TokenStoreError.self) { try make() }
        #expect(error?.kind == .unsuitable)
    }
}
