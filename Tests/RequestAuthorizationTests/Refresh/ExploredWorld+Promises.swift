// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

@testable import RequestAuthorization

extension ExploredWorld {
    /// The invariants after every event.
    mutating func check(_ event: Event, before: ExploredWorld) {
        checkWaiting()
        checkFlights()
        checkAccess()
        checkWriter()
        checkCredential(event, before: before)
        checkTokens()
        checkSorting(event, before: before)
        checkWarm()
        checkManual(event, before: before)
        checkStore()
        checkSettling()
        if case .due = event, !isWriteDue {
            demand(wake.map { $0 > now.uptime } ?? true, "the timer fires for nothing")
        }
        noteLosses(before: before)
    }

    private mutating func checkWaiting() {
        let ordinary = callers.count { $0.kind == .ordinary }
        demand(
            self.ordinary.count == ordinary && lasting.count == callers.count - ordinary,
            "there are not as many places as requests")
        let isLate = wake.map { $0 <= now.uptime } ?? false
        let isServed =
            state.isHolding
            || state.flight.map { !$0.isDraining || now.uptime < graceEnd(of: $0) || isLate }
                ?? (state.vault.news != nil)
        demand(callers.isEmpty || isServed || isSlotAwaited, "requests wait for nothing")
        demand(!callers.contains { isReplaced($0) }, "a request waits for a token of another user")
        var expected: [RefreshID] = []
        if let signIn = state.signIn, signIn.isAwaited { expected.append(signIn.id) }
        if case .signedIn(_, let manual)? = state.vault.news, manual.isAwaited { expected.append(manual.id) }
        demand(Set(expected) == Set(awaited), "a caller awaits a manual refresh that is over")
        if let signIn = state.signIn {
            demand(hands.contains { $0.id == signIn.id }, "a manual refresh that has returned is remembered")
        }
        if state.isShutDown { demand(state.signIn == nil, "a sign-in goes on after the provider was shut down") }
    }

    /// Whether a timer begins the refresh for those who wait, and early enough for each of them.
    private var isSlotAwaited: Bool {
        let slot = state.pace.slot
        guard state.flight == nil, !state.isShutDown, let wake, wake <= max(slot, now.uptime) else { return false }
        return callers.allSatisfy { slot <= $0.patience ?? $0.arrival + state.policy.backOff.patience }
    }

    private mutating func checkFlights() {
        demand(isRefreshing == (state.flight != nil), "the announced refreshing is wrong")
        if let flight = state.flight {
            if state.calling == nil {
                demand(state.vault.news != nil, "a flight waits for nothing to be stored")
            } else {
                demand(runners.contains { $0.id == flight.id }, "a flight that has returned is remembered")
            }
        }
        if case .ended = state.holding {
            demand(state.flight == nil, "a flight goes on after the session")
        }
    }

    private mutating func checkAccess() {
        demand(lock == state.vault.access?.owner, "a lock is not released, or the state has one that was released")
        guard let access = state.vault.access else { return }
        let isUsed = state.flight?.id == access.user
        let isNeeded = state.vault.unsaved.map { _ in !state.vault.isClosed || state.vault.isWriting } ?? false
        demand(isUsed || isNeeded, "a lock is kept that nothing needs")
    }

    private mutating func checkWriter() {
        demand(state.vault.isWriting == (writing != nil), "two writes at a time")
        guard let unsaved = state.vault.unsaved else { return }
        if unsaved.news != nil {
            demand(unsaved.failure == nil, "an announcement waits although the first try has ended")
        }
        guard !state.vault.isWriting, !state.vault.isClosed else { return }
        let isTimed = wake.map { $0 <= max(unsaved.backOff.slot, now.uptime) } ?? false
        demand(isWriteDue || (unsaved.failure != nil && isTimed), "an unstored item is forgotten")
    }

    private mutating func checkSettling() {
        let isStored = state.vault.unsaved == nil || (state.vault.isClosed && writing == nil)
        let isSettled =
            isStored && state.flight == nil && state.vault.news == nil && discards == 0
            && !runners.contains(where: isLeftOver)
        demand(state.isSettled == isSettled, "a caller waits although the provider has settled, or does not wait")
        if !state.vault.isTried {
            demand(writing != nil || isWriteDue, "a caller waits for a write that never comes")
        }
    }

    private mutating func checkCredential(_ event: Event, before: ExploredWorld) {
        let new = state.holding
        if let held, before.held != held { checkNew(held, event, before: before) }
        if let former = before.held {
            switch new {
            case .held(let held, _):
                if held.version.session != former.version.session { over.append(former.version.session) }
            case .ended:
                over.append(former.version.session)
                demand(event.mayEnd(before), "a session ends for no reason")
            case .unknown, .absent: demand(false, "a token is forgotten")
            }
        }
        if case .ended = new { demand(announced == .invalidated, "the end of a session is not announced") }
        if case .unknown = new { demand(announced == .nothing, "something is announced before anything is known") }
        if let held {
            demand(announced == .updated(held.number), "a token in use is not announced")
            if state.vault.kind == .readOnly, before.held?.version.session != held.version.session { refused = [] }
            let isRefused = refused.contains(held.number) || held.problem != nil
            demand(!isRefused || state.isRefused, "a refused token is used again")
            let isGood = isTrusted || !held.isExpired(at: now.date)
            demand(
                state.isUsable(at: now) == (isGood && !state.isRefused), "a good token is not used, or another one is")
        }
        guard case .reset = event else { return }
        if let former = before.held { signedOut.append(former.version.session) }
        if case .ended = new {} else { demand(false, "a reset does not end the session") }
        demand(callers.isEmpty, "requests wait after a reset")
    }

