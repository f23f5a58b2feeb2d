// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Sends a constant bearer token (RFC 6750 §2.1).
///
///     try await request.authorize(using: .bearer("ABC"))
///
/// A token with characters other than letters, digits, `-._~+/` and trailing `=` is never sent. If a server issues such
/// tokens, write `.header("Authorization", "Bearer …")`: that accepts any value that a header field can hold.
public struct BearerTokenAuthorization: AuthorizationProvider, RedactedDescription {
    private let credential: ConstantCredential

    /// Creates a provider of one token.
    ///
    /// - Parameter token: the token without `Bearer`. It is checked here, and ``credential(for:)`` throws the error.
    public init(token: String) {
        credential = ConstantCredential {
            try BearerToken.check(token)
            return "Bearer \(token)"
        }
    }

    /// Returns `Authorization: Bearer` with the token.
    ///
    /// - Throws: ``NotAuthorized`` with the reason ``NotAuthorized/Reason/malformedCredential`` if the token is
    ///   malformed.
    public func credential(for request: some AuthorizableRequest) async throws -> Credential {
        try credential.get(for: request)
    }

    public func credentialAtHand(for request: some AuthorizableRequest) throws -> Credential? {
        try credential.get(for: request)
    }
}

extension AuthorizationProvider where Self == BearerTokenAuthorization {
    /// A constant bearer token.
    public static func bearer(_ token: String) -> BearerTokenAuthorization { BearerTokenAuthorization(token: token) }
}
