// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
import Foundation
import RequestAuthorizationStorage
import RequestAuthorizationTesting
import Testing

struct LeasedTokensTests {
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
}
#endif
