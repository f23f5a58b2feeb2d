// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A database that also tells what others announce with `NOTIFY`.
///
/// It makes sign-outs known within milliseconds. Without it they are known with the next refresh; nothing else depends on it. A
/// pooler in transaction mode cannot listen.
public protocol ListeningPostgreSQLDatabase: PostgreSQLDatabase {
    /// Listens on a connection that nothing else uses.
    ///
    /// - Parameter channel: a name of letters and underscores.
    /// - Returns: once it listens, the payloads. The sequence ends with an error when the connection is lost; ending the iteration
    ///   closes the connection.
    /// - Throws: ``PostgreSQLError``.
    func listen(to channel: String) async throws -> AsyncThrowingStream<String, any Error>
}
