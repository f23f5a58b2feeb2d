// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Makes codes and tokens that nobody can guess.
struct SecretSource: Sendable {
    private var generator: any RandomNumberGenerator & Sendable
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")

    init(_ generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()) {
        self.generator = generator
    }

    /// - Returns: 128 letters, digits, `-` and `_`, 6 bits each.
    mutating func next() -> String { makeSecret(using: &generator) }

    private func makeSecret(using generator: inout some RandomNumberGenerator) -> String {
        String((0..<128).map { _ in Self.alphabet[Int.random(in: 0..<64, using: &generator)] })
    }
}
