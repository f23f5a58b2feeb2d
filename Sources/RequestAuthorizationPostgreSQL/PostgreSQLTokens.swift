// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
public import RequestAuthorization
public import RequestAuthorizationStorage

/// Tokens of many users that many hosts share, in a PostgreSQL database of version 14 or later.
///
///     let fleet = try await PostgreSQLTokens(connection: "postgresql://…", key: key)
///     let auth = RefreshableTokenAuthorization(service: service, store: fleet.store(client: "web", account: user))
///
/// Each replica makes one for itself. A rotating refresh token is then refreshed once for all of them. The database sees neither
/// a token nor a name: tokens are sealed as `EncryptedTokenStore` seals them, and rows are found by an HMAC of client and account.
///
/// A token of client credentials does not rotate: each replica can have its own, without a store.
/// `Documentation/Guide/Fleet.md` tells how to run it, and what each failure costs.
public struct PostgreSQLTokens: Sendable, RedactedDescription {
    let fleet: Fleet

    /// Uses a database through any driver, and makes the tables if there are none.
    ///
    /// - Parameters:
    ///   - database: runs the statements.
    ///   - key: seals tokens from now on: 32 random bytes, the same in all replicas. A password would be derived for each row.
    ///   - oldKeys: what tokens may have been sealed with before.
    ///   - lease: how long a replica that has died keeps others from refreshing the same token; 10 s by default. Choose it
    ///     shorter than the grace period of the authorization server.
    ///   - requestDeadline: how long a token request may take; 5 s by default, 2 s less than the lease at most.
    ///   - listens: whether sign-outs of other hosts are heard of at once, on one connection more for the process, if the
    ///     database is a ``ListeningPostgreSQLDatabase``. Say `false` behind a pooler in transaction mode.
    ///   - clock: for waiting and for the lease; the machine's by default. Times in the table are the database's.
    /// - Throws: `TokenStoreError`: `unavailable`, `timedOut`; `wrongKey` if the tables are of another key; `unsuitable` if
    ///   they are not of this package, or of a later version. Nothing was changed then.
    public init(
        database: some PostgreSQLDatabase, key: TokenKey, oldKeys: [TokenKey] = [], lease: Duration = .seconds(10),
        requestDeadline: Duration = .seconds(5), listens: Bool = true, clock: any AuthorizationClock = .system
    ) async throws {
        guard requestDeadline > .zero, lease >= requestDeadline + .seconds(2) else {
            throw TokenStoreError(
                .unsuitable,
                "a lease of \(lease) is too short for token requests of \(requestDeadline); take 2 s more at least")
        }
        fleet = try await Fleet(
            database: database, keys: FleetKeys(key: key, oldKeys: oldKeys), lease: lease,
            requestDeadline: requestDeadline, listens: listens, clock: clock)
    }

    /// The store of one user's token.
    ///
    /// Nothing is read yet. Make as many as you like: each provider needs one of its own.
    ///
    /// - Parameters:
    ///   - client: the client id.
    ///   - account: whose token it is.
    public func store<Token: AuthorizationToken & Codable>(
        client: String, account: String
    ) -> PostgreSQLTokenStore<Token> {
        PostgreSQLTokenStore(fleet: fleet, client: client, account: account)
    }
}
#endif
