// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension TokenEndpoint {
    /// Exchanges a token for another one (RFC 8693).
    ///
    /// The new token may not be an access token. Its `tokenType` is then `N_A` (§2.2.1), it has no header value, and
    /// ``OAuthToken/issuedTokenType`` names its kind.
    ///
    /// - Throws: as ``token(grantType:parameters:requestedScopes:)``; `InvalidTokenResponse` also if the kind is
    ///   missing.
    public func exchange(_ exchange: TokenExchange) async throws -> OAuthToken {
        let url = try server.endpoint(server.tokenEndpoint, named: "token_endpoint")
        let token = try await token(
            "urn:ietf:params:oauth:grant-type:token-exchange", exchange.parameters(server.quirks), at: url,
            requestedScopes: exchange.scopes, replacing: nil, mayBeOfAnyKind: true,
            for: exchange.requestedType == .idJAG ? .identityAssertion : nil)
        // RFC 8693 §2.2.1: required, so that one kind of token cannot be mistaken for another.
        guard token.issuedTokenType != nil else {
            throw InvalidTokenResponse(field: "issued_token_type", problem: .missing)
        }
        return token
    }
}

extension OAuthToken {
    /// The kind of an exchanged token (RFC 8693 §2.2.1); `nil` for other tokens.
    public var issuedTokenType: SecurityTokenType? {
        additionalMembers["issued_token_type"]?.text.map { SecurityTokenType(uri: $0) }
    }
}

extension OAuthTokenService {
    /// Exchanges another service's token for its own token, and again when that expires (RFC 8693).
    ///
    ///     let service = OAuthTokenService.tokenExchange(server: server, client: client, transport: transport) {
    ///         TokenExchange(subject: .accessToken(try await person.validToken().accessToken), audiences: ["ledger"])
    ///     }
    ///
    /// The closure is called for each exchange, so that it can return a token that is still valid. A refusal with
    /// `invalid_grant` keeps the session, and the next try uses the closure's next token. If the closure throws a
    /// `NotAuthorized` that asks for a sign-in, callers get one with the reason `needsInteraction`, and the session is kept.
    /// Most other errors of the closure reach callers in a ``ClientAuthenticationFailed``: nothing was sent.
    public static func tokenExchange(
        server: AuthorizationServer, client: OAuthClient, authentication: (any ClientAuthenticator)? = nil,
        proof: ProofOfPossession? = nil, transport: any TokenTransport, clock: any AuthorizationClock = .system,
        exchange: nonisolated(nonsending) @escaping @Sendable () async throws -> TokenExchange
    ) -> OAuthTokenService {
        custom(
            server: server, client: client, authentication: authentication, proof: proof, transport: transport,
            clock: clock
        ) { endpoint in
            let tokens: TokenExchange
            do {
                tokens = try await exchange()
            } catch let ended as NotAuthorized where ended.needsSignIn {
                throw NotAuthorized(
                    .needsInteraction, detail: "sign in where the exchanged token comes from", underlying: ended)
            } catch let error where !(error is NotAuthorized) {
                throw ClientAuthenticationFailed.keepingSession(error)  // Nothing was sent to this server.
            }
            let token = try await endpoint.exchange(tokens)
            guard !token.isNoAccessToken else {
                throw InvalidTokenResponse(field: "token_type", problem: .unsupported)
            }
            return token
        }
    }
}
