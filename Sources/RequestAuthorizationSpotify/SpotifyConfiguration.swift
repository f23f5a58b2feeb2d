// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The flow, client and addresses of an app at Spotify's accounts service, as a value that can be stored.
///
///     let spotify = SpotifyTokenService(configuration, transport: URLSession.shared)
///
/// It contains the client secret, if there is one, and so does its encoded form. Its description is redacted. Set
/// `OAuthClient.authorizationParameters` to send further parameters.
public struct SpotifyConfiguration: Sendable, Hashable, Codable {
    /// The way in which tokens are obtained.
    public enum Flow: String, Sendable, Hashable, Codable {
        /// A user signs in; the app or its server has a client secret.
        case authorizationCode
        /// A user signs in; there is no secret.
        case pkce
        /// No user signs in: for public data of Spotify.
        case clientCredentials
    }

    /// The way in which tokens are obtained.
    public var flow: Flow
    /// The client, as Spotify's dashboard has it.
    public var client: OAuthClient
    /// Where users come back to; a sign-in may name another URI.
    public var redirectURI: String?
    /// The server that keeps the client secret; `nil` if there is none.
    public var proxy: SpotifyProxy?
    /// Spotify's accounts service, or a server in its place.
    public var accounts: AuthorizationServer

    public init(
        flow: Flow, client: OAuthClient, redirectURI: String? = nil, proxy: SpotifyProxy? = nil,
        accounts: AuthorizationServer = .spotify
    ) {
        (self.flow, self.client, self.redirectURI) = (flow, client, redirectURI)
        (self.proxy, self.accounts) = (proxy, accounts)
    }

    /// The server whose token endpoint is called: that of `accounts`, or the proxy.
    var server: AuthorizationServer {
        guard let proxy else { return accounts }
        var server = accounts
        (server.tokenEndpoint, server.refreshEndpoint) = (proxy.tokenURL, proxy.refreshURL)
        return server
    }
}

/// Redacted because it may contain the client secret.
extension SpotifyConfiguration: OwnDescription {
    @usableFromInline package var ownDescription: String { "SpotifyConfiguration(\(flow.rawValue), \(client))" }
}
