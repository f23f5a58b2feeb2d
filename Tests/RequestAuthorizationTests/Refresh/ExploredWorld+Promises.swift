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
        for settler in settlers { checkSettler(settler) }
        if case .due = event, !isWriteDue {
            demand(wake.map { $0 > now.uptime } ?? true, "the timer fires for nothing")
        }
        noteStrays(before: before)
    }

    private mutating func checkWaiting() {
        let ordinary = callers.count { $0.kind == .ordinary }
        demand(
            self.ordinary.count == ordinary && lasting.count == callers.count - ordinary,
            "there are not as many places as requests")
        let isServed = state.isHolding || state.flight.map { !$0.isDraining } ?? false
        demand(callers.isEmpty || isServed, "requests wait for nothing")
        demand(!callers.contains { isReplaced($0) }, "a request waits for a token of another user")
        var expected = state.manuals.filter(\.isAwaited).map(\.id.number)
        if case .signedIn(_, let manual)? = state.pending?.news, manual.isAwaited { expected.append(manual.id.number) }
        demand(Set(expected) == Set(awaited), "a caller awaits a manual refresh that is over")
        for manual in state.manuals {
            demand(hands.contains { $0.id == manual.id }, "a manual refresh that has returned is remembered")
        }
        if state.isShutDown { demand(state.manuals.isEmpty, "a sign-in goes on after the provider was shut down") }
    }

    private mutating func checkFlights() {
        demand(isRefreshing == (state.flight.map { !$0.isStray } ?? false), "the announced refreshing is wrong")
        for flight in state.flights {
            if flight.step == .save {
                demand(state.pending != nil, "a flight waits for nothing to be stored")
            } else {
                demand(runners.contains { $0.id == flight.id }, "a flight that has returned is remembered")
            }
            demand(flight.session == state.session, "a flight of another session counts")
        }
        if case .ended = state.credential {
            demand(state.flight == nil && state.stray == nil, "a flight goes on after the session")
        }
    }

    private mutating func checkAccess() {
        demand(lock == state.access?.owner, "a lock is not released, or the state has one that was released")
        guard let access = state.access else { return }
        let isUsed = state.flight?.id == access.user
        let isNeeded = state.desired.map { !state.isClosed || $0.isWriting } ?? false
        demand(isUsed || isNeeded, "a lock is kept that nothing needs")
    }

    private mutating func checkWriter() {
        demand((state.desired?.isWriting ?? false) == (writing != nil), "two writes at a time")
        if let pending = state.pending {
            demand(pending.number == state.desired?.number, "an announcement waits for another item to be stored")
            demand(state.desired?.error == nil, "an announcement waits although the first try has ended")
        }
        guard let desired = state.desired, !desired.isWriting, !state.isClosed else { return }
        let isTimed = wake.map { $0 <= max(desired.backOff.slot.uptime, now.uptime) } ?? false
        demand(isWriteDue || (desired.error != nil && isTimed), "an unstored item is forgotten")
    }

    private mutating func checkSettler(_ settler: Settler) {
        demand(isPending(settler), "a caller waits although the provider has settled")
        if settler.acceptsFailure {
            demand(writing != nil || isWriteDue, "a caller waits for a write that never comes")
        }
    }

    private mutating func checkCredential(_ event: Event, before: ExploredWorld) {
        let (old, new) = (before.state.credential, state.credential)
        if case .held(let held) = new, old != new { checkNew(held, event, before: before) }
        if case .held(let former) = old {
            switch new {
            case .held(let held):
                if held.version.session != former.version.session { over.append(former.version.session) }
            case .ended:
                over.append(former.version.session)
                demand(event.mayEnd(before), "a session ends for no reason")
            case .unknown, .absent: demand(false, "a token is forgotten")
            }
        }
        if case .ended = new { demand(announced == .invalidated, "the end of a session is not announced") }
        if case .unknown = new { demand(announced == .nothing, "something is announced before anything is known") }
        if case .held(let held) = new {
            demand(announced == .updated(held.number), "a token in use is not announced")
            if state.storage == .readOnly, before.held?.version.session != held.version.session { refused = [] }
            let isRefused = refused.contains(held.number) || held.problem != nil
            demand(!isRefused || state.isRefused, "a refused token is used again")
        }
        guard case .reset = event else { return }
        if case .ended = new {} else { demand(false, "a reset does not end the session") }
        demand(callers.isEmpty, "requests wait after a reset")
    }

    private mutating func checkNew(_ held: HeldToken, _ event: Event, before: ExploredWorld) {
        // With a read-only store a sign-out and a sign-in count in this process alone, until the store reports a
        // change.
        if state.storage == .readOnly { return }
        demand(!over.contains(held.version.session), "a session that was over comes back")
        switch before.state.credential {
        case .held(let former) where former.version.session == held.version.session:
            demand(held.version.generation > former.version.generation, "an older token takes the place of a newer one")
        case .ended:
            let isFollowing = stored?.version == held.version || look != nil || before.look != nil
            var isSignIn = false
            if case .signedIn? = before.state.pending?.news { isSignIn = true }
            demand(event.mayBegin || isFollowing || isSignIn, "a session that has ended goes on")
        case .held, .unknown, .absent: break
        }
    }

    /// No token from the service is lost.
    private mutating func checkTokens() {
        let unsaved = state.desired?.token?.number
        guard !fresh.isEmpty else { return tried.removeAll { $0 != unsaved } }
        let kept = fresh.filter { held in
            if state.desired?.token === held { return true }
            return switch state.pending?.news {
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
        if case .due = event, before.state.flight != nil || before.state.desired != nil { return }
        let isSame =
            state.credential == before.state.credential && state.session == before.state.session
            && state.desired == before.state.desired && state.failure == before.state.failure
            && state.stray == before.state.stray && announced == before.announced
            && (before.state.flight == nil || state.flight == before.state.flight)
        demand(isSame, "a manual refresh that fails leaves something behind")
    }

    /// When everything is at rest and no sibling has changed it, the store holds the token in use.
    private mutating func checkStore() {
        guard state.isKept, isStoreOurs, state.desired == nil, writing == nil, lateWrite == nil else { return }
        switch state.credential {
        case .held(let held): demand(stored?.token?.number == held.number, "the store does not hold the token in use")
        case .ended: demand(stored?.token == nil, "the store holds a token of a session that has ended")
        case .unknown, .absent: break
        }
    }

    private mutating func noteStrays(before: ExploredWorld) {
        if let stray = state.stray, before.state.stray?.id != stray.id {
            strayings.append((stray.id, now.uptime))
            if case .refresh = stray.step, isIntentOurs { isLost = true }
        }
        // These spend a token that is no longer held.
        if state.heldVersion != before.state.heldVersion { strayings = [] }
        strayings.removeAll { $0.at + state.policy.backOff.maximum <= now.uptime }
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
        case .endWrite(.after(.lost)): before.state.pending?.news.isEnd == true
        case .noticed(.lost?), .step(_, .after(.lost)): false
        case .noticed(nil): before.stored != nil || before.absence == .gone
        case .reset, .noticed, .hear, .endWrite, .due: true
        case .step(_, .after), .step(_, .ok): true
        case .step(_, .terminal), .step(_, .noRefreshToken): !before.state.isKept && before.state.storage != .readOnly
        default: false
        }
    }
}

extension RefreshState.Pending.News {
    fileprivate var isEnd: Bool { if case .ended = self { true } else { false } }
}
