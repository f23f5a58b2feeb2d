// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto

/// The keys that encrypt the tokens of a fleet and its row key.
struct FleetKeys: Sendable, RedactedDescription {
    let key: TokenKey
    let oldKeys: [TokenKey]

    /// - Parameter row: the key of the row. The envelope includes it, so that it cannot be moved to another row.
    func sealer<Token>(row: [UInt8]) -> StoredTokenSealer<Token> {
        StoredTokenSealer(key: key, oldKeys: oldKeys, client: "row", account: SQLText.hex(row))
    }

    /// Encrypts the row key for a place.
    func rowKeySealer(place: UUID) -> StoredTokenSealer<RowKey> {
        StoredTokenSealer(key: key, oldKeys: oldKeys, client: "row key", account: place.uuidString)
    }

    func seal(_ key: RowKey, place: UUID, after kept: StoredTokenSealer<RowKey>.Opened? = nil) async throws -> Data {
        let version = TokenVersion(session: place, generation: 0)
        let stored = StoredToken<RowKey>(.token(key), version: version, obtainedAt: Date(timeIntervalSince1970: 0))
        return try await rowKeySealer(place: place).seal(stored, after: kept)
    }
}
#endif
