// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
import Foundation
import Testing

@testable import RequestAuthorizationOAuth

#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
import CryptoExtras
#endif

/// Signatures and thumbprints as the standards print them.
@Suite struct SignatureVectorTests {
    /// The claims of RFC 7515 App. A.
    private static let claims =
        "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"

    private func signature(_ message: String, by signer: PrivateKeySigner) async throws -> String {
        Base64URL.encode(try await signer.sign(Array(message.utf8)))
    }

    @Test func `RFC 7515 §A.2: the signature with RS256`() async throws {
        let signer = try PrivateKeySigner(jwk: PublishedKey.rsa)
        #expect(signer.algorithm == .rs256)
        #expect(
            try await signature("eyJhbGciOiJSUzI1NiJ9.\(Self.claims)", by: signer)
                == """
                cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF\
                9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcO\
                Ln6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmt\
                VrBp0igcN_IoypGlUPQGe77Rw
                """)
    }

    /// ECDSA signatures differ each time. The printed one and ours are valid for the same key.
    @Test func `RFC 7515 §A.3: the printed signature with ES256 and ours belong to the same key`() async throws {
        let signer = try PrivateKeySigner(jwk: PublishedKey.p256)
        #expect(signer.algorithm == .es256)
        let key = try P256.Signing.PublicKey(rawRepresentation: point(of: signer))
        let message = "eyJhbGciOiJFUzI1NiJ9.\(Self.claims)"
        let printed = "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
        for text in [printed, try await signature(message, by: signer)] {
            let signature = try P256.Signing.ECDSASignature(rawRepresentation: #require(Base64URL.decode(text)))
            #expect(key.isValidSignature(signature, for: Array(message.utf8)))
        }
    }

    @Test func `RFC 6979 §A.2.6: the printed signature with ES384 and ours belong to the same key`() async throws {
        let signer = try PrivateKeySigner(jwk: PublishedKey.p384)
        #expect(signer.algorithm == .es384)
        let key = try P384.Signing.PublicKey(rawRepresentation: point(of: signer))
        let printed =
            "lO27kqXsuKrUc25WxpGRaz-IFAZmzp-nPWTE6pWtEzyBpkgVLkSs-W423R6A-r5Gme9K6xXxeM6h_kDbJgMTjxMOdAoZYkUmIDtjUdCjqU-jKcFF"
            + "eG5nnnuCxxo4YorI"
        for text in [printed, try await signature("sample", by: signer)] {
            let signature = try P384.Signing.ECDSASignature(rawRepresentation: #require(Base64URL.decode(text)))
            #expect(key.isValidSignature(signature, for: Array("sample".utf8)))
        }
    }

    /// The payload of RFC 7520 §4.
    private static let payload = """
        SXTigJlzIGEgZGFuZ2Vyb3VzIGJ1c2luZXNzLCBGcm9kbywgZ29pbmcgb3V0IHlvdXIgZG9vci4gWW91IHN0ZXAgb250byB0aGUgcm9hZCwgYW5kIGlm\
        IHlvdSBkb24ndCBrZWVwIHlvdXIgZmVldCwgdGhlcmXigJlzIG5vIGtub3dpbmcgd2hlcmUgeW91IG1pZ2h0IGJlIHN3ZXB0IG9mZiB0by4
        """

    @Test func `RFC 7520 §4.3: the printed signature with ES512 and ours belong to the same key`() async throws {
        let signer = try PrivateKeySigner(jwk: PublishedKey.p521)
        #expect(signer.algorithm == .es512)
        let key = try P521.Signing.PublicKey(rawRepresentation: point(of: signer))
        let header = "eyJhbGciOiJFUzUxMiIsImtpZCI6ImJpbGJvLmJhZ2dpbnNAaG9iYml0b24uZXhhbXBsZSJ9"
        let message = "\(header).\(Self.payload)"
        let printed = """
            AE_R_YZCChjn4791jSQCrdPZCNYqHXCTZH0-JZGYNlaAjP2kqaluUIIUnC9qvbu9Plon7KRTzoNEuT4Va2cmL1eJAQy3mtPBu_u_sDDyYjnAMDxX\
            Pn7XrT0lw-kvAD890jl8e2puQens_IEKBpHABlsbEPX6sFY8OcGDqoRuBomu9xQ2
            """
        for text in [printed, try await signature(message, by: signer)] {
            let signature = try P521.Signing.ECDSASignature(rawRepresentation: #require(Base64URL.decode(text)))
            #expect(key.isValidSignature(signature, for: Array(message.utf8)))
        }
    }

    /// The coordinates of a public key, one after the other.
    private func point(of signer: PrivateKeySigner) throws -> [UInt8] {
        let members = signer.publicKey.members
        return try ["x", "y"].flatMap { try #require(members[$0].flatMap(Base64URL.decode)) }
    }

    @Test func `RFC 8037 §A.4: the signature with Ed25519`() async throws {
        let signer = try PrivateKeySigner(jwk: PublishedKey.ed25519)
        #expect(signer.algorithm == .edDSA)
        let message = "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc"
        #if canImport(CryptoKit)
        // Apple's signatures are randomized, and differ each time.
        let key = try Curve25519.Signing.PublicKey(
            rawRepresentation: #require(signer.publicKey.members["x"].flatMap(Base64URL.decode)))
        #expect(key.isValidSignature(try await signer.sign(Array(message.utf8)), for: Array(message.utf8)))
        #else
        #expect(
            try await signature(message, by: signer)
                == "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg")
        #endif
    }

    @Test func `RFC 9864 §2.2: a key whose algorithm is called Ed25519 signs under this name`() async throws {
        let text = String(decoding: PublishedKey.ed25519, as: UTF8.self)
        let named = try PrivateKeySigner(jwk: Data(text.replacing("{", with: #"{"alg":"Ed25519","#).utf8))
        let chosen = try PrivateKeySigner(jwk: PublishedKey.ed25519, algorithm: SignatureAlgorithm("Ed25519"))
        for signer in [named, chosen] {
            let token = try await JSONWebToken.signed([:], type: "JWT", by: signer)
            let parts = token.split(separator: ".")
            let header = try JSONDecoder().decode(
                [String: String].self, from: Data(#require(Base64URL.decode(String(parts[0])))))
            #expect(header["alg"] == "Ed25519")
            let key = try Curve25519.Signing.PublicKey(
                rawRepresentation: #require(signer.publicKey.members["x"].flatMap(Base64URL.decode)))
            let signature = try #require(Base64URL.decode(String(parts[2])))
            #expect(key.isValidSignature(signature, for: Array("\(parts[0]).\(parts[1])".utf8)))
        }
    }

    #if !canImport(CryptoKit)
    @Test func `RFC 7520 §4.2: the printed signature with PS384 is one of the padding that we sign with`() throws {
        let key = try _RSA.Signing.PublicKey(
            n: #require(Base64URL.decode(PublishedKey.cookbookModulus)), e: [1, 0, 1])
        let header = "eyJhbGciOiJQUzM4NCIsImtpZCI6ImJpbGJvLmJhZ2dpbnNAaG9iYml0b24uZXhhbXBsZSJ9"
        let printed = """
            cu22eBqkYDKgIlTpzDXGvaFfz6WGoz7fUDcfT0kkOy42miAh2qyBzk1xEsnk2IpN6-tPid6VrklHkqsGqDqHCdP6O8TTB5dDDItllVo6_1OLPpcb\
            UrhiUSMxbbXUvdvWXzg-UD8biiReQFlfz28zGWVsdiNAUf8ZnyPEgVFn442ZdNqiVJRmBqrYRXe8P_ijQ7p8Vdz0TTrxUeT3lm8d9shnr2lfJT8I\
            mUjvAA2Xez2Mlp8cBE5awDzT0qI0n6uiP1aCN_2_jLAeQTlqRHtfa64QQSUmFAAjVKPbByi7xho0uTOcbH510a6GYmJUAfmWjwZ6oD4ifKo8DYM-\
            X72Eaw
            """
        let signature = _RSA.Signing.RSASignature(rawRepresentation: try #require(Base64URL.decode(printed)))
        let digest = SHA384.hash(data: Data("\(header).\(Self.payload)".utf8))
        #expect(key.isValidSignature(signature, for: digest, padding: .PSS))
    }

    @Test(arguments: [SignatureAlgorithm.rs384, .rs512, .ps384, .ps512])
    func `RFC 7518 §3.1: an RSA signature has the hash and the padding of its name, and no other`(
        algorithm: SignatureAlgorithm
    ) async throws {
        let signer = try PrivateKeySigner(jwk: PublishedKey.rsa, algorithm: algorithm)
        let key = try _RSA.Signing.PublicKey(
            n: #require(signer.publicKey.members["n"].flatMap(Base64URL.decode)),
            e: #require(signer.publicKey.members["e"].flatMap(Base64URL.decode)))
        let message = Data("message".utf8)
        let signature = _RSA.Signing.RSASignature(rawRepresentation: try await signer.sign(Array(message)))
        func fits(_ digest: some Digest, _ padding: _RSA.Signing.Padding) -> Bool {
            key.isValidSignature(signature, for: digest, padding: padding)
        }
        let (short, middle, long) = (
            SHA256.hash(data: message), SHA384.hash(data: message), SHA512.hash(data: message)
        )
        let fitting: [(SignatureAlgorithm, Bool)] = [
            (.rs256, fits(short, .insecurePKCS1v1_5)), (.rs384, fits(middle, .insecurePKCS1v1_5)),
            (.rs512, fits(long, .insecurePKCS1v1_5)), (.ps256, fits(short, .PSS)), (.ps384, fits(middle, .PSS)),
            (.ps512, fits(long, .PSS)),
        ]
        #expect(fitting.filter(\.1).map(\.0) == [algorithm])
    }

    @Test func `PS256 is PSS with SHA-256 and a salt as long as the hash`() async throws {
        let signer = try PrivateKeySigner(jwk: PublishedKey.rsa, algorithm: .ps256)
        let key = try _RSA.Signing.PublicKey(
            n: #require(signer.publicKey.members["n"].flatMap(Base64URL.decode)),
            e: #require(signer.publicKey.members["e"].flatMap(Base64URL.decode)))
        let message = Array("message".utf8)
        let signature = _RSA.Signing.RSASignature(rawRepresentation: try await signer.sign(message))
        #expect(key.isValidSignature(signature, for: message, padding: .PSS))
        #expect(!key.isValidSignature(signature, for: message, padding: .insecurePKCS1v1_5))
    }
    #endif

    @Test(arguments: PublishedKey.all)
    func `the intermediate values of a key print nothing of it`(json: Data) throws {
        let parts = try PrivateKeyParts(JWKObject(json))
        for text in ["\(parts)", "\(try SigningKey(parts))", "\(try JWKObject(json))"] {
            #expect(text.hasSuffix("([redacted])"))
        }
        if case .rsa(let numbers) = parts { #expect("\(numbers)" == "RSANumbers([redacted])") }
    }

    // MARK: - Thumbprints

    @Test func `RFC 7638 §3.1: the thumbprint of the example, with any additional members`() throws {
        let json = """
            {"kty": "RSA", "n": "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJ\
            ECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs\
            8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0\
            Ls1jF44-csFCur-kEgU8awapJzKnqDKgw", "e": "AQAB", "alg": "RS256", "kid": "2011-04-29"}
            """
        let key = try JSONWebKey(Data(json.utf8))
        #expect(key.thumbprint == "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs")
        #expect(Set(key.members.keys) == ["kty", "n", "e"])
    }

    @Test func `RFC 8037 §A.3: the thumbprint of an Ed25519 key`() throws {
        let signer = try PrivateKeySigner(jwk: PublishedKey.ed25519)
        #expect(signer.publicKey.thumbprint == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k")
    }

    @Test func `RFC 9449 §6.1: the thumbprint of the example`() throws {
        let json = """
            {"kty":"EC","x":"l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs",
            "y":"9VE4jf_Ok_o64zbTTlcuNJajHmt6v9TDVrU0CdvGRDA","crv":"P-256"}
            """
        #expect(try JSONWebKey(Data(json.utf8)).thumbprint == "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I")
    }

    @Test(arguments: PublishedKey.all)
    func `the public half has the key's values, and can be read again`(json: Data) throws {
        let signer = try PrivateKeySigner(jwk: json)
        #expect(try signer.publicKey == JSONWebKey(json))
        #expect(signer.publicKey.members["d"] == nil)
        let coded = try JSONEncoder().encode(signer.publicKey)
        #expect(try JSONWebKey(coded) == signer.publicKey)
    }
}
#endif
