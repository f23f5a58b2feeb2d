// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

@testable import RequestAuthorization

extension ExploredWorld {
    // MARK: Actions

    /// Does what a transition asks for, in order.
    mutating func perform(_ actions: [State.Action]) {
        for action in actions {
            switch action {
            case .resume(let waiters, let result): resume(waiters, result)
            case .keep(let places, let result): keep(places, result)
            case .fly(let flight): fly(flight)
            case .cancel: break
            case .write:
                isWriteDue = true
            case .unlock: if lock == .kept { lock = .nobody }
            case .announce(let change): announce(change)
            case .emit(let event): emit(event)
            case .discard(let token):
                if case .held(let held) = state.credential {
                    demand(held.token != token, "the token in use is given up")
                }
                demand(fresh.contains(token), "a token is given up twice, or was not ours to give up")
                fresh.removeAll { $0 == token }
            }
        }
    }

    private mutating func resume(_ waiters: [Int], _ result: Result<Held, any Error>) {
        if let hand = waiters.first, hand > 1_000 {
            demand(awaited.contains(hand - 1_000), "somebody who awaits a manual refresh is resumed twice")
            awaited.removeAll { $0 == hand - 1_000 }
            return
        }
        let waiting = callers.filter { $0.stage == .waiting }.map(\.number)
        demand(waiters == waiting, "others are resumed than wait, or in another order")
        callers.removeAll { $0.stage == .waiting }
        if !waiters.isEmpty { checkAnswer(result) }
    }

    private mutating func keep(_ places: [WaiterQueue<Int>.ID], _ result: Result<Held, any Error>) {
        demand(places == callers.filter { $0.stage == .reserved }.map(\.place), "places are left")
        // Whoever comes to fill the place finds it gone.
        for (number, place) in callers.filter({ $0.stage == .reserved }).map({ ($0.number, $0.place) }) {
            demand(!state.hold(number, at: place), "a request waits at a place that has gone")
        }
        callers.removeAll { $0.stage == .reserved }
        checkAnswer(result)
    }

    /// What requests that waited get.
    private mutating func checkAnswer(_ result: Result<Held, any Error>) {
        switch result {
        case .success(let held):
            demand(state.holds(held), "requests get a token that is not held")
            demand(!held.isRefused, "requests get a token that was refused")
            demand(
                !held.token.isExpired(at: now.date) || announced == .updated(held.token),
                "requests get an old token that has expired")
            demand(!state.isHolding, "requests do not wait for a manual refresh")
        case .failure: demand(!state.canServe(at: now), "requests fail although a token is there")
        }
    }

    private mutating func fly(_ flight: State.Flight) {
        demand(state.flight?.id == flight.id, "a flight begins beside another")
        runners.append(Runner(id: flight.id, session: flight.session, step: flight.step))
        checkBeginning(flight.step, of: flight.id)
    }

    private mutating func announce(_ change: TokenChange<ExploredToken>) {
        switch change {
        case .tokenUpdated(let token):
            demand(announced != .updated(token), "a token is announced twice")
            announced = .updated(token)
            fresh.removeAll { $0 == token }
            checkDurable(token)
        case .tokenInvalidated:
            demand(announced != .invalidated, "the end of a session is announced twice")
            announced = .invalidated
        }
    }

    private mutating func emit(_ event: AuthorizationEvent) {
        switch event.kind {
        case .refreshStarted:
            demand(!isRefreshing, "a refresh is said to begin within another")
            isRefreshing = true
        case .refreshEnded:
            demand(isRefreshing, "a refresh is said to end twice")
            isRefreshing = false
        case .tokenDiscarded: isDiscarding = true
        default: break
        }
    }

    // MARK: - Promises

