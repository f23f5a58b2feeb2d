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
/// HMAC of client and account.
///
/// A client credentials token does not rotate, so each host can have its own without a store.
/// `Documentation/Guide/Fleet.md` describes the operation and the effect of each failure.
public struct PostgreSQLTokens: Sendable, RedactedDescription {
    let fleet: Fleet

    /// Uses a database through any driver, and makes the tables if they do not exist.
    ///
    /// - Parameters:
    ///   - database: runs the statements.
    ///   - key: encrypts tokens from now on: 32 random bytes, the same on all hosts. Avoid a password, from which a
    ///     key would be derived for each row.
    ///   - oldKeys: earlier keys, to decrypt with.
    ///   - lease: how long a host that died prevents others from refreshing the same token; 10 s by default. It
    ///     should be shorter than the grace period of the authorization server.
    ///   - requestDeadline: how long a token request may take; 5 s by default, and at least 2 s less than the lease.
    ///   - listens: whether sign-outs of other hosts are reported at once, if the database is a
    ///     ``ListeningPostgreSQLDatabase``. It uses one additional connection. Use `false` behind a pooler in
    ///     transaction mode.
    ///   - clock: measures waits and the lease. The times in the table are those of the database.
    /// - Throws: `TokenStoreError`: `unavailable`; `timedOut`; `wrongKey` if the tables belong to another key;
    ///   `unsuitable` if they are of another program or a later version, or if the lease is too short. Nothing was
    ///   changed then.
    public init(
        database: some PostgreSQLDatabase, key: TokenKey, oldKeys: [TokenKey] = [], lease: Duration = .seconds(10),
        requestDeadline: Duration = .seconds(5), listens: Bool = true, clock: any AuthorizationClock = .system
    ) async throws {
        guard requestDeadline > .zero, lease >= requestDeadline + .seconds(2) else {
            throw TokenStoreError(
                .unsuitable,
                "a lease of \(lease) is too short for token requests of \(requestDeadline); "
                    + "make it at least 2 s longer than these")
        }
        fleet = try await Fleet(
            database: database, keys: FleetKeys(key: key, oldKeys: oldKeys), lease: lease,
            requestDeadline: requestDeadline, listens: listens, clock: clock)
    }

    /// Returns a store for the token of one user.
    ///
    /// The row is read on first use. Each provider needs its own store; their number is not limited.
    ///
    /// - Parameters:
    ///   - client: the client id.
    ///   - account: the owner of the token.
    public func store<Token: AuthorizationToken & Codable>(
        client: String, account: String
    ) -> PostgreSQLTokenStore<Token> {
        PostgreSQLTokenStore(fleet: fleet, client: client, account: account)
    }
}
#endif
