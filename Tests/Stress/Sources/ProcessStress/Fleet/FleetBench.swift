// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Fleet
import Foundation
import RequestAuthorizationPostgreSQL

/// A database schema for one run. A trigger records each token that the row has held.
///
/// It blocks the thread.
final class FleetBench: Sendable {
    /// The proxy that replicas connect to; `nil` if they connect to the database itself.
    let proxy: SwallowingProxy?
    private let schema = "stress_" + UUID().uuidString.prefix(8).lowercased()
    private let database: LibPQDatabase
    private let transactions: Int

    /// Creates the schema, the tables and the trigger, and writes the settings for the replicas.
    init(_ options: FleetOptions, isChaos: Bool, folder: StressFolder) throws {
        let name = schema
        let connection = try Self.connection(options.database, schema: name)
        let database = try LibPQDatabase(connection.absoluteString)
        self.database = database
        proxy = try isChaos ? SwallowingProxy(to: Self.port(of: options.database)) : nil
        let replicas = try proxy.map { try Self.connection(options.database, schema: name, port: $0.port) }
        let key = Data((0..<32).map { _ in UInt8.random(in: .min ... .max) })
        transactions = try Self.wait {
            _ = try await database.query("CREATE SCHEMA \(name)", parameters: [])
            _ = try await PostgreSQLTokens(database: database, key: .bytes(key), listens: false)
            for statement in Self.history { _ = try await database.query(statement, parameters: []) }
            return try await Self.transactions(of: database)
        }
        try FleetSetting(
            connection: (replicas ?? connection).absoluteString, key: key, lease: options.lease,
            clockOffset: options.clockOffset
        ).write(to: folder.fleet)
        proxy?.start()
    }

    /// Ends some of the replicas' connections.
    ///
    /// - Returns: the number of connections that were ended.
    func cutConnections() throws -> Int {
        try Self.wait { [database, schema] in
            try await database.query(
                """
                SELECT pg_terminate_backend(pid)::text FROM pg_stat_activity
                WHERE application_name = '\(schema)' AND pid <> pg_backend_pid() AND random() < 0.5
                """, parameters: []
            ).count
        }
    }

    /// Checks now and then that no token can be read in the statements of the replicas.
    func lookForTokens(every count: Int, at number: Int) throws {
        guard number.isMultiple(of: count) else { return }
        let isSeen = try Self.wait { [database, schema] in
            let rows = try await database.query(
                """
                SELECT 'seen' FROM pg_stat_activity WHERE application_name = '\(schema)' AND pid <> pg_backend_pid()
                AND (\(Self.conditions(on: "query")))
                """, parameters: [])
            return !rows.isEmpty
        }
        if isSeen { throw TokenInDatabase() }
    }

    /// Appends the records of the trigger to the log, when all replicas have ended.
    ///
    /// - Returns: the number of statements since the beginning.
    func finish(_ journal: Journal) throws -> Int {
        let isChaos = proxy != nil
        return try Self.wait { [database, transactions] in
            // Statements of other clients of the same database would count, too.
            let statements = try await Self.transactions(of: database) - transactions
            let leaks = try await database.query(
                "SELECT 'seen' FROM history AS row WHERE \(Self.conditions(on: "row::text"))", parameters: [])
            if !leaks.isEmpty { throw TokenInDatabase() }
            let rows = try await database.query(
                """
                SELECT session::text, generation::text, extract(epoch FROM saved_at)::text FROM history
                WHERE status = 'token' ORDER BY number
                """, parameters: [])
            for row in rows {
                var line = LogLine(.saved)
                line.session = row[0].flatMap { UUID(uuidString: $0) }
                line.place = row[1].flatMap { Int($0) }.map { Place(family: 0, generation: $0) }
                if isChaos {
                    line.savedAt = row[2].flatMap { Double($0) }.map {
                        Date(timeIntervalSince1970: $0).timeIntervalSince(journal.began)
                    }
                }
                try journal.append(line)
            }
            return statements
        }
    }

    /// Removes the schema.
    func end() {
        proxy?.stop()
        _ = try? Self.wait { [database, schema] in
            try await database.query("DROP SCHEMA \(schema) CASCADE", parameters: [])
        }
    }

    // MARK: -

