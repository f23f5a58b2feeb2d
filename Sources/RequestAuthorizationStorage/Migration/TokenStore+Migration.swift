// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
public import RequestAuthorization

/// What became of a token that was to move from one store to another.
public enum TokenMigration: Hashable, Sendable {
    /// It is in the new store, was read back from there, and is gone from the old one.
    case moved
    /// The old store keeps nothing.
    case nothingToMove
    /// The new store has a later token of the session; it stays, and the old store has been cleared.
    case newerIsThere
    /// The new store keeps another session, or a sign-out. Nothing has been changed.
    case otherIsThere
}

extension TokenStore {
    /// Moves what this store keeps to another: saves it there, reads it back, and only then clears it here.
    ///
    ///     let old = RestrictedFileTokenStore<MyToken>(client: "tool", account: "me")
    ///     let new = KeychainTokenStore<MyToken>(client: "tool", account: "me")
    ///     try await old.migrate(to: new)                  // at each launch, before the provider is made
    ///
    /// Nothing newer and nothing of another session is overwritten. If it is interrupted, the token is in one of the stores or
    /// in both, and the next call goes on. Stores that several processes share are locked meanwhile; a process that goes on to
    /// use the old one is signed out.
    ///
    /// - Parameters:
    ///   - other: where it shall be kept.
    ///   - limit: how long to wait for a refresh that is under way.
    /// - Throws: what the stores throw; ``TokenStoreError/Kind/failed`` if the other store does not give back what was saved.
    ///   The token is here still.
    @discardableResult
    public func migrate(
        to other: some TokenStore<Token>, waitingAtMost limit: Duration = .seconds(30)
    ) async throws -> TokenMigration {
        if try await load() == nil { return .nothingToMove }
        return try await locked(self, within: limit) {
            try await locked(other, within: limit) { try await move(to: other) }
        }
    }

    private func move(to other: some TokenStore<Token>) async throws -> TokenMigration {
        guard let stored = try await load() else { return .nothingToMove }
        let kept = try await other.load()
        if let kept, !StoredTokenComparison.isSame(kept, stored) {
            let version = stored.version
            if TokenSaveCondition.older(session: kept.version.session, generation: kept.version.generation)
                .allows(stored), kept.token != nil
            {
                try await clear(stored)
                return .newerIsThere
            }
            guard TokenSaveCondition.older(session: version.session, generation: version.generation).allows(kept) else {
                return .otherIsThere
            }
        }
        guard try await put(stored, into: other) else { return .otherIsThere }
        guard let copy = try await other.load(), StoredTokenComparison.isSame(copy, stored) else {
            throw TokenStoreError(
                .failed, "the new store does not give back what was saved; the token is still in the old one")
        }
        try await clear(stored)
        return .moved
    }

    /// - Returns: whether it was saved.
    private func put(_ stored: StoredToken<Token>, into other: some TokenStore<Token>) async throws -> Bool {
        guard let shared = other as? any SharedTokenStore<Token> else {
            try await other.save(stored)
            return true
        }
        let version = stored.version
        // Before the token: who reads the two must know that the answer to a refresh may have been lost.
        if let intent = try await (self as? any SharedTokenStore<Token>)?.openIntent() {
            try await shared.setIntent(intent)
        }
        let condition = TokenSaveCondition.older(session: version.session, generation: version.generation)
        switch try await shared.save(stored, replacing: condition) {
        case .saved: return true
        case .refused(let obstacle): return obstacle.map { StoredTokenComparison.isSame($0, stored) } ?? false
        }
    }

    /// Clears this store unless something else has come since.
    private func clear(_ stored: StoredToken<Token>) async throws {
        guard let kept = try await load() else { return }
        guard StoredTokenComparison.isSame(kept, stored) else {
            throw TokenStoreError(.failed, "the old store was written to meanwhile; move its token again")
        }
        try await clear()
    }
}

/// Runs a body with exclusive access, where a store has that.
private func locked<Token: AuthorizationToken, Result>(
    _ store: some TokenStore<Token>, within limit: Duration, _ body: () async throws -> Result
) async throws -> Result {
    guard let shared = store as? any SharedTokenStore<Token> else { return try await body() }
    let lock = try await shared.lock(within: limit)
    do {
        let result = try await body()
        await lock.unlock()
        return result
    } catch {
        await lock.unlock()
        throw error
    }
}
