// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Signs JWTs: with a key that the program has (``PrivateKeySigner``), or one that it has not.
///
///     struct KeyVaultSigner: TokenSigner {
///         let algorithm = SignatureAlgorithm.es256
///         let keyID: String? = "2026-11"
///         func sign(_ message: [UInt8]) async throws -> [UInt8] { try await vault.sign(message, key: "client") }
///     }
public protocol TokenSigner: Sendable {
    /// The value of `alg` in the header of what is signed.
    var algorithm: SignatureAlgorithm { get }

    /// The value of `kid`, by which the server finds the public key; `nil` to leave it out.
    var keyID: String? { get }

    /// Signs a message in the form of JWS (RFC 7515 §5.1): for ES256 the two numbers of 32 bytes one after the other, not ASN.1.
    ///
    /// - Parameter message: header and claims as they are sent, with the dot between them.
    /// - Throws: any error if there is no signature now; nothing is sent then.
    func sign(_ message: [UInt8]) async throws -> [UInt8]
}
