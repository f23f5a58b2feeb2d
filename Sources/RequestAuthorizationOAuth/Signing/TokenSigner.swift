// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Signs JWTs, with a key in memory (``PrivateKeySigner``) or with a key of another system, such as a key vault.
///
///     struct KeyVaultSigner: TokenSigner {
///         let algorithm = SignatureAlgorithm.es256
///         let keyID: String? = "2026-11"
///         func sign(_ message: [UInt8]) async throws -> [UInt8] { try await vault.sign(message, key: "client") }
///     }
public protocol TokenSigner: Sendable {
    /// The value of `alg` in the header.
    var algorithm: SignatureAlgorithm { get }

    /// The value of `kid`, by which the server finds the public key; `nil` to leave it out.
    var keyID: String? { get }

    /// Signs a message in the form of JWS (RFC 7515 §5.1): for ES256 two concatenated numbers of 32 bytes, not ASN.1.
    ///
    /// - Parameter message: the encoded header and claims, with the dot between them.
    /// - Throws: any error if it cannot sign now. Nothing is sent then.
    func sign(_ message: [UInt8]) async throws -> [UInt8]
}
