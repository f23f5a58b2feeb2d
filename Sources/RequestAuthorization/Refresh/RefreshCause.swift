// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// What began a refresh.
public struct RefreshCause: Hashable, Sendable, CustomStringConvertible {
    /// A short label, for metrics.
    public let description: String

    /// The token had expired, was about to, or lasted less than a caller needed.
    public static let expiry = RefreshCause(description: "expiry")
    /// A server answered 401 to the token, or the answer to an earlier refresh was lost.
    public static let unauthorized = RefreshCause(description: "unauthorized")
    /// Nothing was held: the first use of the provider.
    public static let coldStart = RefreshCause(description: "cold start")
    /// The program asked for it.
    public static let byHand = RefreshCause(description: "by hand")
}
