// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Where the key of an ``EncryptedTokenStore`` is kept: a Keychain item, a file.
public protocol TokenKeySource: Sendable {
    /// Reads the key.
    ///
    /// - Returns: 32 bytes; `nil` if there is none yet, and only then.
    /// - Throws: any error if that cannot be known now, as when a Keychain is locked. Then nothing is saved, and no other
    ///   key is made.
    func load() async throws -> Data?

    /// Keeps a key, durably, unless there is one.
    ///
    /// - Parameter key: 32 random bytes.
    /// - Returns: the key that is kept now: this one, or one that somebody else had kept before.
    func keep(_ key: Data) async throws -> Data
}
