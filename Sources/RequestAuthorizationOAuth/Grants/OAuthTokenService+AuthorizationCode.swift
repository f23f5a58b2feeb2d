// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
extension OAuthTokenService {
    /// Begins a sign-in: makes a new state and verifier, and the URL of the server's page (RFC 6749 §4.1.1, RFC 7636).
    ///
    ///     let pending = try await service.signIn(scopes: ["read"])
    ///     open(pending.url)                                   // in a browser, never in a web view of the app
    ///
    /// - Parameters:
    ///   - scopes: all scopes of the token; if there are none, the server chooses.
    ///   - redirectURI: where the server sends the user back to, in place of the service's redirect URI: `https`,
    ///     `http` with 127.0.0.1 or [::1] and the port of the listener, or the app's own scheme.
    ///   - parameters: extra parameters for this sign-in, such as `prompt`. They cannot replace the library's.
    ///   - challenge: why a resource refused the former token. Its scopes are added, and its `acr_values`, `max_age` and
    ///     claims are passed on, unless `parameters` name them. Claims go only to a server that takes them.
    ///   - identity: whether the token says who signed in, ``OAuthToken/identity``. It adds the scope `openid` and a
    ///     nonce, and the sign-in fails with ``IdentityTokenError`` without a valid ID token.
    /// - Returns: the sign-in, which the service's store of pending sign-ins keeps too.
    /// - Throws: ``SignInError`` of the kind ``SignInError/Kind/redirectURI``, ``AuthorizationServerError``,
    ///   `InvalidTokenRequest` for a resource that is not a URI, ``ProofUnavailable`` if there can be no key, and
    ///   errors of the store. A pushed request also throws `TokenEndpointError`, `InvalidTokenResponse`,
    ///   ``ClientAuthenticationFailed``, and errors of the transport.
    public func signIn(
        scopes: Set<String>, after challenge: AuthenticationChallenge? = nil, redirectURI: String? = nil,
        parameters: [String: String] = [:], identity: Bool = false
    ) async throws -> PendingSignIn {
        var generator = SystemRandomNumberGenerator()
        return try await signIn(
            scopes: scopes, after: challenge, redirectURI: redirectURI, parameters: parameters, identity: identity,
            using: &generator)
    }

    /// As ``signIn(scopes:after:redirectURI:parameters:identity:)``, with a given source of randomness, for tests.
    package func signIn(
        scopes: Set<String>, after challenge: AuthenticationChallenge? = nil, redirectURI: String? = nil,
        parameters: [String: String] = [:], identity: Bool = false, using generator: inout some RandomNumberGenerator
    ) async throws -> PendingSignIn {
        let pending = try await makeSignIn(
            scopes.union(identity ? ["openid"] : []).union(challenge?.scope ?? []), redirectURI: redirectURI,
            parameters: parameters.merging(endpoint.server.demands(of: challenge)) { own, _ in own },
            identity: identity, using: &generator)
        try await pendingSignIns.add(pending)
        return pending
    }

    /// Shows the server's page, waits for the callback, and exchanges the code.
    ///
    ///     try await auth.signIn {
    ///         try await service.signIn(scopes: ["read"], through: .loopback) { url in print("Open", url) }
    ///     }
    ///
    /// The receiver chooses the redirect URI. `show` opens the page, if the receiver does not do so itself. It need not
    /// end before the callback comes: this function does not wait for it (``LoopbackReceiver``).
    ///
    /// - Throws: the errors of ``signIn(scopes:after:redirectURI:parameters:identity:)``, the receiver, `show` and
    ///   ``finish(callback:)``.
    public func signIn(
        scopes: Set<String>, after challenge: AuthenticationChallenge? = nil, parameters: [String: String] = [:],
        identity: Bool = false, through receiver: some CallbackReceiver,
        show: nonisolated(nonsending) @escaping @Sendable (URL) async throws -> Void = { _ in }
    ) async throws -> OAuthToken {
        let callback = try await receiver.callback(
            for: {
                try await signIn(
                    scopes: scopes, after: challenge, redirectURI: $0, parameters: parameters, identity: identity)
            }, show: show)
        return try await finish(callback: callback)
    }

