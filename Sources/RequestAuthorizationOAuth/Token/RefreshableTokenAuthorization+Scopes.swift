// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import RequestAuthorization

extension RefreshableTokenAuthorization where Token == OAuthToken {
    /// Whether a user is signed in and has allowed all of these scopes.
    ///
    /// It reads the held or stored token, even if it has expired, and calls no server, so that it works offline. If the
    /// store cannot be read, it returns `false`.
    public nonisolated func isAuthorized(for scopes: Set<String> = []) async -> Bool {
        await missingScopes(of: scopes)?.isEmpty ?? false
    }

    /// The scopes that the user has not allowed; `nil` if no user is signed in.
    ///
    /// A sign-in does not add scopes to earlier ones: to get these, sign in again with *all* scopes that you need.
    public nonisolated func missingScopes(of scopes: Set<String>) async -> Set<String>? {
        try? await tokenAtHand()?.missingScopes(of: scopes)
    }
}
