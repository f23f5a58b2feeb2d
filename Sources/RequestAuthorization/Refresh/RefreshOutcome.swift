// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// What became of a refresh.
public struct RefreshOutcome: Hashable, Sendable, CustomStringConvertible {
    /// A short label, for metrics.
    public let description: String

    /// The service returned a new token.
    public static let refreshed = RefreshOutcome(description: "refreshed")
    /// The store held a token that is valid, and the service was not asked.
    public static let loaded = RefreshOutcome(description: "loaded")
    /// A sibling had refreshed, and its token is used.
    public static let adopted = RefreshOutcome(description: "adopted")
    /// There is no new token this time. The session goes on.
    public static let failed = RefreshOutcome(description: "failed")
    /// The session is over.
    public static let sessionEnded = RefreshOutcome(description: "session ended")
    /// There has been no sign-in yet.
    public static let noToken = RefreshOutcome(description: "no token")
    /// A newer token, a sign-in or a sign-out came first.
    public static let superseded = RefreshOutcome(description: "superseded")
}
