// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization

extension TokenStoreError {
    /// Creates the store's error for an error of the database.
    init(_ error: PostgreSQLError) {
        let (kind, detail) = Self.meaning(of: error)
        self.init(kind, detail, underlying: error)
    }

    private static func meaning(of error: PostgreSQLError) -> (Kind, String) {
        switch error.code {
        case .timedOut: (.timedOut, "the database did not answer in time; the token in memory is used, try again later")
        case .malformedConnection: (.unsuitable, error.description)
        case .refused: meaning(ofState: error.sqlState ?? "", error)
        default: (.unavailable, "\(error)")
        }
    }

    /// See appendix A of PostgreSQL's manual.
    private static func meaning(ofState state: String, _ error: PostgreSQLError) -> (Kind, String) {
        switch state {
        case "53100": (.noSpace, "the database's disk is full; free some space")
        case "25006": (.readOnly, "the database is read-only: it is a standby, or about to fail over; try again later")
        case "42501":
            (
                .unsuitable,
                "the database's user lacks a privilege; grant SELECT, INSERT, UPDATE and DELETE on the tables"
            )
        case "42P01", "42703", "42804", "42883", "42P10":
            (
                .unsuitable,
                "the tables are not those of this package (SQLSTATE \(state)); choose another schema with search_path"
            )
        case "57014": (.timedOut, "the database has cancelled the statement; try again later")
        default: (isPassing(state) ? .unavailable : .failed, "\(error)")
        }
    }

    /// Whether a later try may succeed: connections, conflicting transactions, resources, operator intervention.
    private static func isPassing(_ state: String) -> Bool {
        ["08", "40", "53", "55", "57", "58"].contains { state.hasPrefix($0) }
    }
}
