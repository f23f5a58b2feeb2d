// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// What is to be said of a fleet alone.
public struct FleetReport: Hashable, Sendable, Codable {
    /// From the exchange at the token endpoint until the last replica used the new token, the median.
    public var rotationToLastMedianSeconds = 0.0
    /// The same for 99 of 100.
    public var rotationToLastP99Seconds = 0.0
    /// Statements of all replicas for an expiry, those at their start included.
    public var statementsPerExpiry: Double?
    /// How many tokens the row has held.
    public var saves = 0
    /// How often a token was saved over one of the same or a higher generation, or one of a session that had been replaced.
    public var staleSaves = 0
    /// The sessions lost in chaos whose token no replica could save within the grace.
    public var lossesExplained = 0
    /// How often a replica was stopped for longer than its lease.
    public var stops = 0
    /// How often connections were cut or swallowed.
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
