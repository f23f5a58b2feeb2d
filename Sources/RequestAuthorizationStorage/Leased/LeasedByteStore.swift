// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// One item in a record of a ``RecordDatabase``, for any number of hosts. Exclusive access is a lease in the record.
package final class LeasedByteStore: EndAwareByteStore, RedactedDescription {
    let space: RecordSpace
    let name: RecordName
    let state: Lock<State>

    struct State {
        var rules: LeaseRules
        /// The record as last written under the lease, for the next write.
        var known: Known?
        /// The item that was last handed out. An intent is for this one.
        var basis: Data?
        /// The lease under which this store has written its last intent.
        var intentLease: UUID?
        /// The database that last had this store's session. If another one lacks it, it was lost and has not ended.
        var seenPlace: UUID?
        /// Whether a removal may have been made that was not announced: its answer was lost.
        var isRemovalUnannounced = false
        /// The access of this store, until it is released.
        weak var lease: HeldLease?
    }

    /// A record, and its bytes as stored.
    struct Known: Sendable {
        var bytes: Data?
        var record: LeasedRecord
        let key: String
        var unchangedFor: Duration?
        /// The uptime before it was asked for.
        var askedAt = Duration.zero
        /// The uptime until which a load may use it.
        var freshUntil = Duration.zero
    }

    /// Names the record. The initializer of ``LeasedTokens`` describes the parameters.
    package convenience init(
        database: some RecordDatabase, key: String, lease: Duration = .seconds(10),
        requestDeadline: Duration = .seconds(4), callLimit: Duration = .seconds(5),
        clock: any AuthorizationClock = .system
    ) throws {
        guard (1...Self.longestKey).contains(key.utf8.count), key != LeasedPlace.key else {
            throw TokenStoreError(
                .unsuitable,
                "the key of a record has 1 to \(Self.longestKey) bytes, and this one has \(key.utf8.count) or is taken; "
                    + "choose another")
        }
        self.init(
            try RecordSpace(
                database, lease: lease, requestDeadline: requestDeadline, callLimit: callLimit, clock: clock),
            .key(key))
    }

    init(_ space: RecordSpace, _ name: RecordName) {
        (self.space, self.name) = (space, name)
        state = Lock(State(rules: LeaseRules(length: space.lease)))
    }

    /// The longest key of a record, in bytes of UTF-8.
    static let longestKey = 512

    package func load() async throws -> Data? { try await loadWithIntent().item }

    /// Reads the item and its intent. A damaged record is set aside, and makes this call throw.
    package func loadWithIntent() async throws -> ItemWithIntent {
        do {
            let contents = try await contentsForLoad(space.budget)
            return ItemWithIntent(contents.item, absence: contents.absence, intent: contents.intent)
        } catch let error as TokenStoreError where error.kind == .corrupt {
            // An encrypted store reads once more before it saves.
            _ = try? await change(ending: nil) { $0.absence == .setAside ? Change(setsAside: true) : nil }
            throw error
        }
    }

    package func save(_ item: Data) async throws { _ = try await save(item, ending: nil) { _, _ in true } }

    /// A save that ends an intent also gives up this store's exclusive access, in the same step.
    ///
    /// - Parameter condition: called with the stored item, and again if it changes meanwhile.
    /// - Throws: `TokenStoreError`: `unsuitable` if the record would have over 64 KiB; the error of the condition.
    package func save(
        _ item: Data, ending intent: Data?, if condition: @escaping @Sendable (Data?, TokenAbsence) throws -> Bool
    ) async throws -> SaveResult<Data> {
        try await save(item, ending: intent, isEnd: nil, if: condition)
    }

    func save(
        _ item: Data, ending intent: Data?, isEnd: Bool?,
        if condition: @escaping @Sendable (Data?, TokenAbsence) throws -> Bool
    ) async throws -> SaveResult<Data> {
        let isEnd = isEnd ?? StoredTokenFace.isEnd(item)
        let result = try await change(ending: intent) { contents in
            try condition(contents.item, contents.absence) ? Change(item: item, isEnd: isEnd) : nil
        }
        // A refresh has an intent, and nobody needs to hear of it.
        if result == .saved, isEnd || intent == nil { await announce() }
        return result
    }

    func confirms(_ item: Data) async throws -> Bool {
        try await change(ending: nil) { _ in nil } == .refused(item)
    }

    package func clear() async throws { try await removeItem { !$0.isClear } }

    package func clear(_ item: Data) async throws { try await removeItem { $0.item == item } }

    /// Moves the item into another part of its record.
    package func setAside(_ item: Data) async throws -> String? {
        let result = try await change(ending: nil) { $0.item == item ? Change(setsAside: true) : nil }
        return result == .saved ? "the spare part of its record" : nil
    }

    package var changes: AsyncStream<Void>? {
        space.news?.changes(of: name) { [weak self] in
            // The next load must read the record again: the known one is from before the change.
            self?.state.withLock { $0.known?.freshUntil = .zero }
        }
    }

    /// Removes the item. After a removal that got no answer it may find nothing, and announces that all the same.
    private func removeItem(if condition: @Sendable (Contents) -> Bool) async throws {
        let result = try await change(ending: nil) { contents in
            guard condition(contents) else { return nil }
            state.withLock { $0.isRemovalUnannounced = true }
            return Change()
        }
        let isUnannounced = state.withLock { state in
            defer { state.isRemovalUnannounced = false }
            return state.isRemovalUnannounced
        }
        // Another removal may have taken the note meanwhile.
        if result == .saved || isUnannounced { await announce() }
    }

    /// Tells the other hosts that a session has begun or ended, also if the task is cancelled.
    func announce() async {
        guard let key = space.knownKey(of: name) else { return }
        // It is bounded, and a failure is ignored.
        await Task.detached { [space] in try? await space.calls.announce(key, space.budget) }.value
    }
}

extension RecordDatabase {
    /// One record as an item of bytes, for any number of hosts. It is read on first use.
    ///
    ///     let items = try MyRecords().item(at: "ada")
    ///     let store = EncryptedTokenStore<MyToken, _>(around: items, key: key, client: "web", account: "ada")
    ///
    /// ``LeasedTokens`` makes the stores of many users, encrypts their tokens and hides their names. Use that one unless
    /// you choose the keys of the records yourself. The initializer of that one describes the parameters.
    ///
    /// The key of a record has 1 to 512 bytes of UTF-8, and is not secret.
    ///
    /// - Throws: `TokenStoreError` (`unsuitable`) if the key or the lease cannot be used.
    public func item(
        at key: String, lease: Duration = .seconds(10), requestDeadline: Duration = .seconds(4),
        callLimit: Duration = .seconds(5), clock: any AuthorizationClock = .system
    ) throws -> some SharedByteStore {
        try LeasedByteStore(
            database: self, key: key, lease: lease, requestDeadline: requestDeadline, callLimit: callLimit,
            clock: clock)
    }
}
