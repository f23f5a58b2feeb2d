// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension SpotifyTokenService {
    /// A user signs in, and no secret is needed: for apps and tools.
    ///
    /// The other factories take the same parameters as far as they need them, and a `clientSecret` for programs that
    /// can keep it.
    ///
    /// - Parameters:
    ///   - clientID: the app's id in Spotify's dashboard.
    ///   - redirectURI: a redirect URI of the app in the dashboard; a sign-in may name another one.
    ///   - proxy: your server that exchanges codes and refresh tokens.
    ///   - proxyError: converts errors in the proxy's own format; see ``SpotifyProxy``.
    ///   - accounts: Spotify's accounts service, or a server in its place.
    ///   - pendingSignIns: keeps sign-ins until their callbacks come; `.items(…)` also over a restart.
    ///   - transport: sends token requests, for instance `URLSession.shared`.
    ///   - clock: the system's, or a `ManualClock` in tests.
    public static func pkce(
        clientID: String, redirectURI: String? = nil, proxy: SpotifyProxy? = nil,
        proxyError: @escaping @Sendable (TokenResponse) -> (any Error)? = { _ in nil },
        accounts: AuthorizationServer = .spotify, pendingSignIns: any PendingSignInStore = .inMemory,
        transport: any TokenTransport, clock: any AuthorizationClock = .system
    ) -> SpotifyTokenService {
        SpotifyTokenService(
            SpotifyConfiguration(
                flow: .pkce, client: .public(id: clientID), redirectURI: redirectURI, proxy: proxy, accounts: accounts),
            proxyError: proxyError, pendingSignIns: pendingSignIns, transport: transport, clock: clock)
    }

    /// A user signs in, and a server authenticates with the client secret, and with PKCE too (RFC 9700 §2.1.1).
    ///
    /// Never put the secret into an app: use
    /// ``authorizationCode(clientID:proxy:proxyError:redirectURI:accounts:pendingSignIns:transport:clock:)``.
    public static func authorizationCode(
        clientID: String, clientSecret: String, redirectURI: String? = nil, accounts: AuthorizationServer = .spotify,
        pendingSignIns: any PendingSignInStore = .inMemory, transport: any TokenTransport,
        clock: any AuthorizationClock = .system
    ) -> SpotifyTokenService {
        SpotifyTokenService(
            SpotifyConfiguration(
                flow: .authorizationCode, client: .secretBasic(id: clientID, secret: clientSecret),
                redirectURI: redirectURI, accounts: accounts),
            pendingSignIns: pendingSignIns, transport: transport, clock: clock)
    }

    /// A user signs in, and your server adds the client secret.
    public static func authorizationCode(
        clientID: String, proxy: SpotifyProxy,
        proxyError: @escaping @Sendable (TokenResponse) -> (any Error)? = { _ in nil }, redirectURI: String? = nil,
        accounts: AuthorizationServer = .spotify, pendingSignIns: any PendingSignInStore = .inMemory,
        transport: any TokenTransport, clock: any AuthorizationClock = .system
    ) -> SpotifyTokenService {
        SpotifyTokenService(
            SpotifyConfiguration(
                flow: .authorizationCode, client: .public(id: clientID), redirectURI: redirectURI, proxy: proxy,
                accounts: accounts),
            proxyError: proxyError, pendingSignIns: pendingSignIns, transport: transport, clock: clock)
    }

    /// No user signs in: for public data of Spotify, such as tracks and search. A token is fetched when it is needed.
    public static func clientCredentials(
        clientID: String, clientSecret: String, accounts: AuthorizationServer = .spotify, transport: any TokenTransport,
        clock: any AuthorizationClock = .system
    ) -> SpotifyTokenService {
        SpotifyTokenService(
            SpotifyConfiguration(
                flow: .clientCredentials, client: .secretBasic(id: clientID, secret: clientSecret), accounts: accounts),
            transport: transport, clock: clock)
    }

    /// No user signs in, and your server adds the client secret.
    public static func clientCredentials(
        clientID: String, proxy: SpotifyProxy,
        proxyError: @escaping @Sendable (TokenResponse) -> (any Error)? = { _ in nil },
        accounts: AuthorizationServer = .spotify, transport: any TokenTransport, clock: any AuthorizationClock = .system
    ) -> SpotifyTokenService {
        SpotifyTokenService(
            SpotifyConfiguration(
                flow: .clientCredentials, client: .public(id: clientID), proxy: proxy, accounts: accounts),
            proxyError: proxyError, transport: transport, clock: clock)
    }
}
