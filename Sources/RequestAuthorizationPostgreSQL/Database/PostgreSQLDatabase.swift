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
