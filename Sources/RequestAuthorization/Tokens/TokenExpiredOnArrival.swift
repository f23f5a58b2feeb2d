// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The token service returned a token that had expired already.
///
/// The usual cause is this machine's clock: it is fast, and the server names the expiry as a date. Those who waited go on with
/// the token all the same. The next refresh comes after a back-off, as after a failure.
public struct TokenExpiredOnArrival: TokenServiceFailure, Hashable {
    /// When the token expired, by its own account.
    public let expiresAt: Date
    /// What this machine's clock said when the token came.
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
