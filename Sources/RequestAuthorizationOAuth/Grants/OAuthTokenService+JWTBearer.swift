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
    /// longest back-off. With them a refresh token in an answer is dropped.
    ///
    /// Pass a client if the server requires one in addition to the assertion. If there are no `scopes`, the server
    /// chooses. The extra `parameters` of each exchange cannot replace parameters that the library sends.
    public static func jwtBearer(
        server: AuthorizationServer, client: OAuthClient? = nil, authentication: (any ClientAuthenticator)? = nil,
        proof: ProofOfPossession? = nil,
        assertion: GrantAssertion, scopes: Set<String> = [], parameters: [String: String] = [:],
        transport: any TokenTransport, clock: any AuthorizationClock = .system
    ) -> OAuthTokenService {
        let base: any ClientAuthenticator = authentication ?? client?.authentication ?? AnonymousClient()
        return custom(
            server: server, client: client ?? .public(id: ""),
            authentication: AssertingClient(base: base, assertion: assertion), proof: proof,
            transport: transport, clock: clock
        ) { endpoint in
            do {
                let token = try await endpoint.asserted(scopes: scopes, parameters: parameters)
                return assertion.isRenewed ? token.withoutRefreshToken : token
            } catch let error as TokenEndpointError where error.kind == .terminal && !assertion.isRenewed {
                // The same assertion would be refused again, so its sender has to sign in again.
                throw NotAuthorized(.rejected, underlying: error)
            }
        }
    }

    /// Acts for the user whose token came with a request (Microsoft's "on-behalf-of" flow).
    ///
    /// Make a service for each incoming token, and keep its provider as long as that user sends requests. With the
    /// scope `offline_access` there is a refresh token, which outlives the incoming token. If the server refuses it, the
    /// incoming token is exchanged once more.
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
    /// Exchanges the assertion that the authenticator adds to the request.
    func asserted(scopes: Set<String>, parameters: [String: String] = [:]) async throws -> OAuthToken {
        var form = FormParameters(server.quirks.parameters(of: scopes))
        form.add(extra: parameters.filter { $0.key != "assertion" })
        return try await token(grantType: AssertingClient.grantType, parameters: form.list, requestedScopes: scopes)
    }
}

/// Adds an assertion to each request for this grant, beside what another authenticator sends for the client.
///
/// A request that is sent again, with the nonce that a server wants in a proof (RFC 9449 §8), so has an assertion of
/// its own. A server that accepts each assertion once would refuse the first one.
struct AssertingClient: AuthenticatorAround, RedactedDescription {
    static let grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer"

    let base: any ClientAuthenticator
    let assertion: GrantAssertion

    var isPublic: Bool { base.isPublic }

    /// - Throws: `InvalidTokenRequest` if the assertion is empty, and the errors of the assertion and of the base.
    func authenticate(_ request: ClientRequest) async throws -> ClientProof {
        guard request.parameters.contains(where: { $0 == ("grant_type", Self.grantType) }) else {
            return try await base.authenticate(request)
        }
        let text = try await assertion.text(request)
        guard !text.isEmpty else {
            throw InvalidTokenRequest(parameter: "assertion", detail: "is empty: pass a signed JWT")
        }
        let grant = [(name: "grant_type", value: Self.grantType), (name: "assertion", value: text)]
        var form = FormParameters(grant)
        form.add(request.parameters)
        var proof = try await base.authenticate(
            ClientRequest(
                clientID: request.clientID, server: request.server, endpoint: request.endpoint, parameters: form.list,
                date: request.date))
        proof.parameters += grant
        return proof
    }
}

/// Sends nothing about the client, for grants that need no client: a signed assertion names its issuer.
struct AnonymousClient: ClientAuthenticator {
    var isPublic: Bool { true }

    func authenticate(_ request: ClientRequest) -> ClientProof { ClientProof() }
}
