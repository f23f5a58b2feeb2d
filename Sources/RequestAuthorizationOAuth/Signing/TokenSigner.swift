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

    /// Signs a message in the form of JWS (RFC 7515 §5.1). For ES256 these are two concatenated numbers of 32 bytes, not
    /// ASN.1; for ES384 they have 48 bytes each, and for ES512 66.
    ///
    /// - Parameter message: the encoded header and claims, with the dot between them.
    /// - Throws: any error if it cannot sign now. Nothing is sent then.
    func sign(_ message: [UInt8]) async throws -> [UInt8]
}

/// The algorithm with which a JWT is signed (RFC 7518 §3.1, RFC 8037 §3.1).
///
/// This library signs with the algorithms below. Your own ``TokenSigner`` may use other names.
public struct SignatureAlgorithm: Sendable, Hashable, Labelled {
    /// The value of `alg`.
    public let name: String

    public init(_ name: String) { self.name = name }

    @usableFromInline package var label: String { name }

    /// ECDSA with P-256 and SHA-256: small and fast. Use it if you can choose.
    public static let es256 = SignatureAlgorithm("ES256")
    /// ECDSA with P-384 and SHA-384.
    public static let es384 = SignatureAlgorithm("ES384")
    /// ECDSA with P-521 and SHA-512.
    public static let es512 = SignatureAlgorithm("ES512")
    /// RSA with PKCS #1 v1.5 and SHA-256, for servers that accept nothing else, such as Google's for service accounts.
    public static let rs256 = SignatureAlgorithm("RS256")
    /// RSA with PKCS #1 v1.5 and SHA-384.
    public static let rs384 = SignatureAlgorithm("RS384")
    /// RSA with PKCS #1 v1.5 and SHA-512.
    public static let rs512 = SignatureAlgorithm("RS512")
    /// RSA with PSS and SHA-256, which banks require.
    public static let ps256 = SignatureAlgorithm("PS256")
    /// RSA with PSS and SHA-384.
    public static let ps384 = SignatureAlgorithm("PS384")
    /// RSA with PSS and SHA-512.
    public static let ps512 = SignatureAlgorithm("PS512")
    /// Ed25519. A JWK or the program may also use its newer name, `SignatureAlgorithm("Ed25519")` (RFC 9864 §2.2).
    public static let edDSA = SignatureAlgorithm("EdDSA")
}
