// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

// Stand-ins without SHA-256, which PKCE needs. Their message names the trait.
#if !canImport(CryptoKit) && !Crypto

@available(
    *, unavailable,
    message: "a sign-in needs PKCE: enable the trait 'Crypto' of swift-request-authorization, which brings SHA-256"
)
extension OAuthTokenService {
    /// Begins a sign-in: with the trait `Crypto`.
    public func signIn(
        scopes: Set<String>, redirectURI: String? = nil, parameters: [String: String] = [:]
    ) async throws -> PendingSignIn { fatalError("unavailable") }

    /// Begins a sign-in: with the trait `Crypto`.
    public func signIn(
        scopes: Set<String>, redirectURI: String? = nil, parameters: [String: String] = [:],
        using generator: inout some RandomNumberGenerator
    ) async throws -> PendingSignIn { fatalError("unavailable") }

    /// Signs in from beginning to end: with the trait `Crypto`.
    public func signIn(
        scopes: Set<String>, parameters: [String: String] = [:], through receiver: some CallbackReceiver,
        show: @Sendable (URL) async throws -> Void = { _ in }
    ) async throws -> OAuthToken { fatalError("unavailable") }
}
#endif
