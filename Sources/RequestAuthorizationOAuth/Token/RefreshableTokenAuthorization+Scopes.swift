// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import RequestAuthorization

extension RefreshableTokenAuthorization where Token == OAuthToken {
    /// Whether somebody is signed in who allowed all of this.
    ///
    /// It asks the token that is held or stored, expired or not, and calls no server: being offline is not being signed out. A
    /// store that cannot be read answers `false`.
    public nonisolated func isAuthorized(for scopes: Set<String> = []) async -> Bool {
        await missingScopes(of: scopes)?.isEmpty ?? false
    }

    /// What of this was not allowed; `nil` if nobody is signed in.
    ///
    /// Scopes are not additive: to get these, sign in again and ask for *all* that you need.
    public nonisolated func missingScopes(of scopes: Set<String>) async -> Set<String>? {
        try? await tokenAtHand()?.missingScopes(of: scopes)
    }
}
