// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension OAuthTokenService {
    /// Begins a sign-in on another device (RFC 8628), for a television or a terminal without a browser.
    ///
    ///     let device = try await service.deviceSignIn(scopes: ["read"])
    ///     print(device.instructions)
    ///     try await auth.signIn { try await device.token() }
    ///
    /// Call it only when the user asked for it (§3.1), and let the user type the code. A user who is talked into
    /// entering an attacker's code signs the attacker in (§5.4).
    ///
    /// Request all scopes of the token; if there are none, the server chooses. The extra `parameters` cannot replace
    /// parameters that the library sends. With `identity` the token says who signed in (``OAuthToken/identity``).
    ///
    /// - Throws: ``AuthorizationServerError`` if the server has no such endpoint; `InvalidTokenResponse`,
    ///   `TokenEndpointError`, and errors of the transport; `InvalidTokenRequest`, ``ClientAuthenticationFailed``, and
    ///   ``ProofUnavailable`` if there can be no key.
    public func deviceSignIn(
        scopes: Set<String>, parameters: [String: String] = [:], identity: Bool = false
    ) async throws -> DeviceSignIn {
        let server = endpoint.server
        let scopes = identity ? scopes.union(["openid"]) : scopes
        let asked = try identity ? endpoint.identityRequest(parameters, nonce: nil) : nil
        let url = try server.endpoint(server.deviceAuthorizationEndpoint, named: "device_authorization_endpoint")
        var form = FormParameters(server.quirks.parameters(of: scopes))
        form.add(extra: parameters)
        form.add(try ResourceIndicator.parameters(endpoint.client.resources))
        form.add(extra: endpoint.client.authorizationParameters)
        let key = try endpoint.proofKey()  // One for all polls.
        let (sentAt, uptime) = (endpoint.clock.now, endpoint.clock.uptime)
        return try DeviceSignIn(
            try await endpoint.object(form.list, to: url, for: .deviceAuthorization), sentAt: sentAt, uptime: uptime,
            scopes: scopes, endpoint: endpoint, proofKey: key, identity: asked)
    }
}

extension DeviceSignIn {
    /// Reads the server's answer when a sign-in on another device begins (RFC 8628 §3.2).
    ///
    /// - Throws: `InvalidTokenResponse` that names the field.
    fileprivate init(
        _ answer: AnswerObject, sentAt: Date, uptime: Duration, scopes: Set<String>, endpoint: TokenEndpoint,
        proofKey: ProofKey?, identity: IdentityRequest?
    ) throws {
        let deviceCode = try answer.requiredText("device_code")
        let userCode = TerminalText.clean(try answer.requiredText("user_code"), limit: 100)
        // Google uses a name that is older than the standard.
        let name =
            answer.text("verification_uri") == nil && answer.text("verification_url") != nil
            ? "verification_url" : "verification_uri"
        guard let page = Self.page(try answer.requiredText(name)) else { throw answer.invalid(name, .malformed) }
        guard !userCode.isEmpty else { throw answer.invalid("user_code", .malformed) }
        // The user does not see this URL, so it must have the origin of the page that is shown.
        let complete = answer.text("verification_uri_complete").flatMap(Self.page)
            .flatMap { Origin($0) == Origin(page) ? $0 : nil }
        let lifetime = try answer.requiredSeconds("expires_in")
        let interval = answer.seconds("interval").map { max($0, .seconds(1)) } ?? .seconds(5)  // RFC 8628 §3.2
        self.init(
            userCode: userCode, verificationURI: page, verificationURIComplete: complete,
            expiresAt: sentAt.addingTimeInterval(lifetime / .seconds(1)), deviceCode: deviceCode, scopes: scopes,
            endpoint: endpoint, proofKey: proofKey, identity: identity,
            polling: DevicePolling(interval: interval, deadline: uptime + lifetime))
    }

    /// The URL of a page over TLS, or on loopback; else `nil`.
    private static func page(_ text: String) -> URL? {
        URL(string: text).flatMap { $0.isSafe && $0.user() == nil ? $0 : nil }
    }
}
