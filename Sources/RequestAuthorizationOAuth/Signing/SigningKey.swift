// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

/// A private key that signs.
enum SigningKey: Sendable, RedactedDescription {
    case p256(P256.Signing.PrivateKey)
    case ed25519(Curve25519.Signing.PrivateKey)
    case rsa(RSASigningKey)

    init(_ parts: PrivateKeyParts) throws(SigningKeyError) {
        do {
            switch parts {
            case .p256(let bytes): self = .p256(try P256.Signing.PrivateKey(rawRepresentation: bytes))
            case .ed25519(let bytes): self = .ed25519(try Curve25519.Signing.PrivateKey(rawRepresentation: bytes))
            case .rsa(let numbers): self = .rsa(try RSASigningKey(numbers))
            }
        } catch let error as SigningKeyError {
            throw error
        } catch {
            throw SigningKeyError(.malformed)
        }
    }

    /// The algorithms of this kind of key, the default first.
    var algorithms: [SignatureAlgorithm] {
        switch self {
        case .p256: [.es256]
        case .ed25519: [.edDSA]
        case .rsa: [.rs256, .ps256]
        }
    }

    func signature(of message: [UInt8], _ algorithm: SignatureAlgorithm) throws -> [UInt8] {
        switch self {
        // RFC 7518 §3.4: both numbers, concatenated.
        case .p256(let key): Array(try key.signature(for: message).rawRepresentation)
        case .ed25519(let key): Array(try key.signature(for: message))
        case .rsa(let key): try key.signature(of: message, isPSS: algorithm == .ps256)
        }
    }

    var publicKey: JSONWebKey {
        switch self {
        case .p256(let key):
            return JSONWebKey(p256: Array(key.publicKey.rawRepresentation))
        case .ed25519(let key):
            return JSONWebKey(members: [
                "kty": "OKP", "crv": "Ed25519", "x": Base64URL.encode(key.publicKey.rawRepresentation),
            ])
        case .rsa(let key):
            return JSONWebKey(members: [
                "kty": "RSA", "n": Base64URL.encode(key.modulus), "e": Base64URL.encode(key.exponent),
            ])
        }
    }
}
#endif
