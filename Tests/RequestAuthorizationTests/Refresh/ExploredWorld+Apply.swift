// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

@testable import RequestAuthorization

extension ExploredWorld {
    /// Lets something happen, and checks every promise.
    mutating func apply(_ event: Event) {
        let before = self
        var actions: [State.Action] = []
        switch event {
        case .request, .reserve: actions = request(isSuspended: event == .request)
        case .hold(let index): hold(index)
        case .cancel(let index): cancel(index)
        case .requestWithin(let id): actions = request(within: id)
        case .unauthorized, .unauthorizedLate: actions = unauthorized(isLate: event == .unauthorizedLate)
        case .retryNow: perform(state.retryNow(at: now), into: &actions)
        case .step(let index, let answer): actions = step(index, answer)
        case .land(let index, let answer): runners[index].landed = outcome(of: runners[index], answer)
        case .deadline(let index): actions = deadline(index)
        case .hardLimit(let index):
            runners[index].limits = 2
            perform(state.hardLimitPassed(runners[index].id, at: now), into: &actions)
            giveUpLock(of: runners[index].id)
        case .beginManual(let isAwaited): beginManual(isAwaited: isAwaited)
        case .manual(let index, let answer): actions = manual(index, answer)
        case .landManual(let index, let answer): hands[index].landed = landing(of: hands[index], answer)
        case .cancelManual(let index): actions = cancelManual(index)
        case .manualDeadline(let index):
            perform(state.manualDeadlinePassed(hands[index].id, at: now), into: &actions)
        case .setToken:
            let version = TokenVersion(session: newSession(), generation: 0)
            let held = Held(newToken(), version: version, obtainedAt: now.date, policy: .explored, random: 1)
            perform(state.setToken(held, at: now), into: &actions)
            isWriteDue = state.storage != .none
        case .reset:
            perform(state.reset(newSession: newSession(), at: now), into: &actions)
            isWriteDue = state.storage != .none
        case .noticed(let act):
            if let act { actOfSibling(act) }
            perform(state.noticed(stored, openIntent, at: now, random: 1), into: &actions)
        case .beginWrite:
            isWriteDue = false
            if let unsaved = state.beginWrite() {
                demand(writing == nil, "two writes at a time")
                writing = (unsaved, nil)
            }
        case .landWrite(let answer):
            if let unsaved = writing?.unsaved { writing = (unsaved, landing(of: unsaved, answer)) }
        case .endWrite(let answer): actions = endWrite(answer)
        case .pass(let threshold):
            let seconds = time(until: threshold)
            now = Moment(date: now.date.addingTimeInterval(seconds), uptime: now.uptime + .seconds(seconds))
        }
        forget()
        check(event, before: before, actions: actions)
    }

    /// What the state does not know any more changes nothing when it returns, so that it need not be kept.
    private mutating func forget() {
        let flights = state.strays.count + (state.flight == nil ? 0 : 1)
        guard runners.count > flights || hands.count > state.manuals.count else { return }
        for runner in runners where !state.isUnderWay(runner.id) {
            runners.removeAll { $0.id == runner.id }
            giveUpLock(of: runner.id)
            var copy = state
            let token = newToken()
            let (next, actions) = copy.advance(runner.id, .token(token, requestedAt: now.date), at: now, random: 1)
            demand(
                next == nil && actions.count == 2 && actions.first?.discards == token, "a late token is not given up")
            demand(copy.deadlinePassed(runner.id, at: now, random: 1).count == 1, "a late flight is not cancelled")
            demand(copy.hardLimitPassed(runner.id, at: now).isEmpty, "a late flight does something")
            demand(copy == state, "a late flight changes something")
        }
        for hand in hands where !state.isUnderWay(hand.id) {
            hands.removeAll { $0.id == hand.id }
            var copy = state
            let token = newToken()
            let (saving, actions) = copy.manualSucceeded(
                hand.id, token, requestedAt: now.date, newSession: newSession(), at: now, random: 1)
            demand(saving == nil && actions.first?.discards == token, "a late token is not given up")
            demand(copy.manualFailed(hand.id, ExploredFailure(), at: now).isEmpty, "a late failure does something")
            demand(copy.manualSaved(hand.id, error: nil, at: now, random: 1).isEmpty, "a late save does something")
            demand(copy.manualDeadlinePassed(hand.id, at: now).isEmpty, "a late deadline does something")
            demand(copy == state, "a late manual refresh changes something")
        }
    }

    private var openIntent: RefreshIntent? { state.storage == .shared ? intent : nil }

    private mutating func perform(_ new: [State.Action], into actions: inout [State.Action]) {
        actions += new
        perform(new)
    }

    // MARK: - Requests

