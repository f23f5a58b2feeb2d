// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if PostgreSQL
import RequestAuthorization

/// A PostgreSQL database through libpq.
///
/// Statements run on threads of their own, one for each connection, and block none of Swift's. A connection is made when one is
/// needed and kept. A statement that takes too long, or whose task is cancelled, is cancelled at the server too, and its
/// connection is closed.
public final class LibPQDatabase: ListeningPostgreSQLDatabase, RedactedDescription {
    private let pool: ConnectionPool
    private let statementTimeout: Duration
    private let parameters: ConnectionParameters

    /// Connects to nothing yet.
    ///
    /// - Parameters:
    ///   - connection: a URL or keywords and values, as libpq takes them, TLS included (`sslmode`). Unless it says otherwise,
    ///     `connect_timeout` is 5 s and `tcp_user_timeout` 10 s.
    ///   - connections: how many connections are open at most; further statements wait.
    ///   - statementTimeout: how long a statement may take.
    /// - Throws: ``PostgreSQLError`` if the connection string cannot be read.
    public init(_ connection: String, connections: Int = 8, statementTimeout: Duration = .seconds(5)) throws {
        let parameters = try ConnectionParameters(connection)
        self.parameters = parameters
        self.statementTimeout = statementTimeout
        pool = ConnectionPool(limit: max(1, connections)) { LibPQConnection(parameters) }
    }

    public func query(_ statement: String, parameters: [String?]) async throws -> [[String?]] {
        let connection = try await pool.take()
        defer { pool.giveBack(connection) }
        return try await connection.run(statement, parameters: parameters, within: statementTimeout)
    }

    /// Its connection comes on top of the others. When nothing comes for 30 s it is asked whether it is still there.
    public func listen(to channel: String) async throws -> AsyncThrowingStream<String, any Error> {
        try await LibPQListener(parameters).payloads(of: channel)
    }
}
#endif
