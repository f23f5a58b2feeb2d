// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation

/// The proofs and nonces that the servers of a scenario have seen and given.
struct ProofBook: Sendable {
    var identifiers: Set<String> = []
    /// The nonces of each server.
    var nonces: [Role: Set<String>] = [:]
}

enum ProofOutcome {
    /// The thumbprint of its key.
    case valid(String)
    case invalid(String)
    case needsNonce(String)
}

extension Stage {
    /// RFC 9449 §4.3.
    func checkProof(of call: Call, url: String, token: String?) -> ProofOutcome {
        guard let field = call.fields["dpop"] else { return .invalid("there is no proof") }
        guard let proof = JWT(field), proof.header.typ == "dpop+jwt", let jwk = proof.header.jwk, jwk.d == nil,
            let key = jwk.key, proof.isSigned(by: key)
        else { return .invalid("the proof is malformed, or its signature is wrong") }
        let claims = proof.claims
        guard claims.htm == call.method, claims.htu == url else { return .invalid("htm or htu is of another request") }
        guard let time = claims.iat, abs(Double(time) - Date().timeIntervalSince1970) < 60 else {
            return .invalid("iat is missing or more than a minute away")
        }
        guard claims.ath == token.map({ Data($0.utf8).sha256 }) else { return .invalid("ath is of another token") }
        guard let jti = claims.jti, proofs.identifiers.insert(jti).inserted else {
            return .invalid("the proof was used before")
        }
        guard scenario.proofs == .withNonces else { return .valid(jwk.thumbprint) }
        return checkNonce(claims.nonce, jwk.thumbprint, call.role)
    }

    private func checkNonce(_ nonce: String?, _ thumbprint: String, _ role: Role) -> ProofOutcome {
        if let nonce, proofs.nonces[role]?.contains(nonce) == true {
            record.nonceRoles.insert(role)
            return .valid(thumbprint)
        }
        if let nonce, proofs.nonces.contains(where: { $0.key != role && $0.value.contains(nonce) }) {
            violate("nonce-of-other-server", "a proof has the nonce of another server")
        }
        let new = Material.random()
        proofs.nonces[role, default: []].insert(new)
        return .needsNonce(new)
    }
}
#endif
