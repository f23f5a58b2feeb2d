// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension OAuthTokenService {
    /// Finishes a sign-in of this service: finds it by the callback's `state`, and exchanges the code for a token.
    ///
    ///     try await auth.signIn { try await service.finish(callback: url) }
    ///
    /// The sign-in is removed from the store before the code is sent, so a callback can be used only once.
    ///
    /// It is for programs with one user. On a server an attacker may begin a sign-in and give its callback to another
    /// user. So a server finishes the sign-in that it kept in the browser's session: ``finish(_:callback:)``.
    ///
    /// - Parameter callback: the URL with which the user came back.
    /// - Throws: ``SignInError``, of the kind ``SignInError/Kind/foreign`` if the callback belongs to no sign-in and
    ///   changes nothing; `TokenEndpointError` if the token endpoint refused; errors of the transport and the store.
    public func finish(callback: URL) async throws -> OAuthToken {
        guard case .text(let state) = FormPairs(queryOf: callback.absoluteString)["state"],
            let pending = try await pendingSignIns.find(state: state)
        else { throw SignInError(.foreign) }
        return try await finish(pending, callback: callback)
    }

    /// Finishes a sign-in that you kept yourself. It can be finished once, as far as the service's store remembers.
    ///
    /// - Parameters:
    ///   - pending: the sign-in that the callback is for.
    ///   - callback: the URL with which the user came back.
    /// - Throws: as ``finish(callback:)``.
    public func finish(_ pending: PendingSignIn, callback: URL) async throws -> OAuthToken {
        guard began(pending), let parameters = pending.parameters(of: callback) else { throw SignInError(.foreign) }
        let now = endpoint.clock.now
        let isExpired = pending.isExpired(at: now)
        // Adds a sign-in that was kept elsewhere, so that the store knows it as used. An expired one is not added:
        // the store compares ages with the sign-in that is added, and would drop those that are still pending.
        if !isExpired { try await pendingSignIns.add(pending) }
        guard try await pendingSignIns.take(state: pending.state) != nil else {
            throw SignInError(isExpired ? .expired : .alreadyUsed)
        }
        let code = try pending.code(in: parameters, at: now)
        let url = try endpoint.server.endpoint(endpoint.server.tokenEndpoint, named: "token_endpoint")
        return try await endpoint.token(
            "authorization_code",
            [
                // RFC 6749 §4.1.3: the same redirect URI; RFC 7636 §4.5: the verifier.
                ("code", code), ("redirect_uri", pending.redirectURI), ("code_verifier", pending.codeVerifier),
            ],
            at: url, requestedScopes: pending.scopes, replacing: nil, boundTo: pending.proofKey)
    }

    /// Whether this client began the sign-in at this server (RFC 9700 §4.4): services may share a store.
    private func began(_ pending: PendingSignIn) -> Bool {
        let server = endpoint.server
        return pending.clientID == endpoint.client.id && pending.tokenEndpoint == server.tokenEndpoint
            && (pending.issuer.map { Array($0.unicodeScalars) } == server.issuer.map { Array($0.unicodeScalars) })
    }
}
