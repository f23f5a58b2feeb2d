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
    package let members: [String: String]

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
}

extension JSONWebKey: Encodable {
    public func encode(to encoder: any Encoder) throws { try members.encode(to: encoder) }
}
