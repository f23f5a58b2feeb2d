// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit)
import CryptoKit
#elseif Crypto
import Crypto
#endif

/// Proves that the client that exchanges a code is the client that requested it (RFC 7636).
///
///     let verifier = PKCE.makeVerifier(using: &generator)
///     let challenge = PKCE.challenge(for: verifier)       // goes into the authorization request
///
/// ``OAuthTokenService`` does so by itself, with a new verifier for each sign-in. Only `S256` is supported: with
/// `plain`, everyone who sees the request knows the verifier (RFC 7636 §7.2, RFC 9700 §2.1.1).
package enum PKCE {
    /// The value of `code_challenge_method`.
    package static let method = "S256"

    /// A new verifier: 32 random bytes as 43 unreserved characters (RFC 7636 §4.1).
    package static func makeVerifier(using generator: inout some RandomNumberGenerator) -> String {
        Base64URL.random(bytes: 32, using: &generator)
    }

    #if canImport(CryptoKit) || Crypto
    /// The challenge of a verifier: its SHA-256 in Base64URL without padding (RFC 7636 §4.2).
    package static func challenge(for verifier: String) -> String {
        Base64URL.encode(SHA256.hash(data: Array(verifier.utf8)))
    }
    #else
    /// The challenge of a verifier: with the trait `Crypto`.
    @available(
        *, unavailable,
        message: "PKCE needs SHA-256: enable the trait 'Crypto' of swift-request-authorization, which brings it"
    )
    package static func challenge(for verifier: String) -> String { fatalError("unavailable") }
    #endif
}
