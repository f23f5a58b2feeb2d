// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension OAuthTokenService {
    /// A person's log-in at an identity provider becomes a token of another server, without a page ("cross-app access").
    ///
    ///     let service = OAuthTokenService.identityAssertion(
    ///         from: company.endpoint, server: server, client: client, scopes: ["read"], transport: transport
    ///     ) { try company.endpoint.logIn(of: await person.validToken()) }
    ///
    /// For each token the provider makes an assertion for the server ("ID-JAG"): RFC 8693 at the provider, RFC 7523 at
    /// the server, draft-ietf-oauth-identity-assertion-authz-grant. So the provider decides anew each time, and a
    /// refresh token of the server is dropped. The provider may refuse the log-in, or `subject` throw a `NotAuthorized`
    /// that asks for a sign-in. Then callers get `NotAuthorized` with the reason `needsInteraction`, and the session is
    /// kept.
    ///
    /// Nothing is sent to a server whose metadata list its grant profiles, and this one is missing.
    ///
    /// - Parameters:
    ///   - provider: the token endpoint of the identity provider, with the client as it is registered there.
    ///   - server: the authorization server of the resource, whose `issuer` must be known.
    ///   - client: the client as it is registered at that server. Both get its `resources`.
    ///   - authentication: authenticates the client at that server, in place of the client's secret.
    ///   - proof: how tokens of that server are bound to a key.
    ///   - scopes: those of the resource; if there are none, provider and server choose.
    ///   - transport: sends the requests to that server.
    ///   - clock: the system's, or a `ManualClock` in tests.
    ///   - subject: the log-in: an ID token, or a refresh token of the provider. It is called for each token.
    public static func identityAssertion(
        from provider: TokenEndpoint, server: AuthorizationServer, client: OAuthClient,
        authentication: (any ClientAuthenticator)? = nil, proof: ProofOfPossession? = nil, scopes: Set<String> = [],
        transport: any TokenTransport, clock: any AuthorizationClock = .system,
        subject: nonisolated(nonsending) @escaping @Sendable () async throws -> SecurityToken
    ) -> OAuthTokenService {
        var provider = provider
        // A bound assertion would need a proof with the same key at the server.
        (provider.client.resources, provider.proof) = (client.resources, nil)
        let assertion = GrantAssertion.fetched { [provider] in
            try await provider.identityAssertion(for: server, scopes: scopes, subject: subject)
        }
        return custom(
            server: server, client: client,
            authentication: AssertingClient(base: authentication ?? client.authentication, assertion: assertion),
            proof: proof, transport: transport, clock: clock
        ) { endpoint in
            if endpoint.server.acceptsIdentityAssertions == false {
                throw AuthorizationServerError(.unsupported, member: AuthorizationServer.grantProfiles)
            }
            do {
                return try await endpoint.asserted(scopes: scopes).withoutRefreshToken
            } catch let error as ClientAuthenticationFailed {
                guard let ended = error.underlying as? NotAuthorized, ended.needsSignIn else { throw error }
                throw NotAuthorized(
                    .needsInteraction, detail: "sign in at the identity provider again", underlying: ended)
            }
        }
    }
}

extension AuthorizationServer {
    static let grantProfiles = "authorization_grant_profiles_supported"

    /// Whether the server's metadata list the assertions of identity providers among the grant profiles; `nil` if there
    /// is no list. Then they may be accepted.
    package var acceptsIdentityAssertions: Bool? {
        metadataTexts(Self.grantProfiles)?.contains("urn:ietf:params:oauth:grant-profile:id-jag")
    }
}

extension TokenEndpoint {
    /// The log-in of a token of this server, for an exchange here: its ID token while that is valid, else its refresh
    /// token, which lasts longer.
    ///
    /// - Throws: ``TokenOfOtherIssuer`` for a token of another server, `NotAuthorized` with the reason `needsInteraction`
    ///   if the token has neither.
    public func logIn(of token: OAuthToken) throws -> SecurityToken {
        try server.checkIssuer(of: token)
        if let idToken = token.idToken, let end = SignedInIdentity.end(of: idToken), end > clock.now {
            return .idToken(idToken)
        }
        if let refreshToken = token.refreshToken { return .refreshToken(refreshToken) }
        throw NotAuthorized(
            .needsInteraction, detail: "the log-in has no valid ID token and no refresh token: sign in there again")
    }

    /// Exchanges a log-in at this identity provider for an assertion that only the server accepts, and once.
    nonisolated(nonsending) fileprivate func identityAssertion(
        for other: AuthorizationServer, scopes: Set<String>,
        subject: nonisolated(nonsending) @Sendable () async throws -> SecurityToken
    ) async throws -> String {
        let kinds = "identity_chaining_requested_token_types_supported"
        if let listed = server.metadataTexts(kinds), !listed.contains(SecurityTokenType.idJAG.uri) {
            throw AuthorizationServerError(.unsupported, member: kinds)
        }
        let audience = try AssertionAudience.issuer.text(for: other, parameter: "audience")
        do {
            let answer = try await exchange(
                TokenExchange(
                    subject: try await subject(), requestedType: .idJAG, audiences: [audience], scopes: scopes))
            guard answer.issuedTokenType == .idJAG else {
                throw InvalidTokenResponse(
                    field: "issued_token_type", problem: .unsupported, purpose: .identityAssertion)
            }
            return answer.accessToken
        } catch let error as TokenEndpointError where error.kind == .terminal {
            throw error.sorted(as: .interaction)  // A person has to log in there again.
        }
    }
}
