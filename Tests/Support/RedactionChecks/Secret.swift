// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// The one secret that all exhibits hold.
package enum Secret {
    package static let text = "S3CRETmarker"

    /// Whether the text shows the secret, also in Base64 as in Basic authentication.
    package static func isPart(of text: String) -> Bool {
        if text.contains(Self.text) { return true }
        let words = text.split { !($0.isASCII && ($0.isLetter || $0.isNumber || "+/=".contains($0))) }
        return words.contains { word in
            Data(base64Encoded: String(word)).map { String(decoding: $0, as: UTF8.self).contains(Self.text) } ?? false
        }
    }
}
