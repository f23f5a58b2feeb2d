// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
import Foundation
import RequestAuthorization
import RequestAuthorizationStorage
import RequestAuthorizationTesting
import StoreFixtures

/// A database of a fleet.
struct LeasedWorld: World {
    private let clock: HastyClock
    private let records: MemoryRecords

    init(clock: HastyClock) { (self.clock, records) = (clock, MemoryRecords(clock: clock)) }

    private func tokens(_ key: TokenKey, oldKeys: [TokenKey] = [], _ fate: Fate) async throws -> LeasedTokens {
        try await LeasedTokens(
            database: MortalRecords(base: records, fate: fate), key: key, oldKeys: oldKeys, listens: false,
            clock: clock)
    }

    func store(_ account: String, _ fate: Fate) async throws -> any TokenStore<TestToken> {
        try await tokens(.first, fate).store(client: "client", account: account)
    }

    func storeWithNewKey(_ fate: Fate) async throws -> (any TokenStore<TestToken>)? {
        let store: LeasedTokenStore<TestToken> = try await tokens(.second, oldKeys: [.first], fate)
            .store(client: "client", account: "me")
        return store
    }

    /// Opening the records seals their identity with the new key.
    func rotateKey(_ fate: Fate) async throws { _ = try await storeWithNewKey(fate)?.load() }

    func remove(_ account: String, _ fate: Fate) async throws {
        try await tokens(.first, fate).remove(client: "client", account: account)
    }

    private struct MortalRecords: RecordDatabase {
        let base: MemoryRecords
        let fate: Fate

        func read(_ key: String) async throws -> DatabaseRecord? {
            try await fate.call("read") { try await base.read(key) }
        }

        func replace(_ old: Data?, by new: Data?, at key: String) async throws -> Bool {
            try await fate.call("replace") { try await base.replace(old, by: new, at: key) }
        }
    }
}
#endif
