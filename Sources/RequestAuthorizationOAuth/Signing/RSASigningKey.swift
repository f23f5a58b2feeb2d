// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
#if canImport(CryptoKit)
import Foundation
import Security
#else
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
    func signature(of message: [UInt8], isPSS: Bool) throws -> [UInt8] {
        let algorithm: SecKeyAlgorithm = isPSS ? .rsaSignatureMessagePSSSHA256 : .rsaSignatureMessagePKCS1v15SHA256
        guard let signature = SecKeyCreateSignature(try key(), algorithm, Data(message) as CFData, nil) else {
            throw SigningKeyError(.malformed)
        }
        return Array(signature as Data)
    }

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

    func signature(of message: [UInt8], isPSS: Bool) throws -> [UInt8] {
        Array(try key.signature(for: message, padding: isPSS ? .PSS : .insecurePKCS1v1_5).rawRepresentation)
    }
    #endif
}
#endif
