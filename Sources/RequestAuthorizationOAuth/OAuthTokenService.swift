// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Fetches and refreshes the tokens of an authorization server. Each factory makes a service for one grant:
///
///     let service = OAuthTokenService.authorizationCode(server: server, client: .public(id: "tool"), transport: URLSession.shared)
///     let auth = RefreshableTokenAuthorization(service: service, store: .default(client: "tool", account: "me"))
///
/// The parameters that the factories share are described at
/// ``authorizationCode(server:client:authentication:proof:redirectURI:pendingSignIns:pushesRequests:transport:clock:)``.
/// There is no password grant and no implicit grant (RFC 9700 §2.4, §2.1.2).
public struct OAuthTokenService: RefreshableTokenService, RedactedDescription {
    public internal(set) var endpoint: TokenEndpoint
    /// Where the server sends users back to, unless a sign-in names another URI.
    package let redirectURI: String?
    /// Keeps sign-ins until their callbacks come.
    package let pendingSignIns: any PendingSignInStore
    /// Whether authorization requests are pushed even if the server does not require it (RFC 9126).
    let pushesRequests: Bool
    /// Fetches a first token without a user; `nil` if the grant needs a user.
    package let initial: (@Sendable (TokenEndpoint) async throws -> OAuthToken)?

    package init(
        endpoint: TokenEndpoint, redirectURI: String? = nil, pendingSignIns: any PendingSignInStore = .inMemory,
        pushesRequests: Bool = false, initial: (@Sendable (TokenEndpoint) async throws -> OAuthToken)? = nil
    ) {
        (self.endpoint, self.redirectURI, self.pendingSignIns) = (endpoint, redirectURI, pendingSignIns)
        (self.pushesRequests, self.initial) = (pushesRequests, initial)
    }

    /// Exchanges the refresh token (RFC 6749 §6). Without one, or if it is dead or its key is lost, a grant that needs
    /// no user fetches a new token.
    ///
    /// The token of another server is not sent: such a grant fetches one of its own in its place.
    ///
    /// - Throws: as ``TokenEndpoint/token(grantType:parameters:requestedScopes:)``; an error of the kind
    ///   `noRefreshToken` if there is none; ``IdentityTokenError`` if the answer is for another person, server or
    ///   client; `NotAuthorized` with a ``TokenOfOtherIssuer`` if the user has to sign in at this server first.
    public func refresh(_ token: OAuthToken) async throws -> OAuthToken {
        do { try endpoint.server.checkIssuer(of: token) } catch {
            guard initial != nil else { throw error.inSession }
            return try await initialToken()
        }
        if let refreshToken = token.refreshToken {
            do {
                return try await endpoint.refreshed(token, with: refreshToken)
            } catch let error as any TokenServiceFailure where error.kind == .terminal && initial != nil {
                // The grant can be repeated. A new refresh token counts from now.
                return try await initialToken()
            }
        }
        guard initial != nil else { throw NoRefreshToken() }
        var renewed = try await initialToken()
        renewed.authorizedAt = token.authorizedAt ?? renewed.authorizedAt
        return renewed
    }

    /// Exchanges the refresh token, and asks for the `claims` that a resource demands, if the server is known to take
    /// them (``ServerQuirks/claims``).
    ///
    /// - Throws: as ``refresh(_:)``.
    public func refresh(_ token: OAuthToken, after challenge: AuthenticationChallenge) async throws -> OAuthToken {
        var service = self
        service.endpoint.demandedClaims = challenge.claims
        return try await service.refresh(token)
    }

    /// Fetches a token with a grant that needs no user. If the server refuses the grant, the session is kept.
    ///
    /// - Throws: the errors of the grant, but a terminal `TokenEndpointError` as one of the kind `client`; `NotAuthorized`
    ///   with the reason `noToken` if the grant needs a user, and `rejected` if the server refuses a constant assertion.
    public func initialToken() async throws -> OAuthToken {
        guard let initial else { throw NotAuthorized(.noToken) }
        var token: OAuthToken
        do {
            token = try await initial(endpoint)
        } catch let error as TokenEndpointError where error.kind == .terminal {
            throw error.sorted(as: .client)  // No refresh token was sent, so none is dead.
        }
        // Wherever the grant got it from: it is a token of this service.
        token.issuer = TokenIssuer(of: endpoint.server)
        return token
    }

