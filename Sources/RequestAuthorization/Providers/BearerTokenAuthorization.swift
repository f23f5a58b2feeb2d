// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Sends a constant bearer token (RFC 6750 §2.1).
///
///     try await request.authorize(using: .bearer("ABC"))
///
/// A token with characters other than letters, digits, `-._~+/` and trailing `=` is never sent. If a server issues such
/// tokens, write `.header("Authorization", "Bearer …")`: that accepts any value that a header field can hold.
public struct BearerTokenAuthorization: ConstantAuthorization, RedactedDescription {
    @usableFromInline let constant: ConstantCredential

    package init(token: String) {
        constant = ConstantCredential { try .bearer(token) }
    }
}

extension AuthorizationProvider where Self == BearerTokenAuthorization {
    /// A constant bearer token.
    ///
    /// - Parameter token: the token without `Bearer`. It is checked here. If it is malformed, each request throws
    ///   ``NotAuthorized`` with the reason ``NotAuthorized/Reason/malformedCredential``.
    public static func bearer(_ token: String) -> BearerTokenAuthorization { BearerTokenAuthorization(token: token) }
}
