// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension OAuthTokenService {
    /// Ends a sign-in that this service began: finds it by the callback's `state`, and exchanges the code for a token.
    ///
    ///     try await auth.signIn { try await service.finish(callback: url) }
    ///
    /// The sign-in is taken before the code is sent, so a callback serves once, whoever brings it and however often.
    ///
    /// It is for programs with one user. A server, where anybody may begin a sign-in and hand its callback to somebody else,
    /// finishes the sign-in of the browser's own session: ``finish(_:callback:)``.
    ///
    /// - Parameter callback: the URL that the person came back with.
    /// - Throws: ``SignInError``, of the kind ``SignInError/Kind/foreign`` if it changes nothing; what the token endpoint refuses
    ///   as `TokenEndpointError`, and what the transport and the store throw.
    public func finish(callback: URL) async throws -> OAuthToken {
        guard case .text(let state) = FormPairs(queryOf: callback.absoluteString)["state"],
            let pending = try await pendingSignIns.find(state: state)
        else { throw SignInError(.foreign) }
        return try await finish(pending, callback: callback)
    }

    /// Ends a sign-in that you kept yourself. It serves once all the same, as far as the service's store remembers.
    ///
    /// - Parameters:
    ///   - pending: the sign-in that the callback is for.
    ///   - callback: the URL that the person came back with.
    /// - Throws: as ``finish(callback:)``.
    public func finish(_ pending: PendingSignIn, callback: URL) async throws -> OAuthToken {
        guard began(pending), let parameters = pending.parameters(of: callback) else { throw SignInError(.foreign) }
        let now = endpoint.clock.now
        let isExpired = pending.isExpired(at: now)
        // One that was kept elsewhere is not in the store, and from here on it is known to be used. An old one stays out: to
        // the store it would be the newest, and those that wait would go for their age.
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

    /// Whether the code of this sign-in is for this service's server (RFC 9700 §4.4): a store may serve several.
    private func began(_ pending: PendingSignIn) -> Bool {
        let server = endpoint.server
        return pending.clientID == endpoint.client.id && pending.tokenEndpoint == server.tokenEndpoint
            && (pending.issuer.map { Array($0.unicodeScalars) } == server.issuer.map { Array($0.unicodeScalars) })
    }
}