    // MARK: -

    private func makeSignIn(
        _ scopes: Set<String>, redirectURI: String?, parameters: [String: String], identity: Bool,
        using generator: inout some RandomNumberGenerator
    ) async throws -> PendingSignIn {
        let (server, client) = (endpoint.server, endpoint.client)
        guard let text = redirectURI ?? self.redirectURI else {
            throw SignInError(
                .redirectURI, detail: "there is none: pass a redirectURI to the service or to the sign-in")
        }
        let uri = try RedirectURI(text)
        let page = try server.endpoint(server.authorizationEndpoint, named: "authorization_endpoint")
        try server.checkChallengeMethod(PKCE.method)
        let state = Base64URL.random(bytes: 32, using: &generator)
        let verifier = PKCE.makeVerifier(using: &generator)
        let proofKey = try endpoint.proofKey()
        var ours: [(name: String, value: String)] = [
            ("response_type", "code"), ("client_id", client.id), ("redirect_uri", uri.text), ("state", state),
            ("code_challenge", PKCE.challenge(for: verifier)), ("code_challenge_method", PKCE.method),
        ]
        ours += server.quirks.parameters(of: scopes)
        // RFC 9449 §10: the code is bound to the key, too.
        if let proofKey { ours.append((name: "dpop_jkt", value: try proofKey.thumbprint())) }
        let asked =
            try identity
            ? endpoint.identityRequest(parameters, nonce: Base64URL.random(bytes: 32, using: &generator)) : nil
        if let nonce = asked?.nonce { ours.append((name: "nonce", value: nonce)) }
        let request = try AuthorizationRequest(ours, parameters: parameters, client: client)
        let createdAt = endpoint.clock.now
        let (url, openBefore) =
            pushesRequests || server.requiresPushedAuthorizationRequests
            ? try await pushed(request, to: page, provenBy: proofKey) : (try request.url(of: page), nil)
        return PendingSignIn(
            state: state, codeVerifier: verifier, redirectURI: uri.text, clientID: client.id, issuer: server.issuer,
            announcesIssuer: server.announcesIssuer, tokenEndpoint: server.tokenEndpoint, scopes: scopes,
            createdAt: createdAt, url: url, openBefore: openBefore, proofKey: proofKey, identity: asked)
    }

    /// Pushes the request to the server (RFC 9126). The user's browser then sends only a reference to it.
    private func pushed(
        _ request: AuthorizationRequest, to page: URL, provenBy key: ProofKey?
    ) async throws -> (URL, Date?) {
        let sentAt = endpoint.clock.now
        let answer = try await endpoint.push(request.form.list, provenBy: key)
        let requestURI = try answer.requiredText("request_uri")
        let lifetime = try answer.requiredSeconds("expires_in")
        let reference = AuthorizationRequest(requestURI, for: request, clientID: endpoint.client.id)
        return (try reference.url(of: page), sentAt.addingTimeInterval(lifetime / .seconds(1)))
    }
}
#else
// Stand-ins without SHA-256, which PKCE needs. Their message names the trait.
@available(
    *, unavailable,
    message: "a sign-in needs PKCE: enable the trait 'Crypto' of swift-request-authorization, which brings SHA-256"
)
extension OAuthTokenService {
    /// Begins a sign-in: with the trait `Crypto`.
    public func signIn(
        scopes: Set<String>, after challenge: AuthenticationChallenge? = nil, redirectURI: String? = nil,
        parameters: [String: String] = [:], identity: Bool = false
    ) async throws -> PendingSignIn { fatalError("unavailable") }

