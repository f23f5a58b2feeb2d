// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

// The record: reading it, and replacing it until the change was made to what is stored.
extension LeasedByteStore {
    /// What a record holds, for a decision.
    struct Contents: Sendable {
        let item: Data?
        let absence: TokenAbsence
        let intent: Data?
        /// Whether the record shows this store's lease.
        let isHolder: Bool
        /// Whether this store has access, with the lease or without.
        let hasAccess: Bool
        /// Whether there is nothing that ``LeasedByteStore/clear()`` would remove.
        let isClear: Bool
        /// When the item was changed, by the clock of its host, in seconds since 1970.
        let changedAt: Double
        let key: String
    }

    /// A change of a record.
    struct Change: Sendable {
        /// The new item; `nil` for none.
        var item: Data?
        /// Whether the new item is a tombstone.
        var isEnd = false
        /// Whether the item that was there is kept in the record.
        var setsAside = false
    }

    // MARK: - Reading

    /// Reads the record. An answer that could end a session is confirmed (step 11).
    func contentsForLoad(_ budget: RecordCalls.Budget) async throws -> Contents {
        while true {
            let known = if let known = knownForLoad() { known } else { try await record(budget) }
            if known.record.item == nil || known.record.status == .ended {
                guard try await space.calls.confirm(known.bytes, at: known.key, budget) else { continue }
            }
            guard let contents = try await contents(of: known, budget) else { continue }
            state.withLock { state in
                state.basis = contents.item
                if contents.item != nil { state.seenPlace = known.record.place }
            }
            return contents
        }
    }

    /// - Returns: `nil` if the database was emptied, so that the record has another key now.
    private func contents(of known: Known, _ budget: RecordCalls.Budget) async throws -> Contents? {
        let record = known.record
        guard let absence = try await absence(in: known, budget) else { return nil }
        return Contents(
            item: record.item, absence: absence, intent: record.intent,
            isHolder: state.withLock { $0.rules.isHolder(in: record) },
            hasAccess: state.withLock { $0.lease != nil },
            isClear: record.item == nil && record.intent == nil && record.status == .none,
            changedAt: record.changedAt, key: known.key)
    }

    /// Why a record has no item.
    ///
    /// - Returns: `nil` if the database was emptied, so that the record has another key now.
    private func absence(in known: Known, _ budget: RecordCalls.Budget) async throws -> TokenAbsence? {
        guard known.record.item == nil else { return .gone }
        if known.record.status == .setAside { return .setAside }
        // A record that is there tells its place. Otherwise the place is read after the record, so that a database
        // that was emptied in between is noticed.
        let place = known.bytes == nil ? try await space.open(budget) : known.record.place
        guard try await space.key(of: name, budget) == known.key else { return nil }
        guard let seen = state.withLock({ $0.seenPlace }) else { return .gone }
        return seen == place ? .gone : .placeMissing
    }

    /// The record from when the lease was acquired, once and within a second of it.
    private func knownForLoad() -> Known? {
        state.withLock { state in
            guard let known = state.known, known.freshUntil > space.clock.uptime else { return nil }
            state.known?.freshUntil = .zero
            return known
        }
    }

    /// The record as this store has last written it under its lease.
    func knownUnderLease() -> Known? { state.withLock { $0.rules.id == nil ? nil : $0.known } }

    /// Reads the record.
    ///
    /// - Parameter mayBeDamaged: whether a damaged record counts as one that was set aside.
    func record(_ budget: RecordCalls.Budget, mayBeDamaged: Bool = false) async throws -> Known {
        let key = try await space.key(of: name, budget)
        let askedAt = space.clock.uptime
        let answer = try await space.calls.read(key, budget)
        let answeredAt = space.clock.uptime
        state.withLock { $0.known = nil }
        guard let bytes = answer?.bytes else {
            return Known(bytes: nil, record: LeasedRecord(place: nil), key: key, unchangedFor: nil)
        }
        let record: LeasedRecord
        do {
            record = try LeasedRecord(decoding: bytes)
        } catch {
            guard mayBeDamaged, error.kind == .corrupt else { throw error }
            record = LeasedRecord(settingAside: bytes)
        }
        let known = Known(bytes: bytes, record: record, key: key, unchangedFor: answer?.unchangedFor, askedAt: askedAt)
        state.withLock { state in
            state.rules.watch(record, answeredAt: answeredAt)
            if state.rules.isHolder(in: record) { state.known = known }
        }
        return known
    }

