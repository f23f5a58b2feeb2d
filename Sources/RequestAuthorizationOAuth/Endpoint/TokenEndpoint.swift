// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Sends requests to an authorization server: posts forms, authenticates the client, reads answers and sorts failures.
///
/// Each request is sent once, over `https` (or `http` on loopback). Redirects are not followed, and at most 1 MiB is
/// read. A grant that this library does not have takes a few lines:
///
///     let service = OAuthTokenService.custom(server: server, client: client, transport: URLSession.shared) { endpoint in
///         try await endpoint.token(grantType: "urn:example:grant", parameters: [("assertion", assertion)])
///     }
public struct TokenEndpoint: Sendable, RedactedDescription {
    /// The server that gets the requests.
    public internal(set) var server: AuthorizationServer
    /// The client in whose name they are sent.
    public internal(set) var client: OAuthClient
    /// Authenticates the client in each request.
    package internal(set) var authentication: any ClientAuthenticator
    package let transport: any TokenTransport
    package let clock: any AuthorizationClock
    /// How tokens are bound to a key; `nil` if they are bound to none.
    package internal(set) var proof: ProofOfPossession?
    /// The claims that a resource demands of the next token, as the text of a JSON object.
    var demandedClaims: String?
    /// The nonces and times that servers require in proofs.
    var nonces = ProofNonces()

    /// Creates an endpoint. Nothing is sent yet. `authentication` replaces the client's secret; `proof` binds tokens.
    public init(
        server: AuthorizationServer, client: OAuthClient, authentication: (any ClientAuthenticator)? = nil,
        transport: any TokenTransport, clock: any AuthorizationClock = .system, proof: ProofOfPossession? = nil
    ) {
        (self.server, self.client) = (server, client)
        self.authentication = authentication ?? client.authentication
        (self.transport, self.clock, self.proof) = (transport, clock, proof)
    }

    /// Exchanges a grant for a token.
    ///
    /// - Parameters:
    ///   - grantType: `grant_type`.
    ///   - parameters: those of the grant. Only `resource` and `audience` may be repeated. The client's own come last.
    ///   - requestedScopes: the scopes of the request; the token has these if the answer names none.
    /// - Throws: `TokenEndpointError` if the server refused, `InvalidTokenResponse` if its answer cannot be used,
    ///   ``AuthorizationServerError``, `InvalidTokenRequest`, ``ProofUnavailable`` and ``ClientAuthenticationFailed``
    ///   if nothing was sent, and errors of the transport.
    public func token(
        grantType: String, parameters: [(name: String, value: String)] = [], requestedScopes: Set<String> = []
    ) async throws -> OAuthToken {
        let url = try server.endpoint(server.tokenEndpoint, named: "token_endpoint")
        return try await token(grantType, parameters, at: url, requestedScopes: requestedScopes, replacing: nil)
    }

    /// Exchanges a refresh token for a token (RFC 6749 §6), for the same scopes.
    func refreshed(_ token: OAuthToken, with refreshToken: String) async throws -> OAuthToken {
        let url = try server.endpoint(
            server.refreshEndpoint ?? server.tokenEndpoint,
            named: server.refreshEndpoint == nil ? "token_endpoint" : "refresh_endpoint")
        return try await self.token(
            "refresh_token", [("refresh_token", refreshToken)], at: url, requestedScopes: token.scopes,
            replacing: token)
    }

