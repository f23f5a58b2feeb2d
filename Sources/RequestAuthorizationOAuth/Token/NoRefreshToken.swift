// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import RequestAuthorization

/// The server gave no refresh token to renew the access token with.
///
/// A valid token is used until it expires or is refused; then somebody must sign in again.
public struct NoRefreshToken: TokenServiceFailure, Hashable, CustomStringConvertible {
    public var kind: TokenFailureKind { .noRefreshToken }
    public var delivery: TokenRequestDelivery { .notSent }

    public init() {}

    public var description: String {
        "the server gave no refresh token; sign in again, and ask for one if the server wants that (a scope "
            + "offline_access, a parameter access_type)"
    }
}
