// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if PostgreSQL
/// A PostgreSQL driver that uses libpq.
///
/// Each connection runs its statements on a queue of its own, and blocks no thread of Swift's cooperative pool.
/// Connections are made when needed and kept open. A statement that takes too long, or whose task is cancelled, is
/// cancelled at the server too, and its connection is closed.
public final class LibPQDatabase: ListeningPostgreSQLDatabase, RedactedDescription {
    private let pool: ConnectionPool
    private let statementTimeout: Duration
    private let parameters: ConnectionParameters

    /// Reads the connection string. It connects on first use.
    ///
    /// - Parameters:
    ///   - connection: a connection string of libpq, a URL or keywords and values, TLS included (`sslmode`). By default
    ///     `connect_timeout` is 5 s, or 2 s for each of several hosts, and `tcp_user_timeout` 10 s. An idle
    ///     connection is probed after `keepalives_idle`, 60 s.
    ///   - connections: the largest number of open connections; further statements wait.
    ///   - statementTimeout: how long a call may take: waiting for a connection, connecting, and the statement. A call
    ///     that waits for a connection fails earlier if the server answers nobody for that time.
    /// - Throws: ``PostgreSQLError`` if the connection string cannot be read.
    public init(_ connection: String, connections: Int = 8, statementTimeout: Duration = .seconds(5)) throws {
        let parameters = try ConnectionParameters(connection)
        (self.parameters, self.statementTimeout) = (parameters, statementTimeout.saturated)
        pool = ConnectionPool(limit: max(1, connections)) { LibPQConnection(parameters) }
    }

    /// Returns at the limit and on cancellation, also if a thread still waits for the server.
    public func query(_ statement: String, parameters: [String?]) async throws -> [[String?]] {
        // libpq would cut such a text. The server's code for a character that a text cannot have.
        if parameters.contains(where: { $0?.utf8.contains(0) == true }) {
            throw PostgreSQLError(.refused, sqlState: "22021")
        }
        let began = ContinuousClock.now
        let end = began + statementTimeout
        return try await endingAtOnce(
            within: statementTimeout, of: .system, else: PostgreSQLError(.timedOut)
        ) { [pool] in
            let connection = try await pool.take(began: began)
            defer { pool.giveBack(connection) }
            do {
                let rows = try await connection.run(statement, parameters: parameters, until: end)
                pool.noteAnswer()
                return rows
            } catch let error as PostgreSQLError {
                if error.code == .timedOut { pool.noteTimeout(ofCallFrom: began, to: end) } else { pool.noteAnswer() }
                throw error
            }
        }
    }

    /// Uses one additional connection, which is checked after 30 s without a notification.
    public func listen(to channel: String) async throws -> AsyncThrowingStream<String, any Error> {
        try await LibPQListener(parameters: parameters).payloads(of: channel)
    }
}
#endif
