// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
import Foundation
import Testing

@testable import RequestAuthorizationOAuth

/// Keys that cannot sign, and the texts of the errors.
@Suite struct BadKeyTests {
    /// A published key with one member changed, or without it.
    private static func jwk(_ json: Data, _ name: String, _ value: String?) throws -> Data {
        var members = try JSONDecoder().decode([String: String].self, from: json)
        members[name] = value
        return try JSONEncoder().encode(members)
    }

    private static let changes: [(Data, String, String?, SigningKeyError.Problem)] = [
        (PublishedKey.p256, "crv", "P-384", .mismatched), (PublishedKey.p256, "crv", "secp256k1", .unsupported),
        (PublishedKey.p384, "crv", "P-256", .malformed), (PublishedKey.p521, "crv", "P-384", .malformed),
        (PublishedKey.p384, "alg", "ES256", .otherAlgorithm), (PublishedKey.p521, "alg", "ES384", .otherAlgorithm),
        (PublishedKey.p521, "y", otherModulus, .mismatched),
        (PublishedKey.p256, "crv", nil, .unsupported), (PublishedKey.p256, "kty", "oct", .unsupported),
        (PublishedKey.p256, "kty", nil, .notJWK), (PublishedKey.p256, "d", nil, .notPrivate),
        (PublishedKey.p256, "d", "AQ", .mismatched), (PublishedKey.p256, "d", "a+b=", .malformed),
        (PublishedKey.p256, "d", "AX_NzidwNsRdQYPL7m_bS3tYBzM1e-nvE7rPbjx70VRF", .malformed),
        (PublishedKey.p256, "x", "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo", .mismatched),
        (PublishedKey.p256, "y", nil, .malformed), (PublishedKey.p256, "alg", "RS256", .otherAlgorithm),
        (PublishedKey.ed25519, "crv", "X25519", .unsupported), (PublishedKey.ed25519, "alg", "ES256", .otherAlgorithm),
        (PublishedKey.ed25519, "x", "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU", .mismatched),
        (PublishedKey.rsa, "n", "AQAB", .tooShort), (PublishedKey.rsa, "p", nil, .malformed),
        (PublishedKey.rsa, "qi", "", .malformed), (PublishedKey.rsa, "alg", "ES512", .otherAlgorithm),
        (PublishedKey.rsa, "d", nil, .notPrivate), (PublishedKey.rsa, "use", "enc", .otherUse),
        (PublishedKey.p256, "use", "enc", .otherUse), (PublishedKey.ed25519, "use", "enc", .otherUse),
        (PublishedKey.p256, "key_ops", "verify", .otherUse), (PublishedKey.rsa, "e", "Aw", .mismatched),
        (PublishedKey.p256, "y", "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU", .mismatched),
        (PublishedKey.p256, "x", "AX_NzidwNsRdQYPL7m_bS3tYBzM1e-nvE7rPbjx70VRF", .mismatched),
        (PublishedKey.rsa, "n", otherModulus, .mismatched),
        (PublishedKey.rsa, "d", otherModulus, .mismatched),
    ]

    /// RFC 7638 §3.1.
    private static let otherModulus = """
        0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJ\
        ECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs\
        8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0\
        Ls1jF44-csFCur-kEgU8awapJzKnqDKgw
        """

    @Test(arguments: changes.indices)
    func `a JWK that cannot sign is a typed error`(index: Int) throws {
        let (json, name, value, problem) = Self.changes[index]
        let changed = try Self.jwk(json, name, value)
        let error = #expect(throws: SigningKeyError.self) { try PrivateKeySigner(jwk: changed) }
        #expect(error?.problem == problem, "\(name): \(value ?? "missing")")
    }

