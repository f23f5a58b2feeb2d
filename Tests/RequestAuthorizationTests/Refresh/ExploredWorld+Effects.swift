// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

@testable import RequestAuthorization

// The announcements and effects of the state, and what must be true at that moment.
extension ExploredWorld {
    mutating func hear(_ notice: Notice) {
        switch notice {
        case .token(.updated(let held)):
            demand(announced != .updated(held.number), "a token is announced twice")
            checkTried(held)
            announced = .updated(held.number)
            let isBrought = fresh.contains { $0 === held } && !signedIn.contains(held.version.session)
            if isBrought, held.isExpired(at: now.date), held.problem == nil {
                trusted = (held.number, max(state.pace.slot, now.uptime + .milliseconds(500)))
            }
            fresh.removeAll { $0 === held }
        case .token(.invalidated):
            demand(announced != .invalidated, "the end of a session is announced twice")
            if case .step? = event, state.vault.isKept {
                demand(isEndRead, "the end of a session is announced before it is stored")
            }
            announced = .invalidated
        case .event(let event): hear(event)
        }
    }

    private mutating func hear(_ event: AuthorizationEvent) {
        switch event.kind {
        case .refreshStarted:
            demand(!isRefreshing, "the beginning of a refresh is announced within another")
            isRefreshing = true
        case .refreshEnded:
            demand(isRefreshing, "the end of a refresh is announced twice")
            isRefreshing = false
        case .tokenDiscarded: isDropping = true
        default: break
        }
    }

    mutating func perform(_ effect: Effect) {
        switch effect {
        case .resume(let kind?, let result): resume(kind, result)
        case .resume(nil, let result): for kind in [Waiters.ordinary, .lasting] { resume(kind, result) }
        case .postpone(_, let slot): postpone(to: slot)
        case .dismissFormer: dismissFormer()
        case .start(let flight, _): start(flight)
        // What a read finds is an event of its own.
        case .cancel, .look: break
        case .write: isWriteDue = true
        case .unlock(let id, let endsIntent): unlock(id, endsIntent: endsIntent)
        case .answer(let id, let result):
            demand(awaited.contains(id), "a caller of a manual refresh is resumed twice")
            awaited.removeAll { $0 == id }
            if case .success(let held) = result {
                demand(self.held === held, "a sign-in is answered with another token")
            }
        case .discard(let held): discard(held)
        }
    }

    // MARK: - Requests

    private mutating func resume(_ kind: Waiters, _ result: Result<HeldToken, any Error>) {
        let drained = kind == .ordinary ? ordinary.drain() : lasting.drain()
        let expected = callers.filter { $0.kind == kind }.map(\.number)
        demand(drained.compactMap { $0 } == expected, "the resumed requests are not the waiting ones, in their order")
        guard !expected.isEmpty else { return }
        let resumed = callers.filter { $0.kind == kind }
        callers.removeAll { $0.kind == kind }
        switch result {
        case .success(let held):
            demand(!resumed.contains { isReplaced($0) }, "a request is sent as the user that a sibling signed in")
            demand(self.held === held, "requests get a token that is not held")
            demand(!refused.contains(held.number) && held.problem == nil, "requests get a token that was refused")
            demand(
                !held.isExpired(at: now.date) || announced == .updated(held.number),
                "requests get an old token that has expired")
            demand(!state.isHolding, "requests do not wait for a manual refresh")
        case .failure(let error):
            demand(kind == .lasting || !canServe, "requests fail although a token is there")
            guard error is RefreshFailed else { return }
            demand(!resumed.contains(where: isPatient), "a request fails although the slot is near")
            guard let flight = state.flight, now.uptime < graceEnd(of: flight) else { return }
            let deadline = flight.beganAt + state.policy.deadline
            demand(resumed.allSatisfy { $0.arrival < deadline }, "a request fails by a deadline before it came")
        }
    }

    /// Whether the next slot comes soon enough for a request.
    func isPatient(_ caller: Caller) -> Bool { isSlotNear(until: caller.patience) }

    private func isSlotNear(until end: Duration?) -> Bool {
        let slot = state.pace.slot
        return state.flight == nil && !state.isShutDown && slot > now.uptime
            && slot <= end ?? now.uptime + state.policy.backOff.patience
    }

