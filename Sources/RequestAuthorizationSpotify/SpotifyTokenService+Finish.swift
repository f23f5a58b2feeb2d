// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import RequestAuthorizationOAuth

extension SpotifyTokenService {
    /// Exchanges the code of a callback. The sign-in is found by its `state` and can be finished once.
    ///
    /// This is for programs with one user. A server finishes the sign-in of the browser's session:
    /// ``finish(_:callback:)``.
    ///
    /// - Throws: `SignInError` (`SignInError.accessWasDenied` if the user denied access), `TokenEndpointError`.
    public func finish(callback: URL) async throws -> OAuthToken { try await oauth.finish(callback: callback) }

    /// Exchanges the code for a sign-in that you kept yourself, for instance in a web server's session.
    ///
    /// - Parameters:
    ///   - pending: the sign-in that the callback is for.
    ///   - callback: the URL with which the user came back.
    /// - Throws: as ``finish(callback:)``.
    public func finish(_ pending: PendingSignIn, callback: URL) async throws -> OAuthToken {
        try await oauth.finish(pending, callback: callback)
    }
}
