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
    /// RFC 6749 §4.4.
    func credentialsAnswer(
        _ form: Parameters, _ client: KnownClient, _ thumbprint: String?, _ index: Int
    ) -> Answer {
        guard checkResource(of: form, in: "a token request") else {
            return .error("invalid_target", "the resource is another one")
        }
        return tokens(
            at: index, to: client, family: Material.random(), scopes: form.scopes, thumbprint: thumbprint)
    }

    /// RFC 7523 §2.1.
    func assertionAnswer(_ form: Parameters, _ client: KnownClient, _ index: Int) -> Answer {
        if variant == .refusal { return .error("invalid_grant", "the assertion is refused") }
        let fault = hasIdentityProvider ? faultOfIDJAG(form, index) : faultOfWorkloadAssertion(form, index)
        if let fault {
            violate("assertion", fault)
            return .error("invalid_grant", fault)
        }
        guard checkResource(of: form, in: "a token request", isOptional: true) else {
            return .error("invalid_target", "the resource is another one")
        }
        return tokens(at: index, to: client, family: Material.random(), scopes: form.scopes, thumbprint: nil)
    }

    private var hasIdentityProvider: Bool { scenario.hasIdentityProvider }

    private func faultOfWorkloadAssertion(_ form: Parameters, _ index: Int) -> String? {
        guard let assertion = JWT(form["assertion"]), assertion.isSigned(by: material.workloadKey.publicKey) else {
            return "the assertion is not the workload's"
        }
        guard assertion.claims.aud == servers[index].issuer else { return "aud is not the issuer" }
        return assertion.isStale ? "the assertion has expired" : nil
    }

    func workloadAssertion(audience: String? = nil, lifetime: Int = 300) throws -> String {
        let now = Int(Date().timeIntervalSince1970)
        let claims = Claims(
            iss: "https://idp.example", sub: "workload", aud: audience ?? servers[0].issuer, exp: now + lifetime,
            iat: min(now, now + lifetime), jti: Material.random())
        return try JWT.sign(claims, type: nil, with: material.workloadKey)
    }
}
#endif
