// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Stores the token of one user for all hosts of a fleet. Create it with ``LeasedTokens/store(client:account:)``.
///
/// Exclusive access is a lease in the user's record. The lease holds no connection, so a token endpoint that hangs does
/// not stop other users. `Documentation/Design/Fleet.md` says who may write what, and when a request may be sent.
public final class LeasedTokenStore<Token: AuthorizationToken & Codable>: SharedTokenStore, RedactedDescription {
    private let items: LeasedByteStore
    private let coding: any LeasedItemCoding<Token>
    /// The newest token of a session that this store has saved or loaded, or the end of that session.
    private let newest = Lock<StoredToken<Token>?>(nil)
    /// The session of a sign-in whose save has got no answer.
    private let unanswered = Lock<UUID?>(nil)
    /// The session of a save that was last found in the record, or its end, and when that came there.
    private let found = Lock<(session: UUID, isEnd: Bool, changedAt: Double)?>(nil)

    /// Stores the token as JSON, which is not encrypted.
    ///
    /// The key has 1 to 512 bytes of UTF-8, and is not secret. The initializer of ``LeasedTokens`` describes the others.
    ///
    /// - Throws: `TokenStoreError` (`unsuitable`) if the key or the lease cannot be used.
    public convenience init(
        unencryptedIn database: some RecordDatabase, key: String, lease: Duration = .seconds(10),
        requestDeadline: Duration = .seconds(4), callLimit: Duration = .seconds(5),
        clock: any AuthorizationClock = .system
    ) throws {
        self.init(
            try LeasedByteStore(
                database: database, key: key, lease: lease, requestDeadline: requestDeadline, callLimit: callLimit,
                clock: clock), PlainItemCoding())
    }

    init(_ items: LeasedByteStore, _ coding: any LeasedItemCoding<Token>) {
        (self.items, self.coding) = (items, coding)
    }

    public var changes: AsyncStream<Void>? { items.changes }

    public func lock(within limit: Duration) async throws -> TokenStoreLock { try await items.lock(within: limit) }

    public func setIntent(_ intent: RefreshIntent?) async throws { try await items.saveIntent(intent) }

    public func load() async throws -> StoredToken<Token>? { try await loadWithIntent().stored }

    /// Reads and decrypts the token, and reads the intent.
    ///
    /// With access it also saves a newer token again that the database has lost (step 7a). A stale answer does no harm:
    /// the save then finds the newer token there.
    ///
    /// - Throws: `TokenStoreError`: `wrongKey`, `corrupt` (the token was set aside), `unreadable`, and failures of the
    ///   database.
    public func loadWithIntent() async throws -> TokenWithIntent<Token> {
        let contents = try await items.contentsForLoad(items.space.budget)
        var stored = if let item = contents.item { try await open(item, contents) } else { StoredToken<Token>?.none }
        let last = newest.withLock { $0 }
        if let item = contents.item, let stored {
            let isUnanswered = stored.version.session == unanswered.withLock { $0 }
            // It need not be durable, and no host has heard of it. If it is saved again, others may have gone on.
            if isUnanswered { _ = found.exchange((stored.version.session, stored.token == nil, contents.changedAt)) }
            // A stale answer may show a token of another session than the newest one, or of one that is over.
            let isOther = last.map { $0.token == nil || $0.version.session != stored.version.session } ?? false
            if isUnanswered || isOther && stored.token != nil, try await !items.confirms(item) {
                return try await loadWithIntent()
            }
            if isUnanswered, unanswered.exchange(nil) != nil { await items.announce() }
        }
        if contents.hasAccess, let last, last.token != nil {
            let older = TokenSaveCondition.older(session: last.version.session, generation: last.version.generation)
            // The database has failed over to a copy that lacked the last token. What came there since counts.
            if older.allows(stored) {
                let result = try await save(last, replacing: older)
                stored = if case .refused(let kept) = result { kept } else { last }
            }
        }
        if let stored { note(stored) }
        let intent = contents.intent.flatMap { RefreshIntentFormat.decode($0, for: stored) }
        return TokenWithIntent(stored, absence: contents.absence, intent: intent)
    }

    public func save(_ stored: StoredToken<Token>) async throws {
        _ = try await save(stored, replacing: .anything, ending: nil, keepsLater: false)
    }

    /// Encrypts and saves the token if the stored one meets a condition, in one atomic step.
    ///
    /// A refreshed token is saved also while another host has the lease, as long as the record has no newer one. That
    /// host's intent then fails, and it adopts this token. If both have spent the same token, the one with the lease
    /// saves its token as the generation after, and the result is that content.
    ///
    /// A sign-in replaces anything but what came after an earlier try whose answer was lost. That is a later content of
    /// the same session, or another session that has followed.
    ///
    /// - Throws: as ``loadWithIntent()``, if the stored token cannot be decrypted. It is not replaced then.
    public func save(
        _ stored: StoredToken<Token>, replacing condition: TokenSaveCondition, ending intent: RefreshIntent?
    ) async throws -> SaveResult<StoredToken<Token>> {
        try await save(stored, replacing: condition, ending: intent, keepsLater: true)
    }

