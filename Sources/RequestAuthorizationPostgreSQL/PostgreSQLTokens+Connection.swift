// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if PostgreSQL
extension PostgreSQLTokens {
    /// Connects to a database through libpq, and makes the tables if they do not exist.
    ///
    /// - Parameters:
    ///   - connection: a connection string of libpq, such as `postgresql://user@host/database?sslmode=verify-full`.
    ///   - key: encrypts tokens from now on: 32 random bytes, the same on all hosts.
    ///   - oldKeys: earlier keys, to decrypt with.
    ///   - connections: the largest number of open connections; 8 by default.
    ///   - lease: how long a host that died prevents others from refreshing the same token; 10 s by default.
    ///   - requestDeadline: how long a token request may take; 5 s by default, and at least 2 s less than the lease.
    ///   - listens: whether sign-outs of other hosts are reported at once, on one additional connection. Use `false`
    ///     behind a pooler in transaction mode.
    /// - Throws: as ``init(database:key:oldKeys:lease:requestDeadline:listens:clock:)``, and `unsuitable` if the
    ///   connection string cannot be read.
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
