// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// No valid token could be had this time; the session goes on.
///
/// Everyone who waited for the refresh gets it, and everyone who comes before ``nextTryAt``, at once. Sign-in is not
/// needed: that would be a ``NotAuthorized``.
public struct RefreshFailed: Error, Sendable {
    /// What the token service or the token store threw, for instance a `URLError`. It is not printed here.
    public let underlying: any Error

    /// When the next caller will cause a new try.
    public let nextTryAt: Date

    /// Whether the server may have processed the request all the same.
    public let delivery: TokenRequestDelivery

    public init(underlying: any Error, nextTryAt: Date, delivery: TokenRequestDelivery) {
        self.underlying = underlying
        self.nextTryAt = nextTryAt
        self.delivery = delivery
    }
}

extension RefreshFailed: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String {
        "the token could not be refreshed (\(type(of: underlying))); try again at \(nextTryAt) or later, nobody needs to sign in"
    }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["nextTryAt": nextTryAt]) }
}
