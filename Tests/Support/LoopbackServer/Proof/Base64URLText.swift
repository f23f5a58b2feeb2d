// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation

#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

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
