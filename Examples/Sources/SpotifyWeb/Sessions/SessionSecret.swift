// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A secret of 32 random bytes that only one browser knows: the id of a session, or the token of its forms.
struct SessionSecret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// 43 characters of base64url.
    let text: String

    /// Parses what a browser sent; `nil` if it is not well formed.
    init?(_ text: some StringProtocol) {
        guard text.utf8.count == 43, text.utf8.allSatisfy(Self.alphabet.contains) else { return nil }
        self.text = String(text)
    }

    init(using generator: inout some RandomNumberGenerator) {
        // Six random bits per character. The last one carries four, as in the base64url of 32 bytes.
        var characters = (0..<42).map { _ in Self.alphabet[Int(UInt8.random(in: 0..<64, using: &generator))] }
        characters.append(Self.alphabet[Int(UInt8.random(in: 0..<16, using: &generator)) * 4])
        text = String(decoding: characters, as: UTF8.self)
    }

    /// Compares in constant time, so that the time does not show how much is correct.
    func matches(_ other: SessionSecret?) -> Bool {
        guard let other else { return false }
        // Both are 43 bytes long.
        return zip(text.utf8, other.text.utf8).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }

    var description: String { "[redacted]" }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: []) }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
}
