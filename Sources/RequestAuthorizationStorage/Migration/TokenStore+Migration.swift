// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import RequestAuthorization

/// What became of a token that was to move from one store to another.
public enum TokenMigration: Hashable, Sendable {
    /// It is in the new store, was read back from there, and the old one says so in its place.
    case moved
    /// The old store keeps nothing, or says that it was moved before.
    case nothingToMove
    /// The new store has a later token of the session; it stays, and the old store says so.
    case newerIsThere
    /// The new store keeps another session, or a sign-out. Nothing has been changed.
    case otherIsThere
}

extension TokenStore {
    /// Moves what this store keeps to another: saves it there, reads it back, and only then gives it up here.
    ///
    ///     let old = RestrictedFileTokenStore<MyToken>(client: "tool", account: "me")
    ///     let new = KeychainTokenStore<MyToken>(client: "tool", account: "me")
    ///     try await old.migrate(to: new)                  // at each launch, before the provider is made
    ///
    /// Nothing newer and nothing of another session is overwritten. If it is interrupted, the token is in one of the stores or
    /// in both, and the next call goes on. Stores that several processes share are locked meanwhile. A marker stays in the old
    /// one, which names the new one: a process that goes on to use it is signed out and is told why, and cannot refresh the
    /// token a second time. `clear()` removes it.
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
        if try await load()?.isMarker != false { return .nothingToMove }
        return try await locked(self, within: limit) {
            try await locked(other, within: limit) { try await move(to: other) }
        }
    }

    private func move(to other: some TokenStore<Token>) async throws -> TokenMigration {
        guard let stored = try await load(), !stored.isMarker else { return .nothingToMove }
        let kept = try await other.load()
        // A token that was moved away may come back.
        if let kept, !kept.isMarker, !StoredTokenComparison.isSame(kept, stored) {
            let version = stored.version
            if TokenSaveCondition.older(session: kept.version.session, generation: kept.version.generation)
                .allows(stored), kept.token != nil
            {
                try await leaveMarker(in: stored, to: other)
                return .newerIsThere
            }
            guard TokenSaveCondition.older(session: version.session, generation: version.generation).allows(kept) else {
                return .otherIsThere
            }
        }
        guard try await put(stored, over: kept, into: other) else { return .otherIsThere }
        guard let copy = try await other.load(), StoredTokenComparison.isSame(copy, stored) else {
            throw TokenStoreError(
                .failed, "the new store does not give back what was saved; the token is still in the old one")
        }
        try await leaveMarker(in: stored, to: other)
        return .moved
    }

    /// - Returns: whether it was saved.
    private func put(
        _ stored: StoredToken<Token>, over kept: StoredToken<Token>?, into other: some TokenStore<Token>
    ) async throws -> Bool {
        guard let shared = other as? any SharedTokenStore<Token> else {
            try await other.save(stored)
            return true
        }
        let version = stored.version
        // Before the token: who reads the two must know that the answer to a refresh may have been lost.
        if let intent = try await (self as? any SharedTokenStore<Token>)?.openIntent() {
            try await shared.setIntent(intent)
        }
        let condition: TokenSaveCondition =
            switch kept?.content {
            case nil: .nothing
            case .moved: .anything
            case .token, .signedOut: .older(session: version.session, generation: version.generation)
            }
        switch try await shared.save(stored, replacing: condition) {
        case .saved: return true
        case .refused(let obstacle): return obstacle.map { StoredTokenComparison.isSame($0, stored) } ?? false
        }
    }

    /// Puts a marker in the place of what was moved, unless something else has come since.
    private func leaveMarker(in stored: StoredToken<Token>, to other: some TokenStore<Token>) async throws {
        guard let kept = try await load() else { return }
        guard StoredTokenComparison.isSame(kept, stored) else { throw TokenStoreError.writtenMeanwhile }
        // Signed out is signed out, here as there.
        guard stored.token != nil else { return try await clear() }
        let place = String("\(type(of: other))".prefix { $0 != "<" })
        let marker = StoredToken<Token>(
            .moved(to: place), version: stored.version, obtainedAt: stored.obtainedAt)
        guard let shared = self as? any SharedTokenStore<Token> else { return try await save(marker) }
        if case .refused = try await shared.save(marker, replacing: .session(stored.version.session)) {
            throw TokenStoreError.writtenMeanwhile
        }
    }
}

extension TokenStoreError {
    fileprivate static var writtenMeanwhile: TokenStoreError {
        TokenStoreError(.failed, "the old store was written to meanwhile; move its token again")
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

extension StoredToken {
    /// Whether it says that the token was moved to another store.
    fileprivate var isMarker: Bool { if case .moved = content { true } else { false } }
}
