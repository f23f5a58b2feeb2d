// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
/// The statements on one row. `$1` is its key. All times are those of the database at the moment of the check.
enum RowStatements {
    static let load = """
        SELECT f.place::text, \(columns)
        FROM request_authorization_fleet AS f
        LEFT JOIN request_authorization_tokens AS t ON t.row_key = $1::text::bytea
        """

    /// Acquires a free lease and reads the row, in one step. `$2`: the new lease; `$3`: its length in seconds.
    static let lease = """
        INSERT INTO request_authorization_tokens AS t (row_key, lease_id, lease_until)
        VALUES ($1::text::bytea, $2::text::uuid, clock_timestamp() + $3::text::float8 * interval '1 second')
        ON CONFLICT (row_key) DO UPDATE SET lease_id = EXCLUDED.lease_id,
            lease_until = clock_timestamp() + $3::text::float8 * interval '1 second'
        WHERE t.lease_until < clock_timestamp() OR t.lease_id = EXCLUDED.lease_id
        RETURNING (SELECT place::text FROM request_authorization_fleet), \(columns)
        """

    static let renew = """
        UPDATE request_authorization_tokens
        SET lease_until = clock_timestamp() + $3::text::float8 * interval '1 second'
        WHERE row_key = $1::text::bytea AND lease_id = $2::text::uuid
        RETURNING true::text
        """

    static let release = """
        UPDATE request_authorization_tokens SET lease_id = NULL, lease_until = '-infinity'
        WHERE row_key = $1::text::bytea AND lease_id = $2::text::uuid
        """

    /// `$2`: the holder's lease; `$3`: the intent.
    static let leaveIntent = """
        INSERT INTO request_authorization_tokens AS t (row_key, intent) VALUES ($1::text::bytea, $3::text)
        ON CONFLICT (row_key) DO UPDATE SET intent = EXCLUDED.intent
        WHERE t.lease_until < clock_timestamp() OR t.lease_id = $2::text::uuid
        RETURNING \(durable)
        """

    static let removeIntent = """
        UPDATE request_authorization_tokens SET intent = NULL
        WHERE row_key = $1::text::bytea AND (lease_until < clock_timestamp() OR lease_id = $2::text::uuid)
        """

    /// Saves if the row has no envelope. `$2`: status; `$3`: session; `$4`: generation; `$5`: the envelope; `$6`: the
    /// time when it was obtained; `$7`: the intent that ends; `$8`: the holder's lease; `$9`: whether another lease
    /// prevents it.
    static let insert = """
        INSERT INTO request_authorization_tokens AS t (row_key, status, session, generation, sealed, obtained_at)
        VALUES ($1::text::bytea, $2::text, $3::text::uuid, $4::text::bigint, $5::text::bytea,
            to_timestamp($6::text::float8))
        ON CONFLICT (row_key) DO UPDATE SET \(assignments)
        WHERE t.sealed IS NULL AND \(noOtherHolder)
        RETURNING \(durable)
        """

    /// Replaces the envelope `$10`, which is compared byte by byte and includes session and generation.
    static let replace = """
        UPDATE request_authorization_tokens AS t SET \(assignments)
        WHERE t.row_key = $1::text::bytea AND t.sealed = $10::text::bytea AND \(noOtherHolder)
        RETURNING \(durable)
        """

    static let clear = """
        UPDATE request_authorization_tokens
        SET status = 'none', session = NULL, generation = NULL, sealed = NULL, obtained_at = NULL,
            changed_at = clock_timestamp()
        WHERE row_key = $1::text::bytea
        RETURNING \(durable)
        """

    /// `$2`: the envelope that cannot be opened.
    static let setAside = """
        WITH damaged AS (
            UPDATE request_authorization_tokens
            SET status = 'set aside', sealed = NULL, changed_at = clock_timestamp()
            WHERE row_key = $1::text::bytea AND sealed = $2::text::bytea
            RETURNING row_key)
        INSERT INTO request_authorization_set_aside (row_key, sealed)
        SELECT row_key, $2::text::bytea FROM damaged
        """

    // MARK: -

    /// The columns of a ``TokenRow`` after the place.
    private static let columns = "t.status, encode(t.sealed, 'hex'), t.intent"

    private static let assignments = """
        status = $2::text, session = $3::text::uuid, generation = $4::text::bigint, sealed = $5::text::bytea,
            obtained_at = to_timestamp($6::text::float8), changed_at = clock_timestamp(),
            intent = CASE WHEN t.intent = $7::text THEN NULL ELSE t.intent END
        """

    private static let noOtherHolder = """
        (NOT $9::text::boolean OR t.lease_until < clock_timestamp() OR t.lease_id = $8::text::uuid)
        """

    /// Makes a reported commit survive a crash of the server, independent of the database's setting.
    private static let durable = """
        CASE WHEN current_setting('synchronous_commit') IN ('off', 'local')
            THEN set_config('synchronous_commit', 'on', true) ELSE 'as set' END
        """
}
#endif
