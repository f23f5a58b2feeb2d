// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Crypto
import Foundation

/// The proof that a code is exchanged by the client that requested it (RFC 7636).
enum CodeChallenge {
    /// Whether it can be a SHA-256 in base64url without padding: 43 characters (RFC 7636 §4.2).
    static func isWellFormed(_ challenge: String) -> Bool {
        challenge.utf8.count == 43 && challenge.allSatisfy { letters.contains($0) || "-_".contains($0) }
    }

    /// Whether a verifier is well formed and belongs to a challenge (RFC 7636 §4.1, §4.6).
    static func isMet(_ challenge: String, by verifier: String) -> Bool {
        guard (43...128).contains(verifier.utf8.count),
            verifier.allSatisfy({ letters.contains($0) || "-._~".contains($0) })
        else { return false }
        return challenge == self.challenge(of: verifier)
    }

    // MARK: -

    private static let letters = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")

    private static func challenge(of verifier: String) -> String {
        Data(SHA256.hash(data: Data(verifier.utf8))).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
