// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The limits on visitors and sessions.
public struct SessionLimits: Hashable, Sendable {
    /// The number of visitors: browsers with an unfinished log-in. A new one replaces the oldest.
    public var visitors = 1000
    /// The number of pending log-ins of one browser, for instance in several tabs.
    public var pendingPerVisitor = 4
    /// How long a log-in may take.
    public var visitorAge: Duration = .seconds(600)
    /// The number of sessions. A new one replaces the one that was unused for the longest time.
    public var sessions = 10_000
    /// How long a session lasts without a request.
    public var idle: Duration = .seconds(3600)
    /// The maximum duration of a session.
    public var age: Duration = .seconds(12 * 3600)

    public init() {}
}