    /// `key` is the key that the grant is bound to. `mayBeOfAnyKind` accepts a token that is not an access token.
    func token(
        _ grantType: String, _ parameters: [(name: String, value: String)], at url: URL, requestedScopes: Set<String>,
        replacing old: OAuthToken?, boundTo key: ProofKey? = nil, mayBeOfAnyKind: Bool = false,
        identity: IdentityRequest? = nil, for purpose: TokenRequestPurpose? = nil
    ) async throws -> OAuthToken {
        if identity != nil { try AuthorizationServer.checkLoopback(url, named: "endpoint", issuer: server.issuer) }
        let key = try proofKey(replacing: old, key)
        var form = FormParameters([("grant_type", grantType)])
        form.add(parameters)
        form.add(try ResourceIndicator.parameters(client.resources))
        form.add(server.quirks.claims(with: demandedClaims))
        form.add(extra: client.tokenParameters)
        let sentAt = clock.now
        let purpose = purpose ?? Self.purposes[grantType] ?? .token
        let answer = try await object(form.list, to: url, for: purpose, provenBy: key)
        do {
            var token = try OAuthToken(
                answer, sentAt: sentAt, requestedScopes: requestedScopes, replacing: old, quirks: server.quirks,
                mayBeOfAnyKind: mayBeOfAnyKind, proofKey: key, allowsBearer: proof?.allowsBearer ?? true)
            token.issuer = server.issuer(replacing: old)
            if let identity {
                token.identity = try SignedInIdentity(
                    answer.text("id_token"), for: client, request: identity, at: clock.now)
            } else if let signedIn = old?.identity {
                token.identity = signedIn
                if let new = answer.text("id_token"), try !signedIn.isRenewed(by: new, of: server, at: clock.now) {
                    token.idToken = old?.idToken
                }
            }
            return token
        } catch  where [.code, .deviceCode].contains(purpose) && (error as? InvalidTokenResponse)?.field != "body" {
            // Nobody gets the tokens of this sign-in. After a damaged answer a device asks again.
            let (access, refresh) = (answer.text("access_token") ?? "", answer.refreshToken)
            try? await revoke(OAuthToken(accessToken: access, refreshToken: refresh))
            throw error
        }
    }

    /// Exchanges what a person has granted.
    ///
    /// If the task is cancelled, it throws at once. A token that comes all the same is revoked, since nobody gets it.
    func signInToken(
        _ grantType: String, _ parameters: [(name: String, value: String)], at url: URL, requestedScopes: Set<String>,
        boundTo key: ProofKey?, identity: IdentityRequest?
    ) async throws -> OAuthToken {
        let answer = Task {
            try await token(
                grantType, parameters, at: url, requestedScopes: requestedScopes, replacing: nil, boundTo: key,
                identity: identity)
        }
        do {
            return try await endingAtOnce { try await answer.value }
        } catch  where Task.isCancelled {
            Task { if let late = try? await answer.value { try? await revoke(late) } }
            throw error
        }
    }

    /// What requests with these grant types ask for; those with another one ask for a token.
    private static let purposes: [String: TokenRequestPurpose] = [
        "refresh_token": .refresh, "authorization_code": .code,
        "urn:ietf:params:oauth:grant-type:device_code": .deviceCode,
    ]

    /// What a sign-in asks of its ID token.
    ///
    /// - Throws: ``AuthorizationServerError`` if the server's issuer is not known.
    func identityRequest(_ parameters: [String: String], nonce: String?) throws -> IdentityRequest {
        guard let issuer = server.issuer else {
            throw AuthorizationServerError(
                .noMetadata, member: "issuer", detail: "set the issuer, with which ID tokens are compared")
        }
        let all = parameters.merging(client.authorizationParameters) { own, _ in own }
        return IdentityRequest(
            issuer: issuer, nonce: nonce, maximumAge: all["max_age"].flatMap { Int64($0) },
            contexts: all["acr_values"]?.split(separator: " ").map(String.init) ?? [])
    }
}

extension TokenEndpoint {
    /// Sends once more if the server refused an assertion that the platform has replaced meanwhile.
    private func withPresentAssertion<Answer>(
        _ grantType: String, send: (TokenEndpoint) async throws -> Answer
    ) async throws -> Answer {
        var inner = authentication
        while !(inner is any RenewedAssertions), let outer = inner as? any AuthenticatorAround { inner = outer.base }
        guard let platform = inner as? any RenewedAssertions else { return try await send(self) }
        let sent = SentAssertion(of: platform, in: authentication)
        var endpoint = self
        endpoint.authentication = sent
        var mayRepeat = true
        while true {
            do {
                return try await send(endpoint)
            } catch let answer as TokenEndpointError where sent.isSent && platform.concerns(answer, to: grantType) {
                guard mayRepeat, try await sent.isReplaced() else { throw platform.error(for: answer) }
                mayRepeat = false
            }
        }
    }
}

