// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

// Time, and programs that end.
extension RefreshState {
    /// What a caller waits for until the provider has settled.
    struct Settler: Hashable {
        let number: Int
        /// Refreshes that were under way.
        var flights: Set<RefreshID>
        /// The ``Desired`` content that was on its way, or that those refreshes have brought.
        var write: Int?
        let discards: Set<Int>
        /// One try to store it will do.
        let acceptsFailedWrite: Bool
    }

    /// A caller waits until what is under way has ended and is stored; people in sign-ins are not waited for.
    ///
    /// - Returns: the number by which it is resumed.
    mutating func settle() -> Int {
        addSettler(Set(flights.map(\.id)), discards: discards, acceptsFailedWrite: false)
    }

    /// A caller waits until what has been decided is in the store, or one try has failed.
    mutating func settleStore() -> Int { addSettler([], discards: [], acceptsFailedWrite: true) }

    /// The time of a caller that waits is over, or nothing is left to wait for.
    ///
    /// - Returns: what is under way or unstored; `nil` if nothing is.
    mutating func unsettled(_ number: Int) -> NotSettled? {
        guard let index = settlers.firstIndex(where: { $0.number == number }) else { return nil }
        let settler = settlers.remove(at: index)
        return NotSettled(
            isRefreshing: !settler.flights.isEmpty || !settler.discards.isDisjoint(with: discards),
            isUnstored: settler.write != nil && desired != nil, storeError: desired?.error?.error)
    }

    /// The service has returned from revoking a token.
    mutating func discarded(_ number: Int) { discards.remove(number) }

    /// From now on only callers cause refreshes.
    mutating func stopBackgroundRefresh() { isBackgroundStopped = true }

    /// From now on nothing begins.
    mutating func shutDown(_ turn: inout Turn) {
        isShutDown = true
        leave(manuals, error: NotAuthorized(.shutDown), &turn)
        manuals = []
        releaseWaiters(&turn)
    }

    /// The time for what was unstored is over: nobody waits for it any longer, and siblings get their access.
    mutating func giveUpWriting(_ turn: inout Turn) {
        isClosed = true
        if desired?.isWriting != true { tellPending(&turn) }
    }

    /// Resumes those for whom nothing is under way any more.
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

    /// The ordinary refreshes that may still bring a token.
    var flights: [Flight] { (flight.map { [$0] } ?? []) + (stray.map { [$0] } ?? []) }

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

    /// When something is due although no event comes, as uptime; `nil` if nothing is.
    func nextWake(at now: Moment) -> Duration? {
        var wake: Duration?
        func due(at uptime: Duration) { wake = wake.map { min($0, uptime) } ?? uptime }
        if let flight {
            due(at: flight.beganAt + policy.deadline * (flight.isDraining ? 2 : 1))
            if let patience = policy.aheadOfExpiry.patience, !flight.isOutOfPatience {
                due(at: flight.beganAt + patience)
            }
        } else if case .held = credential, !backOff.isOpen(at: now) {
            // Ends the warm value, so that the next request may begin a refresh.
            due(at: backOff.slot.uptime)
        }
        for manual in manuals where manual.isHolding { due(at: manual.beganAt + policy.deadline) }
        if let desired, desired.isWaiting, !isClosed { due(at: desired.backOff.slot.uptime) }
        return wake
    }

    /// Time has passed.
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