    /// A step of a flight begins.
    mutating func checkBeginning(_ step: State.Step, of id: FlightID) {
        guard let flight = state.flight, flight.id == id else {
            switch step {
            case .refresh, .initial: return demand(false, "a flight that does not count calls the service")
            case .intent: return demand(false, "a flight that does not count leaves an intent")
            default: return
            }
        }
        switch step {
        case .refresh(let token):
            demand(!flight.isDraining, "a flight calls the service after its deadline")
            if case .held(let held) = state.credential {
                demand(held.token == token && held.version == flight.basis, "another token than the held one is spent")
            } else {
                demand(false, "a token is spent that is not held")
            }
            if state.storage == .shared {
                demand(flight.hasLock && lock == .flight(id), "a token is spent without the lock")
                demand(flight.hasIntent, "a token is spent without an intent")
            }
        case .initial:
            demand(!flight.isDraining, "a flight calls the service after its deadline")
            demand(state.credential == .absent, "a first token is fetched although there was one")
            if state.storage == .shared { demand(lock == .flight(id), "a first token is fetched without the lock") }
        default: break
        }
    }

    private mutating func checkDurable(_ token: ExploredToken) {
        guard state.storage != .none else { return }
        if stored?.token == token || !isStoreOurs { return }
        // A sign-in that has been saved is about to take its place.
        if hasRaces, state.manuals.contains(where: { $0.pending?.version == stored?.version }) { return }
        guard case .save(let unsaved, _) = state.unsaved?.content, unsaved.token == token else {
            return demand(false, "a token is announced that is neither saved nor about to be")
        }
    }

    /// What holds after every event.
    mutating func check(_ event: Event, before: ExploredWorld, actions: [State.Action]) {
        checkWaiting()
        checkFlights()
        checkCredential(event, before: before)
        checkTokens()
        checkWarm()
        checkManual(event, before: before)
        checkStore()
        isDiscarding = false
    }

    private mutating func checkWaiting() {
        let waiting = callers.count
        demand(state.waiters.count == waiting, "there are not as many places as requests")
        let isServed = state.isHolding || state.flight.map { !$0.isDraining } ?? false
        demand(waiting == 0 || isServed, "requests wait for nothing")
        for id in awaited {
            demand(state.manuals.contains { $0.id.number == id }, "somebody awaits a manual refresh that is over")
        }
        for manual in state.manuals {
            demand(hands.contains { $0.id == manual.id }, "a manual refresh is remembered that has returned")
        }
    }

    private mutating func checkFlights() {
        demand(isRefreshing == (state.flight != nil), "what is said of refreshing is not true")
        for flight in state.flights {
            demand(runners.contains { $0.id == flight.id }, "a flight is remembered that has returned")
            demand(flight.session == state.session, "a flight of another session counts")
            demand(!flight.hasLock || lock == .flight(flight.id), "a flight counts on a lock that it has not")
        }
        demand(state.unsaved?.keepsLock != true || lock != .nobody, "a lock is counted on that nobody keeps")
        if case .ended = state.credential {
            demand(state.flight == nil && state.strays.isEmpty, "a flight goes on after the session")
        }
        let calls = runners.count { runner in
            guard runner.limits < 1, runner.session == state.session else { return false }
            switch runner.step {
            case .refresh, .initial: return true
            default: return false
            }
        }
        demand(calls <= 1, "two service calls at a time")
    }

