// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization

extension TokenEndpoint {
    /// Introspects a token (RFC 7662 §2.1).
    func introspect(_ token: String, hint: String) async throws -> TokenIntrospection {
        let url = try server.endpoint(server.introspectionEndpoint, named: "introspection_endpoint")
        return try TokenIntrospection(
            try await object([("token", token), ("token_type_hint", hint)], to: url), quirks: server.quirks)
    }

    /// Revokes a token (RFC 7009). The refresh token comes first: servers may then revoke its access tokens too.
    ///
    /// - Throws: `TokenEndpointError`, `transient` if the server failed temporarily, `client` if it refused; errors
    ///   of the transport.
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
        let response = try await post([("token", token), ("token_type_hint", hint)], to: url)
        if (200..<300).contains(response.statusCode) { return nil }
        let failure = failure(response)
        // RFC 7009 §2.2.1: after a 503 the token still exists.
        let isPassing =
            [408, 429, 500, 502, 503, 504].contains(failure.status)
            || ["temporarily_unavailable", "server_error"].contains(failure.code)
        let kind: TokenFailureKind = isPassing ? .transient : .client
        let sorted = TokenEndpointError(
            status: failure.status, code: failure.code, retryAfter: failure.retryAfter, kind: kind)
        if isPassing { throw sorted }
        return sorted
    }
}
