// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
/// The statements that make and check the tables.
enum FleetSchema {
    /// The schema version of this program.
    static let version = 1

    /// Makes the tables. Replicas may run it at the same time: the lock orders them, and the first one makes the
    /// tables.
    ///
    /// A `DO` block is one statement, and so one transaction, with every driver.
    static let migration = """
        DO $migration$ BEGIN
            PERFORM pg_advisory_xact_lock(7236839810225873);
            CREATE TABLE IF NOT EXISTS request_authorization_fleet (
                only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
                schema_version integer NOT NULL,
                oldest_program integer NOT NULL,
                place uuid NOT NULL,
                row_key bytea NOT NULL
            );
            CREATE TABLE IF NOT EXISTS request_authorization_tokens (
                row_key bytea PRIMARY KEY,
                status text NOT NULL DEFAULT 'none',
                session uuid,
                generation bigint,
                sealed bytea,
                obtained_at timestamptz,
                changed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
                lease_id uuid,
                lease_until timestamptz NOT NULL DEFAULT '-infinity',
                intent text
            );
            CREATE TABLE IF NOT EXISTS request_authorization_set_aside (
                row_key bytea NOT NULL,
                sealed bytea NOT NULL,
                set_aside_at timestamptz NOT NULL DEFAULT clock_timestamp()
            );
        END $migration$
        """

    /// `oldest_program` is the lowest `version` of a program that may use the tables. Later versions add columns, which
    /// this version neither reads nor writes.
    static let readPlace = """
        SELECT schema_version::text, oldest_program::text, place::text, encode(row_key, 'hex')
        FROM request_authorization_fleet
        """

    static let makePlace = """
        INSERT INTO request_authorization_fleet (schema_version, oldest_program, place, row_key)
        VALUES ($1::text::integer, 1, $2::text::uuid, $3::text::bytea) ON CONFLICT DO NOTHING
        """

    static let resealRowKey = """
        UPDATE request_authorization_fleet SET row_key = $1::text::bytea
        WHERE row_key = $2::text::bytea AND place = $3::text::uuid
        """

    /// Fails if a column is missing.
    static let probe = """
        SELECT row_key, status, session, generation, sealed, obtained_at, changed_at, lease_id, lease_until, intent
        FROM request_authorization_tokens LIMIT 0
        """
}
#endif
