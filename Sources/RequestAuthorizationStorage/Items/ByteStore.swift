// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Keeps one item of bytes durably: a file, a Keychain item, a record.
///
/// It is what a typed store stands on: give your type an ``CodableTokenStore`` and it is a `TokenStore`. What is in the item is
/// not its business. `EncryptedTokenStore` seals what any of them keeps.
public protocol ByteStore: Sendable {
    /// Reads the item.
    ///
    /// - Returns: `nil` if there is nothing, and only then.
    /// - Throws: ``TokenStoreError``, if that cannot be known now.
    func load() async throws -> Data?

    /// Replaces the item, durably and as a whole: a crash leaves the old or the new one.
    func save(_ item: Data) async throws

    /// Removes the item; nothing being there is no error.
    func clear() async throws

    /// Keeps an item that nobody understands out of the way, unless something else stands there by now.
    ///
    /// Nothing is deleted. Those who follow ``changes`` are not told, for nobody has signed out.
    ///
    /// - Returns: where it is now, to be shown to people; `nil`, the default, if it stays where it is.
    func setAside(_ item: Data) async throws -> String?

    /// An element for each change that may have been made elsewhere. `nil` by default.
    var changes: AsyncStream<Void>? { get }

    /// Whether programs on other devices use the item; `false` by default.
    var isSharedBetweenDevices: Bool { get }
}

extension ByteStore {
    public func setAside(_ item: Data) async throws -> String? { nil }
    public var changes: AsyncStream<Void>? { nil }
    public var isSharedBetweenDevices: Bool { false }
}