    /// Notes the server as the issuer of a token that names none.
    public func completed(_ token: OAuthToken) -> OAuthToken {
        guard token.issuer == nil else { return token }
        var token = token
        token.issuer = TokenIssuer(of: endpoint.server)
        return token
    }

    /// The origin of the token endpoint.
    public var serverOrigin: Origin? { endpoint.server.tokenEndpoint.flatMap { Origin($0) } }

    public var proofFields: Set<String> { endpoint.proof == nil ? [] : ["DPoP"] }

    /// Proves requests with a token that is bound to a key (RFC 9449 §7).
    ///
    /// - Throws: ``ProofUnavailable`` if the key is gone, or if the service was made without `proof`; `NotAuthorized`
    ///   with a ``TokenOfOtherIssuer`` for the token of another server, bound or not, which no request may carry.
    public func proof(for token: OAuthToken) throws -> (any RequestProof)? {
        do { try endpoint.server.checkIssuer(of: token) } catch { throw error.inSession }
        guard token.isBound else { return nil }
        guard let key = try endpoint.proofKey(replacing: token) else { return nil }
        #if canImport(CryptoKit) || Crypto
        return DPoPProof(
            try ProofSigner(key), accessToken: token.accessToken, nonces: endpoint.nonces, clock: endpoint.clock)
        #else
        throw ProofUnavailable(.notConfigured)
        #endif
    }

    /// Revokes a token at the server (RFC 7009), its refresh token first. Does nothing if the server has no revocation.
    ///
    /// Only a status of 2xx without a page, or an OAuth error, is an answer of the server. Anything else, such as the
    /// redirect or the log-in page of a network, says nothing about the token.
    ///
    /// - Throws: `TokenEndpointError` of the kind `client` if the server refused with an OAuth error, for instance for
    ///   a public client, and `transient` if it failed temporarily or did not answer itself; `InvalidTokenResponse`
    ///   for a page with the status 2xx; ``WorkloadIdentityError`` if the server refused the token of the program's
    ///   platform, and ``TokenOfOtherIssuer`` if the token is another server's, which a sign-out takes for a refusal;
    ///   errors of the transport.
    public func revoke(_ token: OAuthToken) async throws {
        try endpoint.server.checkIssuer(of: token)
        try await endpoint.revoke(token)
    }

    /// Tries to revoke a token that came too late, and ignores errors.
    public func discard(_ token: OAuthToken) async { try? await revoke(token) }

    /// Introspects a token (RFC 7662), for resource servers, which authenticate as clients.
    ///
    /// - Throws: ``AuthorizationServerError`` if there is no introspection endpoint, `InvalidTokenResponse` if the
    ///   answer is unusable, `TokenEndpointError` if the server refused, ``TokenOfOtherIssuer`` if the token is another
    ///   server's, and errors of the transport.
    public func introspect(_ token: OAuthToken) async throws -> TokenIntrospection {
        try endpoint.server.checkIssuer(of: token)
        return try await introspect(accessToken: token.accessToken)
    }

    /// Introspects an access token that came with a request. Who issued it is not known here.
    ///
    /// - Throws: as ``introspect(_:)``.
    public func introspect(accessToken: String) async throws -> TokenIntrospection {
        try await endpoint.introspect(accessToken, hint: "access_token")
    }
}

// MARK: - Grants

extension OAuthTokenService {
    /// Users sign in on the server's page, and come back with a code (RFC 6749 §4.1, with PKCE).
    ///
    /// - Parameters:
    ///   - server: the authorization server.
    ///   - client: the client as it is registered there.
    ///   - authentication: authenticates the client in each request, in place of the client's secret.
    ///   - proof: how tokens are bound to a key, such as ``ProofOfPossession/dpop``; by default they are bound to none.
    ///   - redirectURI: where the server sends users back to; a sign-in may name another URI.
    ///   - pendingSignIns: keeps sign-ins until their callbacks come; `.items(…)` also over a restart.
    ///   - pushesRequests: whether authorization requests are sent to the server before the user opens its page (RFC
    ///     9126). If the server requires it, they always are.
    ///   - transport: sends the requests, for instance `URLSession.shared`.
    ///   - clock: the system's, or a `ManualClock` in tests.
    public static func authorizationCode(
        server: AuthorizationServer, client: OAuthClient, authentication: (any ClientAuthenticator)? = nil,
        proof: ProofOfPossession? = nil, redirectURI: String? = nil, pendingSignIns: any PendingSignInStore = .inMemory,
        pushesRequests: Bool = false, transport: any TokenTransport, clock: any AuthorizationClock = .system
    ) -> OAuthTokenService {
        OAuthTokenService(
            endpoint: TokenEndpoint(
                server: server, client: client, authentication: authentication, transport: transport, clock: clock,
                proof: proof),
            redirectURI: redirectURI, pendingSignIns: pendingSignIns, pushesRequests: pushesRequests)
    }

