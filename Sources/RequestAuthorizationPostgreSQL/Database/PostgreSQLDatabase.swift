// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A driver that runs the statements of ``PostgreSQLTokens``.
///
///     struct MyDatabase: PostgreSQLDatabase {
///         let client: PostgresClient
///         func query(_ statement: String, parameters: [String?]) async throws -> [[String?]] { … }
///     }
///     let fleet = try await PostgreSQLTokens(database: MyDatabase(client: client), key: key)
///
/// Each statement is a transaction of its own, so a pooler may use another connection for each. All parameters and
/// columns are text, which the statements cast. `Documentation/Guide/Fleet.md` has a complete conformance.
public protocol PostgreSQLDatabase: Sendable {
    /// Runs one statement and commits it.
    ///
    /// - Parameters:
    ///   - statement: SQL with the placeholders `$1`, `$2`, ….
    ///   - parameters: a text or NULL for each placeholder.
    /// - Returns: the rows, each with its columns as text or NULL.
    /// - Throws: ``PostgreSQLError``, with the SQLSTATE of the server if it answered; `CancellationError`.
    func query(_ statement: String, parameters: [String?]) async throws -> [[String?]]
}

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
