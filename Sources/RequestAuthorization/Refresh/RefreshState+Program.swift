// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

// Timers, and the end of the program.
extension RefreshState {
    /// A caller of `settle(within:)`, and what it still waits for.
    struct Settler: Hashable {
        let number: Int
        /// The refreshes that were under way and have not ended.
        var flights: Set<RefreshID>
        /// The number of the ``Desired`` content to be stored: what was unsaved, or what those refreshes have brought.
        var write: Int?
        let discards: Set<Int>
        /// A failed attempt to store it is enough.
        let acceptsFailedWrite: Bool
    }

    /// Adds a caller that waits until the current refreshes, not sign-ins, have ended and their tokens are stored.
    /// Returns the number with which the caller is resumed.
    mutating func settle() -> Int { addSettler(Set(flights.map(\.id)), discards: discards, acceptsFailedWrite: false) }

    /// Adds a caller that waits until the store holds the current content, or one attempt has failed.
    mutating func settleStore() -> Int { addSettler([], discards: [], acceptsFailedWrite: true) }

    /// Removes a caller that waits no longer, and returns what is still under way or unstored; `nil` if nothing is.
    mutating func unsettled(_ number: Int) -> NotSettled? {
        guard let index = settlers.firstIndex(where: { $0.number == number }) else { return nil }
        let settler = settlers.remove(at: index)
        return NotSettled(
            isRefreshing: !settler.flights.isEmpty || !settler.discards.isDisjoint(with: discards),
            isUnstored: settler.write != nil && desired != nil, storeError: desired?.error?.error)
    }

    mutating func discarded(_ number: Int) { discards.remove(number) }

    /// From now on only waiting callers begin refreshes.
    mutating func stopBackgroundRefresh() { isBackgroundStopped = true }

    /// From now on no refresh and no sign-in begins.
    mutating func shutDown(_ turn: inout Turn) {
        isShutDown = true
        cancel(manuals, error: NotAuthorized(.shutDown), &turn)
        manuals = []
        releaseWaiters(&turn)
    }

    /// Stops writing to the store. Callers no longer wait for it, and siblings get exclusive access.
    mutating func giveUpWriting(_ turn: inout Turn) {
        isClosed = true
        if desired?.isWriting != true { tellPending(&turn) }
    }

    /// Resumes the callers for which nothing is under way any more.
    mutating func checkSettlers(_ turn: inout Turn) {
        guard !settlers.isEmpty else { return }
        let live = Set(flights.map(\.id))
        for index in settlers.indices where !settlers[index].flights.isEmpty {
            if let desired { settlers[index].write = desired.number }
            settlers[index].flights.formIntersection(live)
        }
        let settled = settlers.filter(isSettled)
        guard !settled.isEmpty else { return }
        settlers.removeAll(where: isSettled)
        turn.perform(.settled(settled.map(\.number)))
    }

    /// The refreshes that may still bring a token.
    var flights: [Flight] { (flight.map { [$0] } ?? []) + (stray.map { [$0] } ?? []) }

    // MARK: - Dropping the provider

    /// Whether a pool may drop the provider: nothing is lost, and no server is called earlier than it asked.
    ///
    /// A new provider for the same key behaves as after a restart of the program.
    func isDispensable(at now: Moment) -> Bool {
        isSettled && access == nil && manuals.isEmpty && settlers.isEmpty && isRestorable && backOff.isOpen(at: now)
            && storm.isQuiet(at: now.uptime, policy: policy.storm)
    }

    /// Whether ``settle()`` would have nothing to wait for.
    var isSettled: Bool {
        flights.isEmpty && pending == nil && discards.isEmpty && (desired == nil || isAbandoned)
    }

    /// Whether a new provider can get the session again: from the store, or from a service that needs no user.
    private var isRestorable: Bool {
        if isClosed { return true }
        return switch credential {
        case .unknown, .absent: true
        case .held(let held): [storedSession, fetchedSession].contains(held.version.session)
        // With a read-only store a sign-out counts in this process only. A new provider would load the token again.
        case .ended: storage != .readOnly
        }
    }

    // MARK: - Helpers

    private mutating func addSettler(_ flights: Set<RefreshID>, discards: Set<Int>, acceptsFailedWrite: Bool) -> Int {
        let number = nextNumber()
        settlers.append(
            Settler(
                number: number, flights: flights, write: desired?.number, discards: discards,
                acceptsFailedWrite: acceptsFailedWrite))
        return number
    }

    private func isSettled(_ settler: Settler) -> Bool {
        guard settler.flights.isEmpty, settler.discards.isDisjoint(with: discards) else { return false }
        guard let write = settler.write, let desired, desired.number <= write else { return true }
        return settler.acceptsFailedWrite && (desired.error != nil || isAbandoned)
    }

    // MARK: - Time

    /// The uptime at which the timer must fire; `nil` if nothing is due.
    func nextWake(at now: Moment) -> Duration? {
        var wake: Duration?
        func due(at uptime: Duration) { wake = wake.map { min($0, uptime) } ?? uptime }
        if let flight {
            due(at: flight.beganAt + policy.deadline * (flight.isDraining ? 2 : 1))
            if let patience = policy.aheadOfExpiry.patience, !flight.isOutOfPatience {
                due(at: flight.beganAt + patience)
            }
        } else if case .held = credential, !backOff.isOpen(at: now) {
            // The warm path ends then, so that the next request may begin a refresh.
            due(at: backOff.slot.uptime)
        }
        for manual in manuals where manual.isHolding { due(at: manual.beganAt + policy.deadline) }
        if let desired, desired.isWaiting, !isClosed { due(at: desired.backOff.slot.uptime) }
        return wake
    }

    /// Does what is due when the timer fires.
    mutating func timePassed(_ turn: inout Turn) {
        let now = turn.now.uptime
        if let flight, !flight.isDraining, now >= flight.beganAt + policy.deadline { deadlinePassed(&turn) }
        if let flight, flight.isDraining, now >= flight.beganAt + policy.deadline * 2 { hardLimitPassed(&turn) }
        if let flight, let patience = policy.aheadOfExpiry.patience, !flight.isOutOfPatience,
            now >= flight.beganAt + patience
        {
            self.flight?.isOutOfPatience = true
            if case .held(let held) = credential, isUsable(at: turn.now), !isHolding, turn.isAwaited {
                turn.perform(.resume(.ordinary, .success(held)))
            }
        }
        let isOverdue = manuals.contains { $0.isHolding && now >= $0.beganAt + policy.deadline }
        if isOverdue {
            for index in manuals.indices where now >= manuals[index].beganAt + policy.deadline {
                manuals[index].isHolding = false
            }
            releaseWaiters(&turn)
        }
        writeIfDue(&turn)
    }
}
