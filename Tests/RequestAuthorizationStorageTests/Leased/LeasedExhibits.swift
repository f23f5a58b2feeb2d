// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RedactionChecks
import RequestAuthorization
import RequestAuthorizationTesting

@testable import RequestAuthorizationStorage

extension Exhibit {
    /// Records, and stores that have just handled a token.
    static func leased() async throws -> [Exhibit] {
        let records = MemoryRecords()
        let items = try LeasedByteStore(database: records, key: "ada")
        let plain = LeasedTokenStore<TestToken>(items, PlainItemCoding())
        let stored = StoredToken(
            .token(TestToken(Secret.text)), version: TokenVersion(session: UUID(), generation: 0), obtainedAt: .now)
        try await plain.save(stored)
        let bytes = records["ada"] ?? Data()
        var exhibits = [
            Exhibit("LeasedByteStore", items), Exhibit("LeasedTokenStore", plain),
            Exhibit("DatabaseRecord", DatabaseRecord(bytes)),
            Exhibit("DatabaseRecord", try LeasedRecord(decoding: bytes)),
        ]
        #if canImport(CryptoKit) || Crypto
        let key = try TokenKey.bytes(Data((Secret.text + String(repeating: "x", count: 32)).utf8.prefix(32)))
        let sealer = StoredTokenSealer<TestToken>(key: key, client: "web", account: "ada")
        let fleet = try await LeasedTokens(database: MemoryRecords(), key: key)
        let store: LeasedTokenStore<TestToken> = fleet.store(client: "web", account: "ada")
        try await store.save(stored)
        exhibits += [
            Exhibit("LeasedTokens", fleet), Exhibit("LeasedTokenStore", store), Exhibit("StoredTokenSealer", sealer),
            Exhibit("StoredTokenSealer.Opened", try await sealer.openEnvelope(try await sealer.seal(stored))),
        ]
        #endif
        return exhibits
    }
}
