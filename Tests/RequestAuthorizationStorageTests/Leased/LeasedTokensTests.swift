// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorizationStorage

@Suite(.timeLimit(.minutes(5))) struct LeasedTokensTests {
    private let records = MemoryRecords()

    private func fleet(_ records: MemoryRecords) async throws -> LeasedTokens {
        try await LeasedTokens(database: records, key: .bytes(Data(repeating: 1, count: 32)))
    }

    @Test func `a leased token store is one`() async throws {
        try await SharedTokenStoreChecks<LeasedTokenStore<TestToken>>(
            reopened: { [records] _ in try await fleet(records).store(client: "web", account: "ada") },
            unreachable: {
                let records = MemoryRecords()
                let store: LeasedTokenStore<TestToken> = try await fleet(records).store(client: "web", account: "ada")
                for _ in 1...4 { records.next(.read, .lost) }
                return store
            },
            emptied: { [records] _ in records.dropAll() }
        ) { [records] in
            (
                try await fleet(records).store(client: "web", account: "ada"),
                try await fleet(records).store(client: "web", account: "ada")
            )
        }.run()
    }

    /// A database that inserts a record also where there is one already.
    private struct InsertingRecords: RecordDatabase {
        let records = MemoryRecords()

        func read(_ key: String) async throws -> DatabaseRecord? {
            let record = try await records.read(key)
            for _ in 1...20 { await Task.yield() }
            return record
        }

        func replace(_ old: Data?, by new: Data?, at key: String) async throws -> Bool {
            guard old == nil, let new else { return try await records.replace(old, by: new, at: key) }
            records[key] = new
            return true
        }
    }

    @Test func `the checks find a database whose first records replace one another`() async throws {
        let failed = await #expect(throws: ChecksFailed.self) {
            try await SharedTokenStoreChecks<LeasedTokenStore<TestToken>> {
                let tokens = try await LeasedTokens(
                    database: InsertingRecords(), key: .bytes(Data(repeating: 1, count: 32)))
                return (tokens.store(client: "web", account: "ada"), tokens.store(client: "web", account: "ada"))
            }.run()
        }
        #expect(failed?.failures.map(\.check) == ["lets one of many conditional saves win"])
    }

    @Test func `a removal reaches a database that was emptied and filled again, and is no stale answer`() async throws {
        let (host, records) = (try await fleet(records), records)
        let former: LeasedTokenStore<TestToken> = host.store(client: "web", account: "ada")
        try await former.save(.make(1))
        records.dropAll()
        let store: LeasedTokenStore<TestToken> = try await fleet(records).store(client: "web", account: "ada")
        try await store.save(.make(2))
        #expect(try await host.remove(client: "web", account: "ada"))
        #expect(try await store.load() == nil)
        try await store.save(.make(3))
        records.next(.read, .stale)
        #expect(try await host.remove(client: "web", account: "ada"))
        #expect(try await !host.remove(client: "web", account: "ada"))
    }

    @Test func `a removal whose task is cancelled is announced`() async throws {
        let (host, begun, proceed) = (try await fleet(records), OneShot<Void>(), OneShot<Void>())
        let store: LeasedTokenStore<TestToken> = host.store(client: "web", account: "ada")
        try await store.save(.make(1))
        _ = records.calls()
        records.next(
            .replace,
            .after { _ in
                begun.fulfill()
                try? await proceed.value()
            })
        let removal = Task { try await host.remove(client: "web", account: "ada") }
        try await begun.value()
        removal.cancel()
        await #expect(throws: CancellationError.self) { try await removal.value }
        proceed.fulfill()
        #expect(records.calls().contains(.announce))
    }

    @Test func `no bytes of a record end the program`() async throws {
        let host = try await fleet(records)
        let store: LeasedTokenStore<TestToken> = host.store(client: "web", account: "ada")
        let key = host.key(client: "web", account: "ada")
        try await store.save(.make(1))
        var record = try LeasedRecord(decoding: #require(records[key]))
        record.beat = .max
        records[key] = record.encoded
        let lock = try await store.lock(within: .seconds(1))
        #expect(lock.remaining ?? .zero > .zero)
        await lock.unlock()
        for date in [Double.nan, .infinity, -.infinity, 1e300, -1e300] {
            record = LeasedRecord(place: record.place)
            (record.status, record.changedAt) = (.ended, date)
            records[key] = record.encoded
            let isOld = date.isNaN || date < 0
            #expect(try await host.removeEnded(at: key) == isOld, "\(date)")
        }
    }

    @Test func `the limits are those of the documentation`() async throws {
        let space = try await fleet(records).space
        #expect((space.lease, space.requestDeadline, space.calls.limit) == (.seconds(10), .seconds(4), .seconds(5)))
    }

    @Test func `only who removes a user removes a damaged record too`() async throws {
        let fleet = try await fleet(records)
        let key = fleet.key(client: "web", account: "ada")
        records[key] = Data("RALR".utf8) + [1, 9]
        let error = await #expect(throws: TokenStoreError.self) {
            try await fleet.removeEnded(at: key, olderThan: .zero)
        }
        #expect(error?.kind == .corrupt)
        #expect(records[key] != nil)
        #expect(try await fleet.remove(client: "web", account: "ada"))
        #expect(records[key] == nil)
        #expect(try await !fleet.remove(client: "web", account: "ada"))
    }

    @Test func `the identity of the database is sealed anew only with another key`() async throws {
        func open(_ key: UInt8, _ old: [UInt8]) async throws -> Data? {
            let keys = try ([key] + old).map { try TokenKey.bytes(Data(repeating: $0, count: 32)) }
            _ = try await LeasedTokens(database: records, key: keys[0], oldKeys: Array(keys.dropFirst()))
            return records["request-authorization.place"]
        }
        let first = try await open(1, [])
        #expect(try await open(1, []) == first)
        let second = try await open(2, [1])
        #expect(second != first)
        #expect(try await open(2, []) == second)
    }

    /// HMAC-SHA256 with the bytes 0 to 31, by Python. Hosts of all versions must find the same records.
    @Test func `the key of a record is the one that another implementation computes`() throws {
        let row = try JSONDecoder().decode(
            RowKey.self, from: Data(#"{"key":"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="}"#.utf8))
        #expect(
            row.key(client: "web", account: "ada")
                == "2b161991e6475ffc64b7181c90cc0b13b3c0bb5445c2e664136a6b83d192e693")
        #expect(row.key(client: "we", account: "bada") != row.key(client: "web", account: "ada"))
    }
}
#endif
