// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
/// Why a proof of possession is refused, with what the proof says in place of the right value.
package enum ProofRefusal: Error, Equatable {
    /// There is not just one `DPoP` field.
    case numberOfProofs(Int)
    /// It is no JWS of three parts, or a part is no Base64url or no JSON of the right types.
    case malformed
    case type(String?)
    case algorithm(String?)
    /// There is no key, or none on P-256.
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
    /// The proof is good, but of another key than the token's.
    case otherKey(String)
}
#endif
