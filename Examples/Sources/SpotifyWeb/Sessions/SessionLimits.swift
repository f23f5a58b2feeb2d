// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// How many browsers are remembered, and for how long.
public struct SessionLimits: Hashable, Sendable {
    /// Browsers that have begun a log-in and not finished it. The oldest makes room for the newest.
    public var visitors = 1000
    /// Log-ins that one browser may have begun at a time, in as many tabs.
    public var pendingPerVisitor = 4
    /// How long a browser may take to log in.
    public var visitorAge: Duration = .seconds(600)
    /// Browsers that are logged in. The one unused for longest makes room for the newest.
    public var sessions = 10_000
    /// How long a session lives without a request.
    public var idle: Duration = .seconds(3600)
    /// How long a session lives at most.
    public var age: Duration = .seconds(12 * 3600)

    public init() {}
}
