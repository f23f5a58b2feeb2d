// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
@testable import RequestAuthorizationOAuth

extension Target {
    private static let keyShapes = [
        "-----BEGIN PRIVATE KEY-----\n", "-----BEGIN", "-----", "-----END", "-", "A", "=", "\\n", " ", "0", "\u{FEFF}",
        "-----BEGIN EC PRIVATE KEY-----AAAA-----END EC PRIVATE KEY-----",
    ]

    /// The structure of a key (X.690). The first byte chooses the form.
    static let der = Target("der", shapes: ["0\u{82}", "0\u{2}", "\u{2}\u{1}\u{1}", "0", "\u{4}", "a"]) { input in
        let kind = ["", "RSA ", "EC "][Int(input.first ?? 0) % 3]
        let base64 = Data(input.dropFirst()).base64EncodedString()
        let pem = "-----BEGIN \(kind)PRIVATE KEY-----\n\(base64)\n-----END \(kind)PRIVATE KEY-----"
        _ = try? PrivateKeyParts(pem: pem)
    }

    /// The text around a key (RFC 7468), and the key.
    static let pem = Target("pem", shapes: keyShapes) { input in _ = try? PrivateKeyParts(pem: input.text) }

    /// A key as JSON (RFC 7517).
    static let jwk = Target("jwk", shapes: jsonShapes) { input in
        _ = (try? JWKObject(Data(input))).flatMap { try? PrivateKeyParts($0) }
    }
}
