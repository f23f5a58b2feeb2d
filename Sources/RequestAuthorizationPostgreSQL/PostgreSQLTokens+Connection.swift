// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if PostgreSQL
public import RequestAuthorizationStorage

extension PostgreSQLTokens {
    /// Uses a database through libpq, and makes the tables if there are none.
    ///
    /// - Parameters:
    ///   - connection: as libpq takes it: `postgresql://user@host/database?sslmode=verify-full`.
    ///   - key: seals tokens from now on: 32 random bytes, the same in all replicas.
    ///   - oldKeys: what tokens may have been sealed with before.
    ///   - connections: how many are open at most; 8 by default.
    ///   - lease: how long a replica that has died keeps others from refreshing the same token; 10 s by default.
    ///   - requestDeadline: how long a token request may take; 5 s by default, 2 s less than the lease at most.
    ///   - listens: whether sign-outs of other hosts are heard of at once, on one connection more. Say `false` behind a pooler in
    ///     transaction mode.
    /// - Throws: as ``init(database:key:oldKeys:lease:requestDeadline:listens:clock:)``, and `unsuitable` if the connection string
    ///   cannot be read.
    public init(
        connection: String, key: TokenKey, oldKeys: [TokenKey] = [], connections: Int = 8,
        lease: Duration = .seconds(10), requestDeadline: Duration = .seconds(5), listens: Bool = true
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
