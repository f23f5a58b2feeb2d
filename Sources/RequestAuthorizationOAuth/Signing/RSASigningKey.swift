// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
#if canImport(CryptoKit)
import Foundation
import Security
#else
import Crypto
import CryptoExtras
#endif

/// An RSA key of swift-crypto, or of the Security framework on Apple's platforms: CryptoKit has none.
struct RSASigningKey: Sendable, RedactedDescription {
    let modulus: [UInt8]
    let exponent: [UInt8]

    #if canImport(CryptoKit)
    private let pkcs1: Data

    init(_ numbers: RSANumbers) throws {
        (modulus, exponent, pkcs1) = (numbers.modulus, numbers.exponent, Data(numbers.pkcs1))
        _ = try key()
    }

    // https://developer.apple.com/documentation/security/signing-and-verifying
    func signature(of message: [UInt8], _ algorithm: SignatureAlgorithm) throws -> [UInt8] {
        guard let name = Self.names[algorithm] else { throw SigningKeyError(.otherAlgorithm) }
        guard let signature = SecKeyCreateSignature(try key(), name, Data(message) as CFData, nil) else {
            throw SigningKeyError(.malformed)
        }
        return Array(signature as Data)
    }

    private static let names: [SignatureAlgorithm: SecKeyAlgorithm] = [
        .rs256: .rsaSignatureMessagePKCS1v15SHA256, .rs384: .rsaSignatureMessagePKCS1v15SHA384,
        .rs512: .rsaSignatureMessagePKCS1v15SHA512, .ps256: .rsaSignatureMessagePSSSHA256,
        .ps384: .rsaSignatureMessagePSSSHA384, .ps512: .rsaSignatureMessagePSSSHA512,
    ]

    /// Makes the key for each signature, because a `SecKey` is not `Sendable`.
    private func key() throws(SigningKeyError) -> SecKey {
        let attributes: [String: Any] = [
            kSecAttrKeyType as String: kSecAttrKeyTypeRSA, kSecAttrKeyClass as String: kSecAttrKeyClassPrivate,
        ]
        guard let key = SecKeyCreateWithData(pkcs1 as CFData, attributes as CFDictionary, nil) else {
            throw SigningKeyError(.malformed)
        }
        return key
    }
    #else
    private let key: _RSA.Signing.PrivateKey

    init(_ numbers: RSANumbers) throws {
        (modulus, exponent) = (numbers.modulus, numbers.exponent)
        key = try _RSA.Signing.PrivateKey(derRepresentation: numbers.pkcs1)
    }

    /// RFC 7518 §3.3, §3.5: with PSS the salt is as long as the hash, which is this padding's default.
    func signature(of message: [UInt8], _ algorithm: SignatureAlgorithm) throws -> [UInt8] {
        let signature =
            switch algorithm {
            case .rs256: try key.signature(for: SHA256.hash(data: message), padding: .insecurePKCS1v1_5)
            case .rs384: try key.signature(for: SHA384.hash(data: message), padding: .insecurePKCS1v1_5)
            case .rs512: try key.signature(for: SHA512.hash(data: message), padding: .insecurePKCS1v1_5)
            case .ps256: try key.signature(for: SHA256.hash(data: message), padding: .PSS)
            case .ps384: try key.signature(for: SHA384.hash(data: message), padding: .PSS)
            case .ps512: try key.signature(for: SHA512.hash(data: message), padding: .PSS)
            default: throw SigningKeyError(.otherAlgorithm)
            }
        return Array(signature.rawRepresentation)
    }
    #endif
}
#endif
