// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

// Timers, and the end of the program.
extension RefreshState {
    mutating func stopBackgroundRefresh() { if life == .running { life = .draining } }

    /// Whether nothing is under way but sign-ins, and everything is stored.
    var isSettled: Bool { isQuiet && leftovers.isEmpty && vault.isSettled }

    /// What is under way or unstored.
    var unsettled: NotSettled {
        NotSettled(
            isRefreshing: activity != .idle || !leftovers.isEmpty, isUnstored: vault.unsaved != nil,
            storeError: vault.unsaved?.failure?.value)
    }

    /// Whether a pool may drop the provider: nothing is lost, and no server is called earlier than it asked.
    ///
    /// A new provider for the same key behaves as after a restart of the program.
    func isDispensable(at now: Moment) -> Bool {
        isSettled && vault.access == nil && signIn == nil && isRestorable && pace.isOpen(at: now)
            && pace.storm.isQuiet(at: now.uptime, policy: policy.storm)
            && leftovers.pause.map { $0.end <= now.uptime } ?? true
    }

    /// Whether a new provider can get the session again: from the store, or from a service that needs no user.
    private var isRestorable: Bool {
        if vault.isClosed { return true }
        return switch holding {
        case .unknown, .absent: true
        case .held(let held, _): held.isFetched || vault.session == held.version.session
        // With a read-only store a sign-out counts in this process only, as it does without one if the service needs no user.
        // A new provider would get a token again.
        case .ended(let ending): vault.kind != .readOnly && !(vault.kind == .none && ending.mayBeFetched)
        }
    }

    // MARK: - Time

    /// The uptime at which the timer must fire; `nil` if nothing is due.
    func nextWake(at now: Moment) -> Duration? {
        var wake = vault.slot
        func due(at uptime: Duration) { wake = wake.map { min($0, uptime) } ?? uptime }
        if let flight {
            due(at: flight.isDraining ? flight.beganAt + policy.deadline * 2 : flight.deadline.uptime)
            if !flight.isOutOfPatience, let end = patienceEnd(of: flight) { due(at: end) }
        } else if !pace.isOpen(at: now) {
            // Those who wait for the slot begin a refresh. The warm path ends, so that the next request may do so.
            due(at: pace.slot)
        }
        if let signIn, signIn.isHolding { due(at: signIn.beganAt + policy.deadline) }
        if let trustEnd { due(at: trustEnd) }
        if let wait = timeToKeepAlive(at: now) { due(at: now.uptime + max(.zero, wait)) }
        if let end = leftovers.nextEnd { due(at: end) }
        return wake
    }

    /// How long until a refresh is due that keeps the session alive; `nil` if none may begin.
    private func timeToKeepAlive(at now: Moment) -> Duration? {
        guard case .held(let held, let use) = holding, use != .last, let date = held.keepAliveAt, life == .running,
            isQuiet, !isHolding, pace.isOpen(at: now), vault.kind != .readOnly
        else { return nil }
        return .saturated(seconds: date.timeIntervalSince(now.date))
    }

    /// Until when requests with a valid token wait for a refresh, and after the deadline those without one.
    private func patienceEnd(of flight: Flight) -> Duration? {
        if flight.isDraining { return flight.deadline.uptime + policy.backOff.patience }
        return flight.patience.map { flight.beganAt + $0 }
    }

    /// Does what is due when the timer fires.
    mutating func timePassed(_ turn: inout Turn) {
        let now = turn.now.uptime
        if let trustEnd, now >= trustEnd { mark(.good) }
        for id in leftovers.giveUp(at: now) { turn.perform(.cancel(id)) }
        if let flight, !flight.isDraining, now >= flight.deadline.uptime { passDeadline(&turn) }
        if let flight, flight.isDraining, now >= flight.beganAt + policy.deadline * 2 { passHardLimit(&turn) }
        if let flight, !flight.isOutOfPatience, let end = patienceEnd(of: flight), now >= end {
            changeFlight { $0.losePatience() }
            releaseWaiters(&turn)
        }
        if let signIn, signIn.isHolding, now >= signIn.beganAt + policy.deadline {
            self.signIn?.passDeadline()
            releaseWaiters(&turn)
        }
        if isQuiet, turn.isAwaited, pace.isOpen(at: turn.now), !isHolding, !isShutDown {
            start(cause(of: .now), isAsked: false, &turn)
        }
        if let wait = timeToKeepAlive(at: turn.now), wait <= .zero { start(.keepAlive, isAsked: false, &turn) }
        writeIfDue(&turn)
    }
}
