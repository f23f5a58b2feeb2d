// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A database that also receives the notifications of `NOTIFY`.
///
/// Sign-outs of other hosts are then known within milliseconds, and otherwise with the next refresh. Nothing else
/// depends on it. A pooler in transaction mode cannot listen.
public protocol ListeningPostgreSQLDatabase: PostgreSQLDatabase {
    /// Listens on a connection that has no other use, and returns once it listens.
    ///
    /// - Parameter channel: a name of letters and underscores.
    /// - Returns: the payloads. It throws when the connection is lost. Ending the iteration closes the connection.
    /// - Throws: ``PostgreSQLError``.
    func listen(to channel: String) async throws -> AsyncThrowingStream<String, any Error>
}
