// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import RequestAuthorization
public import RequestAuthorizationOAuth
import RequestAuthorizationStorage

/// Spotify's tokens: signs users in, exchanges codes, renews.
///
///     let spotify = SpotifyTokenService.pkce(
///         clientID: "CLIENT_ID", redirectURI: "my-app://login-callback", transport: URLSession.shared)
///     let auth = spotify.authorization(account: "me")                     // kept in the Keychain, or in a file on Linux
///
///     let pending = try await spotify.signIn(scopes: [.userReadEmail], showDialog: true)
///     open(pending.url)
///     …
///     guard pending.accepts(url) else { return }                          // another link of our scheme leaves it unharmed
///     try await auth.signIn { try await spotify.finish(callback: url) }
///
/// Three flows, each direct or through a server that keeps the client secret (``SpotifyProxy``): ``pkce(clientID:redirectURI:proxy:proxyError:accounts:pendingSignIns:transport:clock:)``
/// for apps and tools, `authorizationCode` for servers, `clientCredentials` for what concerns no user.
public struct SpotifyTokenService: RefreshableTokenService, RedactedDescription {
    public typealias Token = OAuthToken

    public let configuration: SpotifyConfiguration
    let oauth: OAuthTokenService

    /// A service for a configuration that was kept.
    ///
    /// - Parameters:
    ///   - configuration: flow, client, addresses.
    ///   - proxyError: reads an error that the proxy answers in its own way; see ``SpotifyProxy``.
    ///   - pendingSignIns: where sign-ins wait for their callbacks; by default beside the token, in the platform's default
    ///     store, so that they survive a restart.
    ///   - transport: carries token requests, for instance `URLSession.shared`.
    ///   - clock: the machine's, or a `ManualClock` in tests.
    public init(
        _ configuration: SpotifyConfiguration,
        proxyError: @escaping @Sendable (TokenResponse) -> (any Error)? = { _ in nil },
        pendingSignIns: (any PendingSignInStore)? = nil, transport: any TokenTransport,
        clock: any AuthorizationClock = .system
    ) {
        self.configuration = configuration
        let transport: any TokenTransport =
            configuration.proxy == nil
            ? transport : ProxyTransport(transport: transport, clock: clock, error: proxyError)
        oauth =
            switch configuration.flow {
            case .clientCredentials:
                .clientCredentials(
                    server: configuration.server, client: configuration.client, transport: transport, clock: clock)
            case .authorizationCode, .pkce:
                .authorizationCode(
                    server: configuration.server, client: configuration.client,
                    redirectURI: configuration.redirectURI,
                    pendingSignIns: pendingSignIns ?? .default(client: configuration.client.id),
                    transport: transport, clock: clock)
            }
    }

    /// What a user must do to end the app's permission at Spotify: a log-out ends it here only.
    public var signOutAdvice: String? { configuration.accounts.quirks.signOutAdvice }
}

// MARK: - What a provider asks for

extension SpotifyTokenService {
    /// Exchanges the refresh token, or the client's credentials. An answer without a refresh token or without scopes keeps the
    /// old ones.
    ///
    /// - Throws: `TokenEndpointError`: `invalid_grant` if the user has removed the app or signed in six months ago.
    public func refresh(_ token: OAuthToken) async throws -> OAuthToken { try await oauth.refresh(token) }

    /// A first token by the client's own credentials.
    ///
    /// - Throws: `NotAuthorized` in the flows in which a user signs in.
    public func initialToken() async throws -> OAuthToken { try await oauth.initialToken() }

    public var serverOrigin: Origin? { oauth.serverOrigin }

    public func discard(_ token: OAuthToken) async { await oauth.discard(token) }

    /// Asks nothing of Spotify, which has no revocation (``signOutAdvice``).
    public func revoke(_ token: OAuthToken) async throws { try await oauth.revoke(token) }
}
