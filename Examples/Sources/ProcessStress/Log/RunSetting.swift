// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// What a run was asked for, as far as the verdict depends on it; the first line of the log holds it.
public struct RunSetting: Hashable, Sendable, Codable {
    public var workers: Int
    /// How many expiries there shall be; `nil` for as many as there are.
    public var expiries: Int?
    public var graceMode: GraceMode
    /// Seconds.
    public var grace: Double
    /// How long an `authorize` may be held at most, in seconds.
    public var deadline: Double
    /// Whether the workers are the replicas of a fleet.
    public var isFleet: Bool?
    /// Whether replicas, connections and the database were disturbed.
    public var isChaos: Bool?
    /// By how many seconds the replicas' clocks go ahead and behind; `nil` if all have the same.
    public var clockOffset: Double?

    /// Whether one call for each expiry is to be expected.
    var isCalm: Bool { isChaos != true && clockOffset == nil }

    public init(
        workers: Int, expiries: Int? = nil, graceMode: GraceMode = .previousOnly, grace: Double = 5,
        deadline: Double = 30
    ) {
        self.workers = workers
        self.expiries = expiries
        self.graceMode = graceMode
        self.grace = grace
        self.deadline = deadline
    }
}
