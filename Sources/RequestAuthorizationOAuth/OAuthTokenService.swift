// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

public import RequestAuthorization

/// Fetches and renews the tokens of an authorization server. It is told how by one of its factories:
///
///     let service = OAuthTokenService.authorizationCode(server: server, client: .public(id: "tool"), transport: URLSession.shared)
///     let auth = RefreshableTokenAuthorization(service: service, store: .default(client: "tool", account: "me"))
///
/// There is no password grant and no implicit grant (RFC 9700 §2.4, §2.1.2).
public struct OAuthTokenService: RefreshableTokenService, RedactedDescription {
    public let endpoint: TokenEndpoint
    /// Where the server sends people back to, unless a sign-in names another.
    package let redirectURI: String?
    /// Fetches a first token without a person, where the grant can.
    package let initial: (@Sendable (TokenEndpoint) async throws -> OAuthToken)?

    package init(
        endpoint: TokenEndpoint, redirectURI: String? = nil,
        initial: (@Sendable (TokenEndpoint) async throws -> OAuthToken)? = nil
    ) {
        self.endpoint = endpoint
        self.redirectURI = redirectURI
        self.initial = initial
    }

    /// Exchanges the refresh token (RFC 6749 §6); a client that can fetch tokens by itself fetches another.
    ///
    /// - Throws: `TokenEndpointError` for what the server refused, ``InvalidTokenResponse`` for what cannot be used,
    ///   ``NoRefreshToken`` if there is no way but to sign in again, and what the transport throws.
    public func refresh(_ token: OAuthToken) async throws -> OAuthToken {
        if let refreshToken = token.refreshToken {
            return try await endpoint.refreshed(token, with: refreshToken)
        }
        guard let initial else { throw NoRefreshToken(for: token, at: endpoint.clock.now) }
        var renewed = try await initial(endpoint)
        renewed.authorizedAt = token.authorizedAt ?? renewed.authorizedAt
        return renewed
    }

    public func initialToken() async throws -> OAuthToken {
        guard let initial else { throw NotAuthorized(.noToken) }
        return try await initial(endpoint)
    }
}

// MARK: - Grants

extension OAuthTokenService {
    /// People sign in on the server's page, and come back with a code (RFC 6749 §4.1, with PKCE).
    ///
    /// - Parameters:
    ///   - server: the authorization server.
    ///   - client: the client as it is registered there.
    ///   - redirectURI: where the server sends people back to; a sign-in may name another.
    ///   - transport: carries the requests, for instance `URLSession.shared`.
    ///   - clock: the machine's, or a `ManualClock` in tests.
    public static func authorizationCode(
        server: AuthorizationServer, client: OAuthClient, redirectURI: String? = nil, transport: any TokenTransport,
        clock: any AuthorizationClock = .system
    ) -> OAuthTokenService {
        OAuthTokenService(
            endpoint: TokenEndpoint(server: server, client: client, transport: transport, clock: clock),
            redirectURI: redirectURI)
    }

    /// The client acts for itself: it fetches its first token alone, and another when that ends (RFC 6749 §4.4).
    ///
    /// - Parameter scopes: what to ask for; the server's choice if there are none.
    public static func clientCredentials(
        server: AuthorizationServer, client: OAuthClient, scopes: Set<String> = [], transport: any TokenTransport,
        clock: any AuthorizationClock = .system
    ) -> OAuthTokenService {
        custom(server: server, client: client, transport: transport, clock: clock) { endpoint in
            let scope = endpoint.server.quirks.text(of: scopes)
            var token = try await endpoint.token(
                grantType: "client_credentials", parameters: scopes.isEmpty ? [] : [("scope", scope)],
                requestedScopes: scopes)
            // RFC 6749 §4.4.3: there should be none, and the client needs none.
            (token.refreshToken, token.refreshTokenExpiresAt) = (nil, nil)
            return token
        }
    }

    /// People sign in on another device, with a code that this one shows (RFC 8628).
    public static func device(
        server: AuthorizationServer, client: OAuthClient, transport: any TokenTransport,
        clock: any AuthorizationClock = .system
    ) -> OAuthTokenService {
        OAuthTokenService(
            endpoint: TokenEndpoint(server: server, client: client, transport: transport, clock: clock))
    }

    /// Any other grant that needs no person.
    ///
    /// - Parameter token: fetches a token; called on first use, and again where the token came without a refresh token.
    public static func custom(
        server: AuthorizationServer, client: OAuthClient, transport: any TokenTransport,
        clock: any AuthorizationClock = .system,
        token: @escaping @Sendable (TokenEndpoint) async throws -> OAuthToken
    ) -> OAuthTokenService {
        OAuthTokenService(
            endpoint: TokenEndpoint(server: server, client: client, transport: transport, clock: clock),
            initial: token)
    }
}
