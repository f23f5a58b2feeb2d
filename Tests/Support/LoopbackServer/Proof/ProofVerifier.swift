// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
package import Foundation
import RequestAuthorization

/// Verifies proofs of possession as a server must (RFC 9449 §4.3). It was written from the RFC, not from the library's
/// code.
///
///     let verifier = ProofVerifier { clock.now }
///     let proof = try verifier.verify(ProofSubject(request), nonce: "n-1")  // at a token endpoint
///     // at a resource
///     let refusal = verifier.refusal(of: ProofSubject(request), token: "t-1", boundTo: proof.thumbprint)
///
/// It is stricter than the RFC where a client has no reason to differ. `htu` equals the URL byte by byte, and the
/// scheme is `DPoP`. A `jti` has at least 16 characters and is accepted only once ever. `ath` is present only with a
/// token. Keys are on P-256, or for Ed25519.
package final class ProofVerifier: Sendable {
    private let tolerance: TimeInterval
    private let now: @Sendable () -> Date
    private let identifiers = Lock(Set<String>())

    /// - Parameters:
    ///   - tolerance: how many seconds `iat` may differ from the present time.
    ///   - now: the present time.
    package init(tolerance: TimeInterval = 60, now: @escaping @Sendable () -> Date) {
        (self.tolerance, self.now) = (tolerance, now)
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
        (self.identifier, self.thumbprint, self.nonce) = (identifier, thumbprint, nonce)
    }
}

/// The parts of a request that a proof of possession covers.
package struct ProofSubject: Sendable {
    package let method: String
    /// The URL without query and fragment (RFC 9449 §4.2, `htu`).
    package let target: String
    /// The values of `Authorization`.
    package let authorization: [String]
    /// The values of `DPoP`.
    package let proofs: [String]

    /// - Parameter url: the absolute URL.
    package init(method: String, url: String, fields: [(name: String, value: String)]) {
        self.method = method
        target = String(url.prefix { $0 != "?" && $0 != "#" })
        authorization = fields.filter { $0.name.lowercased() == "authorization" }.map(\.value)
        proofs = fields.filter { $0.name.lowercased() == "dpop" }.map(\.value)
    }

    /// - Parameter scheme: the scheme of the URL, which is not part of the request.
    package init(_ request: RawRequest, scheme: String = "http") {
        self.init(
            method: request.method, url: "\(scheme)://\(request["Host"] ?? "")\(request.target)",
            fields: ["Authorization", "DPoP"].flatMap { name in request.values(of: name).map { (name, $0) } })
    }
}

/// Why a proof of possession is refused. The associated value is the wrong one of the proof.
package enum ProofRefusal: Error, Equatable {
    /// The request does not have exactly one `DPoP` field.
    case numberOfProofs(Int)
    /// It is not a JWS of three parts, or a part is not Base64url or not JSON of the right types.
    case malformed
    case type(String?)
    case algorithm(String?)
    /// The proof has no key, or one of another kind than its algorithm.
    case key
    /// The key has private parts.
    case privateKey
    case signature
    case identifier(String?)
    case repeatedIdentifier(String)
    case issuedAt(Double?)
    case method(String?)
    case url(String?)
    /// `Authorization` is not `DPoP` and the token.
    case authorization
    case tokenHash(String?)
    case nonce(String?)
    /// The proof is valid, but its key is not that of the token.
    case otherKey(String)
}
#endif
