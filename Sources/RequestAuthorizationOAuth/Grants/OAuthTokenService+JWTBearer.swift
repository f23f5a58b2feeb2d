// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import RequestAuthorization

extension OAuthTokenService {
    /// Hands in a signed assertion for each token (RFC 7523 §2.1): nobody signs in.
    ///
    ///     let service = OAuthTokenService.jwtBearer(
    ///         server: server, assertion: .signed(by: signer, issuer: "robot"), scopes: ["read"], transport: transport)
    ///
    /// An assertion that the server refuses ends no session if the next one is another one: it is tried again at the longest
    /// back-off, and a clock that was wrong may be right by then. A ``GrantAssertion/token(_:)`` that is refused does.
    ///
    /// - Parameters:
    ///   - server: the authorization server.
    ///   - client: the client, where the server wants one beside the assertion.
    ///   - authentication: proves the client in each request, in place of what the client says of it.
    ///   - proof: how tokens are bound to a key, such as ``ProofOfPossession/dpop``; by default they are bound to none.
    ///   - assertion: what is handed in.
    ///   - scopes: what to ask for; the server's choice if there are none.
    ///   - parameters: more to say with each assertion. What the library sends cannot be replaced.
    ///   - transport: carries the requests, for instance `URLSession.shared`.
    ///   - clock: the machine's, or a `ManualClock` in tests.
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
            if !scopes.isEmpty { form.add([("scope", endpoint.server.quirks.text(of: scopes))]) }
            form.add(extra: parameters)
            do {
                return try await endpoint.token(
                    grantType: "urn:ietf:params:oauth:grant-type:jwt-bearer", parameters: form.list,
                    requestedScopes: scopes)
            } catch let error as TokenEndpointError where error.kind == .terminal {
                // What came in stays refused, and whoever sent it has to sign in again.
                guard assertion.isRenewed else { throw NotAuthorized(.rejected, underlying: error) }
                throw TokenEndpointError(
                    status: error.status, code: error.code, retryAfter: error.retryAfter, kind: .client)
            }
        }
    }

    /// Acts for the person whose token came with a request, as Microsoft's "on-behalf-of" does.
    ///
    /// Make one for each token that comes in, and keep its provider for as long as the person's requests do. The refresh token
    /// that `offline_access` brings outlives the token that came in.
    ///
    /// - Parameters:
    ///   - server: the authorization server, which has issued the token that came in.
    ///   - client: this program, which has a secret there.
    ///   - authentication: proves the client in each request, in place of what the client says of it.
    ///   - proof: how tokens are bound to a key, such as ``ProofOfPossession/dpop``; by default they are bound to none.
    ///   - incoming: the access token that came in, which must be for this program.
    ///   - scopes: what to ask for.
    ///   - transport: carries the requests, for instance `URLSession.shared`.
    ///   - clock: the machine's, or a `ManualClock` in tests.
    public static func onBehalfOf(
        server: AuthorizationServer, client: OAuthClient, authentication: (any ClientAuthenticator)? = nil,
        proof: ProofOfPossession? = nil,
        incoming: String, scopes: Set<String>, transport: any TokenTransport,
        clock: any AuthorizationClock = .system
    ) -> OAuthTokenService {
        jwtBearer(
            server: server, client: client, authentication: authentication, proof: proof, assertion: .token(incoming),
            scopes: scopes, parameters: ["requested_token_use": "on_behalf_of"], transport: transport, clock: clock)
    }
}

extension TokenEndpoint {
    /// - Throws: `InvalidTokenRequest` for an empty one, ``ClientAuthenticationFailed`` if there is none now.
    fileprivate func text(of assertion: GrantAssertion) async throws -> String {
        let text: String
        do {
            text = try await assertion.text(self)
        } catch let error where error is CancellationError || error is any TokenServiceFailure {
            throw error
        } catch {
            throw ClientAuthenticationFailed(underlying: error)
        }
        guard !text.isEmpty else {
            throw InvalidTokenRequest(parameter: "assertion", detail: "is empty: pass a signed JWT")
        }
        return text
    }
}