    /// - Parameter keepsLater: whether a later content of the same session is never replaced.
    private func save(
        _ stored: StoredToken<Token>, replacing condition: TokenSaveCondition, ending intent: RefreshIntent?,
        keepsLater: Bool
    ) async throws -> SaveResult<StoredToken<Token>> {
        let intent = try intent.map(RefreshIntentFormat.encode)
        let isSignIn = condition == .anything
        if isSignIn {
            _ = unanswered.exchange(stored.version.session)
            // What came before this sign-in is no earlier try of a sign-out during it.
            found.withLock { if $0?.session != stored.version.session { $0 = nil } }
        }
        let outcome = Lock<(kept: StoredToken<Token>?, decision: Decision?)>((nil, nil))
        let result = try await items.change(ending: intent) { [self] contents in
            let kept = try await find(contents, isSignIn: isSignIn)
            let decision = decide(stored, replacing: condition, over: kept, in: contents, keepsLater: keepsLater)
            outcome.withLock { $0 = (kept, decision) }
            if case .isStored = decision, intent != nil, contents.intent == intent, let item = contents.item {
                return LeasedByteStore.Change(item: item, isEnd: stored.token == nil)
            }
            guard case .save(let new) = decision else { return nil }
            let item = try await coding.seal(new, after: kept == nil ? nil : contents.item, key: contents.key)
            return LeasedByteStore.Change(
                item: item, isEnd: new.token == nil, setsAside: kept == nil && contents.item != nil)
        }
        if isSignIn { _ = unanswered.exchange(nil) }
        let last = outcome.withLock { $0 }
        guard result == .saved, case .save(let saved) = last.decision else {
            // The answer to the first try may have been lost. Then no host has heard of the session, or of its end, yet.
            let isEnd = stored.token == nil && last.kept?.token == nil
            if isSignIn || isEnd, last.kept?.version.session == stored.version.session { await items.announce() }
            if let kept = last.kept { note(kept) }
            if case .isStored? = last.decision, last.kept?.version == stored.version { return .saved }
            return .refused(last.kept)
        }
        note(saved)
        if last.kept?.version.session != saved.version.session || saved.token == nil { await items.announce() }
        return saved.version == stored.version ? .saved : .refused(saved)
    }

    /// Removes the item, also one that cannot be decrypted.
    public func clear() async throws {
        _ = newest.exchange(nil)
        try await items.clear()
    }

    // MARK: - Decisions

    private enum Decision: Sendable {
        case save(StoredToken<Token>)
        /// The answer to an earlier try was lost.
        case isStored
        case refuse
    }

    private func decide(
        _ new: StoredToken<Token>, replacing condition: TokenSaveCondition, over kept: StoredToken<Token>?,
        in contents: LeasedByteStore.Contents, keepsLater: Bool
    ) -> Decision {
        let changedAt = contents.changedAt
        if let kept, kept.version.session == new.version.session {
            // This try may get no answer either.
            _ = found.exchange((new.version.session, kept.token == nil, changedAt))
            if isSame(kept, new) { return .isStored }
        }
        if condition == .anything, keepsLater, let kept, isLater(kept, since: changedAt, than: new) { return .refuse }
        let absence = contents.item == nil ? contents.absence : .setAside
        if condition.allows(kept, absence: absence) { return .save(new) }
        // A refresh, unlike other callers, asks for a session and generation that are those of its token.
        let refresh = TokenSaveCondition.older(session: new.version.session, generation: new.version.generation)
        guard condition == refresh, new.token != nil, let kept, kept.token != nil,
            let generation = LeaseRules.generation(for: new.version, over: kept.version, isHolder: contents.isHolder)
        else { return .refuse }
        let version = TokenVersion(session: new.version.session, generation: generation)
        return .save(StoredToken(new.content, version: version, obtainedAt: new.obtainedAt))
    }

    /// Whether a record has a later token of the same session, its end, or a session that has followed: the answer to
    /// an earlier try to save this one was lost, and other hosts have gone on from there.
    private func isLater(_ kept: StoredToken<Token>, since date: Double, than new: StoredToken<Token>) -> Bool {
        guard kept.version.session == new.version.session else {
            // A token is no earlier try of a sign-out. After a fail-over the record may be an older copy.
            guard let found = found.withLock({ $0 }), found.session == new.version.session else { return false }
            return (found.isEnd || new.token != nil) && found.changedAt < date
        }
        return new.token != nil && kept.version.generation >= new.version.generation
    }

    /// Whether a record already has what is to be saved, perhaps as the generation after.
    private func isSame(_ kept: StoredToken<Token>, _ new: StoredToken<Token>) -> Bool {
        guard (0...1).contains(kept.version.generation - new.version.generation) else { return false }
        let renumbered = StoredToken(new.content, version: kept.version, obtainedAt: new.obtainedAt)
        return (try? StoredTokenFormat.encode(kept)) == (try? StoredTokenFormat.encode(renumbered))
    }

    // MARK: - Items

    /// Opens the stored item for a save.
    ///
    /// - Returns: what is stored; `nil` also for an item that cannot be opened and is to be set aside.
    private func find(_ contents: LeasedByteStore.Contents, isSignIn: Bool) async throws -> StoredToken<Token>? {
        guard let item = contents.item else { return nil }
        do {
            return try await coding.open(item, key: contents.key)
        } catch let problem as any UnopenableItem {
            guard problem.makesRoom(isSignIn: isSignIn) else { throw problem.error("it was left where it is") }
            return nil
        }
    }

    /// Opens the stored item for a load. A damaged one is set aside.
    private func open(_ item: Data, _ contents: LeasedByteStore.Contents) async throws -> StoredToken<Token> {
        do {
            return try await coding.open(item, key: contents.key)
        } catch let problem as any UnopenableItem {
            guard problem.makesRoom(isSignIn: false), let place = try await items.setAside(item) else {
                throw problem.error("it was left where it is")
            }
            throw problem.error("it was moved to \(place)")
        }
    }

    // MARK: - The newest token

    private func note(_ stored: StoredToken<Token>) {
        newest.withLock { newest in
            let isOlder = newest.map {
                $0.version.session == stored.version.session && $0.version.generation > stored.version.generation
            }
            if isOlder != true || stored.token == nil { newest = stored }
        }
    }
}

extension LeasedTokenStore: ItemBackedTokenStore {
    var backing: any SharedByteStore { items }
}
