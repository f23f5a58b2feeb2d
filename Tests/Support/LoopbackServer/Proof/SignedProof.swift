// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation

#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

/// A proof that is signed by the key inside it (RFC 9449 §4.3, 2 to 7).
struct SignedProof {
    struct Claims: Decodable {
        let jti: String?
        let htm: String?
        let htu: String?
        let iat: Double?
        let ath: String?
        let nonce: String?
    }

    let key: Key
    let claims: Claims

    init(_ text: String) throws(ProofRefusal) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let signature = Base64URLText.bytes(parts[2]) else { throw .malformed }
        let header: Header = try Self.decode(parts[0])
        claims = try Self.decode(parts[1])
        guard header.typ == "dpop+jwt" else { throw .type(header.typ) }
        guard header.alg == "ES256" || header.alg == "EdDSA" else { throw .algorithm(header.alg) }
        // RFC 7515 §4.1.11: no critical extension is supported here.
        guard header.crit == nil else { throw .malformed }
        // RFC 8037 §3.1: the algorithm is that of the kind of key.
        guard let key = header.jwk, key.isEd25519 == (header.alg == "EdDSA") else { throw .key }
        try key.verify(signature, of: "\(parts[0]).\(parts[1])")
        self.key = key
    }

    private struct Header: Decodable {
        let typ: String?
        let alg: String?
        let crit: [String]?
        let jwk: Key?
    }

    private static func decode<Value: Decodable>(_ part: Substring) throws(ProofRefusal) -> Value {
        guard let bytes = Base64URLText.bytes(part),
            let value = try? JSONDecoder().decode(Value.self, from: Data(bytes))
        else { throw .malformed }
        return value
    }
}

extension SignedProof {
    /// The public key of a proof, a JWK (RFC 7517).
    struct Key: Decodable {
        private let kty: String?
        private let crv: String?
        private let x: String?
        private let y: String?
        /// The names of all members.
        private let names: Set<String>

        private struct Name: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }

            init(_ name: String) { stringValue = name }
            init?(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: Name.self)
            kty = try members.decodeIfPresent(String.self, forKey: Name("kty"))
            crv = try members.decodeIfPresent(String.self, forKey: Name("crv"))
            x = try members.decodeIfPresent(String.self, forKey: Name("x"))
            y = try members.decodeIfPresent(String.self, forKey: Name("y"))
            names = Set(members.allKeys.map(\.stringValue))
        }

        /// RFC 7638 §3.1: the members that the kind of key requires, in the order of their names.
        var thumbprint: String {
            Base64URLText.hash(
                isEd25519
                    ? #"{"crv":"Ed25519","kty":"OKP","x":"\#(x ?? "")"}"#
                    : #"{"crv":"P-256","kty":"EC","x":"\#(x ?? "")","y":"\#(y ?? "")"}"#)
        }

        var isEd25519: Bool { kty == "OKP" && crv == "Ed25519" }

        func verify(_ signature: [UInt8], of message: String) throws(ProofRefusal) {
            // RFC 7518 §6: the private members of elliptic curve and RSA keys, and the symmetric key.
            guard names.isDisjoint(with: ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]) else { throw .privateKey }
            if isEd25519 { return try verifyEd25519(signature, of: message) }
            // RFC 7518 §6.2.1.2: each coordinate has its full length.
            guard kty == "EC", crv == "P-256",
                let x = x.flatMap({ Base64URLText.bytes($0) }), x.count == 32,
                let y = y.flatMap({ Base64URLText.bytes($0) }), y.count == 32,
                let key = try? P256.Signing.PublicKey(rawRepresentation: x + y)
            else { throw .key }
            guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature),
                key.isValidSignature(signature, for: Data(message.utf8))
            else { throw .signature }
        }

        /// RFC 8037 §2 and §3.1.
        private func verifyEd25519(_ signature: [UInt8], of message: String) throws(ProofRefusal) {
            guard y == nil, let x = x.flatMap({ Base64URLText.bytes($0) }),
                let key = try? Curve25519.Signing.PublicKey(rawRepresentation: x)
            else { throw .key }
            guard key.isValidSignature(signature, for: Data(message.utf8)) else { throw .signature }
        }
    }
}

/// Base64url without padding (RFC 7515 §2).
package enum Base64URLText {
    package static func text(_ bytes: some Sequence<UInt8>) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// - Returns: `nil` unless `text(_:)` of the bytes gives the same text.
    package static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        let plain = String(text).replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - plain.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: plain + padding), self.text(data) == text else { return nil }
        return Array(data)
    }

    /// SHA-256.
    package static func hash(_ text: String) -> String { self.text(SHA256.hash(data: Data(text.utf8))) }
}
#endif
