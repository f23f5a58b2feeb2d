// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// The results of a run that apply to fleets only.
public struct FleetReport: Hashable, Sendable, Codable {
    /// The median time from the exchange at the token endpoint until the last replica used the new token.
    public var rotationToLastMedianSeconds = 0.0
    /// The same time for 99 of 100 exchanges.
    public var rotationToLastP99Seconds = 0.0
    /// The SQL statements of all replicas for each expiry, including those at their start.
    public var statementsPerExpiry: Double?
    /// The number of tokens that the row has held.
    public var saves = 0
    /// The number of tokens that were saved over a newer or equal one, or that belong to a session that was replaced.
    public var staleSaves = 0
    /// The sessions lost in chaos because no replica could save their token within the grace.
    public var lossesExplained = 0
    /// The number of times that a replica was stopped for longer than its lease.
    public var stops = 0
    /// The number of times that connections were cut or swallowed.
    public var cuts = 0
    public var databaseRestarts = 0

    public init() {}

    /// For people.
    var rows: [(String, String)] {
        [
            ("rotation to last replica, median", String(format: "%.3f s", rotationToLastMedianSeconds)),
            ("rotation to last replica, p99", String(format: "%.3f s", rotationToLastP99Seconds)),
            ("statements for an expiry", statementsPerExpiry.map { String(format: "%.1f", $0) } ?? "not counted"),
            ("tokens saved", "\(saves)"), ("stale ones over newer ones", "\(staleSaves)"),
            ("losses explained", "\(lossesExplained)"), ("replicas stopped", "\(stops)"),
            ("connections cut", "\(cuts) times"), ("database restarted", "\(databaseRestarts) times"),
        ]
    }
}
