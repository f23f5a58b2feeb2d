// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization

/// Caches the last decoded item, because a conditional save decodes the item that was loaded just before.
final class DecodedItem<Token: AuthorizationToken & Codable>: Sendable {
    private let last = Lock<(item: Data, stored: StoredToken<Token>)?>(nil)

    /// - Throws: ``UnreadableItem``.
    @Sendable func decode(_ item: Data) throws -> StoredToken<Token> {
        if let last = last.withLock({ $0 }), last.item == item { return last.stored }
        let stored = try StoredTokenFormat<Token>.decode(item)
        last.withLock { $0 = (item, stored) }
        return stored
    }

    /// Drops the cached token.
    func forget() { last.withLock { $0 = nil } }
}
