// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The outcome of `migrate(to:)`.
public enum TokenMigration: Hashable, Sendable {
    /// The token is in the new store and was read back from there. The old store has a marker in its place.
    case moved
    /// The old store is empty, has the marker of an earlier migration, or keeps the same item as the new one.
    case nothingToMove
    /// The new store has a newer token of the same session and keeps it. The old store has a marker.
    case newerIsThere
    /// The new store has another session or a sign-out. Nothing was changed.
    case otherIsThere
}

extension TokenStore {
    /// Moves the token to another store: saves it there, reads it back, and only then replaces it here by a marker.
    ///
    ///     let old = RestrictedFileTokenStore<MyToken>(client: "tool", account: "me")
    ///     let new = KeychainTokenStore<MyToken>(client: "tool", account: "me")
    ///     try await old.migrate(to: new)                  // at each launch, before the provider is made
    ///
    /// A newer token or a token of another session is never overwritten. After an interruption the token is in one of
    /// the stores or in both, and the next call continues. Shared stores are locked during the move.
    ///
    /// The marker names the new store. A process that still uses the old store is signed out with that reason, and
    /// cannot refresh the token a second time. `clear()` removes the marker.
    ///
    /// A move onto itself changes nothing, also if two stores of different names keep the same item.
    ///
    /// - Parameters:
    ///   - other: the new store.
    ///   - limit: how long to wait for a refresh that is under way.
    /// - Throws: the errors of the two stores; `TokenStoreError/Kind/failed` if the new store does not return what
    ///   was saved. The token is then still in the old store.
    @discardableResult
    public func migrate(
        to other: some TokenStore<Token>, waitingAtMost limit: Duration = .seconds(30)
    ) async throws -> TokenMigration {
        if try await load()?.isMarker != false { return .nothingToMove }
        if try await isItself(other) { return .nothingToMove }
        return try await locked(self, within: limit) {
            try await locked(other, within: limit) { try await move(to: other) }
        }
    }

