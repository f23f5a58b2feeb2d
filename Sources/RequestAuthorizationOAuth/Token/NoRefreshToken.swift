// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

public import RequestAuthorization

/// The access token ends, or was refused, and there is no refresh token to renew it with: somebody must sign in again.
///
/// Shortly before the token's end it is a passing failure, so that the token is used to its last second.
public struct NoRefreshToken: TokenServiceFailure, Hashable, CustomStringConvertible {
    public let kind: TokenFailureKind
    public var delivery: TokenRequestDelivery { .notSent }

    /// - Parameter now: a background refresh comes at most 120 s, or a tenth of the lifetime, before the end.
    init(for token: OAuthToken, at now: Date) {
        let left = token.expiresAt.timeIntervalSince(now)
        let leeway = min(120, (token.lifetime ?? .seconds(1200)) / .seconds(10))
        kind = left > 0 && left <= leeway ? .transient : .terminal
    }

    public var description: String {
        "the server gave no refresh token; sign in again, and ask for one if the server wants that (a scope "
            + "offline_access, a parameter access_type)"
    }
}
