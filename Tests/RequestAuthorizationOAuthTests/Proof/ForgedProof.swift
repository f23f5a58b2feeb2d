// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
import LoopbackServer

#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

/// A proof of possession with any contents, and a valid signature of them.
struct ForgedProof {
    var header: [String: Any]
    var claims: [String: Any]
    private let key: P256.Signing.PrivateKey

    /// A valid proof for `POST https://as.example/token` at the epoch.
    init(key: P256.Signing.PrivateKey = P256.Signing.PrivateKey()) {
        self.key = key
        header = ["typ": "dpop+jwt", "alg": "ES256", "jwk": Self.publicMembers(of: key)]
        claims = ["jti": UUID().uuidString, "htm": "POST", "htu": "https://as.example/token", "iat": 0]
    }

    /// The compact form (RFC 7515 §7.1).
    func text() throws -> String {
        let parts = try [header, claims].map {
            Base64URLText.text(try JSONSerialization.data(withJSONObject: $0, options: .sortedKeys))
        }
        let message = parts.joined(separator: ".")
        let signature = try key.signature(for: Data(message.utf8)).rawRepresentation
        return "\(message).\(Base64URLText.text(signature))"
    }

    static func publicMembers(of key: P256.Signing.PrivateKey) -> [String: String] {
        let point = key.publicKey.rawRepresentation
        return [
            "kty": "EC", "crv": "P-256", "x": Base64URLText.text(point.prefix(32)),
            "y": Base64URLText.text(point.suffix(32)),
        ]
    }
}
#endif