// MARK: - Requests and answers

extension TokenEndpoint {
    /// Authenticates the client, posts a form, and returns the answer, whatever its status.
    ///
    /// - Throws: ``AuthorizationServerError`` if the URL must not be called, ``ClientAuthenticationFailed`` if the
    ///   client cannot be authenticated, and errors of the transport.
    package func post(
        _ parameters: [(name: String, value: String)], to url: URL, fields extra: [(name: String, value: String)] = []
    ) async throws -> TokenResponse {
        try AuthorizationServer.check(url, named: "endpoint")
        // RFC 6749 §2.3: one way of authentication in a request, and the secret never in a URI (§2.3.1).
        let ours = authentication.isPublic ? parameters : parameters.filter { !Self.proofs.contains($0.name) }
        let proof: ClientProof
        do {
            let date = Origin(url).map { nonces.time(for: .authorization($0), by: clock) } ?? clock.now
            proof = try await authentication.authenticate(
                ClientRequest(clientID: client.id, server: server, endpoint: url, parameters: ours, date: date))
            for field in proof.fields { try HeaderFieldValue.check(field.value) }
        } catch {
            throw ClientAuthenticationFailed.keepingSession(error)
        }
        var form = FormParameters(proof.parameters)
        form.add(ours)
        let type = (name: "Content-Type", value: "application/x-www-form-urlencoded")
        let fields = [type, (name: "Accept", value: "application/json")] + proof.fields + extra
        return try await transport.send(TokenRequest(url: url, fields: fields, body: FormEncoding.encode(form.list)))
    }

    /// The parameters with which a custom grant may authenticate the client, if the client is public.
    private static let proofs: Set = ["client_secret", "client_assertion", "client_assertion_type"]

    /// Posts a form and returns the JSON object of a successful answer.
    ///
    /// - Parameter purpose: what is asked for, which an error names.
    /// - Throws: `TokenEndpointError` for any status but 2xx and for an error with 2xx, `InvalidTokenResponse` if the
    ///   body is not a JSON object, ``WorkloadIdentityError`` if the server refused the platform's token.
    package func object(
        _ parameters: [(name: String, value: String)], to url: URL, for purpose: TokenRequestPurpose = .token,
        provenBy key: ProofKey? = nil
    ) async throws -> AnswerObject {
        let grantType = parameters.first { $0.name == "grant_type" }?.value ?? ""
        return try await withPresentAssertion(grantType) { endpoint in
            let response = try await endpoint.post(parameters, to: url, provenBy: key)
            guard (200..<300).contains(response.statusCode) else {
                throw endpoint.failure(response, to: parameters, for: purpose)
            }
            let answer = try AnswerObject(response, purpose: purpose)
            // Some servers send their errors with a status of success.
            if answer.isError(server.quirks) { throw endpoint.failure(response, to: parameters, for: purpose) }
            return answer
        }
    }

    /// Sorts an answer that is an error, by its error code, the server's quirks, and its `Retry-After`.
    ///
    /// - Parameters:
    ///   - parameters: those of the request, which the error does not print.
    ///   - purpose: what was asked for, which the error names.
    package func failure(
        _ response: TokenResponse, to parameters: [(name: String, value: String)] = [],
        for purpose: TokenRequestPurpose = .token
    ) -> TokenEndpointError {
        let code = (try? AnswerObject(response))?.errorCode(server.quirks)
        let kind = server.quirks.kind(status: response.statusCode, code: code, isBodyEmpty: response.body.isEmpty)
        return TokenEndpointError(
            status: response.statusCode, code: code,
            retryAfter: RetryAfter.duration(in: response, at: clock.now), kind: kind, purpose: purpose,
            sent: texts(of: parameters))
    }

