// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

extension TokenCipher {
    /// 96 random bits. Two equal nonces under one key would reveal the messages. With 2³² messages under a key the
    /// probability is below 2⁻³² (NIST SP 800-38D §8.3).
    static func randomNonce() -> [UInt8] { AES.GCM.Nonce().withUnsafeBytes { Array($0) } }

    /// - Returns: the ciphertext, followed by the tag.
    func seal(
        _ message: some DataProtocol, key: SymmetricKey, nonce: [UInt8], authenticating header: [UInt8]
    ) throws -> [UInt8] {
        switch code {
        case .aesGCM:
            let box = try AES.GCM.seal(message, using: key, nonce: .init(data: nonce), authenticating: header)
            return Array(box.ciphertext) + Array(box.tag)
        case .chaChaPoly:
            let box = try ChaChaPoly.seal(message, using: key, nonce: .init(data: nonce), authenticating: header)
            return Array(box.ciphertext) + Array(box.tag)
        }
    }

    /// - Throws: an error of the cryptography library if the tag does not match.
    func open(_ sealed: [UInt8], key: SymmetricKey, nonce: [UInt8], authenticating header: [UInt8]) throws -> Data {
        let (ciphertext, tag) = (sealed.dropLast(Self.tagBytes), sealed.suffix(Self.tagBytes))
        switch code {
        case .aesGCM:
            let box = try AES.GCM.SealedBox(nonce: AES.GCM.Nonce(data: nonce), ciphertext: ciphertext, tag: tag)
            return try AES.GCM.open(box, using: key, authenticating: header)
        case .chaChaPoly:
            let box = try ChaChaPoly.SealedBox(nonce: ChaChaPoly.Nonce(data: nonce), ciphertext: ciphertext, tag: tag)
            return try ChaChaPoly.open(box, using: key, authenticating: header)
        }
    }
}
#endif
