// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full && canImport(Glibc)
import Crypto
import Foundation
import RequestAuthorizationOAuth
import TestServers
import Testing

/// Keys that OpenSSL made, and signatures that it verifies.
@Suite struct OpenSSLTests {
    /// A folder that exists while a test runs.
    private func withFolder<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: "openssl-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(folder)
    }

    private static let forms: [(String, SignatureAlgorithm)] = [
        ("openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out key", .es256),
        ("openssl ecparam -name prime256v1 -genkey -out key", .es256),  // curve parameters first, then SEC 1
        ("openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-384 -out key", .es384),
        ("openssl ecparam -name secp384r1 -genkey -noout -out key", .es384),  // SEC 1
        ("openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-521 -out key", .es512),
        ("openssl ecparam -name secp521r1 -genkey -out key", .es512),
        (
            "openssl ecparam -name secp384r1 -genkey -noout | openssl ec -conv_form compressed -out key", .es384
        ),
        ("openssl genpkey -algorithm ed25519 -out key", .edDSA),
        ("openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out key", .rs256),
        ("openssl genrsa -traditional -out key 3072", .ps256),  // PKCS #1
        ("openssl genrsa -out key 2048", .rs384), ("openssl genrsa -out key 2048", .rs512),
        ("openssl genrsa -out key 2048", .ps384), ("openssl genrsa -out key 2048", .ps512),
        (
            "openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 | openssl ec -conv_form compressed -out key",
            .es256
        ),
        ("openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 | openssl ec -no_public -out key", .es256),
        (
            "openssl ecparam -name prime256v1 -genkey -noout | openssl pkcs8 -topk8 -nocrypt -out one; "
                + "openssl genpkey -algorithm ed25519 | openssl pkey -pubout -out two; cat two one > key", .es256
        ),
    ]

    @Test(arguments: forms)
    func `a key of each form makes signatures that OpenSSL verifies`(
        command: String, algorithm: SignatureAlgorithm
    ) async throws {
        try await withFolder { folder in
            func openssl(_ arguments: String) async throws {
                _ = try await Command.run(["/bin/bash", "-c", "cd '\(folder.path)' && \(arguments) 2>&1"])
            }
            try await openssl(command)
            let text = try String(contentsOf: folder.appending(path: "key"), encoding: .utf8)
            let isChosen = try algorithm != .rs256 && PrivateKeySigner(pem: text).algorithm == .rs256
            let signer = try PrivateKeySigner(pem: text, algorithm: isChosen ? algorithm : nil)
            #expect(signer.algorithm == algorithm)
            for seed in 0..<50 {
                let mangled = MangledPEM(text, seed: UInt64(seed)).text
                #expect(try PrivateKeySigner(pem: mangled).publicKey == signer.publicKey, "\(seed)")
            }
            let message = Array("a message".utf8)
            var signature = try await signer.sign(message)
            signature =
                switch algorithm {
                case .es256: Array(try P256.Signing.ECDSASignature(rawRepresentation: signature).derRepresentation)
                case .es384: Array(try P384.Signing.ECDSASignature(rawRepresentation: signature).derRepresentation)
                case .es512: Array(try P521.Signing.ECDSASignature(rawRepresentation: signature).derRepresentation)
                default: signature
                }
            try Data(message).write(to: folder.appending(path: "message"))
            try Data(signature).write(to: folder.appending(path: "signature"))
            try await openssl("openssl pkey -in key -pubout -out public")
            let bits = algorithm.name.suffix(3)
            let check =
                switch algorithm {
                case .edDSA: "pkeyutl -verify -pubin -inkey public -rawin -in message -sigfile signature"
                case _ where algorithm.name.hasPrefix("PS"):
                    "dgst -sha\(bits) -sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:digest -verify public -signature signature message"
                default: "dgst -sha\(bits) -verify public -signature signature message"
                }
            try await openssl("openssl \(check)")
        }
    }

    private static let refused: [(String, SigningKeyError.Problem)] = [
        ("openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:secp256k1 -out key", .unsupported),
        ("openssl ecparam -name secp224r1 -genkey -noout -out key", .unsupported),
        ("openssl genpkey -algorithm ed448 -out key", .unsupported),
        ("openssl genrsa -traditional -out key 1024", .tooShort),
        ("openssl genpkey -algorithm ed25519 -aes-256-cbc -pass pass:x -out key", .encrypted),
        ("openssl genrsa -traditional -aes128 -passout pass:x -out key 2048", .encrypted),
        ("openssl genpkey -algorithm ed25519 | openssl pkey -pubout -out key", .notPrivate),
        ("openssl req -x509 -newkey ed25519 -nodes -keyout other -subj /CN=x -out key", .notPrivate),
        ("openssl genpkey -algorithm RSA-PSS -pkeyopt rsa_keygen_bits:2048 -out key", .unsupported),
        ("openssl genrsa -primes 3 -traditional -out key 2048", .unsupported),
        ("openssl ecparam -name prime256v1 -param_enc explicit -genkey -noout -out key", .unsupported),
        (
            "openssl ecparam -name prime256v1 -param_enc explicit -genkey -noout | openssl pkcs8 -topk8 -nocrypt -out key",
            .unsupported
        ),
    ]

    @Test(arguments: refused)
    func `a key that cannot sign is a typed error`(
        command: String, problem: SigningKeyError.Problem
    ) async throws {
        try await withFolder { folder in
            _ = try await Command.run(["/bin/bash", "-c", "cd '\(folder.path)' && \(command) 2>&1"])
            let text = try String(contentsOf: folder.appending(path: "key"), encoding: .utf8)
            let error = #expect(throws: SigningKeyError.self) { try PrivateKeySigner(pem: text) }
            #expect(error?.problem == problem)
        }
    }
}
#endif
