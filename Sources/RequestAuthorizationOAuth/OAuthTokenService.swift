// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

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
    /// Keeps sign-ins until their callbacks come.
    package let pendingSignIns: any PendingSignInStore
    /// Whether authorization requests are pushed also where the server does not require it (RFC 9126).
    let pushesRequests: Bool
    /// Fetches a first token without a person, where the grant can.
    package let initial: (@Sendable (TokenEndpoint) async throws -> OAuthToken)?

    package init(
        endpoint: TokenEndpoint, redirectURI: String? = nil, pendingSignIns: any PendingSignInStore = .inMemory,
        pushesRequests: Bool = false, initial: (@Sendable (TokenEndpoint) async throws -> OAuthToken)? = nil
    ) {
        self.endpoint = endpoint
        self.redirectURI = redirectURI
        self.pendingSignIns = pendingSignIns
        self.pushesRequests = pushesRequests
        self.initial = initial
    }

    /// Exchanges the refresh token (RFC 6749 §6); a client that can fetch tokens by itself fetches another.
    ///
    /// - Throws: `TokenEndpointError` for what the server refused, `InvalidTokenResponse` for what cannot be used,
    ///   ``NoRefreshToken`` if there is no way but to sign in again, and what the transport throws.
    public func refresh(_ token: OAuthToken) async throws -> OAuthToken {
        if let refreshToken = token.refreshToken {
            return try await endpoint.refreshed(token, with: refreshToken)
        }
        guard let initial else { throw NoRefreshToken() }
        var renewed = try await initial(endpoint)
        renewed.authorizedAt = token.authorizedAt ?? renewed.authorizedAt
        return renewed
    }

    public func initialToken() async throws -> OAuthToken {
        guard let initial else { throw NotAuthorized(.noToken) }
        return try await initial(endpoint)
    }

    /// Where the token endpoint is.
    public var serverOrigin: Origin? { endpoint.server.tokenEndpoint.flatMap { Origin($0) } }

    public var proofFields: Set<String> { endpoint.proof == nil ? [] : ["DPoP"] }

    /// Proves requests with a token that is bound to a key (RFC 9449 §7).
    ///
    /// - Throws: ``ProofUnavailable`` if the key is gone, or if the service was made without `proof`.
    public func proof(for token: OAuthToken) throws -> (any RequestProof)? {
        guard token.isBound else { return nil }
        guard let key = try endpoint.proofKey(replacing: token) else { return nil }
        #if canImport(CryptoKit) || Crypto
        return DPoPProof(
            try ProofSigner(key), accessToken: token.accessToken, nonces: endpoint.nonces, clock: endpoint.clock)
        #else
        throw ProofUnavailable(.notConfigured)
        #endif
    }

    /// Revokes a token at the server (RFC 7009), its refresh token first. A server without revocation is no error.
    ///
    /// - Throws: `TokenEndpointError` of the kind `transient` if the server wants to be asked later, and `client` if it will
    ///   not do it, for instance for a public client; what the transport throws.
    public func revoke(_ token: OAuthToken) async throws { try await endpoint.revoke(token) }

    /// Revokes a token that came too late, if the server lets itself be reached.
    public func discard(_ token: OAuthToken) async { try? await revoke(token) }

    /// Asks the server what a token is worth (RFC 7662): for resource servers, which authenticate themselves as clients.
    ///
    /// - Throws: ``AuthorizationServerError`` if there is no introspection endpoint, `InvalidTokenResponse` if the answer says
    ///   nothing, `TokenEndpointError` if the server refused, and what the transport throws.
    public func introspect(_ token: OAuthToken) async throws -> TokenIntrospection {
        try await introspect(accessToken: token.accessToken)
    }

    /// The same for an access token that came with a request.
    public func introspect(accessToken: String) async throws -> TokenIntrospection {
        try await endpoint.introspect(accessToken, hint: "access_token")
    }
}

// MARK: - Grants