    /// Signs in from beginning to end: with the trait `Crypto`.
    public func signIn(
        scopes: Set<String>, after challenge: AuthenticationChallenge? = nil, parameters: [String: String] = [:],
        identity: Bool = false, through receiver: some CallbackReceiver,
        show: nonisolated(nonsending) @escaping @Sendable (URL) async throws -> Void = { _ in }
    ) async throws -> OAuthToken { fatalError("unavailable") }
}
#endif

extension OAuthTokenService {
    /// Finishes a sign-in of this service: finds it by the callback's `state`, and exchanges the code for a token.
    ///
    ///     try await auth.signIn { try await service.finish(callback: url) }
    ///
    /// The sign-in is removed from the store before the code is sent, so a callback can be used only once. Cancelling
    /// the task ends it at once, and a token that comes after that is revoked. In a task that is cancelled already
    /// nothing is sent, and the sign-in stays in the store.
    ///
    /// It is for programs with one user. On a server an attacker may begin a sign-in and give its callback to another
    /// user. So a server finishes the sign-in that it kept in the browser's session: ``finish(_:callback:)``.
    ///
    /// - Throws: ``SignInError``, of the kind ``SignInError/Kind/foreign`` if the callback belongs to no sign-in and
    ///   changes nothing; `TokenEndpointError` if the token endpoint refused; `InvalidTokenResponse` and
    ///   ``IdentityTokenError`` if its answer cannot be used; ``AuthorizationServerError``, ``ProofUnavailable`` and
    ///   ``ClientAuthenticationFailed`` if nothing was sent; errors of the transport and the store.
    public func finish(callback: URL) async throws -> OAuthToken {
        guard case .text(let state) = FormPairs(queryOf: callback.absoluteString)["state"],
            let pending = try await pendingSignIns.find(state: state)
        else { throw SignInError(.foreign) }
        return try await finish(pending, callback: callback)
    }

    /// Finishes a sign-in that you kept yourself. It can be finished once, as far as the service's store remembers.
    ///
    /// - Throws: as ``finish(callback:)``.
    public func finish(_ pending: PendingSignIn, callback: URL) async throws -> OAuthToken {
        guard began(pending), let parameters = pending.parameters(of: callback) else { throw SignInError(.foreign) }
        let url = try endpoint.server.endpoint(endpoint.server.tokenEndpoint, named: "token_endpoint")
        // A service without `proof` leaves the sign-in to the one that began it.
        if let key = pending.proofKey { _ = try endpoint.proofKey(replacing: nil, key) }
        try Task.checkCancellation()  // From here on the exchange goes on without its caller.
        let now = endpoint.clock.now
        let isExpired = pending.isExpired(at: now)
        // Adds a sign-in that was kept elsewhere, so that the store knows it as used. An expired one is not added:
        // the store compares ages with the sign-in that is added, and would drop those that are still pending.
        if !isExpired { try await pendingSignIns.add(pending) }
        guard try await pendingSignIns.take(state: pending.state) != nil else {
            throw SignInError(isExpired ? .expired : .alreadyUsed)
        }
        let code = try pending.code(in: parameters, at: now)
        return try await endpoint.signInToken(
            "authorization_code",
            [
                // RFC 6749 §4.1.3: the same redirect URI; RFC 7636 §4.5: the verifier.
                ("code", code), ("redirect_uri", pending.redirectURI), ("code_verifier", pending.codeVerifier),
            ],
            at: url, requestedScopes: pending.scopes, boundTo: pending.proofKey, identity: pending.identity)
    }

    /// Whether this client began the sign-in at this server (RFC 9700 §4.4): services may share a store.
    private func began(_ pending: PendingSignIn) -> Bool {
        let server = endpoint.server
        // A stored URL has no base any more, and `==` compares the base.
        return pending.clientID == endpoint.client.id
            && pending.tokenEndpoint?.absoluteString == server.tokenEndpoint?.absoluteString
            && (pending.issuer.map { Array($0.unicodeScalars) } == server.issuer.map { Array($0.unicodeScalars) })
    }
}
