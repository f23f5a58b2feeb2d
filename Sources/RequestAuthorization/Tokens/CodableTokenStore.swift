// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Stores a token as JSON in a `ByteStore`.
///
///     public struct VaultTokenStore<Token: AuthorizationToken & Codable>: CodableTokenStore {
///         public let items: VaultItems            // a ByteStore
///     }
///
/// No further code is needed. The JSON is that of `StoredToken`. A damaged item is reported and set aside. An item of a
/// later version, or for another type of token, is reported and stays where it is.
public protocol CodableTokenStore<Token>: TokenStore where Token: Codable {
    associatedtype Items: ByteStore

    /// The storage of the JSON.
    var items: Items { get }
}

extension CodableTokenStore {
    public func load() async throws -> StoredToken<Token>? {
        guard let item = try await items.load() else { return nil }
        return try await items.decoded(item)
    }

    public func save(_ stored: StoredToken<Token>) async throws {
        try await items.save(try StoredTokenFormat.encode(stored))
    }

    public func clear() async throws { try await items.clear() }

    public var changes: AsyncStream<Void>? { items.changes }

    public var isSharedBetweenDevices: Bool { items.isSharedBetweenDevices }
}
