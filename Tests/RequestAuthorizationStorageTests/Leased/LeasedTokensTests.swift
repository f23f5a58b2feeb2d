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
}
#endif
