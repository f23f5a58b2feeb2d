// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import RequestAuthorizationOAuth

extension AuthorizationServer {
    /// Spotify's accounts service, as it is in 2026.
    ///
    /// - A redirect URI is `https`, or `http` with 127.0.0.1 or [::1] (to which a port may be added at run time), or has a scheme
    ///   of the app's own; `localhost` is none.
    /// - A refresh may bring no new refresh token: the old one goes on. It ends six months after the user signed in, however
    ///   often it was used, with `invalid_grant`.
    /// - There is no revocation: a log-out is local, and `ServerQuirks.signOutAdvice` says where the user removes the app.
    /// - There is no sign-in on another device for ordinary clients.
    public static let spotify = AuthorizationServer(
        issuer: "https://accounts.spotify.com",
        authorizationEndpoint: URL(string: "https://accounts.spotify.com/authorize"),
        tokenEndpoint: URL(string: "https://accounts.spotify.com/api/token"), quirks: spotifyQuirks)

    /// A server that stands in for Spotify's, with the same paths.
    ///
    ///     let local = AuthorizationServer.spotify(accounts: url)      // url of LocalSpotify
    ///
    /// - Parameter accounts: its base, for instance `http://127.0.0.1:8080`; it calls itself so too.
    public static func spotify(accounts: URL) -> AuthorizationServer {
        let name = accounts.absoluteString
        return AuthorizationServer(
            issuer: name.hasSuffix("/") ? String(name.dropLast()) : name,
            authorizationEndpoint: accounts.appending(path: "authorize"),
            tokenEndpoint: accounts.appending(path: "api/token"), quirks: spotifyQuirks)
    }

    /// Six months have at least 181 days: who is told a day early signs in in time.
    private static let spotifyQuirks = ServerQuirks(
        refreshTokenLifetime: .seconds(180 * 86400),
        signOutAdvice: "Spotify keeps the permission; remove the app at https://www.spotify.com/account/apps/ to end it"
    )
}