    private mutating func checkCredential(_ event: Event, before: ExploredWorld) {
        let (old, new) = (before.state.credential, state.credential)
        if case .held(let held) = new {
            demand(held.version.session == state.session, "a token of another session is held")
            // A sibling may have begun its session while we began ours, and have been the last to save.
            let isSiblings = hasRaces && !isStoreOurs && stored?.version == held.version
            demand(isSiblings || !over.contains(held.version.session), "a token of a session that is over is held")
            if case .held(let former) = old, former.version.session == held.version.session {
                demand(held.version.generation >= former.version.generation, "an older token replaces a newer one")
                demand(
                    held.version.generation > former.version.generation || held.token == former.token,
                    "two tokens of a generation")
                demand(
                    held.version.generation > former.version.generation || held.isRefused || !former.isRefused,
                    "a refused token is used again")
            }
            if case .ended = old {
                // A sibling signed in; that its session is not one that is over is asked above.
                let isFollowing = if case .noticed = event { stored?.version == held.version } else { false }
                demand(event.mayBegin || isFollowing, "a session that has ended goes on")
            }
            if case .updated(let token) = announced {
                demand(token == held.token || !held.isUsable(at: now.date), "a token in use is not announced")
            } else {
                demand(!held.isUsable(at: now.date), "a token in use is not announced")
            }
        }
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
        if case .reset = event {
            if case .ended = new {} else { demand(false, "a reset does not end the session") }
            demand(callers.isEmpty, "requests wait after a reset")
        }
    }

    /// No token that came from the service gets lost.
    private mutating func checkTokens() {
        guard !fresh.isEmpty else { return }
        let kept = fresh.filter { token in
            state.flights.contains { $0.cargo?.token == token } || state.manuals.contains { $0.pending?.token == token }
        }
        demand(kept.count == fresh.count || isDiscarding, "a token that the service gave is lost")
        fresh = kept
    }

    private mutating func checkWarm() {
        guard let warm = state.warm, now.date < warm.until else { return }
        guard case .held(let held) = state.credential else { return demand(false, "a token is warm that is not held") }
        demand(held.header == warm.header && held.isUsable(at: now.date), "a token is warm that is not good")
        demand(warm.until <= held.token.expiresAt, "a token stays warm after its expiry")
        demand(!state.isHolding, "requests do not wait for a manual refresh")
    }

    private mutating func checkManual(_ event: Event, before: ExploredWorld) {
        let isFailure: Bool
        switch event {
        case .manual(let index, let answer):
            isFailure = before.hands[index].saving == nil && answer != .ok
        case .beginManual, .cancelManual, .manualDeadline: isFailure = true
        default: isFailure = false
        }
        guard isFailure else { return }
        let isSame =
            state.credential == before.state.credential && state.session == before.state.session
            && state.unsaved == before.state.unsaved && state.failure == before.state.failure
            && state.strays == before.state.strays && announced == before.announced
            && (before.state.flight == nil || state.flight == before.state.flight)
        demand(isSame, "a manual refresh that fails leaves something behind")
    }

    /// When everything is at rest and nobody else touched it, the store holds what is in use.
    private mutating func checkStore() {
        guard state.storage != .none, isStoreOurs, state.unsaved == nil, writing == nil else { return }
        let isSaving = runners.contains { if case .save = $0.step { true } else { false } }
        guard !isSaving, !hands.contains(where: { $0.saving != nil }) else { return }
        if state.flight?.verdict != nil || state.strays.contains(where: { $0.verdict != nil }) { return }
        switch state.credential {
        case .held(let held): demand(stored == held.stored, "the store does not hold the token in use")
        case .ended: demand(stored?.token == nil, "the store holds a token of a session that has ended")
        case .unknown, .absent: break
        }
    }
}

extension ExploredWorld.Event {
    /// Only these begin a session.
    fileprivate var mayBegin: Bool {
        switch self {
        case .setToken, .manual: true
        default: false
        }
    }

    /// Only these end one.
    fileprivate func mayEnd(_ before: ExploredWorld) -> Bool {
        // What an old flight is told counts only if no other is under way.
        if case .step(let index, let answer) = self, let flight = before.state.flight,
            flight.id != before.runners[index].id
        {
            return if case .after = answer { true } else { false }
        }
        return switch self {
        case .step(let index, .notSent): if case .clearIntent = before.runners[index].step { true } else { false }
        case .reset, .noticed, .endWrite: true
        case .step(_, .after), .step(_, .ok), .step(_, .terminal), .step(_, .rejected): true
        default: false
        }
    }
}
