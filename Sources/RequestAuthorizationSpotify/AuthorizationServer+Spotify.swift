// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension AuthorizationServer {
    /// Spotify's accounts service, as of 2026.
    ///
    /// - A redirect URI uses `https`, `http` with 127.0.0.1 or [::1] (with any port at run time), or the app's own
    ///   scheme. `localhost` is refused.
    /// - A refresh may give no new refresh token; the old one stays valid. It expires six months after the user
    ///   signed in, even if it was used, with `invalid_grant`.
    /// - There is no revocation: `signOut()` is local. `ServerQuirks.signOutAdvice` says where to remove the app.
    /// - Ordinary clients cannot sign in on another device.
    public static let spotify = AuthorizationServer(
        issuer: "https://accounts.spotify.com",
        authorizationEndpoint: URL(string: "https://accounts.spotify.com/authorize"),
        tokenEndpoint: URL(string: "https://accounts.spotify.com/api/token"), quirks: spotifyQuirks)

    /// A server in place of Spotify's, with the same paths.
    ///
    ///     let local = AuthorizationServer.spotify(accounts: url)      // url of LocalSpotify
    ///
    /// - Parameter accounts: its base URL, for instance `http://127.0.0.1:8080`, which is also its issuer.
    public static func spotify(accounts: URL) -> AuthorizationServer {
        let name = accounts.absoluteString
        return AuthorizationServer(
            issuer: name.hasSuffix("/") ? String(name.dropLast()) : name,
            authorizationEndpoint: accounts.appending(path: "authorize"),
            tokenEndpoint: accounts.appending(path: "api/token"), quirks: spotifyQuirks)
    }

    /// Six months have at least 181 days. One day less lets the user sign in before the end.
    private static let spotifyQuirks = ServerQuirks(
        refreshTokenLifetime: .seconds(180 * 86400),
        signOutAdvice: "Spotify keeps the permission; remove the app at https://www.spotify.com/account/apps/ to end it"
    )
}
