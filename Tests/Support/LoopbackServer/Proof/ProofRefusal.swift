// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
/// Why a proof of possession is refused. The associated value is the wrong one of the proof.
package enum ProofRefusal: Error, Equatable {
    /// The request does not have exactly one `DPoP` field.
    case numberOfProofs(Int)
    /// It is not a JWS of three parts, or a part is not Base64url or not JSON of the right types.
    case malformed
    case type(String?)
    case algorithm(String?)
    /// The proof has no key, or one that is not on P-256.
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
