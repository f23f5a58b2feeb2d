// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import Foundation
import GRDB
public import RequestAuthorizationStorage

// sample: sqlite
/// Records in an SQLite file, for the processes of one machine. `synchronous = FULL` is needed: a `DatabasePool` sets
/// `NORMAL`, which loses confirmed records when the machine stops.
public struct SQLiteRecords: RecordDatabase {
    private let pool: DatabasePool

    public init(path: String) throws {
        var configuration = Configuration()
        configuration.busyMode = .timeout(3)
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        pool = try DatabasePool(path: path, configuration: configuration)
        let table = "CREATE TABLE IF NOT EXISTS tokens (key TEXT PRIMARY KEY, record BLOB NOT NULL)"
        try pool.write { try $0.execute(sql: table) }
    }

    private static let select = "SELECT record FROM tokens WHERE key = ?"

    public func read(_ key: String) async throws -> DatabaseRecord? {
        try await pool.read { try Data.fetchOne($0, sql: Self.select, arguments: [key]) }.map { DatabaseRecord($0) }
    }

    public func replace(_ old: Data?, by new: Data?, at key: String) async throws -> Bool {
        try await pool.write { database in
            guard try Data.fetchOne(database, sql: Self.select, arguments: [key]) == old else { return false }
            if let new {
                try database.execute(sql: "REPLACE INTO tokens VALUES (?, ?)", arguments: [key, new])
            } else {
                try database.execute(sql: "DELETE FROM tokens WHERE key = ?", arguments: [key])
            }
            return true
        }
    }
}
// end sample
