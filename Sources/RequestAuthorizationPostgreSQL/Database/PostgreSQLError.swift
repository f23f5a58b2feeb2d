// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The failure of a statement or a connection.
///
/// It has neither the connection string nor the server's message, which may contain secrets. See the server's log.
public struct PostgreSQLError: Error, Hashable, Sendable {
    /// The reason for the failure. Its description is a short label without secrets, for metrics.
    public struct Code: Hashable, Sendable, Labelled {
        @usableFromInline package let label: String

        /// The server could not be reached or does not accept connections.
        public static let unreachable = Code(label: "unreachable")
        /// The connection ended during the statement. The server may have run it.
        public static let connectionLost = Code(label: "connection lost")
        /// The server did not answer in time. It may have run the statement.
        public static let timedOut = Code(label: "timed out")
        /// TLS was refused, the server's certificate was not accepted, or the client's key cannot be used.
        public static let insecure = Code(label: "insecure")
        /// The server refuses this user.
        public static let accessDenied = Code(label: "access denied")
        /// The connection string cannot be read.
        package static let malformedConnection = Code(label: "malformed connection string")
        /// The process, or the machine, has no file descriptor left for a connection.
        package static let tooManyFiles = Code(label: "too many open files")
        /// The server answered with an error; see `sqlState`.
        public static let refused = Code(label: "refused")
    }

    public let code: Code

    /// The five characters of the server's error code, if it answered.
    public let sqlState: String?

    /// Creates the error of a driver.
    ///
    /// - Parameters:
    ///   - code: the reason for the failure.
    ///   - sqlState: the server's error code, for instance `42P01`.
    public init(_ code: Code, sqlState: String? = nil) { (self.code, self.sqlState) = (code, sqlState) }
}

extension PostgreSQLError: OwnDescription {
    @usableFromInline package var ownDescription: String {
        let state = sqlState.map { " (SQLSTATE \(Self.printable($0)))" } ?? ""
        return "PostgreSQL: \(code)\(state); \(advice)"
    }

    /// What to do, for the error message.
    var advice: String {
        switch code {
        case .unreachable: "check that the server runs and that host and port are right"
        case .insecure: "check sslmode, the certificate, its authority, and the private key with its permissions"
        case .accessDenied: "check user, password, pg_hba.conf, and the privileges LOGIN and CONNECT"
        case .malformedConnection:
            "check the connection string; characters such as @ and / in a password are written as %40 and %2F"
        case .tooManyFiles:
            "this process has no file descriptor left; close what is not needed, raise `ulimit -n`, or lower connections:"
        case .refused where sqlState == "53300":
            "the server has no free connection; raise its max_connections, lower connections:, or use a pooler"
        case .refused: "see the server's log"
        default: "try again later"
        }
    }

    /// An SQLSTATE has five digits and capital letters. Other text is not shown.
    private static func printable(_ state: String) -> String {
        let isWellFormed = state.utf8.allSatisfy { (48...57).contains($0) || (65...90).contains($0) }
        return state.utf8.count == 5 && isWellFormed ? state : "?"
    }
}

extension TokenStoreError {
    init(_ error: PostgreSQLError) {
        let (kind, detail) = Self.meaning(of: error, error.sqlState ?? "")
        self.init(kind, detail, underlying: error)
    }

    /// - Parameter state: see appendix A of PostgreSQL's manual.
    private static func meaning(of error: PostgreSQLError, _ state: String) -> (Kind, String) {
        switch (error.code, state) {
        case (.timedOut, _):
            (.timedOut, "the database did not answer in time; the token in memory is used, try again later")
        case (.malformedConnection, _): (.unsuitable, error.description)
        case (.refused, "53100"): (.noSpace, "the database's disk is full; free some space")
        case (.refused, "25006"):
            (.readOnly, "the database is read-only: it is a standby, or about to fail over; try again later")
        case (.refused, "42501"):
            (
                .unsuitable,
                "the database's user lacks a privilege; grant SELECT, INSERT, UPDATE and DELETE on the tables, and start "
                    + "one host of a new version as their owner"
            )
        case (.refused, "3F000"):
            (
                .unsuitable,
                "the schema of search_path does not exist, or the database's user may not use it; create it, and grant "
                    + "USAGE on it"
            )
        case (.refused, "42P01"), (.refused, "42703"), (.refused, "42804"), (.refused, "42883"), (.refused, "42P10"):
            (
                .unsuitable,
                "the tables are not those of this package (SQLSTATE \(state)); choose another schema with search_path"
            )
        case (.refused, "55006"):
            (
                .unavailable,
                "a host with an earlier version of this package runs; end all of them, and start this one again"
            )
        case (.refused, "57014"): (.timedOut, "the database has cancelled the statement; try again later")
        // Connections, conflicting transactions, resources, operator intervention: a later try may succeed.
        case (.refused, _) where !["08", "40", "53", "55", "57", "58"].contains(state.prefix(2)): (.failed, "\(error)")
        default: (.unavailable, "\(error)")
        }
    }
}
