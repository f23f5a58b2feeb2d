// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto

/// The records of a fleet: a row for each user, and one for the identity of the tables.
struct PostgreSQLRecords: RecordDatabase, RedactedDescription {
    private let database: any PostgreSQLDatabase
    /// `nil` if the fleet does not listen.
    let listener: (any ListeningPostgreSQLDatabase)?
    let clock: any AuthorizationClock

    init(_ database: some PostgreSQLDatabase, listens: Bool, clock: any AuthorizationClock) {
        (self.database, self.clock) = (database, clock)
        listener = listens ? database as? any ListeningPostgreSQLDatabase : nil
    }

    func read(_ key: String) async throws -> DatabaseRecord? {
        let rows = try await query(RecordStatements(for: key).read, [key])
        guard let row = rows.first else { return nil }
        guard row.count == 3, let bytes = row[0].flatMap({ Data(base64Encoded: $0) }) else {
            throw TokenStoreError(.failed, "the database did not return a record; check its driver")
        }
        if let oldest = row[2].flatMap({ Int($0) }), oldest > RecordSchema.version {
            throw TokenStoreError(
                .unsuitable, "the tables are of a later version, and nothing was changed; update this program")
        }
        return DatabaseRecord(bytes, unchangedFor: row[1].flatMap { Double($0) }.map { .saturated(seconds: $0) })
    }

    /// One statement, and so one transaction. It fails on a standby, also if it only confirms.
    func replace(_ old: Data?, by new: Data?, at key: String) async throws -> Bool {
        let statements = RecordStatements(for: key)
        let (old, new) = (old?.base64EncodedString(), new?.base64EncodedString())
        switch (old, new) {
        case (old, old):
            let rows = try await query(statements.confirm, [key, old])
            return old == nil ? rows.isEmpty : rows.first?.first == "true"
        case (nil, _): return try await !query(statements.insert, [key, new]).isEmpty
        case (_, nil): return try await !query(statements.delete, [key, old]).isEmpty
        default: return try await !query(statements.update, [key, old, new]).isEmpty
        }
    }

    /// Runs a statement. If the tables are missing or of the first version, makes them and runs it once more.
    ///
    /// - Throws: `TokenStoreError`; `CancellationError`.
    func query(_ statement: String, _ parameters: [String?] = []) async throws -> [[String?]] {
        do {
            do {
                return try await run(statement, parameters)
            } catch let error as PostgreSQLError where ["42P01", "42703"].contains(error.sqlState) {
                _ = try await run(RecordSchema.migration, [])
                return try await run(statement, parameters)
            }
        } catch let error as PostgreSQLError {
            throw TokenStoreError(error)
        }
    }

    // MARK: -

    /// Runs a statement, and again if the server has undone its transaction because of another one.
    ///
    /// That happens where `default_transaction_isolation` is stricter than `read committed` (40001), and in a deadlock
    /// (40P01). With eight hosts at one row the last one needs eight tries at most.
    private func run(_ statement: String, _ parameters: [String?]) async throws -> [[String?]] {
        var pause = Duration.milliseconds(5)
        for _ in 1..<10 {
            do {
                return try await database.query(statement, parameters: parameters)
            } catch let error as PostgreSQLError where ["40001", "40P01"].contains(error.sqlState) {
                try await clock.sleep(for: pause * Double.random(in: 0...1))
                pause = min(pause * 2, .milliseconds(200))
            }
        }
        return try await database.query(statement, parameters: parameters)
    }
}
#endif
