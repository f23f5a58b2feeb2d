// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The reason why a refresh began.
public struct RefreshCause: Hashable, Sendable, CustomStringConvertible {
    /// A short label, for metrics.
    public let description: String

    /// The token had expired, was about to expire, or did not last as long as a caller needed.
    public static let expiry = RefreshCause(description: "expiry")
    /// A server answered 401 to the token, or the answer to an earlier refresh was lost.
    public static let unauthorized = RefreshCause(description: "unauthorized")
    /// No token was held, as on the first use of the provider.
    public static let coldStart = RefreshCause(description: "cold start")
    /// The program asked for it, for instance with ``RefreshableTokenAuthorization/refreshNow()``.
    public static let byHand = RefreshCause(description: "by hand")
}
