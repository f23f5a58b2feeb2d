// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import RequestAuthorization

/// A token store that keeps its token in an item of bytes.
///
///     public struct VaultTokenStore<Token: AuthorizationToken & Codable>: CodableTokenStore {
///         public let items: VaultItems            // a ByteStore
///     }
///
/// That is all: what is kept is the `StoredToken` as JSON. Damaged items are set aside and reported; items that are whole but
/// not understood, such as those of a later version, are reported and stay.
public protocol CodableTokenStore<Token>: TokenStore where Token: Codable {
    associatedtype Items: ByteStore

    /// Where the bytes are.
    var items: Items { get }
}

extension CodableTokenStore {
    public func load() async throws -> StoredToken<Token>? {
        guard let item = try await items.load() else { return nil }
        return try await decode(item, StoredTokenFormat.decode)
    }

    public func save(_ stored: StoredToken<Token>) async throws {
        try await items.save(try StoredTokenFormat.encode(stored))
    }

    public func clear() async throws { try await items.clear() }

    public var changes: AsyncStream<Void>? { items.changes }

    public var isSharedBetweenDevices: Bool { items.isSharedBetweenDevices }

    /// Reads an item; one that cannot be read is reported, and set aside if it is damaged.
    func decode(_ item: Data, _ decode: (Data) throws -> StoredToken<Token>) async throws -> StoredToken<Token> {
        do {
            return try decode(item)
        } catch let error as UnreadableItem {
            throw try await error.reported(by: items)
        }
    }
}
