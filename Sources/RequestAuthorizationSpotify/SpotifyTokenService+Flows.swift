// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import RequestAuthorization
public import RequestAuthorizationOAuth

extension SpotifyTokenService {
    /// A user signs in, and no secret is needed: for apps and tools.
    ///
    /// - Parameters:
    ///   - clientID: of the app in Spotify's dashboard.
    ///   - redirectURI: one of the app's there; a sign-in may name another.
    ///   - proxy: exchanges codes and refresh tokens in the app's place, if it has a server.
    ///   - proxyError: reads an error that the proxy answers in its own way; see ``SpotifyProxy``.
    ///   - accounts: what stands in for Spotify's accounts service.
    ///   - pendingSignIns: where sign-ins wait for their callbacks; in the platform's default store if `nil`.
    ///   - transport: carries token requests, for instance `URLSession.shared`.
    ///   - clock: the machine's, or a `ManualClock` in tests.
    public static func pkce(
        clientID: String, redirectURI: String? = nil, proxy: SpotifyProxy? = nil,
        proxyError: @escaping @Sendable (TokenResponse) -> (any Error)? = { _ in nil },
        accounts: AuthorizationServer = .spotify, pendingSignIns: (any PendingSignInStore)? = nil,
        transport: any TokenTransport, clock: any AuthorizationClock = .system
    ) -> SpotifyTokenService {
        SpotifyTokenService(
            SpotifyConfiguration(
                flow: .pkce, client: .public(id: clientID), redirectURI: redirectURI, proxy: proxy, accounts: accounts),
            proxyError: proxyError, pendingSignIns: pendingSignIns, transport: transport, clock: clock)
    }

    /// A user signs in, and a server proves itself with the client secret; with PKCE all the same (RFC 9700 §2.1.1).
    ///
    /// Never put the secret into an app: use ``authorizationCode(clientID:proxy:proxyError:redirectURI:accounts:pendingSignIns:transport:clock:)``.
    ///
    /// - Parameters:
    ///   - clientID: of the app in Spotify's dashboard.
    ///   - clientSecret: its secret.
    ///   - redirectURI: one of the app's there; a sign-in may name another.
    ///   - accounts: what stands in for Spotify's accounts service.
    ///   - pendingSignIns: where sign-ins wait for their callbacks; in the platform's default store if `nil`.
    ///   - transport: carries token requests, for instance `URLSession.shared`.
    ///   - clock: the machine's, or a `ManualClock` in tests.
    public static func authorizationCode(
        clientID: String, clientSecret: String, redirectURI: String? = nil, accounts: AuthorizationServer = .spotify,
        pendingSignIns: (any PendingSignInStore)? = nil, transport: any TokenTransport,
        clock: any AuthorizationClock = .system
    ) -> SpotifyTokenService {
        SpotifyTokenService(
            SpotifyConfiguration(
                flow: .authorizationCode, client: .secretBasic(id: clientID, secret: clientSecret),
                redirectURI: redirectURI, accounts: accounts),
            pendingSignIns: pendingSignIns, transport: transport, clock: clock)
    }

    /// A user signs in, and a server of yours adds the client secret.
    public static func authorizationCode(
        clientID: String, proxy: SpotifyProxy,
        proxyError: @escaping @Sendable (TokenResponse) -> (any Error)? = { _ in nil }, redirectURI: String? = nil,
        accounts: AuthorizationServer = .spotify, pendingSignIns: (any PendingSignInStore)? = nil,
        transport: any TokenTransport, clock: any AuthorizationClock = .system
    ) -> SpotifyTokenService {
        SpotifyTokenService(
            SpotifyConfiguration(
                flow: .authorizationCode, client: .public(id: clientID), redirectURI: redirectURI, proxy: proxy,
                accounts: accounts),
            proxyError: proxyError, pendingSignIns: pendingSignIns, transport: transport, clock: clock)
    }

    /// Nobody signs in: for what Spotify tells everybody, such as tracks and search. A token is fetched when one is needed.
    public static func clientCredentials(
        clientID: String, clientSecret: String, accounts: AuthorizationServer = .spotify, transport: any TokenTransport,
        clock: any AuthorizationClock = .system
    ) -> SpotifyTokenService {
        SpotifyTokenService(
            SpotifyConfiguration(
                flow: .clientCredentials, client: .secretBasic(id: clientID, secret: clientSecret), accounts: accounts),
            transport: transport, clock: clock)
    }

    /// Nobody signs in, and a server of yours adds the client secret.
    public static func clientCredentials(
        clientID: String, proxy: SpotifyProxy,
        proxyError: @escaping @Sendable (TokenResponse) -> (any Error)? = { _ in nil },
        accounts: AuthorizationServer = .spotify, transport: any TokenTransport,
        clock: any AuthorizationClock = .system
    ) -> SpotifyTokenService {
        SpotifyTokenService(
            SpotifyConfiguration(
                flow: .clientCredentials, client: .public(id: clientID), proxy: proxy, accounts: accounts),
            proxyError: proxyError, transport: transport, clock: clock)
    }
}
