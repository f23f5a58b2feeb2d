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
