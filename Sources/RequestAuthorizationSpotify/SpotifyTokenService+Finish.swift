// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

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
}
