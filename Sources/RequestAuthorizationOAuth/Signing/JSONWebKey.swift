// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit)
import CryptoKit
#elseif Crypto
import Crypto
#endif

/// A public key as JSON (RFC 7517), with only the members that define the key.
///
///     print(try JSONEncoder().encode(signer.publicKey))       // what the server wants to know of a client
public struct JSONWebKey: Sendable, Hashable {
    /// `kty`, and the members of its kind: `crv`, `x`, `y`, `n`, `e`.
    public let members: [String: String]

    /// Reads a key, without members that are private or do not define the key.
    ///
    /// - Throws: ``SigningKeyError``.
    public init(_ json: Data) throws { self.init(members: try Self.required(of: JWKObject(json))) }

    init(members: [String: String]) { self.members = members }

    /// - Parameter point: the two coordinates of a public key, of the curve's length each.
    init(_ curve: EllipticCurve, point: [UInt8]) {
        self.init(members: [
            "kty": "EC", "crv": curve.rawValue, "x": Base64URL.encode(point.prefix(curve.length)),
            "y": Base64URL.encode(point.suffix(curve.length)),
        ])
    }

    init(ed25519 key: Data) { self.init(members: ["kty": "OKP", "crv": "Ed25519", "x": Base64URL.encode(key)]) }

    #if canImport(CryptoKit) || Crypto
    /// The SHA-256 of the key in Base64URL (RFC 7638), which depends on the key only.
    public var thumbprint: String { Base64URL.encode(SHA256.hash(data: Array(json.utf8))) }

    /// The members sorted by name, without spaces (RFC 7638 §3). No value has a character that needs an escape.
    var json: String {
        let pairs = members.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\"\($0.value)\"" }
        return "{\(pairs.joined(separator: ","))}"
    }
    #else
    /// The SHA-256 of the key: with the trait `Crypto`.
    @available(
        *, unavailable,
        message: "a thumbprint needs SHA-256: enable the trait 'Crypto' of swift-request-authorization, which brings it"
    )
    public var thumbprint: String { fatalError("unavailable") }
    #endif

    /// The members that define a key (RFC 7638 §3.2, RFC 8037 §2).
    private static func required(of key: JWKObject) throws(SigningKeyError) -> [String: String] {
        let names: [String] =
            switch try key.text("kty") {
            case "EC": ["crv", "x", "y"]
            case "RSA": ["e", "n"]
            case "OKP": ["crv", "x"]
            default: throw SigningKeyError(.unsupported)
            }
        var members = ["kty": try key.text("kty")]
        for name in names {
            if name != "crv" { _ = try key.bytes(name) }
            members[name] = try key.text(name)
        }
        return members
    }
}

extension JSONWebKey: Encodable {
    public func encode(to encoder: any Encoder) throws { try members.encode(to: encoder) }
}