    private mutating func request(isSuspended: Bool) -> [State.Action] {
        let (decision, actions) = state.request(at: now)
        perform(actions)
        switch decision {
        case .use(let held):
            demand(state.holds(held) && held.isUsable(at: now.date), "a request gets a token that is not good")
            demand(!state.isHolding, "a request does not wait for a manual refresh")
        case .wait(let place):
            let number = (0..<Limit.callers).first { number in !callers.contains { $0.number == number } } ?? 0
            callers.append(Caller(number: number, place: place))
            if isSuspended { hold(callers.count - 1) }
        case .fail:
            demand(!state.canServe(at: now), "a request fails although a token is there")
        }
        return actions
    }

    private mutating func hold(_ index: Int) {
        let caller = callers[index]
        let waits = state.hold(caller.number, at: caller.place)
        demand(waits == (caller.stage == .reserved), "a place is lost")
        if waits { callers[index].stage = .waiting }
    }

    private mutating func cancel(_ index: Int) {
        let caller = callers.remove(at: index)
        let waiter = state.cancel(caller.place)
        demand(waiter == (caller.stage == .waiting ? caller.number : nil), "cancelling finds somebody else")
    }

    private mutating func request(within id: FlightID) -> [State.Action] {
        let isAwaited = state.flight?.id == id || state.manuals.contains { $0.id == id && $0.isHolding }
        let (decision, actions) = state.request(at: now, within: [id])
        perform(actions)
        if case .wait(let place) = decision {
            demand(!isAwaited, "a service waits for itself")
            _ = state.cancel(place)
        }
        return actions
    }

    private mutating func unauthorized(isLate: Bool) -> [State.Action] {
        guard case .held(let held) = state.credential, !isLate else {
            let old = state
            let (_, actions) = state.unauthorized("Bearer old", at: now)
            demand(state == old && actions.isEmpty, "a 401 for another token changes something")
            return actions
        }
        let (error, actions) = state.unauthorized(held.header, at: now)
        demand(error != nil || !state.holds(held) || held.isRefused, "a 401 is forgotten")
        perform(actions)
        return actions
    }

    // MARK: - Flights

    private mutating func step(_ index: Int, _ answer: Answer) -> [State.Action] {
        let runner = runners[index]
        let outcome = runner.landed ?? outcome(of: runner, answer)
        if case .lock = runner.step, case .done = outcome { lock = .flight(runner.id) }
        if case .token(let token, _) = outcome { fresh.append(token) }
        let (next, actions) = state.advance(runner.id, outcome, at: now, random: 1)
        if case .saved(let conflict?) = outcome, conflict.stored.token == nil {
            demand(
                state.heldVersion?.session != conflict.stored.version.session,
                "a token is in use although a sibling has signed out")
        }
        runners[index].landed = nil
        if let next {
            runners[index].step = next
        } else {
            runners.remove(at: index)
        }
        perform(actions)
        if let next { checkBeginning(next, of: runner.id) } else { giveUpLock(of: runner.id) }
        return actions
    }

    private mutating func deadline(_ index: Int) -> [State.Action] {
        let id = runners[index].id
        runners[index].limits = 1
        let actions = state.deadlinePassed(id, at: now, random: 1)
        perform(actions)
        demand(
            state.flight?.id != id || state.isHolding || callers.isEmpty,
            "requests wait after the deadline")
        return actions
    }

    private mutating func outcome(of runner: Runner, _ answer: Answer) -> State.Outcome {
        if case .after(let act) = answer {
            actOfSibling(act)
            return outcome(of: runner, .ok)
        }
        switch (runner.step, answer) {
        case (.refresh, .ok), (.initial, .ok): return .token(newToken(), requestedAt: now.date)
        case (.refresh, .malformed): return .token(newToken(isMalformed: true), requestedAt: now.date)
        case (.load, .ok), (.reread, .ok), (.verify, .ok): return .loaded(stored, openIntent)
        case (.intent(let intent), .ok):
            self.intent = intent
            return .done
        case (.clearIntent, .ok):
            intent = nil
            return .done
        case (.lock, .ok): return .done
        case (.save(let held, let condition), .ok), (.save(let held, let condition), .overdue):
            guard state.isUnderWay(runner.id) else { return .saved(nil) }
            let conflict = put(held.stored, replacing: condition)
            return answer == .ok ? .saved(conflict) : .failed(RefreshFailure(ExploredFailure()))
        default: return .failed(failure(answer))
        }
    }

    private func failure(_ answer: Answer) -> RefreshFailure {
        switch answer {
        case .noToken: RefreshFailure(NotAuthorized(.noToken))
        case .lost: RefreshFailure(ExploredFailure(delivery: .mayHaveBeenProcessed))
        case .retryAfter: RefreshFailure(ExploredFailure(retryAfter: .seconds(5)))
        case .rejected: RefreshFailure(ExploredFailure(kind: .rejected))
        case .terminal: RefreshFailure(ExploredFailure(kind: .terminal))
        case .ok, .malformed, .notSent, .overdue, .after: RefreshFailure(ExploredFailure(delivery: .notSent))
        }
    }

