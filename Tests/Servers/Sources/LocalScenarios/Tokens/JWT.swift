// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation

#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

/// The claims of all JSON Web Tokens here (RFC 7519).
struct Claims: Codable, Sendable {
    var iss: String?
    var sub: String?
    var aud: String?
    var exp: Int?
    var iat: Int?
    var jti: String?
    // A proof (RFC 9449 §4.2).
    var htm: String?
    var htu: String?
    var ath: String?
    var nonce: String?
    // An ID-JAG.
    var resource: String?
    var client_id: String?
}

/// A JSON Web Token with the signature ES256, the only one that is understood here (RFC 7515).
struct JWT {
    struct Header: Codable {
        var alg = "ES256"
        var typ: String?
        var jwk: PublicKey?
    }

    let header: Header
    let claims: Claims
    private let signed: Data
    private let signature: P256.Signing.ECDSASignature

    init?(_ text: String?) {
        guard let parts = text?.split(separator: ".", omittingEmptySubsequences: false).map(String.init),
            parts.count == 3, let head = Data(base64URL: parts[0]), let body = Data(base64URL: parts[1]),
            let raw = Data(base64URL: parts[2]),
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: raw),
            let header = try? JSONDecoder().decode(Header.self, from: head), header.alg == "ES256",
            let claims = try? JSONDecoder().decode(Claims.self, from: body)
        else { return nil }
        (self.header, self.claims, self.signature) = (header, claims, signature)
        signed = Data("\(parts[0]).\(parts[1])".utf8)
    }

    func isSigned(by key: P256.Signing.PublicKey) -> Bool { key.isValidSignature(signature, for: signed) }

    /// Whether it has expired, or does not say when it will.
    var isStale: Bool { claims.exp.map { Double($0) < Date().timeIntervalSince1970 } ?? true }

    static func sign(_ claims: Claims, type: String?, with key: P256.Signing.PrivateKey) throws -> String {
        let parts = [
            try JSONEncoder().encode(Header(typ: type)).base64URL, try JSONEncoder().encode(claims).base64URL,
        ]
        let text = parts.joined(separator: ".")
        return try text + "." + key.signature(for: Data(text.utf8)).rawRepresentation.base64URL
    }
}

/// A public key of the curve P-256 (RFC 7517, RFC 7518 §6.2).
struct PublicKey: Codable {
    var kty: String
    var crv: String
    var x: String
    var y: String
    /// The private part, which must not be there.
    var d: String?

    var key: P256.Signing.PublicKey? {
        guard kty == "EC", crv == "P-256", let x = Data(base64URL: x), let y = Data(base64URL: y) else { return nil }
        return try? P256.Signing.PublicKey(rawRepresentation: x + y)
    }

    /// RFC 7638.
    var thumbprint: String { Data(#"{"crv":"\#(crv)","kty":"\#(kty)","x":"\#(x)","y":"\#(y)"}"#.utf8).sha256 }
}

extension Data {
    init?(base64URL text: String) {
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        self.init(base64Encoded: text.replacing("-", with: "+").replacing("_", with: "/") + padding)
    }

    var base64URL: String {
        base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// SHA-256 in base64url.
    var sha256: String { Data(SHA256.hash(data: self)).base64URL }
}
#endif
