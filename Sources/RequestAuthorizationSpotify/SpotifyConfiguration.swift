// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import RequestAuthorization
public import RequestAuthorizationOAuth

/// How an app talks to Spotify's accounts service, as a value that can be kept.
///
///     let spotify = SpotifyTokenService(configuration, transport: URLSession.shared)
///
/// It holds the client secret if there is one, and what is encoded holds it too; printed, it is redacted. Write
/// `OAuthClient.authorizationParameters` to send more along.
public struct SpotifyConfiguration: Sendable, Hashable, Codable {
    /// How tokens come about.
    public enum Flow: String, Sendable, Hashable, Codable {
        /// A user signs in; the app or its server has a client secret.
        case authorizationCode
        /// A user signs in; there is no secret.
        case pkce
        /// Nobody signs in: for what Spotify tells everybody.
        case clientCredentials
    }

    public var flow: Flow
    public var client: OAuthClient
    /// Where users come back to; a sign-in may name another.
    public var redirectURI: String?
    /// The server that keeps the client secret, if one does.
    public var proxy: SpotifyProxy?
    /// Spotify's accounts service, or what stands in for it.
    public var accounts: AuthorizationServer

    public init(
        flow: Flow, client: OAuthClient, redirectURI: String? = nil, proxy: SpotifyProxy? = nil,
        accounts: AuthorizationServer = .spotify
    ) {
        self.flow = flow
        self.client = client
        self.redirectURI = redirectURI
        self.proxy = proxy
        self.accounts = accounts
    }

    /// Where tokens really come from.
    var server: AuthorizationServer {
        guard let proxy else { return accounts }
        var server = accounts
        server.tokenEndpoint = proxy.tokenURL
        server.refreshEndpoint = proxy.refreshURL
        return server
    }
}

/// The client secret may be in it.
extension SpotifyConfiguration: RedactedDescription {
    public var description: String { "SpotifyConfiguration(\(flow.rawValue), \(client))" }
}
