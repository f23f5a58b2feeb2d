// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension LeasedByteStore {
    /// Acquires the lease.
    ///
    /// While another host has it, the store reads the record again after 5, 10, 20, 40 ms, and then up to 1 s. If the
    /// record has another item than this store has handed out or read, the lock is returned without a lease: its
    /// `remaining` is zero, and the caller adopts the item. An intent then acquires the lease.
    ///
    /// - Throws: `TokenStoreError`: `timedOut` if the limit is over; `CancellationError` at once when the task is
    ///   cancelled.
    package func lock(within limit: Duration) async throws -> TokenStoreLock {
        let end = space.clock.uptime + limit.saturated
        try await waitForOwnLease(until: end, limit)
        let id = UUID()
        return try await acquiring(id) { mayBeHeld in
            var pauses = LeasePauses()
            // The item that is known to the caller, if any.
            var last = state.withLock { $0.basis.map(Optional.some) }
            while true {
                let budget = space.budget
                let known = try await record(budget, mayBeDamaged: true)
                // A lease that was written without an answer is this store's own.
                if let last, let item = known.record.item, item != last, known.record.holder != id {
                    return access(id, to: known, isLeased: false)
                }
                last = last ?? .some(known.record.item)
                if let leased = try await lease(id, over: known, announcing: nil, budget, &mayBeHeld) {
                    return access(id, to: leased, isLeased: true)
                }
                try await pause(&pauses, until: end, limit)
            }
        }
    }

    /// Writes the intent under the lease of this store, or removes it (step 5).
    ///
    /// It is for the item that this store has last read: if the record has another one, nothing is sent any more.
    ///
    /// - Throws: `TokenStoreError`: `timedOut` if another host has the lease, or nobody; `noSpace` if the database is
    ///   full; `unsuitable` if the record is. The lease stays valid only after the latter two.
    package func saveIntent(_ intent: Data?) async throws {
        guard let intent else { return try await removeIntent() }
        let budget = space.budget
        let (basis, lease, id) = state.withLock { ($0.basis, $0.lease, $0.rules.id) }
        guard let lease else { throw Self.isNotHolder }
        do {
            if id == nil { return try await acquire(lease, announcing: intent, for: basis, until: budget.end) }
            try await announce(intent, for: basis, of: lease.id, budget)
        } catch {
            // Only if there is no room for the intent may the request be sent without one.
            let reason = error as? TokenStoreError
            let isFull = reason?.kind == .noSpace || reason?.underlying is LeasedRecord.TooLarge
            let mayBeSent = isFull ? await stillHolds(basis, space.budget) : false
            if !mayBeSent { state.withLock { $0.rules.end() } }
            throw error
        }
    }

    /// How long a token request may take under a lease, at most.
    func remaining(of id: UUID) -> Duration {
        state.withLock { $0.rules.id == id ? $0.rules.remaining(at: space.clock.uptime) : .zero }
    }

    // MARK: - Acquiring

    /// Runs a body that acquires a lease. If it throws, a lease that it may have written is given back: it would make other
    /// hosts wait until it ends.
    private func acquiring<Result>(
        _ id: UUID, _ body: (_ mayBeHeld: inout Bool) async throws -> Result
    ) async throws -> Result {
        var mayBeHeld = false
        do {
            return try await body(&mayBeHeld)
        } catch {
            if mayBeHeld {
                // Its id is not used again: a later lease would be given back.
                state.withLock { if $0.lease?.id == id { $0.lease = nil } }
                Task.detached { await self.giveBack(id) }
            }
            throw error
        }
    }

    /// Step 2. It counts from before the first request.
    ///
    /// - Parameter mayBeHeld: set to `true` if the lease may have been written, although this call does not return it.
    /// - Returns: the record with the lease; `nil` if another host has it.
    private func lease(
        _ id: UUID, over known: Known, announcing intent: Data?, _ budget: RecordCalls.Budget, _ mayBeHeld: inout Bool
    ) async throws -> Known? {
        let askedAt = space.clock.uptime
        let leased = state.withLock {
            $0.rules.leasing(known.record, as: id, at: askedAt, unchangedFor: known.unchangedFor)
        }
        guard var leased else { return nil }
        if let intent { (leased.intent, leased.intentLease) = (intent, id) }
        let written: Known?
        do {
            written = try await write(leased, over: known, budget)
        } catch {
            if !RecordCalls.isRefusal(error) { mayBeHeld = true }
            throw error
        }
        guard let written else {
            // It was written if the answer was lost, and another host has saved since.
            mayBeHeld = true
            return nil
        }
        state.withLock { state in
            state.rules.granted(id, askedAt: askedAt)
            if intent != nil { state.rules.announced(id, askedAt: askedAt) }
        }
        return written
    }

    private func access(_ id: UUID, to known: Known, isLeased: Bool) -> TokenStoreLock {
        let lease = HeldLease(id, of: self)
        var known = known
        // It counts from before the request, because the answer may have been slow.
        known.freshUntil = known.askedAt + .seconds(1)
        state.withLock { state in
            state.lease = lease
            state.known = known
        }
        if isLeased { lease.renew() }
        return TokenStoreLock(
            requestDeadline: space.requestDeadline, remaining: { self.remaining(of: lease.id) }, release: lease.end)
    }

    /// Acquires the lease for an access that was given without one. Lease and intent are one write.
    private func acquire(
        _ lease: HeldLease, announcing intent: Data, for basis: Data?, until end: Duration
    ) async throws {
        try await acquiring(lease.id) { mayBeHeld in
            var pauses = LeasePauses()
            while true {
                let budget = space.budget
                let known = try await record(budget)
                guard known.record.item == basis else {
                    // The lease may have been written without an answer.
                    if known.record.holder == lease.id {
                        mayBeHeld = false
                        await Task.detached { await self.giveBack(lease.id, known) }.value
                    }
                    throw Self.itemHasChanged
                }
                if try await self.lease(lease.id, over: known, announcing: intent, budget, &mayBeHeld) != nil {
                    let isWanted = state.withLock { state in
                        state.intentLease = lease.id
                        return state.lease === lease
                    }
                    if isWanted { return lease.renew() }
                    // The lock was released meanwhile, when it had no lease yet.
                    await Task.detached { await self.release(lease.id) }.value
                    throw Self.isNotHolder
                }
                try await pause(&pauses, until: end, space.calls.limit)
            }
        }
    }

    private func announce(_ intent: Data, for basis: Data?, of id: UUID, _ budget: RecordCalls.Budget) async throws {
        var first = knownUnderLease()
        while true {
            let last = first.take()
            let known = if let last { last } else { try await record(budget) }
            switch state.withLock({ $0.rules.announcing(intent, for: basis, in: known.record) }) {
            case .write(let record):
                let askedAt = space.clock.uptime
                guard try await write(record, over: known, budget) != nil else { continue }
                return state.withLock { state in
                    state.rules.announced(id, askedAt: askedAt)
                    state.intentLease = id
                }
            case .itemHasChanged where last == nil: throw Self.itemHasChanged
            case .isNotHolder where last == nil: throw Self.isNotHolder
            case .itemHasChanged, .isNotHolder: continue
            }
        }
    }

    private func removeIntent() async throws {
        let budget = space.budget
        var first = knownUnderLease()
        while true {
            let last = first.take()
            let known = if let last { last } else { try await record(budget) }
            if known.record.intent == nil, last == nil { return }
            let isOurs = state.withLock { state in
                state.rules.isHolder(in: known.record)
                    || known.record.intentLease != nil && known.record.intentLease == state.intentLease
            }
            guard isOurs else {
                if last != nil { continue }
                throw Self.isNotHolder
            }
            var record = known.record
            (record.intent, record.intentLease) = (nil, nil)
            if try await write(record, over: known, budget) != nil { return }
        }
    }

    /// Whether the record has the lease of this store and the same item. A read may be stale, so it is confirmed.
    private func stillHolds(_ basis: Data?, _ budget: RecordCalls.Budget) async -> Bool {
        guard let known = try? await record(budget), state.withLock({ $0.rules.isHolder(in: known.record) }),
            known.record.item == basis
        else { return false }
        do {
            return try await space.calls.confirm(known.bytes, at: known.key, budget)
        } catch {
            // A full database may refuse that, too, and must not end the session.
            return (error as? TokenStoreError)?.kind == .noSpace
        }
    }

    // MARK: - Waiting

    /// Waits while this very store has the lease. It costs no call.
    private func waitForOwnLease(until end: Duration, _ limit: Duration) async throws {
        while let wait = state.withLock({ $0.lease?.wait() }) {
            let left = end - space.clock.uptime
            guard left > .zero else { throw Self.timedOut(limit) }
            try await endingAtOnce(within: left, of: space.clock, else: Self.timedOut(limit)) {
                for await _ in wait {}
            }
        }
    }

    private func pause(_ pauses: inout LeasePauses, until end: Duration, _ limit: Duration) async throws {
        let left = end - space.clock.uptime
        guard left > .zero else { throw Self.timedOut(limit) }
        try await space.clock.sleep(for: min(pauses.next(), left))
    }

    // MARK: - Renewing and releasing

    /// Step 4.
    ///
    /// - Returns: whether the lease goes on.
    func renew(_ id: UUID) async -> Bool {
        let budget = space.budget
        var first = knownUnderLease()
        while state.withLock({ $0.rules.id == id }), !Task.isCancelled {
            let last = first.take()
            guard let known = if let last { last } else { try? await record(budget) } else { return true }
            guard let record = state.withLock({ $0.rules.renewing(known.record) }) else {
                if last != nil { continue }
                state.withLock { if $0.rules.id == id { $0.rules.end() } }
                return false
            }
            let askedAt = space.clock.uptime
            do {
                guard try await write(record, over: known, budget) != nil else { continue }
            } catch {
                return true  // Without an answer the lease goes on from the last one.
            }
            state.withLock { $0.rules.renewed(id, askedAt: askedAt) }
            return true
        }
        return false
    }

    /// Step 8.
    func release(_ id: UUID) async {
        let (wasHeld, known) = state.withLock { state -> (Bool, Known?) in
            defer {
                state.rules.released(id)
                if state.lease?.id == id { state.lease = nil }
            }
            return (state.rules.id == id, state.known)
        }
        // An access without a lease has nothing to release.
        if wasHeld { await giveBack(id, known) }
    }

    /// Removes a lease from the record. After two failures it is left: the lease ends by itself.
    private func giveBack(_ id: UUID, _ known: Known? = nil) async {
        let budget = space.budget
        var known = known
        for _ in 1...3 {
            if known?.record.holder != id { known = try? await record(budget) }
            guard let last = known, let record = LeaseRules.releasing(last.record, of: id) else { return }
            if (try? await write(record, over: last, budget)) != nil { return }
            known = nil
        }
    }

    // MARK: - Errors

    private static let isNotHolder = TokenStoreError(
        .timedOut, "the lease has ended, and another host may have it; nothing was sent; try again later")
    private static let itemHasChanged = TokenStoreError(
        .timedOut, "another host has changed the token meanwhile; nothing was sent; the next try reads it")

    private static func timedOut(_ limit: Duration) -> TokenStoreError {
        TokenStoreError(
            .timedOut, "another host has kept the lease for \(limit): it refreshes the token; try again later")
    }
}

/// Random pauses between reads while another host has the lease: at most 5, 10, 20, 40 ms, and then up to 1 s.
struct LeasePauses {
    private var longest = Duration.milliseconds(5)

    mutating func next() -> Duration {
        defer { longest = min(longest * (longest < .milliseconds(40) ? 2 : 1.5), .seconds(1)) }
        return longest * Double.random(in: 0.5...1)
    }
}
