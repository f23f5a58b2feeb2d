// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Signs users in at Spotify, and fetches and refreshes their tokens.
///
///     let spotify = SpotifyTokenService.pkce(
///         clientID: "CLIENT_ID", redirectURI: "my-app://login-callback", transport: URLSession.shared)
///     let auth = spotify.authorization(store: .default(client: "CLIENT_ID", account: "me"))   // RequestAuthorizationStorage
///
///     let pending = try await spotify.signIn(scopes: [.userReadEmail], showDialog: true)
///     open(pending.url)
///     …
///     guard pending.accepts(url) else { return }                          // another link of our scheme leaves it unharmed
///     try await auth.signIn { try await spotify.finish(callback: url) }
///
/// There are three flows: ``pkce(clientID:redirectURI:proxy:proxyError:accounts:pendingSignIns:transport:clock:)``
/// for apps and tools, `authorizationCode` for servers, and `clientCredentials` for public data. Each works directly,
/// or through a server that keeps the client secret (``SpotifyProxy``).
///
/// If the answer to a refresh has no refresh token or no scopes, the old ones are kept. A refresh throws
/// `TokenEndpointError`: `invalid_grant` if the user has removed the app or signed in six months ago. It throws
/// `NotAuthorized` with a `TokenOfOtherIssuer` if the token was issued by another server than `accounts`. Spotify
/// revokes no tokens (see ``signOutAdvice``), and binds none to a key.
public struct SpotifyTokenService: OAuthServiceAround, RedactedDescription {
    public let configuration: SpotifyConfiguration
    @usableFromInline package let oauth: OAuthTokenService

    /// Makes a service for a configuration.
    ///
    /// `proxyError` converts errors in the proxy's own format; see ``SpotifyProxy``. By default, sign-ins are kept in memory.
    /// `.items(.default(client:))` of `RequestAuthorizationStorage` keeps them over a restart.
    public init(
        _ configuration: SpotifyConfiguration,
        proxyError: @escaping @Sendable (TokenResponse) -> (any Error)? = { _ in nil },
        pendingSignIns: any PendingSignInStore = .inMemory, transport: any TokenTransport,
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
                    server: configuration.server, client: configuration.client, redirectURI: configuration.redirectURI,
                    pendingSignIns: pendingSignIns, transport: transport, clock: clock)
            }
    }

    /// How the user ends the app's access at Spotify: a sign-out ends it only on this device.
    public var signOutAdvice: String? { configuration.accounts.quirks.signOutAdvice }

    public func completed(_ token: OAuthToken) -> OAuthToken { oauth.completed(token) }
}

extension SpotifyTokenService {
    /// Makes a provider for a user of this app, whose token is kept in a store. Make one for each user and share it.
    ///
    ///     let auth = spotify.authorization(store: .default(client: "CLIENT_ID", account: "me"))
    ///
    /// That store is in `RequestAuthorizationStorage`: the Keychain on Apple's platforms, elsewhere a file with access for
    /// its owner only. The name `account` distinguishes this client's users. For a token in memory, such as for client
    /// credentials, write `RefreshableTokenAuthorization(service: spotify)`.
    public func authorization(
        store: some TokenStore<OAuthToken>, policy: RefreshPolicy = .default, clock: any AuthorizationClock = .system
    ) -> RefreshableTokenAuthorization<OAuthToken> {
        RefreshableTokenAuthorization(service: self, store: store, policy: policy, clock: clock)
    }
}