    /// One command for each statement. The row's lock makes the sequence follow the order of the changes.
    ///
    /// In the head of an envelope the row's key is followed by session and generation, each after its length in 4 bytes.
    private static let history = [
        """
        CREATE TABLE history (number bigserial PRIMARY KEY, status text, session uuid, generation bigint, record bytea,
            saved_at timestamptz)
        """,
        """
        CREATE FUNCTION envelope(row_key bytea, record bytea) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
            SELECT substr(record, nullif(position(convert_to(encode(row_key, 'hex'), 'UTF8') IN record), 0) + 64)
        $$
        """,
        """
        CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE kept bytea; BEGIN
            EXECUTE format('SELECT %I.envelope($1, $2)', TG_TABLE_SCHEMA) INTO kept USING NEW.row_key, NEW.record;
            IF kept IS NULL OR TG_OP = 'UPDATE' AND position(kept IN OLD.record) > 0 THEN RETURN NULL; END IF;
            EXECUTE format('INSERT INTO %I.history (status, session, generation, record, saved_at) '
                'VALUES ($1, $2, $3, $4, clock_timestamp())', TG_TABLE_SCHEMA)
                USING NEW.status, encode(substr(kept, 5, 16), 'hex')::uuid,
                    ('x' || encode(substr(kept, 25, 8), 'hex'))::bit(64)::bigint, NEW.record;
            RETURN NULL;
        END $$
        """,
        """
        CREATE TRIGGER note AFTER INSERT OR UPDATE ON request_authorization_tokens FOR EACH ROW EXECUTE FUNCTION note()
        """,
    ]

    /// Conditions that find the beginning of a token in a text: plain, in hex, or in base64 at any of its three
    /// offsets.
    private static func conditions(on column: String) -> String {
        let marker = Data(TokenPair.marker.utf8)
        let words =
            [TokenPair.marker, marker.map { String(format: "%02x", $0) }.joined()]
            + (0..<3).map { marker.dropFirst($0).prefix(12).base64EncodedString() }
        // Split in two, so that the search does not find this statement itself, also in the server's log.
        return words.map { "position('\($0.prefix(6))' || '\($0.dropFirst(6))' IN \(column)) > 0" }
            .joined(separator: " OR ")
    }

    /// Each of our statements is a transaction.
    private static func transactions(of database: LibPQDatabase) async throws -> Int {
        let rows = try await database.query(
            "SELECT (xact_commit + xact_rollback)::text FROM pg_stat_database WHERE datname = current_database()",
            parameters: [])
        return rows.first?.first.flatMap { $0 }.flatMap { Int($0) } ?? 0
    }

    private static func connection(_ url: URL, schema: String, port: UInt16? = nil) throws -> URL {
        guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: false) else { throw NoDatabaseURL() }
        parts.queryItems =
            (parts.queryItems ?? []) + [
                URLQueryItem(name: "options", value: "-csearch_path=\(schema)"),
                URLQueryItem(name: "application_name", value: schema),
            ]
        if let port { parts.port = Int(port) }
        guard let url = parts.url else { throw NoDatabaseURL() }
        return url
    }

    private static func port(of url: URL) throws -> UInt16 {
        guard let port = UInt16(exactly: url.port ?? 5432), ["127.0.0.1", "localhost"].contains(url.host()) else {
            throw NoDatabaseURL()
        }
        return port
    }

    /// Blocks the thread. It must not be a thread of Swift's pool.
    private static func wait<Success: Sendable>(
        for body: @escaping @Sendable () async throws -> Success
    ) throws -> Success {
        let outcome = Outcome<Success>()
        Task.detached {
            do {
                outcome.result = .success(try await body())
            } catch {
                outcome.result = .failure(error)
            }
            outcome.isThere.signal()
        }
        outcome.isThere.wait()
        guard let result = outcome.result else { throw CancellationError() }
        return try result.get()
    }

    /// `@unchecked Sendable` is safe: the semaphore orders the one write before the one read.
    private final class Outcome<Success: Sendable>: @unchecked Sendable {
        let isThere = DispatchSemaphore(value: 0)
        var result: Result<Success, any Error>?
    }
}

/// The URL of the database cannot be used.
struct NoDatabaseURL: Error, CustomStringConvertible {
    var description: String { "--database is not a URL, or its host is not 127.0.0.1, which --chaos needs" }
}

/// The database contains a token that is not sealed.
struct TokenInDatabase: Error, CustomStringConvertible {
    var description: String { "a token can be read in the database" }
}
#endif
