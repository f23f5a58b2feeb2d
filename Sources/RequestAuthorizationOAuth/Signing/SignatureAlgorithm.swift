// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The algorithm with which a JWT is signed (RFC 7518 §3.1, RFC 8037 §3.1).
///
/// This library signs with the algorithms below. Your own ``TokenSigner`` may use other names.
public struct SignatureAlgorithm: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The value of `alg`.
    public let name: String

    public init(_ name: String) { self.name = name }

    public init(from decoder: any Decoder) throws { name = try decoder.singleValueContainer().decode(String.self) }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }

    public var description: String { name }

    /// ECDSA with P-256 and SHA-256: small and fast. Use it if you can choose.
    public static let es256 = SignatureAlgorithm("ES256")
    /// RSA with PKCS #1 v1.5 and SHA-256, for servers that accept nothing else, such as Google's for service accounts.
    public static let rs256 = SignatureAlgorithm("RS256")
    /// RSA with PSS and SHA-256, which banks require.
    public static let ps256 = SignatureAlgorithm("PS256")
    /// Ed25519.
    public static let edDSA = SignatureAlgorithm("EdDSA")
}
