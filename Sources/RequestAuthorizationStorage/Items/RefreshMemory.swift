// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import RequestAuthorization

/// What a store remembers of a refresh that is under way, so that each step need not find out anew what the one before knew.
final class RefreshMemory<Token: AuthorizationToken & Codable>: Sendable {
    private struct State {
        /// What was read last: a save asks for it again.
        var read: (item: Data, stored: StoredToken<Token>)?
        /// What was left last, for the save that ends it.
        var intent: RefreshIntent?
    }

    private let state = Lock(State())

    /// - Throws: ``UnreadableItem``.
    @Sendable func decode(_ item: Data) throws -> StoredToken<Token> {
        if let read = state.withLock({ $0.read }), read.item == item { return read.stored }
        let stored = try StoredTokenFormat<Token>.decode(item)
        state.withLock { $0.read = (item, stored) }
        return stored
    }

    /// Keeps no token any longer.
    func forget() { state.withLock { $0.read = nil } }

    func left(_ intent: RefreshIntent?) { state.withLock { $0.intent = intent } }

    /// Whether a token is the one for which the intent was left: the one that it names is spent and replaced.
    func isIntentEnded(by version: TokenVersion) -> Bool {
        guard let intent = state.withLock({ $0.intent }) else { return false }
        return intent.session == version.session && intent.generation < version.generation
    }
}
