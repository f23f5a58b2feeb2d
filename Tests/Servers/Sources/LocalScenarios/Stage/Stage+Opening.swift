// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

extension Stage {
    /// Begins, once the ports are known.
    func open(_ bases: [Role: String], redirectURI: String) throws -> ScenarioContext {
        self.bases = bases
        for conduct in [scenario.server, scenario.otherServer].compactMap(\.self) {
            servers.append(ServerState(conduct: conduct, base: bases[conduct.role, default: ""]))
        }
        record.context.serverURL = url
        if scenario.server.takesDocuments { record.context.clientMetadataURL = Material.documentURL }
        try introduceGivenClient()
        if variant == .earlierSession { openEarlierSession(redirectURI) }
        return record.context
    }

    private func introduceGivenClient() throws {
        guard let kind = scenario.givenClient else { return }
        var client = KnownClient(id: material.clientID, method: scenario.server.authenticationMethods[0])
        client.grants = scenario.server.grants
        record.context.clientID = client.id
        switch kind {
        case .registeredByHand, .service, .enterprise:
            client.secret = material.clientSecret
            record.context.clientSecret = client.secret
        case .serviceWithKey:
            let key = P256.Signing.PrivateKey()
            client.key = key.publicKey
            record.context.privateKeyPEM = key.pemRepresentation
            record.context.signingAlgorithm = "ES256"
        case .workload:
            (record.context.validJWT, record.context.wrongAudienceJWT, record.context.expiredJWT) = (
                try workloadAssertion(), try workloadAssertion(audience: "https://wrong.example"),
                try workloadAssertion(lifetime: -60)
            )
        }
        servers[0].clients[client.id] = client
        if kind == .enterprise { try introduceIdentityProvider() }
    }

    private func openEarlierSession(_ redirectURI: String) {
        let client = KnownClient(id: material.clientID, redirectURIs: .exactly([redirectURI]))
        servers[0].clients[client.id] = client
        let scopes = ["mcp:basic"]
        let tokens = issue(at: 0, to: client, family: Record.earlierFamily, scopes: Set(scopes), thumbprint: nil)
        record.context.session = EarlierSession(
            resource: url, issuer: servers[0].issuer, authorizationEndpoint: servers[0].endpoint("authorize"),
            tokenEndpoint: servers[0].endpoint("token"), registrationEndpoint: servers[0].endpoint("register"),
            clientID: client.id, redirectURI: redirectURI, accessToken: tokens.access,
            refreshToken: tokens.refresh ?? "", scopes: scopes, expiresIn: 3600,
            announcesIssuerParameter: scenario.server.announcesIssuerParameter)
        record.context.healURL = bases[.resource, default: ""] + "/heal"
    }
}
#endif
