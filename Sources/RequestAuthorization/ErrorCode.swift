// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The rule for every error code of a server that is printed.
package enum ErrorCode {
    /// The code if it may be printed: a word of at most 64 lower-case letters and underscores, as the registered codes
    /// are (RFC 6749 §11.4), and no text of the request.
    ///
    /// Any other text of the server is not shown: some servers repeat the refresh token or the password there.
    ///
    /// - Parameter sent: the texts of the request, its secrets among them.
    package static func printable(_ code: String?, sent: [String] = []) -> String? {
        guard let code, isWord(code), !sent.contains(where: { repeats($0, code) }) else { return nil }
        return code
    }

    // MARK: -

    private static func isWord(_ code: String) -> Bool {
        (1...64).contains(code.utf8.count)
            && code.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == UInt8(ascii: "_") }
    }

    /// Whether a code is a text of the request, a part of it, or has it in it. Fewer than 8 bytes are no secret.
    private static func repeats(_ text: String, _ code: String) -> Bool {
        if text == code { return true }
        if code.utf8.count >= shortest, text.utf8.contains(code.utf8) { return true }
        return text.utf8.count >= shortest && !grants.contains(text) && code.contains(text)
    }

    private static let shortest = 8

    /// Words of requests that are a part of usual codes, such as `invalid_refresh_token`.
    private static let grants: Set = [
        "refresh_token", "access_token", "authorization_code", "client_credentials", "device_code", "password",
    ]
}
