// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Durable storage for one item of bytes, such as a file, a Keychain item or a database record.
///
/// A byte store does not interpret its item. A type that conforms to ``CodableTokenStore`` and has a byte store is a
/// `TokenStore`. `EncryptedTokenStore` of `RequestAuthorizationStorage` encrypts the item of any byte store.
public protocol ByteStore: Sendable {
    /// Reads the item.
    ///
    /// - Returns: the item, or `nil` if the store is known to be empty.
    /// - Throws: ``TokenStoreError`` if the item cannot be read. An unreadable store is never reported as empty.
    func load() async throws -> Data?

    /// Replaces the item durably and atomically: after a crash the store has either the old item or the new one.
    func save(_ item: Data) async throws

    /// Removes the item. An empty store is not an error.
    func clear() async throws

    /// Moves an item that cannot be decoded out of the way and keeps it, unless the store has another item by now.
    ///
    /// ``changes`` does not report this, because it is not a sign-out.
    ///
    /// - Returns: the new place of the item, for an error message. `nil`, the default, if the item was not moved.
    func setAside(_ item: Data) async throws -> String?

    /// Yields an element for each change that another process may have made. `nil` by default.
    var changes: AsyncStream<Void>? { get }

    /// Whether programs on other devices use the item. `false` by default.
    var isSharedBetweenDevices: Bool { get }
}

extension ByteStore {
    public func setAside(_ item: Data) async throws -> String? { nil }
    public var changes: AsyncStream<Void>? { nil }
    public var isSharedBetweenDevices: Bool { false }
}
