// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
/// The statements on one record. `$1` is its key, `$2` the record to replace and `$3` the new one, both in base64.
struct RecordStatements {
    private let isPlace: Bool

    init(for key: String) { isPlace = key == LeasedPlace.key }

    /// Returns the record, the seconds since it was written by the clock of the database, and the lowest version of a
    /// program that may use the tables. For the identity of the tables it fails if a column of the others is missing.
    ///
    /// The seconds are NULL for a row that the server has received as a standby. It has the time of another clock, so the
    /// host with the lease may live. After a day no lease lives.
    var read: String {
        let oldest =
            isPlace
            ? "(oldest_program + (SELECT count(*) FROM (SELECT row_key, record, status, changed_at "
                + "FROM request_authorization_tokens LIMIT 0) AS probe))::text" : "NULL"
        return """
            SELECT translate(encode(record, 'base64'), E'\\n', ''),
                CASE WHEN changed_at <= pg_last_xact_replay_timestamp()
                    AND changed_at > clock_timestamp() - interval '1 day'
                    THEN NULL ELSE extract(epoch FROM clock_timestamp() - changed_at)::text END,
                \(oldest)
            FROM \(table) WHERE \(row)
            """
    }

    /// Returns whether the record is `$2`, or no row if there is none.
    ///
    /// The lock makes it fail on a standby. It also makes it write, so its commit waits for a synchronous standby.
    var confirm: String {
        """
        SELECT (record = decode($2::text, 'base64'))::text, \(Self.durable)
        FROM \(table) WHERE \(row) FOR SHARE
        """
    }

    /// `$2` is the new record.
    var insert: String {
        """
        INSERT INTO \(table) (\(isPlace ? "schema_version, oldest_program" : "row_key"), record)
        VALUES (\(isPlace ? "\(RecordSchema.version), \(RecordSchema.version)" : "decode($1::text, 'hex')"),
            decode($2::text, 'base64')) ON CONFLICT DO NOTHING
        RETURNING \(Self.durable)\(isPlace ? ", \(PostgreSQLRecords.notifyAll), $1::text" : "")
        """
    }

    var update: String {
        """
        UPDATE \(table) SET record = decode($3::text, 'base64'), changed_at = clock_timestamp()
        WHERE \(row) AND record = decode($2::text, 'base64')
        RETURNING \(Self.durable)
        """
    }

    var delete: String {
        "DELETE FROM \(table) WHERE \(row) AND record = decode($2::text, 'base64') RETURNING \(Self.durable)"
    }

    // MARK: -

    private var table: String { isPlace ? "request_authorization_fleet" : "request_authorization_tokens" }

    private var row: String { isPlace ? "only_row AND $1::text IS NOT NULL" : "row_key = decode($1::text, 'hex')" }

    /// Makes a reported commit survive a crash of the server, independent of the database's setting.
    private static let durable = """
        CASE WHEN current_setting('synchronous_commit') IN ('off', 'local')
            THEN set_config('synchronous_commit', 'on', true) ELSE 'as set' END
        """
}
#endif
