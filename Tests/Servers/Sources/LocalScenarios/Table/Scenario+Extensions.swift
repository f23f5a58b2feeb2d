// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
extension Scenario {
    static let extensions = [
        Scenario(
            "client-credentials-basic", .extension, "get a token with its secret",
            checks: [.grant(Grant.clientCredentials), .noPerson, .calls]
        ) {
            $0.givenClient = .service
            $0.server.grants = [Grant.clientCredentials]
            $0.server.authenticationMethods = ["client_secret_basic"]
        },

        Scenario(
            "client-credentials-jwt", .extension, "get a token with an assertion for the issuer (ES256)",
            checks: [.grant(Grant.clientCredentials), .noPerson, .calls]
        ) {
            $0.givenClient = .serviceWithKey
            $0.server.grants = [Grant.clientCredentials]
            $0.server.authenticationMethods = ["private_key_jwt"]
        },

        Scenario(
            "enterprise-managed-authorization", .extension, "exchange the id token for an ID-JAG, and that for a token",
            checks: [.idJAG, .grant(Grant.jwtBearer), .noPerson, .calls]
        ) {
            $0.givenClient = .enterprise
            $0.hasIdentityProvider = true
            $0.server.grants = [Grant.jwtBearer]
            $0.server.authenticationMethods = ["client_secret_basic"]
        },

        Scenario(
            "dpop", .extension, "prove its key at the token endpoint and, with a new proof, in each call",
            checks: [.exchange, .calls]
        ) { $0.proofs = .plain },

        Scenario(
            "dpop-nonce", .extension, "send again with the nonce of the server that asks for one",
            checks: [.exchange, .nonceChallenges, .calls]
        ) { $0.proofs = .withNonces },

        Scenario(
            "wif-jwt-bearer", .extension, "present the workload's assertion, and stop if it is refused",
            checks: [.grant(Grant.jwtBearer), .noPerson, .calls]
        ) {
            $0.givenClient = .workload
            $0.resource.hasOpenHandshake = true
            $0.server.grants = [Grant.jwtBearer]
        },
    ]
}
#endif