    /// The client acts for itself: it fetches tokens without a user (RFC 6749 §4.4).
    ///
    /// If there are no `scopes`, the server chooses.
    public static func clientCredentials(
        server: AuthorizationServer, client: OAuthClient, authentication: (any ClientAuthenticator)? = nil,
        proof: ProofOfPossession? = nil,
        scopes: Set<String> = [], transport: any TokenTransport, clock: any AuthorizationClock = .system
    ) -> OAuthTokenService {
        custom(
            server: server, client: client, authentication: authentication, proof: proof, transport: transport,
            clock: clock
        ) { endpoint in
            let token = try await endpoint.token(
                grantType: "client_credentials", parameters: endpoint.server.quirks.parameters(of: scopes),
                requestedScopes: scopes)
            // RFC 6749 §4.4.3: there should be no refresh token, and the client does not need one.
            return token.withoutRefreshToken
        }
    }

    /// The client acts for itself, at a server that is discovered by its `issuer` (RFC 8414).
    ///
    /// - Throws: as ``AuthorizationServer/discover(issuer:transport:clock:)``.
    public static func clientCredentials(
        issuer: String, client: OAuthClient, authentication: (any ClientAuthenticator)? = nil,
        proof: ProofOfPossession? = nil,
        scopes: Set<String> = [], transport: any TokenTransport, clock: any AuthorizationClock = .system
    ) async throws -> OAuthTokenService {
        clientCredentials(
            server: try await .discover(issuer: issuer, transport: transport, clock: clock), client: client,
            authentication: authentication, proof: proof, scopes: scopes, transport: transport, clock: clock)
    }

    /// Users sign in on another device, with a code that this device shows (RFC 8628).
    public static func device(
        server: AuthorizationServer, client: OAuthClient, authentication: (any ClientAuthenticator)? = nil,
        proof: ProofOfPossession? = nil, transport: any TokenTransport, clock: any AuthorizationClock = .system
    ) -> OAuthTokenService {
        authorizationCode(
            server: server, client: client, authentication: authentication, proof: proof, transport: transport,
            clock: clock)
    }

    /// Any other grant that needs no user.
    ///
    /// The closure `token` is called on first use, and for each refresh without a refresh token that can be used. One
    /// that is dead, or has lost its key, cannot. A refusal of the server, such as `invalid_grant`, keeps the session.
    /// If no later call can succeed, throw `NotAuthorized(.rejected)`: it ends the session.
    public static func custom(
        server: AuthorizationServer, client: OAuthClient, authentication: (any ClientAuthenticator)? = nil,
        proof: ProofOfPossession? = nil, transport: any TokenTransport, clock: any AuthorizationClock = .system,
        token: nonisolated(nonsending) @escaping @Sendable (TokenEndpoint) async throws -> OAuthToken
    ) -> OAuthTokenService {
        OAuthTokenService(
            endpoint: TokenEndpoint(
                server: server, client: client, authentication: authentication, transport: transport, clock: clock,
                proof: proof),
            initial: token)
    }
}

/// The server gave no refresh token, so the access token cannot be refreshed.
///
/// A valid token is used until it expires or is refused. Then the user has to sign in again.
package struct NoRefreshToken: UnsentFailure, Hashable, CustomStringConvertible {
    package var kind: TokenFailureKind { .noRefreshToken }

    package init() {}

    package var description: String {
        "the server gave no refresh token, so the access token cannot be refreshed; sign in again, and request a "
            + "refresh token if the server requires that (the scope offline_access, the parameter access_type)"
    }
}
