// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

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
            if EnvelopeFormat.isEnvelope(item) { throw UnreadableItem(item: item, kind: .sealed) }
            throw UnreadableItem(item: item, kind: isWhole(item) ? .later : .damaged)
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
    enum Kind {
        /// It is not even what any version would have written.
        case damaged
        /// It is whole, and of a later version or for another type of token.
        case later
        /// It is an envelope of ``EncryptedTokenStore``.
        case sealed
    }

    let item: Data
    let kind: Kind

    /// Whether a token may take its place.
    ///
    /// - Parameter isSignIn: whether somebody signs in, rather than that a token is refreshed.
    func makesRoom(isSignIn: Bool) -> Bool { kind == .damaged || kind == .later && isSignIn }

    /// Sets the item aside if it makes room.
    ///
    /// - Returns: what to tell people.
    func reported(by items: some ByteStore, isSignIn: Bool = false) async throws -> TokenStoreError {
        let place = makesRoom(isSignIn: isSignIn) ? try await items.setAside(item) : nil
        let kept = place.map { "it was set aside as \($0)" } ?? "it was left where it is"
        return switch kind {
        case .damaged: TokenStoreError(.corrupt, "what is kept is damaged; \(kept); sign in again")
        case .later:
            TokenStoreError(
                .unreadable,
                "what is kept is of a later version, or for another type of token; \(kept); update this program, or sign in again"
            )
        case .sealed:
            TokenStoreError(
                .unreadable, "what is kept is encrypted; \(kept); use EncryptedTokenStore, or remove it with clear()")
        }
    }
}
