// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import RequestAuthorization

extension TokenEndpoint {
    /// Exchanges a token for another one (RFC 8693).
    ///
    /// What comes may be no access token: `tokenType` is then `N_A` (§2.2.1), and the token has no header value that could be
    /// sent. ``OAuthToken/issuedTokenType`` says what it is.
    ///
    /// - Throws: as ``token(grantType:parameters:requestedScopes:)``; `InvalidTokenResponse` also if the answer does not say what
    ///   it is.
    public func exchange(_ exchange: TokenExchange) async throws -> OAuthToken {
        let url = try server.endpoint(server.tokenEndpoint, named: "token_endpoint")
        let token = try await token(
            "urn:ietf:params:oauth:grant-type:token-exchange", exchange.parameters(server.quirks), at: url,
            requestedScopes: exchange.scopes, replacing: nil, mayBeOfAnyKind: true)
        // RFC 8693 §2.2.1: required, so that nobody takes one kind of token for another.
        guard token.issuedTokenType != nil else {
            throw InvalidTokenResponse(field: "issued_token_type", problem: .missing)
        }
        return token
    }
}

extension OAuthToken {
    /// What kind of token an exchange gave (RFC 8693 §2.2.1); `nil` for what was not exchanged.
    public var issuedTokenType: SecurityTokenType? {
        guard case .string(let uri) = additionalMembers["issued_token_type"], !uri.isEmpty else { return nil }
        return SecurityTokenType(uri: uri)
    }
}

extension OAuthTokenService {
    /// Exchanges another service's token for one of its own, and again when that ends (RFC 8693).
    ///
    ///     let service = OAuthTokenService.tokenExchange(server: server, client: client, transport: transport) {
    ///         TokenExchange(subject: .accessToken(try await person.validToken().accessToken), audiences: ["ledger"])
    ///     }
    ///
    /// The closure is asked for each exchange, so that it can hand in a token that is still good. What is refused with
    /// `invalid_grant` is tried again with the next one, and ends no session.
    ///
    /// - Parameters:
    ///   - server: the authorization server.
    ///   - client: the client that is registered there.
    ///   - authentication: proves the client in each request, in place of what the client says of it.
    ///   - proof: how tokens are bound to a key, such as ``ProofOfPossession/dpop``; by default they are bound to none.
    ///   - transport: carries the requests, for instance `URLSession.shared`.
    ///   - clock: the machine's, or a `ManualClock` in tests.
    ///   - exchange: what is to be exchanged.
    public static func tokenExchange(
        server: AuthorizationServer, client: OAuthClient, authentication: (any ClientAuthenticator)? = nil,
        proof: ProofOfPossession? = nil,
        transport: any TokenTransport, clock: any AuthorizationClock = .system,
        exchange: @escaping @Sendable () async throws -> TokenExchange
    ) -> OAuthTokenService {
        custom(
            server: server, client: client, authentication: authentication, proof: proof, transport: transport,
            clock: clock
        ) { endpoint in
            do {
                let token = try await endpoint.exchange(try await exchange())
                guard !token.isNoAccessToken else {
                    throw InvalidTokenResponse(field: "token_type", problem: .unsupported)
                }
                return token
            } catch let error as TokenEndpointError where error.kind == .terminal {
                throw TokenEndpointError(
                    status: error.status, code: error.code, retryAfter: error.retryAfter, kind: .client)
            }
        }
    }
}
