// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension OAuthTokenService {
    /// Exchanges a signed assertion for each token, without a user (RFC 7523 §2.1).
    ///
    ///     let service = OAuthTokenService.jwtBearer(
    ///         server: server, assertion: .signed(by: signer, issuer: "robot"), scopes: ["read"], transport: transport)
    ///
    /// If the server refuses a constant assertion, ``GrantAssertion/token(_:)``, the session ends. Other assertions
    /// are made anew, so their refusal keeps the session: a wrong clock may be right at the next try, after the
    /// longest back-off.
    ///
    /// Pass a client if the server requires one in addition to the assertion. If there are no `scopes`, the server
    /// chooses. The extra `parameters` of each exchange cannot replace parameters that the library sends.
    public static func jwtBearer(
        server: AuthorizationServer, client: OAuthClient? = nil, authentication: (any ClientAuthenticator)? = nil,
        proof: ProofOfPossession? = nil,
        assertion: GrantAssertion, scopes: Set<String> = [], parameters: [String: String] = [:],
        transport: any TokenTransport, clock: any AuthorizationClock = .system
    ) -> OAuthTokenService {
        custom(
            server: server, client: client ?? .public(id: ""),
            authentication: authentication ?? (client == nil ? AnonymousClient() : nil), proof: proof,
            transport: transport, clock: clock
        ) { endpoint in
            let text = try await endpoint.text(of: assertion)
            var form = FormParameters([("assertion", text)])
            form.add(endpoint.server.quirks.parameters(of: scopes))
            form.add(extra: parameters)
            do {
                return try await endpoint.token(
                    grantType: "urn:ietf:params:oauth:grant-type:jwt-bearer", parameters: form.list,
                    requestedScopes: scopes)
            } catch let error as TokenEndpointError where error.kind == .terminal {
                // The same assertion would be refused again, so its sender has to sign in again.
                guard assertion.isRenewed else { throw NotAuthorized(.rejected, underlying: error) }
                throw TokenEndpointError(
                    status: error.status, code: error.code, retryAfter: error.retryAfter, kind: .client)
            }
        }
    }

    /// Acts for the user whose token came with a request (Microsoft's "on-behalf-of" flow).
    ///
    /// Make a service for each incoming token, and keep its provider as long as that user sends requests. With the
    /// scope `offline_access` there is a refresh token, which outlives the incoming token.
    ///
    /// The server must have issued the `incoming` access token for this program, the client, which has a secret there.
    public static func onBehalfOf(
        server: AuthorizationServer, client: OAuthClient, authentication: (any ClientAuthenticator)? = nil,
        proof: ProofOfPossession? = nil, incoming: String, scopes: Set<String>, transport: any TokenTransport,
        clock: any AuthorizationClock = .system
    ) -> OAuthTokenService {
        jwtBearer(
            server: server, client: client, authentication: authentication, proof: proof, assertion: .token(incoming),
            scopes: scopes, parameters: ["requested_token_use": "on_behalf_of"], transport: transport, clock: clock)
    }
}

extension TokenEndpoint {
    /// - Throws: `InvalidTokenRequest` if the assertion is empty, ``ClientAuthenticationFailed`` if it cannot be made.
    fileprivate func text(of assertion: GrantAssertion) async throws -> String {
        let text: String
        do { text = try await assertion.text(self) } catch { throw ClientAuthenticationFailed.keepingSession(error) }
        guard !text.isEmpty else {
            throw InvalidTokenRequest(parameter: "assertion", detail: "is empty: pass a signed JWT")
        }
        return text
    }
}

/// Sends nothing about the client, for grants that need no client: a signed assertion names its issuer.
struct AnonymousClient: ClientAuthenticator {
    var isPublic: Bool { true }

    func authenticate(_ request: ClientRequest) -> ClientProof { ClientProof() }
}
