// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

/// Signs JWTs with a private key in memory. Its description contains no part of the key.
///
///     let signer = try PrivateKeySigner.pem(text, keyID: "2026-11")
///     print(signer.publicKey.thumbprint)
public struct PrivateKeySigner: TokenSigner, RedactedDescription {
    /// The algorithm of the signatures, which the key decides, but for RSA.
    public let algorithm: SignatureAlgorithm
    /// The `kid` in the header of each JWT; `nil` for none.
    public let keyID: String?
    /// The public key, for the server.
    public let publicKey: JSONWebKey
    private let key: SigningKey

    package init(pem: String, algorithm: SignatureAlgorithm? = nil, keyID: String? = nil) throws {
        try self.init(SigningKey(PrivateKeyParts(pem: pem)), algorithm: algorithm, keyID: keyID)
    }

    package init(jwk: Data, algorithm: SignatureAlgorithm? = nil, keyID: String? = nil) throws {
        let object = try JWKObject(jwk)
        let key = try SigningKey(PrivateKeyParts(object))
        let named = object.optionalText("alg").map { SignatureAlgorithm($0) }
        if algorithm == nil, let named, !key.algorithms.contains(named) {
            throw SigningKeyError(
                .otherAlgorithm,
                detail: "its member alg names one that does not fit; pass one that fits, or another key")
        }
        try self.init(key, algorithm: algorithm ?? named, keyID: keyID ?? object.optionalText("kid"))
    }

    /// Makes a new key on P-256 for ES256.
    public static func generated(keyID: String? = nil) -> PrivateKeySigner {
        PrivateKeySigner(key: SigningKey.p256(P256.Signing.PrivateKey()).key, algorithm: .es256, keyID: keyID)
    }

    /// Signs off the caller's actor, because an RSA signature takes milliseconds.
    @concurrent
    public func sign(_ message: [UInt8]) async throws -> [UInt8] { try key.sign(message, algorithm) }

    // MARK: -

    private init(_ key: SigningKey, algorithm: SignatureAlgorithm?, keyID: String?) throws(SigningKeyError) {
        let algorithm = algorithm ?? key.algorithms[0]
        guard key.algorithms.contains(algorithm) else { throw SigningKeyError(.otherAlgorithm) }
        self.init(key: key, algorithm: algorithm, keyID: keyID)
    }

    private init(key: SigningKey, algorithm: SignatureAlgorithm, keyID: String?) {
        (self.key, self.algorithm, self.keyID, publicKey) = (key, algorithm, keyID, key.publicKey)
    }
}

extension TokenSigner where Self == PrivateKeySigner {
    /// Reads a key from the whole text of a PEM file: PKCS #8, PKCS #1 or SEC 1, without a password.
    ///
    /// The text may come from a setting or an editor: with indented lines, in quotes, or with a byte order mark. Its line
    /// ends may be of any kind, escaped as `\n`, or blanks. Of several private keys the first one counts.
    ///
    /// The default algorithm is ES256 for P-256, ES384 for P-384, ES512 for P-521, EdDSA for Ed25519, and RS256 for RSA.
    ///
    /// - Throws: ``SigningKeyError``.
    public static func pem(
        _ text: String, algorithm: SignatureAlgorithm? = nil, keyID: String? = nil
    ) throws -> PrivateKeySigner { try PrivateKeySigner(pem: text, algorithm: algorithm, keyID: keyID) }

    /// Reads a private JWK (RFC 7517), which is one JSON object.
    ///
    /// The default algorithm is the value of `alg`, or else as for PEM. The default key ID is the value of `kid`. A key for
    /// encryption (`use`), or one that must not sign (`key_ops`), is refused.
    ///
    /// - Throws: ``SigningKeyError``.
    public static func jwk(
        _ json: Data, algorithm: SignatureAlgorithm? = nil, keyID: String? = nil
    ) throws -> PrivateKeySigner { try PrivateKeySigner(jwk: json, algorithm: algorithm, keyID: keyID) }
}
#else
// Stand-ins for the signer without the trait `Crypto`, whose message names the trait.
@available(
    *, unavailable,
    message: "PrivateKeySigner needs swift-crypto: enable the trait 'Crypto' of swift-request-authorization"
)
public struct PrivateKeySigner: TokenSigner {
    public let algorithm: SignatureAlgorithm
    public let keyID: String?
    public let publicKey: JSONWebKey

    public static func generated(keyID: String? = nil) -> PrivateKeySigner { fatalError("unavailable") }

    public func sign(_ message: [UInt8]) async throws -> [UInt8] { fatalError("unavailable") }
}

@available(
    *, unavailable,
    message: "PrivateKeySigner needs swift-crypto: enable the trait 'Crypto' of swift-request-authorization"
)
extension TokenSigner where Self == PrivateKeySigner {
    public static func pem(
        _ text: String, algorithm: SignatureAlgorithm? = nil, keyID: String? = nil
    ) throws -> PrivateKeySigner { fatalError("unavailable") }

    public static func jwk(
        _ json: Data, algorithm: SignatureAlgorithm? = nil, keyID: String? = nil
    ) throws -> PrivateKeySigner { fatalError("unavailable") }
}
#endif