    mutating func giveUpLock(of id: FlightID) {
        guard lock == .flight(id) else { return }
        lock = state.unsaved?.keepsLock == true ? .kept : .nobody
    }

    // MARK: - By hand

    private mutating func beginManual(isAwaited: Bool) {
        let id = state.nextFlightID()
        guard state.beginManual(id, waiter: isAwaited ? id.number + 1_000 : nil, at: now) == nil else { return }
        hands.append(Hand(id: id, isAwaited: isAwaited))
        if isAwaited { awaited.append(id.number) }
    }

    private mutating func manual(_ index: Int, _ answer: Answer) -> [State.Action] {
        let hand = hands[index]
        var actions: [State.Action] = []
        if hand.saving != nil {
            let result = hand.landed ?? landing(of: hand, answer)
            hands.remove(at: index)
            let error: (any Error)? = if case .failure(let error) = result { error } else { nil }
            perform(state.manualSaved(hand.id, error: error, at: now, random: 1), into: &actions)
            return actions
        }
        guard answer == .ok || answer == .malformed else {
            hands.remove(at: index)
            perform(state.manualFailed(hand.id, ExploredFailure(), at: now), into: &actions)
            return actions
        }
        let token = newToken(isMalformed: answer == .malformed)
        fresh.append(token)
        let session = newSession()
        let (saving, next) = state.manualSucceeded(
            hand.id, token, requestedAt: now.date, newSession: session, at: now, random: 1)
        hands[index].saving = saving
        if saving == nil { hands.remove(at: index) }
        perform(next, into: &actions)
        return actions
    }

    private mutating func cancelManual(_ index: Int) -> [State.Action] {
        let actions = state.cancelManual(hands[index].id, at: now)
        perform(actions)
        return actions
    }

    private mutating func landing(of hand: Hand, _ answer: Answer) -> Result<Void, ExploredFailure> {
        if answer != .notSent, state.isUnderWay(hand.id), let stored = hand.saving {
            _ = put(stored, replacing: .anything)
        }
        return answer == .ok ? .success(()) : .failure(ExploredFailure())
    }

    // MARK: - The store

    private mutating func put(
        _ new: Stored, replacing condition: TokenSaveCondition
    ) -> TokenSaveConflict<ExploredToken>? {
        if state.storage == .shared, let stored, !condition.allows(stored) { return TokenSaveConflict(stored) }
        stored = new
        isStoreOurs = true
        return nil
    }

    private mutating func landing(
        of unsaved: State.Unsaved, _ answer: Answer
    ) -> Result<TokenSaveConflict<ExploredToken>?, any Error> {
        if case .after(let act) = answer {
            actOfSibling(act)
            return landing(of: unsaved, .ok)
        }
        guard answer != .notSent else { return .failure(ExploredFailure()) }
        var conflict: TokenSaveConflict<ExploredToken>?
        switch unsaved.content {
        case .clear:
            stored = nil
            isStoreOurs = true
        case .save(let new, let condition): conflict = put(new, replacing: condition)
        }
        if unsaved.keepsLock { intent = nil }
        return answer == .ok ? .success(conflict) : .failure(ExploredFailure())
    }

    private mutating func endWrite(_ answer: Answer) -> [State.Action] {
        guard let (unsaved, landed) = writing else { return [] }
        writing = nil
        let result = landed ?? landing(of: unsaved, answer)
        let (again, actions) = state.endWrite(unsaved.number, result, at: now, random: 1)
        perform(actions)
        if again { isWriteDue = true }
        return actions
    }

    private mutating func actOfSibling(_ act: SiblingAct) {
        isStoreOurs = false
        if act == .signedIn {
            let version = TokenVersion(session: newSession(), generation: 0)
            stored = Stored(.token(newToken()), version: version, obtainedAt: now.date)
            return
        }
        guard let old = stored else { return }
        let next = TokenVersion(session: old.version.session, generation: old.version.generation + 1)
        switch act {
        case .refreshed:
            intent = nil
            stored = Stored(.token(newToken()), version: next, obtainedAt: now.date)
        case .signedIn: break
        case .signedOut where state.storage == .plain: stored = nil
        case .signedOut: stored = Stored(.signedOut, version: next, obtainedAt: now.date)
        case .setAside: stored = old.token.map { Stored(.setAside($0), version: next, obtainedAt: now.date) }
        case .crashed:
            intent = RefreshIntent(
                session: old.version.session, generation: old.version.generation, beganAt: now.date)
        }
    }
}

extension RefreshState where Token: Hashable {
    func holds(_ held: HeldToken<Token>) -> Bool { credential == .held(held) }

    /// Whether a request needs nothing else.
    func canServe(at now: Moment) -> Bool {
        if !isHolding, case .held(let held) = credential { held.isUsable(at: now.date) } else { false }
    }
}

extension RefreshState.Action {
    /// The token that is given up.
    fileprivate var discards: Token? { if case .discard(let token) = self { token } else { nil } }
}
