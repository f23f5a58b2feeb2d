// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
import Foundation
import Testing

@testable import RequestAuthorizationOAuth

/// PEM as settings and editors leave it, and the texts of the errors.
@Suite struct PEMTests {
    /// The published keys in their forms: PKCS #8, PKCS #1, and SEC 1 behind the parameters that `openssl ecparam` writes.
    private static let files: [(pem: String, key: Data)] = [
        (pem("PRIVATE KEY", ed25519), PublishedKey.ed25519),
        (pem("PRIVATE KEY", DERWriter.pkcs8(p256: d, point: point)), PublishedKey.p256),
        (
            pem("EC PARAMETERS", DERWriter.element(6, DERWriter.p256)) + "\n"
                + pem("EC PRIVATE KEY", DERWriter.sec1(d, point: point)), PublishedKey.p256
        ),
        (pem("RSA PRIVATE KEY", rsa), PublishedKey.rsa),
    ]

    private static let ed25519 = Array(
        Data(base64Encoded: "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g") ?? Data())
    private static let d = Base64URL.decode("jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI") ?? []
    private static let point = [
        4, "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU", "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
    ].flatMap { ($0 as? String).flatMap(Base64URL.decode) ?? [4] }
    private static let rsa: [UInt8] = {
        guard let object = try? JWKObject(PublishedKey.rsa), case .rsa(let numbers)? = try? PrivateKeyParts(object)
        else { return [] }
        return numbers.pkcs1
    }()

