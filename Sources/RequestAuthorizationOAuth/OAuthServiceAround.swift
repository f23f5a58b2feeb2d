// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A token service that does what another one does, unless it says otherwise. It does not complete tokens by itself.
@usableFromInline
package protocol OAuthServiceAround: RefreshableTokenService where Token == OAuthToken {
    /// The other service, as it is now.
    var oauth: OAuthTokenService { get }
}

extension OAuthServiceAround {
    public func refresh(_ token: OAuthToken) async throws -> OAuthToken { try await oauth.refresh(token) }
    public func refresh(_ token: OAuthToken, after challenge: AuthenticationChallenge) async throws -> OAuthToken {
        try await oauth.refresh(token, after: challenge)
    }
    public func initialToken() async throws -> OAuthToken { try await oauth.initialToken() }
    public func discard(_ token: OAuthToken) async { await oauth.discard(token) }
    public func revoke(_ token: OAuthToken) async throws { try await oauth.revoke(token) }
    public var serverOrigin: Origin? { oauth.serverOrigin }
    public var proofFields: Set<String> { oauth.proofFields }
    public func proof(for token: OAuthToken) throws -> (any RequestProof)? { try oauth.proof(for: token) }
}
