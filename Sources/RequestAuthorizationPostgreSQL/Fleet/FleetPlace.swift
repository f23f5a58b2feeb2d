// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

/// The identity of the tables, and the key of their rows.
struct FleetPlace: Sendable, RedactedDescription {
    /// Changes if the tables are dropped and made again.
    let id: UUID
    let rowKey: RowKey

    /// Opens the tables, and makes them if they do not exist.
    ///
    /// - Throws: `TokenStoreError`; ``PostgreSQLError``.
    static func open(in database: some PostgreSQLDatabase, keys: FleetKeys) async throws -> FleetPlace {
        if let place = try await read(in: database, keys: keys) { return place }
        let id = UUID()
        let sealed = try await keys.seal(RowKey(), place: id)
        _ = try await database.query(
            FleetSchema.makePlace, parameters: ["\(FleetSchema.version)", id.uuidString, SQLText.bytes(sealed)])
        // Another host may have made the tables first.
        guard let place = try await read(in: database, keys: keys) else {
            throw TokenStoreError(.failed, "the tables lose what is written to them; look for triggers and rules")
        }
        return place
    }

    // MARK: -

    private static func read(in database: some PostgreSQLDatabase, keys: FleetKeys) async throws -> FleetPlace? {
        do {
            return try await readTables(in: database, keys: keys)
        } catch let error as PostgreSQLError where error.sqlState == "42P01" {
            // Only without tables: a user without the privilege to make tables can use existing ones.
            _ = try await database.query(FleetSchema.migration, parameters: [])
            return try await readTables(in: database, keys: keys)
        }
    }

    private static func readTables(in database: some PostgreSQLDatabase, keys: FleetKeys) async throws -> FleetPlace? {
        let rows = try await database.query(FleetSchema.readPlace, parameters: [])
        _ = try await database.query(FleetSchema.probe, parameters: [])
        guard let row = rows.first else { return nil }
        guard row.count == 4, let oldest = row[1].flatMap({ Int($0) }),
            let id = row[2].flatMap({ UUID(uuidString: $0) }), let sealed = row[3].flatMap(SQLText.data(hex:))
        else {
            throw TokenStoreError(
                .unsuitable,
                "request_authorization_fleet is not a table of this package; choose another schema with search_path")
        }
        guard oldest <= FleetSchema.version else {
            throw TokenStoreError(
                .unsuitable, "the tables are of a later version, and nothing was changed; update this program")
        }
        return FleetPlace(id: id, rowKey: try await openRowKey(sealed, place: id, in: database, keys: keys))
    }

    private static func openRowKey(
        _ sealed: Data, place id: UUID, in database: some PostgreSQLDatabase, keys: FleetKeys
    ) async throws -> RowKey {
        do {
            let opened = try await keys.rowKeySealer(place: id).open(sealed)
            guard let key = opened.stored.token else { throw EnvelopeProblem.otherToken }
            if !opened.isCurrent {
                let renewed = try await keys.seal(key, place: id, after: opened)
                _ = try await database.query(
                    FleetSchema.resealRowKey,
                    parameters: [SQLText.bytes(renewed), SQLText.bytes(sealed), id.uuidString])
            }
            return key
        } catch let problem as EnvelopeProblem {
            throw problem.error("the key of the rows was left as it is")
        }
    }
}

/// The secret that hides client and account from the database: it turns them into the key of a row.
///
/// It is made with the tables and stored there encrypted, so that it outlives the keys that encrypt tokens.
struct RowKey: AuthorizationToken, Codable {
    private let key: Data

    /// Creates a random key of 32 bytes.
    init() { key = SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) } }

    var authorizationHeaderValue: String { "" }

    /// Returns the key of a row: HMAC-SHA256 (RFC 2104) of client and account, each after its length in 8 bytes.
    func row(client: String, account: String) -> [UInt8] {
        var code = HMAC<SHA256>(key: SymmetricKey(data: key))
        for name in [client, account] {
            withUnsafeBytes(of: UInt64(name.utf8.count).bigEndian) { code.update(data: $0) }
            code.update(data: Data(name.utf8))
        }
        return Array(code.finalize())
    }
}
#endif