    @Test(arguments: [
        (#"["verify"]"#, SigningKeyError.Problem.otherUse), ("[]", .otherUse), (#"["decrypt","unwrapKey"]"#, .otherUse),
        ("[1]", .malformed), ("{}", .malformed), ("true", .malformed),
    ])
    func `RFC 7517 §4.3: a key that must not sign is refused`(operations: String, problem: SigningKeyError.Problem) {
        let error = #expect(throws: SigningKeyError.self) {
            try PrivateKeySigner(jwk: Self.ed25519(#""key_ops":\#(operations)"#))
        }
        #expect(error?.problem == problem && error?.description.contains("key_ops") == true)
    }

    @Test(arguments: [
        #""use":"sig""#, #""key_ops":["sign"]"#, #""key_ops":["verify","sign"]"#, #""key_ops":"sign""#,
        #""use":"other""#, #""key_ops":null,"use":null,"alg":null,"kid":null"#,
    ])
    func `a key that may sign is read`(member: String) throws {
        #expect(try PrivateKeySigner(jwk: Self.ed25519(member)).publicKey == JSONWebKey(PublishedKey.ed25519))
    }

    private static func ed25519(_ member: String) -> Data {
        Data(String(decoding: PublishedKey.ed25519, as: UTF8.self).replacing("{", with: "{\(member),").utf8)
    }

    @Test(arguments: [
        (PublishedKey.rsa, "n"), (PublishedKey.rsa, "e"), (PublishedKey.p256, "x"), (PublishedKey.p256, "d"),
        (PublishedKey.p521, "d"),
    ])
    func `leading zeros change no number`(json: Data, name: String) throws {
        let text = try #require(try JSONDecoder().decode([String: String].self, from: json)[name])
        let number = try #require(Base64URL.decode(text)).drop { $0 == 0 }
        for bytes in [Array(number), [0, 0, 0] + number] {
            let key = try Self.jwk(json, name, Base64URL.encode(bytes))
            #expect(try PrivateKeySigner(jwk: key).publicKey == JSONWebKey(json))
        }
    }

    @Test func `an error says what to do with a key of another form or for another use`() throws {
        func text(_ json: Data) -> String? {
            #expect(throws: SigningKeyError.self) { try PrivateKeySigner(jwk: json) }?.description
        }
        #expect(text(Data("-----BEGIN PRIVATE KEY-----".utf8))?.hasSuffix("the text is PEM; pass it as pem") == true)
        let encryption = try Self.jwk(PublishedKey.p256, "use", "enc")
        #expect(
            text(encryption)
                == "the signing key cannot be used: for another use; its member use says enc, encryption; take a key "
                + "whose use is sig")
        let wrapped = try Self.jwk(PublishedKey.rsa, "alg", "RSA-OAEP")
        #expect(text(wrapped)?.contains("its member alg names one that does not fit") == true)
    }

    @Test func `a value that is no JWK is a typed error`() {
        for text in ["", "x", "[]", "{}", #"{"kty":1}"#, #"{"keys":[{"kty":"EC"}]}"#] {
            #expect(throws: SigningKeyError(.notJWK)) { try PrivateKeySigner(jwk: Data(text.utf8)) }
        }
    }

    @Test func `RFC 7517 §4: a key with two values of one member, or with deep nesting, is not read`() {
        let twice = Self.ed25519(#""kid":"a","kid":"b""#)
        let deep = Self.ed25519(#""x5c":\#(String(repeating: "[", count: 20))\#(String(repeating: "]", count: 20))"#)
        for (json, problem) in [(twice, SigningKeyError.Problem.malformed), (deep, .notJWK)] {
            let error = #expect(throws: SigningKeyError.self) { try PrivateKeySigner(jwk: json) }
            #expect(error?.problem == problem)
        }
    }

    @Test(arguments: [
        ("", SigningKeyError.Problem.notPEM), ("-----BEGIN PRIVATE KEY-----\nAAAA", .notPEM),
        ("-----BEGIN PRIVATE KEY-----\nA?A=\n-----END PRIVATE KEY-----", .malformed),
        ("-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----", .malformed),
        ("-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----", .malformed),
        ("-----BEGIN PRIVATE KEY-----\nMIT/////fwAA\n-----END PRIVATE KEY-----", .malformed),
        ("-----BEGIN DSA PRIVATE KEY-----\nAAAA\n-----END DSA PRIVATE KEY-----", .unsupported),
        ("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----", .notPrivate),
    ])
    func `a text that is no key is a typed error`(text: String, problem: SigningKeyError.Problem) throws {
        let error = #expect(throws: SigningKeyError.self) { try PrivateKeySigner(pem: text) }
        #expect(error?.problem == problem)
    }

    /// The reader of DER returns for any bytes.
    @Test func `no bytes in place of a key crash the program`() throws {
        var state: UInt64 = 42
        func next() -> UInt8 {
            state = state &* 6_364_136_223_846_793_005 &+ 1
            return UInt8(truncatingIfNeeded: state >> 33)
        }
        let good = [UInt8](try #require(Data(base64Encoded: Self.ed25519)))
        for _ in 0..<2_000 {
            var bytes = good
            for _ in 0...(next() % 3) { bytes[Int(next()) % bytes.count] = next() }
            let text = "-----BEGIN PRIVATE KEY-----\n\(Data(bytes).base64EncodedString())\n-----END PRIVATE KEY-----"
            do { _ = try PrivateKeySigner(pem: text) } catch { #expect(error is SigningKeyError) }
        }
    }

    private static let ed25519 = "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g"

    @Test func `lines may end as on Windows, and text may stand around the key`() throws {
        let text = "Bag\r\n-----BEGIN PRIVATE KEY-----\r\n\(Self.ed25519)\r\n-----END PRIVATE KEY-----\r\n"
        #expect(try PrivateKeySigner(pem: text).publicKey == JSONWebKey(PublishedKey.ed25519))
    }

    @Test func `an algorithm that does not fit the key is refused`() throws {
        #expect(throws: SigningKeyError(.otherAlgorithm)) {
            try PrivateKeySigner(jwk: PublishedKey.p256, algorithm: .rs256)
        }
        #expect(throws: SigningKeyError(.otherAlgorithm)) {
            try PrivateKeySigner(jwk: PublishedKey.rsa, algorithm: SignatureAlgorithm("none"))
        }
        #expect(try PrivateKeySigner(jwk: PublishedKey.rsa, algorithm: .ps256).algorithm == .ps256)
    }

    @Test func `each new key is a different one`() {
        let (one, other) = (PrivateKeySigner.generated(keyID: "k"), PrivateKeySigner.generated())
        #expect(one.publicKey != other.publicKey)
        #expect(one.keyID == "k" && one.algorithm == .es256)
    }

    @Test func `errors say what to do, and no part of the key`() throws {
        let changed = try Self.jwk(PublishedKey.p256, "d", "c2VjcmV0")
        let error = #expect(throws: SigningKeyError.self) { try PrivateKeySigner(jwk: changed) }
        let text = error.map { "\($0) \(String(reflecting: $0))" } ?? ""
        #expect(!text.contains("c2VjcmV0"))
        #expect(
            SigningKeyError(.tooShort).description
                == "the signing key cannot be used: too short; make a key of 2048 bits or more")
    }
}
#endif
