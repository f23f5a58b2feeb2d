// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import RequestAuthorizationOAuth

extension SpotifyTokenService {
    /// Begins a sign-in on another device, at a server in place of Spotify's: ordinary clients of Spotify have none.
    ///
    /// - Throws: `AuthorizationServerError` for Spotify itself, before anything is sent.
    public func deviceSignIn(scopes: Set<SpotifyScope>) async throws -> DeviceSignIn {
        try checkUserFlow()
        guard configuration.accounts.deviceAuthorizationEndpoint != nil else {
            throw AuthorizationServerError(
                .unsupported, member: "device_authorization_endpoint",
                detail: "Spotify supports sign-ins in a browser only: use signIn(scopes:through:)")
        }
        return try await oauth.deviceSignIn(scopes: scopes.names)
    }

    // MARK: -

    func checkUserFlow() throws {
        guard configuration.flow == .clientCredentials else { return }
        throw AuthorizationServerError(
            .unsupported, detail: "client credentials have no user who signs in: use .pkce or .authorizationCode")
    }
}
