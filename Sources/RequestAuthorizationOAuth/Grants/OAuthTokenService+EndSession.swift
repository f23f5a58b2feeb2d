// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension OAuthTokenService {
    /// The page on which a person ends the session at the server (OpenID Connect RP-Initiated Logout 1.0 §2).
    ///
    ///     let page = try service.endSessionURL(for: auth.currentToken, redirectURI: "https://app.example/bye", state: state)
    ///     try await auth.signOut()
    ///     open(page)
    ///
    /// The ID token of the session is the hint by which the server knows it. Without one the client's id is sent, and
    /// the server asks. The ID token of another server is not sent. The URL may contain the ID token: do not log it.
    ///
    /// - Parameters:
    ///   - token: the token of the session, read before it is signed out.
    ///   - redirectURI: where the server sends the person then, as it is registered there.
    ///   - state: a random text that comes back with it.
    /// - Throws: ``AuthorizationServerError`` if the server's metadata have no `end_session_endpoint`, or an unsafe one.
    public func endSessionURL(
        for token: OAuthToken?, redirectURI: String? = nil, state: String? = nil
    ) throws -> URL {
        let page = try endpoint.server.metadataEndpoint("end_session_endpoint")
        let token = token.flatMap { (try? endpoint.server.checkIssuer(of: $0)) == nil ? nil : $0 }
        var form: [(name: String, value: String)] =
            [token?.idToken.map { ("id_token_hint", $0) } ?? ("client_id", endpoint.client.id)]
        if let redirectURI { form.append(("post_logout_redirect_uri", redirectURI)) }
        if let state { form.append(("state", state)) }
        return try AuthorizationRequest(form, parameters: [:], client: .public(id: endpoint.client.id)).url(of: page)
    }
}