    /// The texts of a request, none of which is printed.
    private func texts(of parameters: [(name: String, value: String)]) -> [String] {
        var client = authentication
        while let outer = client as? any AuthenticatorAround { client = outer.base }
        switch client as? ClientAuthentication {
        case .secretBasic(let secret), .secretPost(let secret): return parameters.map(\.value) + [secret]
        case .some(.none), nil: return parameters.map(\.value)
        }
    }
}

// MARK: - Issued tokens

extension TokenEndpoint {
    /// Introspects a token (RFC 7662 §2.1).
    func introspect(_ token: String, hint: String) async throws -> TokenIntrospection {
        let url = try server.endpoint(server.introspectionEndpoint, named: "introspection_endpoint")
        return try TokenIntrospection(
            try await object([("token", token), ("token_type_hint", hint)], to: url, for: .introspection),
            quirks: server.quirks)
    }

    /// Revokes a token (RFC 7009). The refresh token comes first: servers may then revoke its access tokens too.
    ///
    /// - Throws: as ``OAuthTokenService/revoke(_:)``.
    func revoke(_ token: OAuthToken) async throws {
        guard let url = server.revocationEndpoint else { return }
        if server.quirks.refusesPublicRevocation, authentication.isPublic { return }
        var tokens = token.refreshToken.map { [(text: $0, hint: "refresh_token")] } ?? []
        if !token.isExpired(at: clock.now), !token.accessToken.isEmpty {
            tokens.append((token.accessToken, "access_token"))
        }
        var refusal: TokenEndpointError?
        for token in tokens {
            let answer = try await revoke(token.text, hint: token.hint, at: url)
            refusal = refusal ?? answer
        }
        if let refusal { throw refusal }
    }

    /// - Returns: the server's refusal, if there is one. A token that the server does not know is not refused (§2.2).
    private func revoke(_ token: String, hint: String, at url: URL) async throws -> TokenEndpointError? {
        let parameters = [(name: "token", value: token), (name: "token_type_hint", value: hint)]
        let response: TokenResponse
        do {
            response = try await withPresentAssertion("") { endpoint in
                let response = try await endpoint.post(parameters, to: url)
                let failure = endpoint.failure(response, to: parameters, for: .revocation)
                if failure.code == "invalid_client", [400, 401].contains(failure.status) { throw failure }
                return response
            }
        } catch let refusal as TokenEndpointError where refusal.purpose == .revocation {
            return refusal.sorted(as: .client)
        }
        let failure = failure(response, to: parameters, for: .revocation)
        guard let code = failure.code else {
            // §2.2.1 refuses with an OAuth error: an answer without one says nothing about the token.
            guard (200..<300).contains(failure.status) else { throw failure.sorted(as: .transient) }
            // §2.2: the body does not count. But a page is the answer of a proxy, and the server has not been asked.
            guard response.isPage else { return nil }
            throw InvalidTokenResponse(status: failure.status, field: "body", problem: .notJSON, purpose: .revocation)
        }
        // RFC 7009 §2.2.1: after a 503 the token still exists.
        let isPassing =
            [408, 429, 500, 502, 503, 504].contains(failure.status)
            || ["temporarily_unavailable", "server_error"].contains(code)
        let sorted = failure.sorted(as: isPassing ? .transient : .client)
        if isPassing { throw sorted }
        // §2.2: a token that is not valid needs no revocation. Google answers so.
        return code == "invalid_token" ? nil : sorted
    }
}

extension TokenResponse {
    /// Whether the body is a page for people: markup, or what is declared as HTML and is not empty and no JSON object.
    fileprivate var isPage: Bool {
        let text = body.drop { [0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains($0) }  // blanks, byte order mark
        guard let first = text.first else { return false }
        if first == UInt8(ascii: "<") { return true }
        let type = headerValues(for: "Content-Type").joined(separator: ",").lowercased()
        return type.contains("html") && (try? AnswerObject(self)) == nil
    }
}
