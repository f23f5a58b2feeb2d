// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Keeps the key of an ``EncryptedTokenStore``, for instance in a Keychain item or a file.
public protocol TokenKeySource: Sendable {
    /// Reads the key.
    ///
    /// - Returns: the key, 32 bytes, or `nil` if it is known that there is none.
    /// - Throws: any error if the key cannot be read, for instance because a Keychain is locked. Then no token is saved
    ///   and no other key is made.
    func load() async throws -> Data?

    /// Stores a key durably, unless there is one.
    ///
    /// - Parameter key: 32 random bytes.
    /// - Returns: the stored key: this one, or the one that was there before.
    func keep(_ key: Data) async throws -> Data
}
