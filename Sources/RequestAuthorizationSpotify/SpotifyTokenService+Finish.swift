// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import RequestAuthorizationOAuth

extension SpotifyTokenService {
    /// Exchanges the code that a callback brought; the sign-in is found by its `state` and can be finished once.
    ///
    /// For programs with one user; a server finishes the sign-in of the browser's session: ``finish(_:callback:)``.
    ///
    /// - Throws: `SignInError` (`SignInError.accessWasDenied` if the user said no), `TokenEndpointError`.
    public func finish(callback: URL) async throws -> OAuthToken { try await oauth.finish(callback: callback) }

    /// The same for a sign-in that you kept yourself, for instance in a web server's session.
    public func finish(_ pending: PendingSignIn, callback: URL) async throws -> OAuthToken {
        try await oauth.finish(pending, callback: callback)
    }

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
