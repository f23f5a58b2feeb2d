// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto

/// The tokens of many users, which many hosts share in a PostgreSQL database of version 14 or later.
///
///     let fleet = try await PostgreSQLTokens(connection: "postgresql://…", key: key)
///     let auth = RefreshableTokenAuthorization(service: service, store: fleet.store(client: "web", account: user))
///
/// Each host creates its own value. All of them together refresh a rotating token only once. The database has
/// neither tokens nor names in plain text. Tokens are encrypted as by `EncryptedTokenStore`, and the key of a row is an
/// HMAC of client and account. It is a `LeasedTokens` whose records are rows.
///
/// A client credentials token does not rotate, so each host can have its own without a store.
/// `Documentation/Guide/Fleet.md` describes the operation and the effect of each failure.
public struct PostgreSQLTokens: Sendable, RedactedDescription {
    let records: PostgreSQLRecords
    let tokens: LeasedTokens
    private let lease: Duration

    /// Uses a database through any driver, and makes the tables if they do not exist.
    ///
    /// - Parameters:
    ///   - database: runs the statements.
    ///   - key: encrypts tokens from now on: 32 random bytes, the same on all hosts. Avoid a password, from which a
    ///     key would be derived for each row.
    ///   - oldKeys: earlier keys, to decrypt with.
    ///   - lease: how long a host that died prevents others from refreshing the same token; 10 s by default. It
    ///     should be shorter than the grace period of the authorization server.
    ///   - requestDeadline: how long a token request may take; 4 s by default. Half a lease less a second is best; 2 s
    ///     less than the lease is the most.
    ///   - listens: whether sign-outs of other hosts are reported at once, if the database is a
    ///     ``ListeningPostgreSQLDatabase``. It uses one additional connection. Use `false` behind a pooler in
    ///     transaction mode.
    ///   - callLimit: how long a load, a save or one try to acquire the lease may take; 5 s by default.
    ///   - clock: measures waits and the lease. The times in the table are those of the database.
    /// - Throws: `TokenStoreError`: `unavailable`; `timedOut`; `wrongKey` if the tables belong to another key;
    ///   `unsuitable` if they are of another program or a later version, or if the lease is too short. Nothing was
    ///   changed then.
    public init(
        database: some PostgreSQLDatabase, key: TokenKey, oldKeys: [TokenKey] = [], lease: Duration = .seconds(10),
        requestDeadline: Duration = .seconds(4), listens: Bool = true, callLimit: Duration = .seconds(5),
        clock: any AuthorizationClock = .system
    ) async throws {
        self.lease = lease.saturated
        records = PostgreSQLRecords(database, listens: listens, clock: clock)
        tokens = try await LeasedTokens(
            database: records, key: key, oldKeys: oldKeys, lease: lease, requestDeadline: requestDeadline,
            callLimit: callLimit, listens: listens, clock: clock)
    }

    /// Returns a store for the token of one user.
    ///
    /// The row is read on first use. Each provider needs its own store; their number is not limited.
    ///
    /// - Parameters:
    ///   - client: the client id.
    ///   - account: the owner of the token.
    public func store<Token: AuthorizationToken & Codable>(client: String, account: String) -> LeasedTokenStore<Token> {
        tokens.store(client: client, account: account)
    }

    /// Counts the rows. It reads the whole table.
    ///
    /// - Returns: the number of users with a token, and of those without one, whose rows ``removeEnded(olderThan:)``
    ///   removes in time.
    /// - Throws: `TokenStoreError`.
    public func counts() async throws -> (tokens: Int, ended: Int) {
        let rows = try await records.query(Self.count)
        let numbers = rows.first?.compactMap { $0.flatMap { Int($0) } } ?? []
        guard numbers.count == 2 else {
            throw TokenStoreError(.failed, "the database did not return the two counts; check its driver")
        }
        return (numbers[0], numbers[1])
    }

    /// Removes the rows of ended sessions: tombstones, moved tokens, and rows that never had a token.
    ///
    /// A host that has not seen the sign-out by then finds no row, which ends its session too. A row with a lease or an
    /// intent stays, unless it is unchanged for a day: it is that of a host that died.
    ///
    /// - Parameter days: how many days ago the session must have ended; 30 by default.
    /// - Returns: the number of removed rows.
    /// - Throws: `TokenStoreError`.
    @discardableResult
    public func removeEnded(olderThan days: Int = 30) async throws -> Int {
        let abandoned = max(86_400, lease * 1.05 / .seconds(1))
        return try await records.query(Self.prune, ["\(min(max(0, days), 36_500))", "\(abandoned)"]).count
    }

    /// Removes all data of one user, the tombstone too. This ends the session on all hosts.
    ///
    /// The token is not revoked at the authorization server; call `signOut()` first for that.
    ///
    /// - Returns: whether the user had a row.
    /// - Throws: `TokenStoreError`.
    @discardableResult
    public func remove(client: String, account: String) async throws -> Bool {
        try await tokens.remove(client: client, account: account)
    }

    // MARK: -

    private static let count = """
        SELECT (count(*) FILTER (WHERE status = 'token'))::text, (count(*) FILTER (WHERE status <> 'token'))::text
        FROM request_authorization_tokens
        """

    /// Byte 6 of a record says whether it has a lease (1) or an intent (2). After `$2` seconds both are those of a host
    /// that died.
    private static let prune = """
        DELETE FROM request_authorization_tokens
        WHERE status <> 'token' AND changed_at <= clock_timestamp() - $1::text::integer * interval '1 day'
            AND (get_byte(record, 6) & 3 = 0
                OR changed_at <= clock_timestamp() - $2::text::double precision * interval '1 second')
        RETURNING true::text
        """
}

#if PostgreSQL
extension PostgreSQLTokens {
    /// Connects to a database through libpq, and makes the tables if they do not exist.
    ///
    /// The connection string is one of libpq, such as `postgresql://user@host/database?sslmode=verify-full`. At most 8
    /// connections are open by default, and one more if it listens. The other initializer describes the rest.
    ///
    /// - Throws: as ``init(database:key:oldKeys:lease:requestDeadline:listens:callLimit:clock:)``, and `unsuitable` if the
    ///   connection string cannot be read.
    public init(
        connection: String, key: TokenKey, oldKeys: [TokenKey] = [], connections: Int = 8,
        lease: Duration = .seconds(10), requestDeadline: Duration = .seconds(4), listens: Bool = true
    ) async throws {
        let database: LibPQDatabase
        do {
            database = try LibPQDatabase(connection, connections: connections)
        } catch let error as PostgreSQLError {
            throw TokenStoreError(error)
        }
        try await self.init(
            database: database, key: key, oldKeys: oldKeys, lease: lease, requestDeadline: requestDeadline,
            listens: listens)
    }
}
#endif
#endif
