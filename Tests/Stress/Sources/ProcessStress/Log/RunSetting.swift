// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The settings of a run that the verdict depends on. The first line of the log holds them.
public struct RunSetting: Hashable, Sendable, Codable {
    public var workers: Int
    /// The number of expiries that the run must reach; `nil` for any number.
    public var expiries: Int?
    public var graceMode: GraceMode
    /// The grace, in seconds.
    public var grace: Double
    /// The longest time that an `authorize` call may take, in seconds.
    public var deadline: Double
    /// Whether the workers are the replicas of a fleet.
    public var isFleet: Bool?
    /// Whether replicas, connections and the database were disturbed.
    public var isChaos: Bool?
    /// How many seconds some replicas' clocks are ahead and others behind; `nil` if all clocks agree.
    public var clockOffset: Double?

    /// Whether exactly one token call for each expiry is expected.
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
