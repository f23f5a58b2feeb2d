// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The result of a refresh.
public struct RefreshOutcome: Hashable, Sendable, CustomStringConvertible {
    /// A short label, for metrics.
    public let description: String

    /// The service returned a new token.
    public static let refreshed = RefreshOutcome(description: "refreshed")
    /// The store held a valid token. The service was not called.
    public static let loaded = RefreshOutcome(description: "loaded")
    /// A sibling had refreshed the token, and its token is used.
    public static let adopted = RefreshOutcome(description: "adopted")
    /// The refresh brought no new token. The session goes on.
    public static let failed = RefreshOutcome(description: "failed")
    /// The session is over.
    public static let sessionEnded = RefreshOutcome(description: "session ended")
    /// No user has signed in yet.
    public static let noToken = RefreshOutcome(description: "no token")
    /// A newer token, a sign-in or a sign-out replaced the refresh.
    public static let superseded = RefreshOutcome(description: "superseded")
}
