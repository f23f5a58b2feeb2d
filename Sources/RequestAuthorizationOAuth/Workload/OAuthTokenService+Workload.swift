// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension OAuthTokenService {
    /// The client acts for itself, and proves itself with the token of its platform (RFC 7523 §2.2).
    ///
    ///     let service = OAuthTokenService.workload(
    ///         .file("/var/run/secrets/tokens/id"), server: server, client: .public(id: "billing"), transport: transport)
    ///
    /// Each token request reads the platform's token anew. A refresh token in an answer is dropped.
    public static func workload(
        _ identity: WorkloadIdentity, server: AuthorizationServer, client: OAuthClient,
        proof: ProofOfPossession? = nil, scopes: Set<String> = [], transport: any TokenTransport,
        clock: any AuthorizationClock = .system
    ) -> OAuthTokenService {
        clientCredentials(
            server: server, client: client, authentication: .workload(identity), proof: proof, scopes: scopes,
            transport: transport, clock: clock)
    }

    /// The token of the platform is exchanged for a token of the server (RFC 7523 §2.1).
    ///
    /// Pass a client if the server requires one beside it. The extra `parameters` cannot replace the library's.
    public static func workloadGrant(
        _ identity: WorkloadIdentity, server: AuthorizationServer, client: OAuthClient? = nil,
        authentication: (any ClientAuthenticator)? = nil, proof: ProofOfPossession? = nil, scopes: Set<String> = [],
        parameters: [String: String] = [:], transport: any TokenTransport, clock: any AuthorizationClock = .system
    ) -> OAuthTokenService {
        custom(
            server: server, client: client ?? .public(id: ""),
            authentication: WorkloadAuthenticator(
                identity: identity, form: .grant(AssertingClient.grantType, parameter: "assertion"),
                base: authentication ?? client?.authentication ?? AnonymousClient()),
            proof: proof, transport: transport, clock: clock
        ) { try await $0.asserted(scopes: scopes, parameters: parameters).withoutRefreshToken }
    }

    /// A pod with Azure's workload identity, from the variables that its webhook sets.
    ///
    /// These are `AZURE_CLIENT_ID`, `AZURE_TENANT_ID`, `AZURE_FEDERATED_TOKEN_FILE` and `AZURE_AUTHORITY_HOST`. The file
    /// is read anew for each request. A scope is that of the API, such as `https://vault.azure.net/.default`.
    ///
    /// - Throws: ``WorkloadIdentityError`` that names the missing variable.
    public static func azureWorkload(
        scopes: Set<String>, environment: [String: String] = ProcessInfo.processInfo.environment,
        transport: any TokenTransport, clock: any AuthorizationClock = .system
    ) throws -> OAuthTokenService {
        func text(_ name: String) throws -> String {
            if let text = environment[name], !text.isEmpty { return text }
            throw WorkloadIdentityError.missingVariable(
                name, advice: "label the pod azure.workload.identity/use, and annotate its service account")
        }
        let given = environment["AZURE_AUTHORITY_HOST"] ?? ""
        let host = given.isEmpty ? "https://login.microsoftonline.com" : given
        let tenant = "\(host.hasSuffix("/") ? String(host.dropLast()) : host)/\(try text("AZURE_TENANT_ID"))"
        return workload(
            .file(try text("AZURE_FEDERATED_TOKEN_FILE"), clock: clock),
            server: AuthorizationServer(
                issuer: "\(tenant)/v2.0", tokenEndpoint: URL(string: "\(tenant)/oauth2/v2.0/token")),
            client: .public(id: try text("AZURE_CLIENT_ID")), scopes: scopes, transport: transport, clock: clock)
    }
}
