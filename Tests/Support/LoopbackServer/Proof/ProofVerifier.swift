// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
package import Foundation
import RequestAuthorization

/// Verifies proofs of possession as a server must (RFC 9449 §4.3). It was written from the RFC, not from the library's
/// code.
///
///     let verifier = ProofVerifier { clock.now }
///     let proof = try verifier.verify(ProofSubject(request), nonce: "n-1")                            // at a token endpoint
///     let refusal = verifier.refusal(of: ProofSubject(request), token: "t-1", boundTo: proof.thumbprint)  // at a resource
///
/// It is stricter than the RFC where a client has no reason to differ. `htu` equals the URL byte by byte, and the
/// scheme is `DPoP`. A `jti` has at least 16 characters and is accepted only once ever. `ath` is present only with a
/// token. Keys are on P-256.
package final class ProofVerifier: Sendable {
    private let tolerance: TimeInterval
    private let now: @Sendable () -> Date
    private let identifiers = Lock(Set<String>())

    /// - Parameters:
    ///   - tolerance: how many seconds `iat` may differ from the present time.
    ///   - now: the present time.
    package init(tolerance: TimeInterval = 60, now: @escaping @Sendable () -> Date) {
        self.tolerance = tolerance
        self.now = now
    }

    /// Verifies the proof of a request.
    ///
    /// - Parameters:
    ///   - token: the access token of the request, or `nil` if none is used, as at a token endpoint.
    ///   - thumbprint: the key that the access token or the refresh token is bound to, or `nil` to accept any key.
    ///   - nonce: the nonce that the proof must have, or `nil` if the server has not demanded one.
    package func verify(
        _ request: ProofSubject, token: String? = nil, boundTo thumbprint: String? = nil, nonce: String? = nil
    ) throws(ProofRefusal) -> VerifiedProof {
        guard request.proofs.count == 1, let text = request.proofs.first else {
            throw .numberOfProofs(request.proofs.count)
        }
        let signed = try SignedProof(text)
        let proof = try verify(signed.claims, signed.key)
        guard signed.claims.htm == request.method else { throw .method(signed.claims.htm) }
        guard signed.claims.htu == request.target else { throw .url(signed.claims.htu) }
        try verify(signed.claims, token: token, authorization: request.authorization)
        if let nonce, nonce != proof.nonce { throw .nonce(proof.nonce) }
        if let thumbprint, thumbprint != proof.thumbprint { throw .otherKey(proof.thumbprint) }
        return proof
    }

    /// Returns why the proof of a request is refused, or `nil` if it is valid. The parameters are those of `verify`.
    package func refusal(
        of request: ProofSubject, token: String? = nil, boundTo thumbprint: String? = nil, nonce: String? = nil
    ) -> ProofRefusal? {
        do {
            _ = try verify(request, token: token, boundTo: thumbprint, nonce: nonce)
            return nil
        } catch {
            return error
        }
    }

    /// Verifies `jti` and `iat`. The `jti` is used up even if another part of the proof is wrong.
    private func verify(_ claims: SignedProof.Claims, _ key: SignedProof.Key) throws(ProofRefusal) -> VerifiedProof {
        // §4.2: 96 bits of randomness are 16 characters in Base64.
        guard let identifier = claims.jti, identifier.count >= 16 else { throw .identifier(claims.jti) }
        guard identifiers.withLock({ $0.insert(identifier).inserted }) else { throw .repeatedIdentifier(identifier) }
        guard let time = claims.iat, abs(now().timeIntervalSince1970 - time) <= tolerance else {
            throw .issuedAt(claims.iat)
        }
        return VerifiedProof(identifier: identifier, thumbprint: key.thumbprint, nonce: claims.nonce)
    }

    private func verify(
        _ claims: SignedProof.Claims, token: String?, authorization: [String]
    ) throws(ProofRefusal) {
        // §7.1
        if let token, authorization != ["DPoP \(token)"] { throw .authorization }
        guard claims.ath == token.map({ Base64URLText.hash($0) }) else { throw .tokenHash(claims.ath) }
    }
}

/// The contents of a valid proof.
package struct VerifiedProof: Sendable, Equatable {
    /// `jti`
    package let identifier: String
    /// The thumbprint of the public key (RFC 7638), as in `dpop_jkt` and `cnf.jkt`.
    package let thumbprint: String
    package let nonce: String?

    package init(identifier: String, thumbprint: String, nonce: String?) {
        self.identifier = identifier
        self.thumbprint = thumbprint
        self.nonce = nonce
    }
}
#endif
