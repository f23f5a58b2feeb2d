// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation

#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

extension Stage {
    private static let idJAG = "urn:ietf:params:oauth:token-type:id-jag"
    private static let idToken = "urn:ietf:params:oauth:token-type:id_token"

    private var identityIssuer: String { bases[.identityProvider, default: ""] }

    func introduceIdentityProvider() throws {
        let now = Int(Date().timeIntervalSince1970)
        let claims = Claims(
            iss: identityIssuer, sub: "user@example.com", aud: Material.identityClient, exp: now + 3600, iat: now)
        record.context.idpIDToken = try JWT.sign(claims, type: "JWT", with: material.identityKey)
        record.context.idpClientID = Material.identityClient
        record.context.idpIssuer = identityIssuer
        record.context.idpTokenEndpoint = identityIssuer + "/token"
    }

    func identityProviderAnswer(_ call: Call) -> Answer {
        switch call.path {
        case ServerConduct.openIDRootPath: return identityMetadata
        case "/token":
            let answer = exchangeAnswer(call)
            record.events.append(
                .init(
                    kind: .token, role: .identityProvider, method: Grant.tokenExchange, isGood: answer.status == 200))
            return answer
        default: return .notFound
        }
    }

    private var identityMetadata: Answer {
        .json([
            "issuer": identityIssuer, "authorization_endpoint": identityIssuer + "/authorize",
            "token_endpoint": identityIssuer + "/token", "jwks_uri": identityIssuer + "/jwks",
            "response_types_supported": ["code"], "grant_types_supported": [Grant.tokenExchange],
            "code_challenge_methods_supported": ["S256"], "token_endpoint_auth_methods_supported": ["none"],
        ])
    }

    /// RFC 8693 §2.1: the id token for an ID-JAG.
    private func exchangeAnswer(_ call: Call) -> Answer {
        guard let form = call.form, let subject = JWT(form["subject_token"]) else {
            violate("token-exchange", "there is no subject token")
            return .error("invalid_request", "there is no subject token")
        }
        let wrong = [
            (form["grant_type"] == Grant.tokenExchange, "grant_type"),
            (form["requested_token_type"] == Self.idJAG, "requested_token_type"),
            (form["subject_token_type"] == Self.idToken, "subject_token_type"),
            (form["audience"] == servers[0].issuer, "audience, which is the resource's issuer"),
            (form["resource"] == url, "resource"),
            (form["client_id"] == Material.identityClient, "client_id, which is the one at the identity provider"),
            (subject.isSigned(by: material.identityKey.publicKey) && !subject.isStale, "subject_token"),
        ].filter { !$0.0 }.map(\.1)
        guard wrong.isEmpty, let assertion = try? signIDJAG(for: subject.claims.sub) else {
            let reason = "wrong or missing: " + wrong.joined(separator: "; ")
            violate("token-exchange", reason)
            return .error("invalid_request", reason)
        }
        return .json([
            "access_token": assertion, "issued_token_type": Self.idJAG, "token_type": "N_A", "expires_in": 300,
        ])
    }

    private func signIDJAG(for subject: String?) throws -> String {
        let now = Int(Date().timeIntervalSince1970)
        let claims = Claims(
            iss: identityIssuer, sub: subject, aud: servers[0].issuer, exp: now + 300, iat: now,
            jti: Material.random(), resource: url, client_id: material.clientID)
        return try JWT.sign(claims, type: "oauth-id-jag+jwt", with: material.identityKey)
    }

    /// Checks an assertion of the identity provider at the resource's authorization server.
    func faultOfIDJAG(_ form: Parameters, _ index: Int) -> String? {
        guard let assertion = JWT(form["assertion"]), assertion.header.typ == "oauth-id-jag+jwt",
            assertion.isSigned(by: material.identityKey.publicKey)
        else { return "the assertion is no ID-JAG of the identity provider" }
        let claims = assertion.claims
        guard claims.aud == servers[index].issuer, claims.client_id == material.clientID, claims.resource == url else {
            return "aud, client_id or resource of the ID-JAG is another one"
        }
        guard !assertion.isStale, let jti = claims.jti, servers[index].assertions.insert(jti).inserted else {
            return "the ID-JAG has expired or was used"
        }
        return nil
    }
}
#endif
