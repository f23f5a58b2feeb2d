// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import RequestAuthorizationOAuth

extension SpotifyTokenService {
    /// Begins a sign-in on another device. Spotify has none for ordinary clients; a server that stands in for it may.
    ///
    /// - Throws: `AuthorizationServerError` for Spotify itself, before anything is sent.
    public func deviceSignIn(scopes: Set<SpotifyScope>) async throws -> DeviceSignIn {
        try checkUserFlow()
        guard configuration.accounts.deviceAuthorizationEndpoint != nil else {
            throw AuthorizationServerError(
                .unsupported, member: "device_authorization_endpoint",
                detail: "Spotify signs ordinary clients in by a browser only: use signIn(scopes:through:)")
        }
        return try await oauth.deviceSignIn(scopes: scopes.names)
    }

    // MARK: -

    func checkUserFlow() throws {
        guard configuration.flow == .clientCredentials else { return }
        throw AuthorizationServerError(
            .unsupported, detail: "nobody signs in with client credentials: use .pkce or .authorizationCode")
    }
}