extension OAuthTokenService {
    /// People sign in on the server's page, and come back with a code (RFC 6749 §4.1, with PKCE).
    ///
    /// - Parameters:
    ///   - server: the authorization server.
    ///   - client: the client as it is registered there.
    ///   - authentication: proves the client in each request, in place of what the client says of it.
    ///   - proof: how tokens are bound to a key, such as ``ProofOfPossession/dpop``; by default they are bound to none.
    ///   - redirectURI: where the server sends people back to; a sign-in may name another.
    ///   - pendingSignIns: keeps sign-ins until their callbacks come; `.items(…)` also over a restart of the app.
    ///   - pushesRequests: whether authorization requests are handed to the server before a person sees them (RFC 9126); they
    ///     are in any case if the server requires it.
    ///   - transport: carries the requests, for instance `URLSession.shared`.
    ///   - clock: the machine's, or a `ManualClock` in tests.
    public static func authorizationCode(
        server: AuthorizationServer, client: OAuthClient, authentication: (any ClientAuthenticator)? = nil,
        proof: ProofOfPossession? = nil,
        redirectURI: String? = nil, pendingSignIns: any PendingSignInStore = .inMemory,
        pushesRequests: Bool = false, transport: any TokenTransport, clock: any AuthorizationClock = .system
    ) -> OAuthTokenService {
        OAuthTokenService(
            endpoint: TokenEndpoint(
                server: server, client: client, authentication: authentication, transport: transport, clock: clock,
                proof: proof),
            redirectURI: redirectURI, pendingSignIns: pendingSignIns, pushesRequests: pushesRequests)
    }

    /// The client acts for itself: it fetches its first token alone, and another when that ends (RFC 6749 §4.4).
    ///
    /// - Parameters:
    ///   - server: the authorization server.
    ///   - client: the client that is registered there.
    ///   - authentication: proves the client in each request, in place of what the client says of it.
    ///   - proof: how tokens are bound to a key, such as ``ProofOfPossession/dpop``; by default they are bound to none.
    ///   - scopes: what to ask for; the server's choice if there are none.
    ///   - transport: carries the requests, for instance `URLSession.shared`.
    ///   - clock: the machine's, or a `ManualClock` in tests.
    public static func clientCredentials(
        server: AuthorizationServer, client: OAuthClient, authentication: (any ClientAuthenticator)? = nil,
        proof: ProofOfPossession? = nil,
        scopes: Set<String> = [], transport: any TokenTransport, clock: any AuthorizationClock = .system
    ) -> OAuthTokenService {
        custom(
            server: server, client: client, authentication: authentication, proof: proof, transport: transport,
            clock: clock
        ) { endpoint in
            let scope = endpoint.server.quirks.text(of: scopes)
            var token = try await endpoint.token(
                grantType: "client_credentials", parameters: scopes.isEmpty ? [] : [("scope", scope)],
                requestedScopes: scopes)
            // RFC 6749 §4.4.3: there should be none, and the client needs none.
            (token.refreshToken, token.refreshTokenExpiresAt) = (nil, nil)
            return token
        }
    }

    /// The same, with a server that is discovered.
    ///
    /// - Throws: what ``AuthorizationServer/discover(issuer:transport:clock:)`` throws.
    public static func clientCredentials(
        issuer: String, client: OAuthClient, authentication: (any ClientAuthenticator)? = nil,
        proof: ProofOfPossession? = nil,
        scopes: Set<String> = [], transport: any TokenTransport, clock: any AuthorizationClock = .system
    ) async throws -> OAuthTokenService {
        clientCredentials(
            server: try await .discover(issuer: issuer, transport: transport, clock: clock), client: client,
            authentication: authentication, proof: proof, scopes: scopes, transport: transport, clock: clock)
    }

    /// People sign in on another device, with a code that this one shows (RFC 8628).
    public static func device(
        server: AuthorizationServer, client: OAuthClient, authentication: (any ClientAuthenticator)? = nil,
        proof: ProofOfPossession? = nil,
        transport: any TokenTransport, clock: any AuthorizationClock = .system
    ) -> OAuthTokenService {
        OAuthTokenService(
            endpoint: TokenEndpoint(
                server: server, client: client, authentication: authentication, transport: transport, clock: clock,
                proof: proof))
    }

    /// Any other grant that needs no person.
    ///
    /// - Parameters:
    ///   - server: the authorization server.
    ///   - client: the client that is registered there.
    ///   - authentication: proves the client in each request, in place of what the client says of it.
    ///   - proof: how tokens are bound to a key, such as ``ProofOfPossession/dpop``; by default they are bound to none.
    ///   - transport: carries the requests, for instance `URLSession.shared`.
    ///   - clock: the machine's, or a `ManualClock` in tests.
    ///   - token: fetches a token; called on first use, and again where the token came without a refresh token.
    public static func custom(
        server: AuthorizationServer, client: OAuthClient, authentication: (any ClientAuthenticator)? = nil,
        proof: ProofOfPossession? = nil,
        transport: any TokenTransport, clock: any AuthorizationClock = .system,
        token: @escaping @Sendable (TokenEndpoint) async throws -> OAuthToken
    ) -> OAuthTokenService {
        OAuthTokenService(
            endpoint: TokenEndpoint(
                server: server, client: client, authentication: authentication, transport: transport, clock: clock,
                proof: proof),
            initial: token)
    }
}
