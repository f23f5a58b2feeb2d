// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The token service returned a token that had already expired.
///
/// Usually the clock of this machine is fast, and the server names the expiry as a date, not as a lifetime. Waiters use
/// the token nevertheless. The next refresh comes after a back-off, as after a failure.
public struct TokenExpiredOnArrival: TokenServiceFailure, Hashable {
    /// When the token expired, by its own date.
    public let expiresAt: Date
    /// The time of this machine's clock when the token came.
    public let arrivedAt: Date
    public var kind: TokenFailureKind { .transient }
    public var delivery: TokenRequestDelivery { .answered }

    public init(expiresAt: Date, arrivedAt: Date) {
        self.expiresAt = expiresAt
        self.arrivedAt = arrivedAt
    }
}

extension TokenExpiredOnArrival: CustomStringConvertible {
    public var description: String {
        "the new token expired at \(expiresAt), and this machine's clock says \(arrivedAt): check the clock, then the "
            + "lifetime that the server gives; the session is kept"
    }
}
