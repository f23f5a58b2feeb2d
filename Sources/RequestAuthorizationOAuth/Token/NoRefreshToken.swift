// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import RequestAuthorization

/// The server gave no refresh token, so the access token cannot be refreshed.
///
/// A valid token is used until it expires or is refused. Then the user has to sign in again.
public struct NoRefreshToken: TokenServiceFailure, Hashable, CustomStringConvertible {
    public var kind: TokenFailureKind { .noRefreshToken }
    public var delivery: TokenRequestDelivery { .notSent }

    public init() {}

    public var description: String {
        "the server gave no refresh token, so the access token cannot be refreshed; sign in again, and request a "
            + "refresh token if the server requires that (the scope offline_access, the parameter access_type)"
    }
}
