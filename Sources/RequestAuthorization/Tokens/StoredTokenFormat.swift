// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Encodes and decodes `StoredToken` as JSON.
package enum StoredTokenFormat<Token: AuthorizationToken & Codable> {
    package static func encode(_ stored: StoredToken<Token>) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(stored)
    }

    /// - Throws: ``UnreadableItem``.
    package static func decode(_ item: Data) throws -> StoredToken<Token> {
        do {
            return try JSONDecoder().decode(StoredToken<Token>.self, from: item)
        } catch {
            // A decoding error may quote the token, so it is dropped.
            if EnvelopeFormat.isEnvelope(item) { throw UnreadableItem(item: item, kind: .sealed) }
            // All versions of this package write an object with a status.
            let isWhole = (try? JSONDecoder().decode(StoredTokenFace.self, from: item)) != nil
            throw UnreadableItem(item: item, kind: isWhole ? .later : .damaged)
        }
    }
}

/// The part of the JSON that all stored tokens have in common.
package struct StoredTokenFace: Decodable {
    let status: String

    /// Whether an item that is not encrypted has no token: a tombstone, or the marker of a token that was moved.
    package static func isEnd(_ item: Data) -> Bool {
        ["signedOut", "moved"].contains((try? JSONDecoder().decode(Self.self, from: item))?.status)
    }
}

/// An item that this process cannot decode.
package struct UnreadableItem: Error, RedactedDescription {
    package enum Kind {
        /// No version of this package writes such an item.
        case damaged
        /// A complete item of a later version or for another type of token.
        case later
        /// An envelope of `EncryptedTokenStore`.
        case sealed
    }

    package let item: Data
    package let kind: Kind

    /// Whether a token may replace the item.
    ///
    /// - Parameter isSignIn: `true` for a sign-in, `false` for a refresh.
    package func makesRoom(isSignIn: Bool) -> Bool { kind == .damaged || kind == .later && isSignIn }

    /// Sets the item aside if a token may replace it, and returns the error to throw.
    package func reported(by items: some ByteStore, isSignIn: Bool = false) async throws -> TokenStoreError {
        let place = makesRoom(isSignIn: isSignIn) ? try await items.setAside(item) : nil
        return error(place.map { "it was set aside as \($0)" } ?? "it was left where it is")
    }

    /// - Parameter kept: what was done with the item.
    package func error(_ kept: String) -> TokenStoreError {
        switch kind {
        case .damaged: TokenStoreError(.corrupt, "the stored token is damaged; \(kept); sign in again")
        case .later:
            TokenStoreError(
                .unreadable,
                "the stored token is of a later version or another type; \(kept); update this program, or sign in again"
            )
        case .sealed:
            TokenStoreError(
                .unreadable,
                "the stored token is encrypted; \(kept); use EncryptedTokenStore, or remove it with clear()")
        }
    }
}