    private mutating func checkNew(_ held: HeldToken, _ event: Event, before: ExploredWorld) {
        demand(!signedOut.contains(held.version.session), "a session that was signed out here comes back")
        // With a read-only store a sign-in counts in this process alone, until the store reports a change.
        if state.vault.kind == .readOnly { return }
        demand(!over.contains(held.version.session), "a session that was over comes back")
        switch before.state.holding {
        case .held(let former, _) where former.version.session == held.version.session:
            demand(held.version.generation > former.version.generation, "an older token takes the place of a newer one")
        case .ended:
            let isFollowing = stored?.version == held.version || look != nil || before.look != nil
            var isSignIn = false
            if case .signedIn? = before.state.vault.news { isSignIn = true }
            demand(event.mayBegin || isFollowing || isSignIn, "a session that has ended goes on")
        case .held, .unknown, .absent: break
        }
    }

    /// No token from the service is lost.
    private mutating func checkTokens() {
        let unsaved = state.vault.unsaved?.content.token?.number
        guard !fresh.isEmpty else { return tried.removeAll { $0 != unsaved } }
        let kept = fresh.filter { held in
            if state.vault.unsaved?.content.token === held { return true }
            return switch state.vault.news {
            case .refreshed(let token), .signedIn(let token, _): token === held
            case .ended, nil: false
            }
        }
        demand(kept.count == fresh.count || isDropping, "a token that the service gave is lost")
        fresh = kept
    }

    private mutating func checkWarm() {
        guard let warm, now.date < warm.until else { return }
        guard let held else { return demand(false, "a token is warm that is not held") }
        demand(held === warm.held && state.isUsable(at: now), "a token is warm that is not good")
        demand(!state.isHolding, "requests do not wait for a manual refresh")
        demand(!state.isShutDown, "a token is warm after the provider was shut down")
    }

    private mutating func checkManual(_ event: Event, before: ExploredWorld) {
        switch event {
        case .beginManual, .cancelManual, .manual(_, .lost), .manual(_, .malformed), .due(.manualDeadline): break
        default: return
        }
        let mayChange = before.state.flight != nil || before.state.vault.unsaved != nil || before.state.trustEnd != nil
        if case .due = event, mayChange { return }
        let isSame =
            state.holding == before.state.holding && state.line.session == before.state.line.session
            && state.vault.unsaved == before.state.vault.unsaved && state.pace.failure == before.state.pace.failure
            && announced == before.announced
            && (before.state.flight == nil || state.flight == before.state.flight)
        demand(isSame, "a manual refresh that fails leaves something behind")
    }

    /// When everything is at rest and no sibling has changed it, the store holds the token in use.
    private mutating func checkStore() {
        guard state.vault.isKept, isStoreOurs, state.vault.unsaved == nil, writing == nil, lateWrite == nil else {
            return
        }
        switch state.holding {
        case .held(let held, _):
            demand(stored?.token?.number == held.number, "the store does not hold the token in use")
        case .ended: demand(stored?.token == nil, "the store holds a token of a session that has ended")
        case .unknown, .absent: break
        }
    }

    private mutating func noteLosses(before: ExploredWorld) {
        switch event {
        // A request does first what a late timer has left undone.
        case .due?, .request?:
            if let flight = before.state.calling, state.flight?.id != flight.id, case .refresh = flight.step,
                isIntentOurs
            {
                isLost = true
            }
        default: break
        }
        let known = [held?.number, stored?.token?.number]
        refused.removeAll { !known.contains($0) }
    }
}

extension ExploredWorld.Event {
    /// The only events that begin a session.
    fileprivate var mayBegin: Bool {
        switch self {
        case .setToken, .manual: true
        default: false
        }
    }

    /// The only events that end a session.
    fileprivate func mayEnd(_ before: ExploredWorld) -> Bool {
        switch self {
        // A lost session has not ended, unless the server has ended it.
        case .endWrite(.after(.lost)): before.state.vault.news?.isEnd == true
        case .noticed(.lost?), .step(_, .after(.lost)): false
        case .noticed(nil): before.stored != nil || before.absence == .gone
        case .reset, .noticed, .hear, .endWrite, .due: true
        case .step(_, .after), .step(_, .ok): true
        case .step(_, .terminal), .step(_, .noRefreshToken):
            !before.state.vault.isKept && before.state.vault.kind != .readOnly
        default: false
        }
    }
}

extension News {
    fileprivate var isEnd: Bool { if case .ended = self { true } else { false } }
}