    /// Those who see their first failure now have all of their patience.
    private mutating func postpone(to slot: Duration) {
        demand(slot == state.pace.slot && isSlotNear(until: nil), "requests wait for a slot that is not near")
        let failing = callers.filter { !isPatient($0) }
        for caller in failing {
            let waiter = caller.kind == .ordinary ? ordinary.remove(caller.place) : lasting.remove(caller.place)
            demand(waiter == caller.number && (caller.kind == .lasting || !canServe), "another request fails")
        }
        callers.removeAll { caller in failing.contains { $0.number == caller.number } }
        for index in callers.indices where callers[index].patience == nil {
            callers[index].patience = now.uptime + state.policy.backOff.patience
        }
    }

    /// Whether a request was queued in a session in whose place a sibling has put the one that is held.
    func isReplaced(_ caller: Caller) -> Bool {
        guard let session = caller.session, let held, held.version.session != session else { return false }
        return sessionsOfSiblings.contains(held.version.session)
    }

    private mutating func dismissFormer() {
        let bound = callers.filter { $0.session != nil }
        // A read-only store may bring back the session in which a request was queued, after this process has left it.
        demand(
            state.vault.kind == .readOnly || bound.allSatisfy { $0.session != held?.version.session },
            "a request fails whose session goes on")
        for caller in bound {
            let waiter = caller.kind == .ordinary ? ordinary.remove(caller.place) : lasting.remove(caller.place)
            demand(waiter == caller.number, "another request fails")
        }
        callers.removeAll { $0.session != nil }
    }

    /// Whether a request for any valid token needs nothing else.
    var canServe: Bool { !state.isShutDown && !state.isHolding && state.isUsable(at: now) }

    mutating func checkUse(_ held: HeldToken, _ ask: Ask) {
        demand(
            self.held === held && (isTrusted || !held.isExpired(at: now.date)),
            "a request gets a token that is not good")
        demand(!refused.contains(held.number) && held.problem == nil, "a request gets a token that was refused")
        demand(!state.isHolding, "a request does not wait for a manual refresh")
        demand(!state.isShutDown, "a request goes on after the provider was shut down")
        switch ask {
        case .now: break
        case .until:
            let isLimited =
                state.pace.isOpen(at: now) && state.pace.storm.isActive(at: now.uptime, policy: state.policy.storm)
            let lasts = held.expiresAt >= now.date.addingTimeInterval(ExploredToken.lifetime)
            demand(lasts || isLimited || isTrusted, "a token does not last as asked")
        case .refreshed: demand(false, "a token is not refreshed as asked")
        }
    }

    /// Whether the held token is used although it had expired on arrival.
    var isTrusted: Bool {
        guard let trusted, let held, !state.isRefused else { return false }
        return held.number == trusted.number && now.uptime < trusted.until
    }

    mutating func checkWait(_ ask: Ask) {
        guard ask == .now, canServe else { return }
        demand(patienceEnd.map { $0 > now.uptime } ?? false, "a request waits although a token is there")
    }

    mutating func checkRefusal(_ error: any Error, _ ask: Ask) {
        let reason = (error as? NotAuthorized)?.reason
        demand(ask != .now || !canServe, "a request fails although a token is there")
        demand(!(error is RefreshFailed && isSlotNear(until: nil)), "a request fails although the slot is near")
        if let flight = state.flight, flight.isDraining, now.uptime < graceEnd(of: flight), error is RefreshFailed {
            demand(false, "a request fails by a deadline before it came")
        }
        demand(state.isShutDown == (reason == .shutDown), "a request does not get the shutdown as its error")
        if case .ended = state.holding { demand(reason != nil, "a request does not get the end as its error") }
        demand(reason != .reentrantRefresh, "a request counts as one of a refresh")
    }

    // MARK: - Refreshes

    private mutating func start(_ flight: Flight) {
        demand(state.flight?.id == flight.id, "a second flight begins")
        demand(!state.isShutDown, "a flight begins after the provider was shut down")
        let isLook = state.vault.kind == .readOnly && state.pace.failure == nil
        demand(state.pace.backOff.isOpen(at: now) || isLook, "a flight begins before its slot")
        demand(isWanted, "a flight begins without a reason")
        let left = held.map { max(0, $0.expiresAt.timeIntervalSince(now.date)) } ?? .infinity
        let patience = min(state.policy.aheadOfExpiry.patience?.seconds ?? 0, left / 2)
        self.patience = (flight.id, now.uptime + .seconds(patience))
        runners.append(Runner(id: flight.id, session: state.line.session, beganAt: now.uptime, step: flight.step))
        checkBeginning(flight.step, of: flight.id)
    }