    private func move(to other: some TokenStore<Token>) async throws -> TokenMigration {
        guard let stored = try await load(), !stored.isMarker else { return .nothingToMove }
        let kept = try await other.load()
        if let kept, kept.isSame(as: stored), try await isPlace(of: other, stored) { return .nothingToMove }
        // A marker in the new store is overwritten: a token may be moved away and back.
        if let kept, !kept.isMarker, !kept.isSame(as: stored) {
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
        guard let copy = try await other.load(), copy.isSame(as: stored) else {
            throw TokenStoreError(
                .failed, "the new store does not return the token that was saved; it is still in the old store")
        }
        try await leaveMarker(in: stored, to: other)
        return .moved
    }

    // MARK: A move onto itself

    /// Whether the other store is this one: one object, or one file. Its lock could not be acquired a second time.
    ///
    /// - Throws: `TokenStoreError/Kind/unsuitable` if the stores keep one file in different forms.
    private func isItself(_ other: some TokenStore<Token>) async throws -> Bool {
        if type(of: self) is AnyObject.Type, type(of: other) is AnyObject.Type {
            if (self as AnyObject) === (other as AnyObject) { return true }
        }
        guard let file = (self as? any CodableTokenStore)?.items as? RestrictedFileItems,
            let otherFile = (other as? any CodableTokenStore)?.items as? RestrictedFileItems,
            try await file.isSameFile(as: otherFile)
        else { return false }
        guard type(of: self) == type(of: other) else {
            throw TokenStoreError(
                .unsuitable, "both stores have the same file; give the new one another account or another folder")
        }
        return true
    }

    /// Whether the other store, which has the same token, keeps it in the same place.
    ///
    /// The time of the token in the other store is changed for a moment. If the process dies, the token has the wrong
    /// time, by a second, and nothing is lost.
    private func isPlace(of other: some TokenStore<Token>, _ stored: StoredToken<Token>) async throws -> Bool {
        guard stored.token != nil else { return false }
        let probe = StoredToken(
            stored.content, version: stored.version, obtainedAt: stored.obtainedAt.addingTimeInterval(-1))
        guard case .saved = try await other.save(probe, ifShared: stored.orEarlier) else { return false }
        let seen = try await load()
        _ = try await other.save(stored, ifShared: stored.orEarlier)
        guard let seen, seen.version == stored.version else { return false }
        return abs(seen.obtainedAt.timeIntervalSince(probe.obtainedAt)) < 0.5
    }

    // MARK: -

    /// Saves a token, under a condition if the store is shared.
    private func save(
        _ stored: StoredToken<Token>, ifShared condition: TokenSaveCondition
    ) async throws -> SaveResult<StoredToken<Token>> {
        if let shared = self as? any SharedTokenStore<Token> {
            return try await shared.save(stored, replacing: condition)
        }
        try await save(stored)
        return .saved
    }

    /// - Returns: whether it was saved.
    private func put(
        _ stored: StoredToken<Token>, over kept: StoredToken<Token>?, into other: some TokenStore<Token>
    ) async throws -> Bool {
        let version = stored.version
        var kept = kept
        // A marker has the version of the token that was moved away, so `.anything` would keep it as a later content.
        if let marker = kept, marker.isMarker, try await other.removes(marker) { kept = nil }
        // The intent goes first: a process that reads the token must know that the answer to a refresh may be lost.
        if let shared = other as? any SharedTokenStore<Token>,
            let intent = try await (self as? any SharedTokenStore<Token>)?.openIntent()
        {
            try await shared.setIntent(intent)
        }
        if kept?.isMarker == true {
            try await other.save(stored)
            return true
        }
        let condition: TokenSaveCondition =
            kept == nil ? .nothing : .older(session: version.session, generation: version.generation)
        switch try await other.save(stored, ifShared: condition) {
        case .saved: return true
        case .refused(let obstacle): return obstacle.map { $0.isSame(as: stored) } ?? false
        }
    }

    /// Removes a tombstone or a marker, unless a sign-in has replaced it since.
    ///
    /// - Returns: `false` if the store cannot do that in one step. Then nothing was changed.
    private func removes(_ mark: StoredToken<Token>) async throws -> Bool {
        let coded = (self as? any CodableTokenStore)?.items as? any SharedByteStore
        guard let shared = (self as? any ItemBackedTokenStore)?.backing ?? coded else { return false }
        // The item is read first: what is then loaded is this item or a later one.
        let item = try await shared.load()
        if let item, let kept = try await load(), kept.isSame(as: mark) { try await shared.clear(item) }
        return true
    }

    /// Replaces the moved token by a marker, unless it has changed since.
    private func leaveMarker(in stored: StoredToken<Token>, to other: some TokenStore<Token>) async throws {
        guard let kept = try await load() else { return }
        guard kept.isSame(as: stored) else { throw TokenStoreError.writtenMeanwhile }
        // A tombstone needs no marker: both stores are signed out.
        guard stored.token != nil else {
            guard try await removes(stored) else { return try await clear() }
            guard try await load() == nil else { throw TokenStoreError.writtenMeanwhile }
            return
        }
        let place = String("\(type(of: other))".prefix { $0 != "<" })
        let marker = StoredToken<Token>(.moved(to: place), version: stored.version, obtainedAt: stored.obtainedAt)
        if case .refused = try await save(marker, ifShared: stored.orEarlier) {
            throw TokenStoreError.writtenMeanwhile
        }
    }
}

extension TokenStoreError {
    fileprivate static var writtenMeanwhile: TokenStoreError {
        TokenStoreError(.failed, "the old store was changed during the migration; migrate again")
    }
}

/// Runs a body with exclusive access if the store is shared.
private func locked<Token: AuthorizationToken, Result>(
    _ store: some TokenStore<Token>, within limit: Duration, _ body: () async throws -> Result
) async throws -> Result {
    guard let shared = store as? any SharedTokenStore<Token> else { return try await body() }
    while true {
        let lock = try await shared.lock(within: limit)
        guard lock.remaining == .zero else { return try await lock.whileHeld(body) }
        // Access without a lease: a sibling has just saved. The next lock compares with what is read now.
        await lock.unlock()
        _ = try await store.load()
    }
}

extension StoredToken {
    /// Whether the token was moved to another store.
    fileprivate var isMarker: Bool { if case .moved = content { true } else { false } }

    /// Allows no later token of the session: a host that has lost its lease saves one also during a migration.
    fileprivate var orEarlier: TokenSaveCondition {
        .older(session: version.session, generation: version.next.generation)
    }
}
