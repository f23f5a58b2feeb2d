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
        ("openssl genpkey -algorithm ed25519 -out key", .edDSA),
        ("openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out key", .rs256),
        ("openssl genrsa -traditional -out key 3072", .ps256),  // PKCS #1
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
            let signer = try PrivateKeySigner(pem: text, algorithm: algorithm == .ps256 ? .ps256 : nil)
            #expect(signer.algorithm == algorithm)
            for seed in 0..<50 {
                let mangled = MangledPEM(text, seed: UInt64(seed)).text
                #expect(try PrivateKeySigner(pem: mangled).publicKey == signer.publicKey, "\(seed)")
            }
            let message = Array("a message".utf8)
            var signature = try await signer.sign(message)
            if algorithm == .es256 {
                signature = Array(try P256.Signing.ECDSASignature(rawRepresentation: signature).derRepresentation)
            }
            try Data(message).write(to: folder.appending(path: "message"))
            try Data(signature).write(to: folder.appending(path: "signature"))
            try await openssl("openssl pkey -in key -pubout -out public")
            let check =
                switch algorithm {
                case .edDSA: "pkeyutl -verify -pubin -inkey public -rawin -in message -sigfile signature"
                case .ps256:
                    "dgst -sha256 -sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:32 -verify public -signature signature message"
                default: "dgst -sha256 -verify public -signature signature message"
                }
            try await openssl("openssl \(check)")
        }
    }

    private static let refused: [(String, SigningKeyError.Problem)] = [
        ("openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-384 -out key", .unsupported),
        ("openssl ecparam -name secp384r1 -genkey -noout -out key", .unsupported),
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
