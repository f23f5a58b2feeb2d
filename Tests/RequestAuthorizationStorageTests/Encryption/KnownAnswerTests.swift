// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif
import Foundation
import Testing

@testable import RequestAuthorizationStorage

/// The results of the crypto library with published values.
@Suite struct KnownAnswerTests {
    /// RFC 7914 §11.
    @Test(arguments: [
        (
            "passwd", "salt", 1,
            """
            55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc
            49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783
            """
        ),
        (
            "Password", "NaCl", 80_000,
            """
            4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56
            a1d425a1225833549adb841b51c9b3176a272bdebba1d078478f62b397f33c8d
            """
        ),
    ])
    func `a password gives the key that was published`(password: String, salt: String, rounds: Int, answer: String)
        throws
    {
        let key = try PBKDF2.derive(
            from: SymmetricKey(data: Array(password.utf8)), salt: Array(salt.utf8), uncheckedRounds: rounds,
            byteCount: 64)
        #expect(key.withUnsafeBytes { Array($0) } == [UInt8](hex: answer))
    }

    struct Vector: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let cipher: TokenCipher
        let key: String
        let nonce: String
        let header: String
        let message: String
        let sealed: String
    }

    @Test(arguments: [
        Vector(
            testDescription: "AES-GCM, McGrew and Viega, test case 13", cipher: .aesGCM,
            key: String(repeating: "00", count: 32), nonce: String(repeating: "00", count: 12), header: "",
            message: "", sealed: "530f8afbc74536b9a963b4f1c4cb738b"),
        Vector(
            testDescription: "AES-GCM, McGrew and Viega, test case 14", cipher: .aesGCM,
            key: String(repeating: "00", count: 32), nonce: String(repeating: "00", count: 12), header: "",
            message: String(repeating: "00", count: 16),
            sealed: "cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919"),
        Vector(
            testDescription: "AES-GCM, McGrew and Viega, test case 16", cipher: .aesGCM,
            key: "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
            nonce: "cafebabefacedbaddecaf888", header: "feedfacedeadbeeffeedfacedeadbeefabaddad2",
            message: """
                d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72
                1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39
                """,
            sealed: """
                522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa
                8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662
                76fc6ece0f4e1768cddf8853bb2d551b
                """),
        Vector(
            testDescription: "ChaCha20-Poly1305, RFC 8439 §2.8.2", cipher: .chaChaPoly,
            key: "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f",
            nonce: "070000004041424344454647", header: "50515253c0c1c2c3c4c5c6c7",
            message: """
                4c616469657320616e642047656e746c656d656e206f662074686520636c6173
                73206f66202739393a204966204920636f756c64206f6666657220796f75206f
                6e6c79206f6e652074697020666f7220746865206675747572652c2073756e73
                637265656e20776f756c642062652069742e
                """,
            sealed: """
                d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d6
                3dbea45e8ca9671282fafb69da92728b1a71de0a9e060b2905d6a5b67ecd3b36
                92ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc
                3ff4def08e4b7a9de576d26586cec64b6116
                1ae10b594f09e26a7e902ecbd0600691
                """),
    ])
    func `seals and opens as published`(vector: Vector) throws {
        let (key, nonce) = (SymmetricKey(data: [UInt8](hex: vector.key)), [UInt8](hex: vector.nonce))
        let (header, message) = ([UInt8](hex: vector.header), [UInt8](hex: vector.message))
        let sealed = try vector.cipher.seal(message, key: key, nonce: nonce, authenticating: header)
        #expect(sealed.hex == [UInt8](hex: vector.sealed).hex)
        #expect(try vector.cipher.open(sealed, key: key, nonce: nonce, authenticating: header) == Data(message))
        #expect(throws: (any Error).self) {
            try vector.cipher.open(sealed, key: key, nonce: nonce, authenticating: header + [0])
        }
    }

    @Test func `no two nonces are the same`() {
        let nonces = (0..<10_000).map { _ in TokenCipher.randomNonce() }
        #expect(Set(nonces).count == nonces.count)
        #expect(nonces.allSatisfy { $0.count == 12 })
    }
}
#endif
