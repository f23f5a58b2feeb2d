// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Web && Fleet
/// The SQL statements for sessions. All times are the database's, so that the clocks of replicas need not agree.
enum SessionStatements {
    /// All replicas may run it at the same time.
    static let migration = """
        DO $migration$ BEGIN
            PERFORM pg_advisory_xact_lock(5236839810225871);
            CREATE TABLE IF NOT EXISTS spotify_web_browsers (
                id bytea PRIMARY KEY,
                session bytea,
                created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
                used_at timestamptz NOT NULL DEFAULT clock_timestamp()
            );
            CREATE TABLE IF NOT EXISTS spotify_web_log_ins (
                number bigserial PRIMARY KEY,
                browser bytea NOT NULL REFERENCES spotify_web_browsers ON DELETE CASCADE,
                sealed bytea NOT NULL
            );
        END $migration$
        """

    /// Deletes old visitors. `$1`: their lifetime in seconds.
    static let removeOldVisitors = """
        DELETE FROM spotify_web_browsers
        WHERE session IS NULL AND created_at <= clock_timestamp() - $1::text::float8 * interval '1 second'
        """

    /// `$1`: the number of visitors to keep.
    static let makeRoomForVisitors = """
        DELETE FROM spotify_web_browsers WHERE id IN (
            SELECT id FROM spotify_web_browsers WHERE session IS NULL ORDER BY used_at DESC OFFSET $1::text::integer)
        """

    /// Some sessions that have expired. `$1`: the idle limit in seconds; `$2`: the maximum lifetime in seconds.
    static let expired = """
        SELECT encode(id, 'base64'), encode(session, 'base64') FROM spotify_web_browsers
        WHERE session IS NOT NULL AND (used_at <= clock_timestamp() - $1::text::float8 * interval '1 second'
            OR created_at <= clock_timestamp() - $2::text::float8 * interval '1 second')
        LIMIT 100
        """

    /// The sessions that were unused for the longest time. `$1`: the number of others.
    static let surplus = """
        SELECT encode(id, 'base64'), encode(session, 'base64') FROM spotify_web_browsers
        WHERE session IS NOT NULL ORDER BY used_at DESC OFFSET $1::text::integer LIMIT 100
        """

    static let addVisitor = "INSERT INTO spotify_web_browsers (id) VALUES ($1::text::bytea)"

    static let isVisitor = """
        SELECT 'yes' FROM spotify_web_browsers WHERE id = $1::text::bytea AND session IS NULL
            AND created_at > clock_timestamp() - $2::text::float8 * interval '1 second'
        """

    /// The age of a visitor counts from its latest log-in.
    static let addLogIn = """
        WITH visitor AS (
            UPDATE spotify_web_browsers SET created_at = clock_timestamp(), used_at = clock_timestamp()
            WHERE id = $1::text::bytea AND session IS NULL)
        INSERT INTO spotify_web_log_ins (browser, sealed) VALUES ($1::text::bytea, $2::text::bytea)
        """

    /// `$2`: the number of rows to keep.
    static let makeRoomForLogIns = """
        DELETE FROM spotify_web_log_ins WHERE number IN (
            SELECT number FROM spotify_web_log_ins WHERE browser = $1::text::bytea
            ORDER BY number DESC OFFSET $2::text::integer)
        """

    static let logIns = """
        SELECT number::text, encode(sealed, 'base64') FROM spotify_web_log_ins WHERE browser = $1::text::bytea
        """

    /// If several replicas take it at the same time, only one gets it.
    static let takeLogIn = "DELETE FROM spotify_web_log_ins WHERE number = $1::text::bigint RETURNING 'taken'"

    /// `$1`: the browser's former row, or NULL; `$2`: its new row; `$3`: the sealed session.
    static let begin = """
        WITH old AS (DELETE FROM spotify_web_browsers WHERE id = $1::text::bytea)
        INSERT INTO spotify_web_browsers (id, session) VALUES ($2::text::bytea, $3::text::bytea)
        """

    /// `$2`: the idle limit in seconds; `$3`: the maximum lifetime in seconds.
    static let use = """
        UPDATE spotify_web_browsers SET used_at = clock_timestamp()
        WHERE id = $1::text::bytea AND session IS NOT NULL
            AND used_at > clock_timestamp() - $2::text::float8 * interval '1 second'
            AND created_at > clock_timestamp() - $3::text::float8 * interval '1 second'
        RETURNING encode(session, 'base64')
        """

    static let end = "DELETE FROM spotify_web_browsers WHERE id = $1::text::bytea"
}
#endif
