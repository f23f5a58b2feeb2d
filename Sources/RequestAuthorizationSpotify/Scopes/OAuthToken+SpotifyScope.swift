// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import RequestAuthorization
public import RequestAuthorizationOAuth

extension OAuthToken {
    /// Whether the user has allowed all of this.
    public func isAuthorized(for scopes: Set<SpotifyScope>) -> Bool { isAuthorized(for: scopes.names) }

    /// What of this the user has not allowed: sign in again for it and for what is allowed now.
    public func missingScopes(of scopes: Set<SpotifyScope>) -> Set<SpotifyScope> {
        Set(missingScopes(of: scopes.names).map { SpotifyScope(rawValue: $0) })
    }
}

extension RefreshableTokenAuthorization where Token == OAuthToken {
    /// Whether somebody is signed in and has allowed all of this.
    public nonisolated func isAuthorized(for scopes: Set<SpotifyScope>) async -> Bool {
        await isAuthorized(for: scopes.names)
    }

    /// What of this is not allowed; `nil` if nobody is signed in.
    ///
    /// Scopes are not added to a sign-in: sign in again for these and for what is allowed now.
    public nonisolated func missingScopes(of scopes: Set<SpotifyScope>) async -> Set<SpotifyScope>? {
        await missingScopes(of: scopes.names).map { Set($0.map { SpotifyScope(rawValue: $0) }) }
    }
}