    // MARK: - Replacing

    /// Replaces the record that was read.
    ///
    /// - Returns: the record as it is now, which is the known one; `nil` if it was not replaced.
    func write(_ record: LeasedRecord, over known: Known, _ budget: RecordCalls.Budget) async throws -> Known? {
        var record = record
        record.mark = .random(in: 0...UInt64.max)
        if record.place == nil {
            record.place = try await space.open(budget)
            // The database is another one, with other keys.
            guard try await space.key(of: name, budget) == known.key else { return nil }
        }
        var bytes = record.encoded
        if bytes.count > LeasedRecord.limit, record.aside != nil {
            // An item that nobody can read gives way to a token, a lease and an intent.
            record.aside = nil
            bytes = record.encoded
        }
        let askedAt = space.clock.uptime
        var written: Known?
        defer { state.withLock { $0.known = written } }
        guard try await space.calls.replace(known.bytes, by: bytes, at: known.key, budget) else { return nil }
        written = Known(bytes: bytes, record: record, key: known.key, askedAt: askedAt)
        return written
    }

    /// Changes the item (steps 7, 9 and 10). It decides again whenever the record has changed.
    ///
    /// - Parameters:
    ///   - intent: the intent that ends. The lease ends with it.
    ///   - decide: returns the change, or `nil` to change nothing.
    /// - Returns: `refused` with the stored item if nothing was changed.
    func change(
        ending intent: Data?, _ decide: @Sendable (Contents) async throws -> Change?
    ) async throws -> SaveResult<Data> {
        let budget = space.budget
        var first = knownUnderLease()
        while true {
            try Task.checkCancellation()
            let last = first.take()
            let known = if let last { last } else { try await record(budget, mayBeDamaged: true) }
            guard let contents = try await contents(of: known, budget) else { continue }
            guard let change = try await decide(contents) else {
                // It may be what an earlier try has saved, but not durably.
                if last == nil, try await space.calls.confirm(known.bytes, at: known.key, budget) {
                    state.withLock { if contents.item != nil { $0.seenPlace = known.record.place } }
                    return .refused(contents.item)
                }
                continue
            }
            let lease = state.withLock { $0.rules.isHolder(in: known.record) ? $0.rules.id : nil }
            let record = changed(known.record, by: change, ending: intent, of: lease)
            guard try await write(record, over: known, budget) != nil else { continue }
            noteSaved(record, ending: intent, of: lease)
            return .saved
        }
    }

    private func changed(
        _ old: LeasedRecord, by change: Change, ending intent: Data?, of lease: UUID?
    ) -> LeasedRecord {
        var record = old
        // A damaged record has no item, and is aside itself.
        if change.setsAside { record.aside = old.item ?? old.aside }
        record.item = change.item
        record.status = change.item == nil ? change.setsAside ? .setAside : .none : change.isEnd ? .ended : .token
        record.changedAt = space.clock.now.timeIntervalSince1970
        let isOurs =
            intent != nil && old.intent == intent
            && (old.intentLease == nil || old.intentLease == state.withLock { $0.intentLease })
        let isEnd = record.item == nil && !change.setsAside || record.status == .ended
        if isOurs || isEnd { (record.intent, record.intentLease) = (nil, nil) }
        // The refresh is over: its lease ends in the same step.
        if intent != nil, lease != nil { record.holder = nil }
        return record
    }

    private func noteSaved(_ record: LeasedRecord, ending intent: Data?, of lease: UUID?) {
        let ended = state.withLock { state -> HeldLease? in
            state.basis = record.item
            // A first record has got its place when it was written.
            state.seenPlace = state.known?.record.place ?? record.place
            guard intent != nil, let lease else { return nil }
            state.rules.released(lease)
            guard state.lease?.id == lease else { return nil }
            defer { state.lease = nil }
            return state.lease
        }
        ended?.isReleased()
    }
}
