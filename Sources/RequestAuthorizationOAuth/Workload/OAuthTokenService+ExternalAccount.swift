// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension OAuthTokenService {
    /// A workload that is federated with Google, from its `external_account` file.
    ///
    ///     let service = try OAuthTokenService.externalAccount(
    ///         Data(contentsOf: file), scopes: ["https://www.googleapis.com/auth/devstorage.read_only"], transport: transport)
    ///
    /// The platform's token comes from the file or the URL that `credential_source` names, anew for each request. It is
    /// exchanged at `token_url` (RFC 8693). With `service_account_impersonation_url` the result is exchanged once more,
    /// for a token of that account. Executables, AWS and certificates are refused.
    ///
    /// - Parameters:
    ///   - json: the content of the file, at most 64 KiB.
    ///   - scopes: the scopes of the token; at least one.
    ///   - trusted: origins that tokens may be sent to besides Google's (`*.googleapis.com`), for another universe. A
    ///     file from elsewhere could otherwise send the platform's token anywhere.
    ///   - transport: sends the requests, also those to the URL of the source.
    ///   - clock: the system's, or a `ManualClock` in tests.
    /// - Throws: ``WorkloadIdentityError`` that names the member.
    public static func externalAccount(
        _ json: Data, scopes: Set<String>, trusting trusted: Set<Origin> = [], transport: any TokenTransport,
        clock: any AuthorizationClock = .system
    ) throws -> OAuthTokenService {
        let account = try ExternalAccount(json, trusting: trusted, transport: transport, clock: clock)
        let grantType = "urn:ietf:params:oauth:grant-type:token-exchange"
        return custom(
            server: AuthorizationServer(tokenEndpoint: account.tokenURL),
            client: account.client ?? .public(id: ""),
            authentication: WorkloadAuthenticator(
                identity: account.identity, form: .grant(grantType, parameter: "subject_token"),
                base: account.client?.authentication ?? AnonymousClient()),
            transport: transport, clock: clock
        ) { endpoint in
            // The first token needs only the scope with which the account's own is requested.
            let first = account.impersonationURL == nil ? scopes : ["https://www.googleapis.com/auth/cloud-platform"]
            let token = try await endpoint.token(
                grantType: grantType, parameters: account.parameters(scopes: first), requestedScopes: first
            ).withoutRefreshToken
            guard let url = account.impersonationURL else { return token }
            return try await endpoint.impersonated(by: token, at: url, scopes: scopes, lifetime: account.lifetime)
        }
    }
}

extension ExternalAccount {
    fileprivate func parameters(scopes: Set<String>) -> [(name: String, value: String)] {
        var parameters = [
            (name: "audience", value: audience), (name: "scope", value: scopes.sorted().joined(separator: " ")),
            (name: "requested_token_type", value: SecurityTokenType.accessToken.uri),
            (name: "subject_token_type", value: subjectType),
        ]
        if let userProject, client == nil, let json = try? JSONEncoder().encode(["userProject": userProject]) {
            parameters.append((name: "options", value: String(decoding: json, as: UTF8.self)))
        }
        return parameters
    }
}

extension TokenEndpoint {
    /// Fetches the token of a service account (`generateAccessToken` of Google's IAM Credentials API).
    fileprivate func impersonated(
        by token: OAuthToken, at url: URL, scopes: Set<String>, lifetime: Int64
    ) async throws -> OAuthToken {
        let body: [String: JSONValue] = [
            "scope": .array(scopes.sorted().map { .string($0) }), "lifetime": .string("\(lifetime)s"),
        ]
        let sentAt = clock.now
        let response = try await transport.send(
            TokenRequest(
                url: url,
                fields: [
                    (name: "Content-Type", value: "application/json"), (name: "Accept", value: "application/json"),
                    (name: "Authorization", value: token.authorizationHeaderValue),
                ], body: Array(try JSONEncoder().encode(body))))
        guard response.statusCode == 200 else { throw Self.refusal(response, at: url, clock.now) }
        let answer = try AnswerObject(response)
        let accessToken = try answer.visibleText("accessToken")
        guard let end = JSONDateFormat.parse(try answer.requiredText("expireTime")) else {
            throw answer.invalid("expireTime", .malformed)
        }
        // The end counts from the answer's own `Date`, so that a wrong clock here has no effect. The lifetime that was asked
        // for is the longest.
        let left = min(end.timeIntervalSince(response.date(at: sentAt) ?? sentAt), Double(lifetime))
        return OAuthToken(
            accessToken: accessToken, scopes: scopes, lifetime: Duration(wholeSeconds: max(0, left)),
            expiresAt: sentAt.addingTimeInterval(left), authorizedAt: sentAt)
    }

    private static func refusal(_ response: TokenResponse, at url: URL, _ now: Date) -> WorkloadIdentityError {
        let answer = TokenEndpointError(
            status: response.statusCode, retryAfter: RetryAfter.duration(in: response, at: now))
        let isPassing = TokenEndpointError.isPassing(status: response.statusCode) || response.statusCode == 408
        return WorkloadIdentityError(
            .refused, source: Origin(url)?.description ?? "the service account", kind: isPassing ? .transient : .client,
            detail: "generateAccessToken answered \(response.statusCode)", underlying: answer,
            advice: "let the workload's principal create tokens of the service account, and check the account's name")
    }
}
