// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Makes random codes and tokens.
struct SecretSource: Sendable {
    private var generator: any RandomNumberGenerator & Sendable
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    private static let consonants = Array("BCDFGHJKLMNPQRSTVWXZ")

    init(_ generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()) {
        self.generator = generator
    }

    /// - Returns: 128 letters, digits, `-` and `_`, 6 bits each.
    mutating func next() -> String { makeSecret(using: &generator) }

    /// - Returns: eight consonants in two groups, easy to type (RFC 8628 §6.1): 34 bits.
    mutating func nextUserCode() -> String { makeUserCode(using: &generator) }

    private func makeUserCode(using generator: inout some RandomNumberGenerator) -> String {
        let letters = (0..<8).map { _ in Self.consonants[Int.random(in: 0..<20, using: &generator)] }
        return String(letters[..<4]) + "-" + String(letters[4...])
    }

    private func makeSecret(using generator: inout some RandomNumberGenerator) -> String {
        String((0..<128).map { _ in Self.alphabet[Int.random(in: 0..<64, using: &generator)] })
    }
}
