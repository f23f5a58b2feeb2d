// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

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
            scopes: scopes.names, redirectURI: redirectURI, parameters: showDialog ? ["show_dialog": "true"] : [:])
    }

    /// Shows Spotify's page, waits for the callback, and exchanges the code: in a tool, or with the system's sheet.
    ///
    ///     let token = try await spotify.signIn(scopes: [.userReadEmail], through: .loopback()) { print("Open", $0) }
    ///
    /// `show` shows the page, if the receiver does not do so itself. Its end is not awaited.
    ///
    /// - Throws: the errors of ``signIn(scopes:showDialog:redirectURI:)``, the receiver, `show` and
    ///   ``finish(callback:)``.
    public func signIn(
        scopes: Set<SpotifyScope>, showDialog: Bool = false, through receiver: some CallbackReceiver,
        show: nonisolated(nonsending) @escaping @Sendable (URL) async throws -> Void = { _ in }
    ) async throws -> OAuthToken {
        let callback = try await receiver.callback(
            for: { try await signIn(scopes: scopes, showDialog: showDialog, redirectURI: $0) }, show: show)
        return try await finish(callback: callback)
    }

    // MARK: -

    /// Spotify refuses `localhost`, also with `https`.
    private static func check(_ redirectURI: String?) throws {
        guard let redirectURI, let origin = URL(string: redirectURI).flatMap({ Origin($0) }),
            origin.host == "localhost", ["http", "https"].contains(origin.scheme)
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
        show: nonisolated(nonsending) @escaping @Sendable (URL) async throws -> Void = { _ in }
    ) async throws -> OAuthToken { fatalError("unavailable") }
}
#endif

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
    /// - Throws: as ``finish(callback:)``.
    public func finish(_ pending: PendingSignIn, callback: URL) async throws -> OAuthToken {
        try await oauth.finish(pending, callback: callback)
    }

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

    private func checkUserFlow() throws {
        guard configuration.flow == .clientCredentials else { return }
        throw AuthorizationServerError(
            .unsupported, detail: "client credentials have no user who signs in: use .pkce or .authorizationCode")
    }
}
