// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import RequestAuthorization

/// How a token looks in an item: the JSON of `StoredToken`.
enum StoredTokenFormat<Token: AuthorizationToken & Codable> {
    static func encode(_ stored: StoredToken<Token>) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(stored)
    }

    /// - Throws: ``UnreadableItem``.
    static func decode(_ item: Data) throws -> StoredToken<Token> {
        do {
            return try JSONDecoder().decode(StoredToken<Token>.self, from: item)
        } catch {
            // Decoding errors quote what they read, so they are not kept.
            throw UnreadableItem(item: item, isDamaged: !isWhole(item))
        }
    }

    /// Whether the item is at least an object with a status, as all versions of this package write.
    private static func isWhole(_ item: Data) -> Bool {
        (try? JSONDecoder().decode(StoredTokenFace.self, from: item)) != nil
    }
}

/// What the JSON of every stored token has.
struct StoredTokenFace: Decodable {
    let status: String

    /// Whether it says that there is no token.
    var holdsNothing: Bool { ["signedOut", "moved"].contains(status) }
}

/// An item that is not what this process would have written.
struct UnreadableItem: Error, RedactedDescription {
    let item: Data
    /// It is not even what any version would have written.
    let isDamaged: Bool

    /// Sets the item aside if it is damaged.
    ///
    /// - Parameter setsAside: whether it is to be set aside in any case.
    /// - Returns: what to tell people.
    func reported(by items: some TokenItemStore, setsAside: Bool = false) async throws -> TokenStoreError {
        let place = isDamaged || setsAside ? try await items.setAside(item) : nil
        let kept = place.map { "it was set aside as \($0)" } ?? "it was left where it is"
        if isDamaged {
            return TokenStoreError(.corrupt, "what is kept is damaged; \(kept); sign in again")
        }
        return TokenStoreError(
            .unreadable,
            "what is kept is of a later version, or for another type of token; \(kept); update this program, or sign in again"
        )
    }
}
