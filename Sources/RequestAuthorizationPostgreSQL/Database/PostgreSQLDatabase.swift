// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Runs statements in a PostgreSQL database: what ``PostgreSQLTokens`` needs of a driver.
///
///     struct MyDatabase: PostgreSQLDatabase {
///         let client: PostgresClient
///         func query(_ statement: String, parameters: [String?]) async throws -> [[String?]] { … }
///     }
///     let fleet = try await PostgreSQLTokens(database: MyDatabase(client: client), key: key)
///
/// Each statement is a transaction of its own, so a pooler may hand each one to another connection. All parameters and all
/// columns are text: statements cast them. `Documentation/Guide/Fleet.md` has a whole conformance.
public protocol PostgreSQLDatabase: Sendable {
    /// Runs one statement and commits it.
    ///
    /// - Parameters:
    ///   - statement: SQL with the placeholders `$1`, `$2`, ….
    ///   - parameters: a text or NULL for each placeholder.
    /// - Returns: the rows, each with its columns as text or NULL.
    /// - Throws: ``PostgreSQLError``, with the SQLSTATE if the server answered; `CancellationError` if the task is cancelled.
    func query(_ statement: String, parameters: [String?]) async throws -> [[String?]]
}
