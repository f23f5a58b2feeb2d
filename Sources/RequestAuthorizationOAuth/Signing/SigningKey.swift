// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

/// A private key that signs.
struct SigningKey: Sendable, RedactedDescription {
    let publicKey: JSONWebKey
    /// The algorithms of this kind of key, the default first.
    let algorithms: [SignatureAlgorithm]
    /// Signs a message. With a curve for ECDSA the result is both numbers, concatenated (RFC 7518 §3.4).
    let sign: @Sendable (_ message: [UInt8], _ algorithm: SignatureAlgorithm) throws -> [UInt8]
}

extension SigningKey {
    /// - Throws: ``SigningKeyError``, `mismatched` if the file gives a public key that belongs to another private key.
    init(_ parts: PrivateKeyParts) throws(SigningKeyError) {
        do {
            switch parts {
            case .elliptic(let curve, let bytes, let publicKeys):
                let (key, point) = try Self.elliptic(curve, bytes)
                guard publicKeys.allSatisfy({ Self.isSame($0, point) }) else { throw SigningKeyError(.mismatched) }
                self = key
            case .ed25519(let bytes, let publicKeys):
                let key = try Curve25519.Signing.PrivateKey(rawRepresentation: bytes)
                let publicKey = Array(key.publicKey.rawRepresentation)
                guard publicKeys.allSatisfy({ $0 == publicKey }) else { throw SigningKeyError(.mismatched) }
                self = SigningKey(
                    publicKey: JSONWebKey(ed25519: key.publicKey.rawRepresentation),
                    algorithms: [.edDSA, SignatureAlgorithm("Ed25519")]  // RFC 9864 §2.2: the name of this curve alone.
                ) { message, _ in Array(try key.signature(for: message)) }
            case .rsa(let numbers): self = try Self.rsa(numbers)
            }
        } catch let error as SigningKeyError {
            throw error
        } catch {
            throw SigningKeyError(.malformed)
        }
    }

    static func p256(_ key: P256.Signing.PrivateKey) -> (key: SigningKey, point: [UInt8]) {
        on(.p256, key.publicKey.rawRepresentation, .es256) { try key.signature(for: $0).rawRepresentation }
    }

    // MARK: -

    /// - Returns: the key, and the coordinates of its public key, one after the other.
    private static func elliptic(
        _ curve: EllipticCurve, _ bytes: [UInt8]
    ) throws -> (key: SigningKey, point: [UInt8]) {
        switch curve {
        case .p256: return p256(try P256.Signing.PrivateKey(rawRepresentation: bytes))
        case .p384:
            let key = try P384.Signing.PrivateKey(rawRepresentation: bytes)
            return on(curve, key.publicKey.rawRepresentation, .es384) { try key.signature(for: $0).rawRepresentation }
        case .p521:
            let key = try P521.Signing.PrivateKey(rawRepresentation: bytes)
            return on(curve, key.publicKey.rawRepresentation, .es512) { try key.signature(for: $0).rawRepresentation }
        }
    }

    private static func on(
        _ curve: EllipticCurve, _ publicKey: Data, _ algorithm: SignatureAlgorithm,
        sign: @escaping @Sendable (_ message: [UInt8]) throws -> Data
    ) -> (key: SigningKey, point: [UInt8]) {
        let point = Array(publicKey)
        let key = SigningKey(publicKey: JSONWebKey(curve, point: point), algorithms: [algorithm]) { message, _ in
            Array(try sign(message))
        }
        return (key, point)
    }

    private static func rsa(_ numbers: RSANumbers) throws(SigningKeyError) -> SigningKey {
        let key: RSASigningKey
        do { key = try RSASigningKey(numbers) } catch {
            throw SigningKeyError(
                .mismatched, detail: "its numbers do not belong together; copy the key again, or make a new one")
        }
        return SigningKey(
            publicKey: JSONWebKey(members: [
                "kty": "RSA", "n": Base64URL.encode(key.modulus), "e": Base64URL.encode(key.exponent),
            ]), algorithms: [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512]
        ) { try key.signature(of: $0, $1) }
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
}
#endif
