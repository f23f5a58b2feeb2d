// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import RequestAuthorization
public import RequestAuthorizationOAuth

extension OAuthToken {
    /// Whether the user has allowed all of these scopes.
    public func isAuthorized(for scopes: Set<SpotifyScope>) -> Bool { isAuthorized(for: scopes.names) }

    /// The scopes that the user has not allowed. To get them, sign in again with these and the allowed ones.
    public func missingScopes(of scopes: Set<SpotifyScope>) -> Set<SpotifyScope> {
        Set(missingScopes(of: scopes.names).map { SpotifyScope(rawValue: $0) })
    }
}

extension RefreshableTokenAuthorization where Token == OAuthToken {
    /// Whether a user is signed in and has allowed all of these scopes.
    public nonisolated func isAuthorized(for scopes: Set<SpotifyScope>) async -> Bool {
        await isAuthorized(for: scopes.names)
    }

    /// The scopes that the user has not allowed; `nil` if no user is signed in.
    ///
    /// To get them, sign in again with these and the allowed ones.
    public nonisolated func missingScopes(of scopes: Set<SpotifyScope>) async -> Set<SpotifyScope>? {
        await missingScopes(of: scopes.names).map { Set($0.map { SpotifyScope(rawValue: $0) }) }
    }
}
