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
    case p384(P384.Signing.PrivateKey)
    case p521(P521.Signing.PrivateKey)
    case ed25519(Curve25519.Signing.PrivateKey)
    case rsa(RSASigningKey)

    /// - Throws: ``SigningKeyError``, `mismatched` if the file gives a public key that belongs to another private key.
    init(_ parts: PrivateKeyParts) throws(SigningKeyError) {
        do {
            switch parts {
            case .elliptic(let curve, let bytes, let publicKeys):
                self = try Self.elliptic(curve, bytes)
                let point = point
                guard publicKeys.allSatisfy({ Self.isSame($0, point) }) else { throw SigningKeyError(.mismatched) }
            case .ed25519(let bytes, let publicKeys):
                let key = try Curve25519.Signing.PrivateKey(rawRepresentation: bytes)
                let publicKey = Array(key.publicKey.rawRepresentation)
                guard publicKeys.allSatisfy({ $0 == publicKey }) else { throw SigningKeyError(.mismatched) }
                self = .ed25519(key)
            case .rsa(let numbers): self = .rsa(try Self.rsa(numbers))
            }
        } catch let error as SigningKeyError {
            throw error
        } catch {
            throw SigningKeyError(.malformed)
        }
    }

    private static func elliptic(_ curve: EllipticCurve, _ bytes: [UInt8]) throws -> SigningKey {
        switch curve {
        case .p256: .p256(try P256.Signing.PrivateKey(rawRepresentation: bytes))
        case .p384: .p384(try P384.Signing.PrivateKey(rawRepresentation: bytes))
        case .p521: .p521(try P521.Signing.PrivateKey(rawRepresentation: bytes))
        }
    }

    /// The coordinates of the public key, one after the other; those of an elliptic curve only.
    private var point: [UInt8] {
        switch self {
        case .p256(let key): Array(key.publicKey.rawRepresentation)
        case .p384(let key): Array(key.publicKey.rawRepresentation)
        case .p521(let key): Array(key.publicKey.rawRepresentation)
        case .ed25519, .rsa: []
        }
    }

    private static func rsa(_ numbers: RSANumbers) throws(SigningKeyError) -> RSASigningKey {
        do { return try RSASigningKey(numbers) } catch {
            throw SigningKeyError(
                .mismatched, detail: "its numbers do not belong together; copy the key again, or make a new one")
        }
    }

    /// Whether an encoded point (SEC 1 §2.3.3) is the one with these two coordinates.
    private static func isSame(_ encoded: [UInt8], _ point: [UInt8]) -> Bool {
        switch encoded.first {
        case 4: encoded.dropFirst().elementsEqual(point)
        case .some(let sign) where sign == 2 || sign == 3:
            encoded.dropFirst().elementsEqual(point.prefix(point.count / 2)) && point.last.map { $0 & 1 } == sign & 1
        default: false
        }
    }

    /// The algorithms of this kind of key, the default first.
    var algorithms: [SignatureAlgorithm] {
        switch self {
        case .p256: [.es256]
        case .p384: [.es384]
        case .p521: [.es512]
        case .ed25519: [.edDSA, SignatureAlgorithm("Ed25519")]  // RFC 9864 §2.2: the name of this curve alone.
        case .rsa: [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512]
        }
    }

    func signature(of message: [UInt8], _ algorithm: SignatureAlgorithm) throws -> [UInt8] {
        switch self {
        // RFC 7518 §3.4: both numbers, concatenated.
        case .p256(let key): Array(try key.signature(for: message).rawRepresentation)
        case .p384(let key): Array(try key.signature(for: message).rawRepresentation)
        case .p521(let key): Array(try key.signature(for: message).rawRepresentation)
        case .ed25519(let key): Array(try key.signature(for: message))
        case .rsa(let key): try key.signature(of: message, algorithm)
        }
    }

    var publicKey: JSONWebKey {
        switch self {
        case .p256: return JSONWebKey(.p256, point: point)
        case .p384: return JSONWebKey(.p384, point: point)
        case .p521: return JSONWebKey(.p521, point: point)
        case .ed25519(let key): return JSONWebKey(ed25519: key.publicKey.rawRepresentation)
        case .rsa(let key):
            return JSONWebKey(members: [
                "kty": "RSA", "n": Base64URL.encode(key.modulus), "e": Base64URL.encode(key.exponent),
            ])
        }
    }
}
#endif
