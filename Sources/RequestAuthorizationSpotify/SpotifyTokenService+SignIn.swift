// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization
public import RequestAuthorizationOAuth

#if canImport(CryptoKit) || Crypto
extension SpotifyTokenService {
    /// Begins a sign-in: open its `PendingSignIn.url` in a browser.
    ///
    /// A sign-in does not add scopes to earlier ones: request all that the app needs.
    ///
    /// - Parameters:
    ///   - scopes: the scopes that the user is asked to allow. Public data need none.
    ///   - showDialog: whether a user who has allowed access before is asked again, and may change the account.
    ///   - redirectURI: a redirect URI in place of the service's.
    /// - Returns: the sign-in, which the service's store of pending sign-ins keeps too.
    /// - Throws: `SignInError` for an invalid redirect URI; `AuthorizationServerError` in the flow without users.
    public func signIn(
        scopes: Set<SpotifyScope>, showDialog: Bool = false, redirectURI: String? = nil
    ) async throws -> PendingSignIn {
        try checkUserFlow()
        try Self.check(redirectURI ?? configuration.redirectURI)
        return try await oauth.signIn(
            scopes: scopes.names, redirectURI: redirectURI, parameters: Self.parameters(showDialog: showDialog))
    }

    /// Shows Spotify's page, waits for the callback, and exchanges the code: in a tool, or with the system's sheet.
    ///
    ///     let token = try await spotify.signIn(scopes: [.userReadEmail], through: .loopback()) { print("Open", $0) }
    ///
    /// - Parameters:
    ///   - scopes: the scopes that the user is asked to allow.
    ///   - showDialog: whether a user who has allowed access before is asked again.
    ///   - receiver: receives the callback.
    ///   - show: shows the page, if the receiver does not do so itself.
    /// - Returns: the token.
    /// - Throws: the errors of ``signIn(scopes:showDialog:redirectURI:)``, the receiver, `show` and
    ///   ``finish(callback:)``.
    public func signIn(
        scopes: Set<SpotifyScope>, showDialog: Bool = false, through receiver: some CallbackReceiver,
        show: @Sendable (URL) async throws -> Void = { _ in }
    ) async throws -> OAuthToken {
        let callback = try await receiver.callback(
            for: { try await signIn(scopes: scopes, showDialog: showDialog, redirectURI: $0) }, show: show)
        return try await finish(callback: callback)
    }

    // MARK: -

    private static func parameters(showDialog: Bool) -> [String: String] { showDialog ? ["show_dialog": "true"] : [:] }

    /// Spotify refuses `localhost`, also with `https`.
    private static func check(_ redirectURI: String?) throws {
        guard let redirectURI, let origin = URL(string: redirectURI).flatMap({ Origin($0) }),
            origin.host == "localhost",
            ["http", "https"].contains(origin.scheme)
        else { return }
        throw SignInError(
            .redirectURI,
            detail: "Spotify refuses localhost: use http://127.0.0.1 or http://[::1], here and in the app's dashboard")
    }
}
#else
@available(
    *, unavailable,
    message: "a sign-in needs PKCE: enable the trait 'Crypto' of swift-request-authorization, which brings SHA-256"
)
extension SpotifyTokenService {
    /// Begins a sign-in: with the trait `Crypto`.
    public func signIn(
        scopes: Set<SpotifyScope>, showDialog: Bool = false, redirectURI: String? = nil
    ) async throws -> PendingSignIn { fatalError("unavailable") }

    /// Signs in and receives the callback: with the trait `Crypto`.
    public func signIn(
        scopes: Set<SpotifyScope>, showDialog: Bool = false, through receiver: some CallbackReceiver,
        show: @Sendable (URL) async throws -> Void = { _ in }
    ) async throws -> OAuthToken { fatalError("unavailable") }
}
#endif