    static func pem(_ label: String, _ der: [UInt8]) -> String {
        let body = Data(der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return "-----BEGIN \(label)-----\n\(body)\n-----END \(label)-----\n"
    }

    // MARK: - White space

    @Test(arguments: files.indices) func `a key is read whatever became of its white space and line ends`(
        index: Int
    ) throws {
        let (pem, key) = Self.files[index]
        let (expected, publicKey) = (try PEM.privateKey(in: pem), try JSONWebKey(key))
        for seed in 0..<1_000 {
            let mangled = MangledPEM(pem, seed: UInt64(seed)).text
            let found = try? PEM.privateKey(in: mangled)
            #expect(found?.kind == expected.kind && found?.der == expected.der, "\(seed): \(mangled.debugDescription)")
            guard seed < 20 else { continue }
            #expect(try PrivateKeySigner(pem: mangled).publicKey == publicKey)
        }
    }

    /// What each kind of setting makes of a key, by itself.
    @Test(arguments: [
        ("\n", "\\n"), ("\n", "\\r\\n"), ("\n", "\\\\n"), ("\n", " "), ("\n", ""), ("\n", "\r"), ("\n", "\r\n"),
        ("\n", " \n"),
        ("\n", "\n    "), ("\n", "\n\n"), ("/", "\\/"), ("=", ""), ("PRIVATE KEY", "PRIVATE  KEY"), (" ", ""),
    ])
    func `a key is read after each change`(old: String, new: String) throws {
        for (pem, key) in Self.files {
            let signer = try PrivateKeySigner(pem: pem.replacing(old, with: new))
            #expect(try signer.publicKey == JSONWebKey(key))
        }
    }

    @Test func `other blocks are skipped, and of two private keys the first one counts`() throws {
        let certificate = Self.pem("CERTIFICATE", Array(repeating: 7, count: 99))
        let publicKey = Self.pem("PUBLIC KEY", Array(repeating: 9, count: 44))
        let (one, two) = (Self.files[0].pem, Self.files[1].pem)
        for text in [
            certificate + one, one + certificate, publicKey + one + two, "-----BEGIN CERTIFICATE-----\nAAAA\n" + one,
            "-----BEGIN PRIVATE KEY-----\nAAAA\n" + one,
        ] {
            for text in [text, text.replacing("\n", with: ""), text.replacing("\n", with: "\\n")] {
                #expect(try PrivateKeySigner(pem: text).publicKey == JSONWebKey(PublishedKey.ed25519))
            }
        }
    }

    /// RFC 5915 §3 wants all bytes. OpenSSL wrote the number as short as it is, and others put a zero before it.
    @Test func `a private number on a curve may lack its leading zeros, or have more of them`() throws {
        let short = Array(Self.d.dropFirst())
        let whole = Self.pem("EC PRIVATE KEY", DERWriter.sec1([0] + short, point: nil))
        let publicKey = try PrivateKeySigner(pem: whole).publicKey
        for number in [short, [0, 0] + short] {
            let files = [
                Self.pem("EC PRIVATE KEY", DERWriter.sec1(number, point: nil)),
                Self.pem("PRIVATE KEY", DERWriter.pkcs8(p256: number, point: nil)),
            ]
            for file in files { #expect(try PrivateKeySigner(pem: file).publicKey == publicKey) }
        }
    }

    // MARK: - Public keys in files

    @Test func `a public key in the file may have each of its forms`() throws {
        let compressed = [2 | Self.point[64] & 1] + Self.point[1...32]
        let x = try #require(Base64URL.decode("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"))
        for file in [
            Self.pem("PRIVATE KEY", DERWriter.pkcs8(p256: Self.d, point: compressed)),
            Self.pem("EC PRIVATE KEY", DERWriter.sec1(Self.d, point: nil)),
            Self.pem("PRIVATE KEY", DERWriter.pkcs8(p256: Self.d, point: Self.point, outer: Self.point)),
        ] { #expect(try PrivateKeySigner(pem: file).publicKey == JSONWebKey(PublishedKey.p256)) }
        for isExplicit in [false, true] {
            let file = Self.pem("PRIVATE KEY", DERWriter.pkcs8(ed25519: Self.ed25519, publicKey: x, isExplicit))
            #expect(try PrivateKeySigner(pem: file).publicKey == JSONWebKey(PublishedKey.ed25519))
        }
    }

    @Test func `a public key of another private key is refused`() throws {
        var other = Self.point
        other[64] ^= 1
        let compressed = [3 - Self.point[64] & 1] + Self.point[1...32]
        var files = [other, compressed, [], [4], Array(Self.point.dropLast())].flatMap { point in
            [
                Self.pem("PRIVATE KEY", DERWriter.pkcs8(p256: Self.d, point: point)),
                Self.pem("EC PRIVATE KEY", DERWriter.sec1(Self.d, point: point)),
                Self.pem("PRIVATE KEY", DERWriter.pkcs8(p256: Self.d, point: Self.point, outer: point)),
            ]
        }
        for isExplicit in [false, true] {
            files.append(
                Self.pem(
                    "PRIVATE KEY",
                    DERWriter.pkcs8(ed25519: Self.ed25519, publicKey: Array(Self.point.suffix(32)), isExplicit)))
        }
        for file in files {
            let error = #expect(throws: SigningKeyError.self) { try PrivateKeySigner(pem: file) }
            #expect(error?.problem == .mismatched)
            #expect(error?.description.contains("the public part is of another key") == true)
        }
    }

    // MARK: - Errors

    @Test(arguments: [
        ("", "is empty"), (" \n\t", "is empty"), ("\"\"", "is empty"),
        ("-----BEGIN PRIVATE KEY-----", "has no last line"),
        ("-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ1hsZ3v", "has no last line"),
        (#"{"kty":"OKP"}"#, "pass a JWK as jwk"), ("LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0tCg", "decode it first"),
        ("/run/secrets/client.pem", "what the file contains"), ("MC4CAQAwBQYDK2VwBCIEIJ1h", "its first and last line"),
        ("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END EC PRIVATE KEY-----", "does not fit its first one"),
        ("-----BEGIN PRIVATE KEY-----\nA?A=\n-----END PRIVATE KEY-----", "is not Base64"),
        ("-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----", "missing or damaged"),
        ("-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----", "openssl genpkey"),
        ("-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----", "remove its password"),
        ("-----BEGIN RSA PRIVATE KEY-----Proc-Type: 4,ENCRYPTED AAAA-----END RSA PRIVATE KEY-----", "its password"),
        ("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----", "pass the private key"),
    ])
    func `an error says what was passed, and asks for nothing that was`(text: String, part: String) throws {
        let error = #expect(throws: SigningKeyError.self) { try PrivateKeySigner(pem: text) }
        let description = try #require(error?.description)
        #expect(description.contains(part), "\(description)")
        #expect(!description.contains("unchanged") && !description.contains("MC4CAQ"))
        #expect(
            description.contains("its first and last line")
                == (part == "its first and last line" || part == "is not Base64"))
    }
}

extension DERWriter {
    static let p256: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
    private static let ec: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]

    /// A private key of RFC 5915, with a public key or without one.
    fileprivate static func sec1(_ secret: [UInt8], point: [UInt8]?, isNamed: Bool = true) -> [UInt8] {
        let curve = isNamed ? element(0xA0, element(6, p256)) : []
        let publicKey = point.map { element(0xA1, element(3, [0] + $0)) } ?? []
        return element(0x30, integer([1]) + element(4, secret) + curve + publicKey)
    }

    /// RFC 5958, with `[0]` attributes and `[1]` public key if there is one outside.
    fileprivate static func pkcs8(p256 secret: [UInt8], point: [UInt8]?, outer: [UInt8]? = nil) -> [UInt8] {
        let algorithm = element(0x30, element(6, ec) + element(6, p256))
        let key = element(4, sec1(secret, point: point, isNamed: false))
        let rest = outer.map { element(0xA0, []) + element(0x81, [0] + $0) } ?? []
        return element(0x30, integer([outer == nil ? 0 : 1]) + algorithm + key + rest)
    }

    /// Adds a public key to a key in PKCS #8, implicit as RFC 5958 has it, or explicit as some programs write it.
    fileprivate static func pkcs8(ed25519 file: [UInt8], publicKey: [UInt8], _ isExplicit: Bool) -> [UInt8] {
        let bits = [0] + publicKey
        let rest = isExplicit ? element(0xA1, element(3, bits)) : element(0x81, bits)
        // The version is the third byte of the contents; 1 says that a public key may follow.
        var contents = Array(file.dropFirst(2))
        contents[2] = 1
        return element(0x30, contents + rest)
    }
}
#endif