    /// Whether there is a reason to refresh.
    private var isWanted: Bool {
        let isUnasked = state.policy.aheadOfExpiry == .inBackground && state.life == .running
        if case .request(let ask)? = event, ask != .now { return true }
        if callers.contains(where: { $0.kind == .lasting }) { return true }
        guard state.isUsable(at: now), let held else {
            if case .request? = event { return true }
            return isUnasked || !callers.isEmpty
        }
        guard now.date >= held.refreshAt else { return false }
        return isUnasked || event != .retryNow && state.policy.aheadOfExpiry.patience != nil
    }

    /// A step of a flight begins.
    mutating func checkBeginning(_ step: Exchange.Step, of id: RefreshID) {
        guard let flight = state.flight, flight.id == id, !flight.isDraining else {
            let isHarmless = !step.callsService && !step.isIntent
            return demand(isHarmless, "a flight without a waiter begins a step")
        }
        guard step.callsService else { return }
        demand(!state.vault.isClosed, "a token is spent whose successor cannot be stored")
        demand(state.vault.news == nil, "the service is called while a token of it waits to be stored")
        let others = runners.contains { runner in
            runner.id != id && runner.session == state.line.session && runner.step.callsService
                && now.uptime < runner.beganAt + state.policy.deadline * 2
        }
        demand(!others, "two service calls at a time")
        if state.vault.kind == .shared {
            demand(
                state.vault.access?.user == id && lock != nil && lock == state.vault.access?.owner,
                "a call is made without the lock")
        }
        if case .refresh(let token) = step {
            demand(held === token && token.version == flight.basis, "a token is spent that is not the held one")
            if state.vault.kind == .shared {
                demand(state.vault.access?.intent != .absent, "a token is spent without an intent")
            }
        } else {
            demand(state.holding == .absent, "a first token is fetched although there was one")
        }
    }

    private mutating func unlock(_ id: RefreshID, endsIntent: Bool) {
        demand(lock == id, "a lock is released that is not held")
        lock = nil
        if let token = state.vault.unsaved?.content.token,
            fresh.contains(where: { $0 === token }) || tried.contains(token.number)
        {
            demand(state.vault.isClosed, "a lock is released before a rotated token is stored")
        }
        let isCalling = runners.contains { runner in
            if case .refresh = runner.step { state.isCalling(runner.id) || isForgotten(runner) } else { false }
        }
        if endsIntent {
            endIntent()
        } else if isIntentOurs, intent?.session == state.line.session, !isLost, !isCalling, !state.vault.isClosed,
            late.isEmpty
        {
            demand(false, "an intent stays behind")
        }
    }

    mutating func endIntent() {
        let isCalling = runners.contains { runner in
            guard case .refresh(let held) = runner.step, let intent, state.isCalling(runner.id) else { return false }
            return intent.session == held.version.session && intent.generation == held.version.generation
        }
        demand(!isCalling, "the intent of a call is removed before its answer has come")
        demand(
            held == nil || intent?.session != state.line.session || !isLost, "the intent of a lost answer is removed")
        (intent, isLost) = (nil, false)
    }

    // MARK: - Tokens

    /// No token is used before the first try to store it has ended.
    private mutating func checkTried(_ held: HeldToken) {
        guard state.vault.isKept, fresh.contains(where: { $0 === held }) else { return }
        if case .due? = event { return }
        if isTimerLate { return }  // A request has done what was due.
        demand(tried.contains(held.number), "a token is used before the first try to store it")
    }

    private mutating func discard(_ held: HeldToken) {
        demand(self.held !== held, "the token in use is discarded")
        demand(fresh.contains { $0 === held }, "a token is discarded twice, or was not the provider's")
        let isLeft = if case .signedIn? = state.vault.news { true } else { false }
        demand(isLeft || self.held?.version.session != held.version.session, "a session in use is revoked")
        fresh.removeAll { $0 === held }
        if scope.contains(.programs) { discards += 1 } else { state.leftovers.endRevocation() }
    }
}

extension Exchange.Step {
    var isIntent: Bool { if case .intent = self { true } else { false } }
}
