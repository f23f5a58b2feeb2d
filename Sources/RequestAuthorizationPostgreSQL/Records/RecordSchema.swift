// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
/// The tables.
enum RecordSchema {
    /// The schema version of this program. The tables name the lowest version of a program that may use them.
    static let version = 2

    /// Makes the tables, or migrates those of version 1. Hosts may run it at the same time: the lock orders them, and
    /// the first one does the work.
    ///
    /// A `DO` block is one statement, and so one transaction, with every driver.
    static let migration = """
        DO $migration$ BEGIN
            PERFORM pg_advisory_xact_lock(7236839810225873);
            CREATE TABLE IF NOT EXISTS request_authorization_fleet (
                only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
                schema_version integer NOT NULL,
                oldest_program integer NOT NULL,
                record bytea NOT NULL,
                changed_at timestamptz NOT NULL DEFAULT clock_timestamp()
            );
            CREATE TABLE IF NOT EXISTS request_authorization_tokens (
                row_key bytea PRIMARY KEY,
                record bytea NOT NULL,
                changed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
                \(status)
            );
            BEGIN
                PERFORM f.record, t.record FROM request_authorization_fleet AS f, request_authorization_tokens AS t LIMIT 0;
            EXCEPTION WHEN undefined_column THEN
                \(fromVersion1)
            END;
        END $migration$
        """

    /// For people, and for ``PostgreSQLTokens/counts()``: what the header of the record says.
    private static let status = """
        status text NOT NULL GENERATED ALWAYS AS (CASE get_byte(record, 5)
            WHEN 1 THEN 'token' WHEN 2 THEN 'ended' WHEN 3 THEN 'set aside' ELSE 'none' END) STORED
        """

    /// Builds the bytes of `LeasedRecord` and `LeasedPlace` from the columns of version 1, whose programs then fail.
    /// The table is locked before its leases are read: a host may be about to commit one.
    private static let fromVersion1 = """
        LOCK TABLE request_authorization_tokens IN ACCESS EXCLUSIVE MODE;
                IF EXISTS (SELECT FROM request_authorization_tokens WHERE lease_until > clock_timestamp()) THEN
                    RAISE EXCEPTION 'a host of version 1 has a lease' USING ERRCODE = 'object_in_use';
                END IF;
                ALTER TABLE request_authorization_tokens ADD record bytea;
                UPDATE request_authorization_tokens AS t
                SET record = '\\x52414c5201'::bytea
                    || set_byte('\\x00', 0, CASE t.status
                        WHEN 'token' THEN 1 WHEN 'signed out' THEN 2 WHEN 'moved' THEN 2 WHEN 'set aside' THEN 3 ELSE 0 END)
                    || set_byte('\\x00', 0, 8 + CASE WHEN t.intent IS NULL THEN 0 ELSE 2 END
                        + CASE WHEN t.sealed IS NULL THEN 0 ELSE 4 END + CASE WHEN aside.sealed IS NULL THEN 0 ELSE 16 END)
                    || int8send(0) || int8send(floor(random() * 9e18)::bigint)
                    || float8send(extract(epoch FROM t.changed_at)::float8) || uuid_send(f.place)
                    || coalesce(int4send(octet_length(t.intent)) || convert_to(t.intent, 'UTF8'), '')
                    || coalesce(int4send(length(t.sealed)) || t.sealed, '')
                    || coalesce(int4send(length(aside.sealed)) || aside.sealed, '')
                FROM request_authorization_fleet AS f, request_authorization_tokens AS own
                LEFT JOIN LATERAL (SELECT sealed FROM request_authorization_set_aside AS a
                    WHERE a.row_key = own.row_key AND own.status = 'set aside'
                    ORDER BY set_aside_at DESC LIMIT 1) AS aside ON true
                WHERE t.row_key = own.row_key;
                ALTER TABLE request_authorization_tokens DROP status, DROP session, DROP generation, DROP sealed,
                    DROP obtained_at, DROP lease_id, DROP lease_until, DROP intent, ALTER record SET NOT NULL;
                ALTER TABLE request_authorization_tokens ADD \(status);
                ALTER TABLE request_authorization_fleet ADD record bytea,
                    ADD changed_at timestamptz NOT NULL DEFAULT clock_timestamp();
                UPDATE request_authorization_fleet SET schema_version = \(version), oldest_program = \(version),
                    record = '\\x52414c5001'::bytea || uuid_send(place) || row_key;
                ALTER TABLE request_authorization_fleet DROP place, DROP row_key, ALTER record SET NOT NULL;
                DROP TABLE request_authorization_set_aside;
        """
}
#endif
