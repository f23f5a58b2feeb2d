// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

@testable import RequestAuthorization

extension ExploredWorld {
    /// Applies an event, and checks every promise.
    mutating func apply(_ event: Event) {
        if case .request = event, let due = state.nextWake(at: now), due <= now.uptime {
            // A request first does what is due, as if the timer had fired just before it.
            act(.due(.slot), isLate: true)
        }
        act(event)
    }

    /// - Parameter isLate: whether what is due is done without more time passing.
    private mutating func act(_ event: Event, isLate: Bool = false) {
        let before = self
        (self.event, isDropping, isEndRead) = (event, false, false)
        switch event {
        case .request(let ask): request(ask)
        case .cancel(let index): cancel(index)
        case .unauthorized: unauthorized()
        case .retryNow: change { $0.retryNow(&$1) }
        case .step(let index, let answer): step(index, answer)
        case .land(let index, let answer):
            let outcome = outcome(of: runners[index], answer)
            runners[index].landed = outcome
        case .beginManual(let isAwaited): beginManual(isAwaited: isAwaited)
        case .manual(let index, let answer): manual(index, answer)
        case .cancelManual(let index): change { [id = hands[index].id] in $0.cancelSignIn(id, &$1) }
        case .setToken:
            let held = newToken(version: TokenVersion(session: newSession(), generation: 0))
            change { $0.setToken(held, &$1) }
            // After that a read-only store may bring back its token.
            if state.vault.kind == .readOnly { refused = [] }
        case .reset:
            let session = newSession()
            change { $0.reset(newSession: session, &$1) }
        case .noticed, .look, .hear: notice(event)
        case .beginWrite, .landWrite, .endWrite, .landLate: write(event)
        case .discarded, .stopBackground, .shutDown, .giveUpWriting:
            program(event)
        case .pass(let threshold): now = moment(of: threshold) ?? now
        case .due(let threshold):
            if !isLate { now = moment(of: threshold) ?? now }
            wake = nil
            change { $0.timePassed(&$1) }
        }
        forget(before: before)
        check(event, before: before)
    }

    /// Moves the state as the core does: first the announcements, then the actions.
    @discardableResult
    mutating func change<Result>(_ body: (inout State, inout Turn) -> Result) -> Result {
        var turn = Turn(inputs, isAwaited: !callers.isEmpty, byUnbound: callers.contains { $0.session == nil })
        let result = body(&state, &turn)
        state.finish(&turn)
        warm = state.warm(at: now)
        // A late timer still fires.
        if wake.map({ $0 > now.uptime }) ?? true { wake = state.nextWake(at: now) }
        for notice in turn.notices { hear(notice) }
        for effect in turn.effects { perform(effect) }
        return result
    }

    var inputs: Turn.Inputs { Turn.Inputs(now: now, random: Self.chance) }

    /// Work that the state has forgotten is removed once it has returned; but a call of this session may still bring a
    /// token.
    private mutating func forget(before: ExploredWorld) {
        if scope.contains(.programs) {
            for index in runners.indices where before.state.isCalling(runners[index].id) {
                let isOver = state.isOver || state.line.session != runners[index].session
                if isOver, !state.isUnderWay(runners[index].id) { runners[index].isLeftOver = true }
            }
        }
        for runner in runners where !state.isUnderWay(runner.id) && !isForgotten(runner) && !isLeftOver(runner) {
            runners.removeAll { $0.id == runner.id }
            checkLate(runner)
            change { _ = $0.advance(runner.id, .failed(RefreshFailure(ExploredFailure())), &$1) }
        }
        for hand in hands where !state.isUnderWay(hand.id) {
            hands.removeAll { $0.id == hand.id }
            checkLate(hand)
        }
    }

    // MARK: - Requests

    private mutating func request(_ ask: Ask) {
        let need: TokenNeed =
            switch ask {
            case .now: .now
            case .until: .until(now.date.addingTimeInterval(ExploredToken.lifetime))
            case .refreshed: .refreshed
            }
        switch change({ $0.request(need, &$1) }) {
        case .use(let held): checkUse(held, ask)
        case .wait(let kind):
            let number = (0...).first { number in !callers.contains { $0.number == number } } ?? 0
            let place = kind == .ordinary ? ordinary.append(number) : lasting.append(number)
            callers.append(
                Caller(number: number, place: place, kind: kind, session: held?.version.session, arrival: now.uptime))
            checkWait(ask)
        case .fail(let error): checkRefusal(error, ask)
        }
    }

    private mutating func cancel(_ index: Int) {
        let caller = callers.remove(at: index)
        let waiter = caller.kind == .ordinary ? ordinary.remove(caller.place) : lasting.remove(caller.place)
        demand(waiter == caller.number, "cancelling finds another request")
    }

    private mutating func unauthorized() {
        guard let held else { return }
        let error = change { $0.unauthorized(held.header, &$1) }
        demand(error != nil || state.isRefused || self.held !== held, "a 401 is forgotten")
        if error == nil { refused.append(held.number) }
    }

    // MARK: - Flights

    private mutating func step(_ index: Int, _ answer: Answer) {
        let (runner, before) = (runners[index], self)
        let outcome = runner.landed ?? outcome(of: runner, answer)
        switch (runner.step, outcome) {
        case (.lock, .done): lock = runner.id
        case (_, .token(let held)):
            fresh.append(held)
            if !state.isCalling(runner.id) { late.append(held.number) }
            if held.version.session == intent?.session { isLost = false }
        case (_, .loaded(let item, _, _)): isEndRead = item?.token == nil
        case (.refresh, .failed(let failure)) where failure.isLoss:
            if state.vault.access?.user == runner.id { isLost = true }
        default: break
        }
        runners[index].landed = nil
        runners[index].step = nil
        let next = change { $0.advance(runner.id, outcome, &$1) }
        if !before.state.isCalling(runner.id), !runner.isLeftOver { checkForgotten(outcome, before: before) }
        guard let place = runners.firstIndex(where: { $0.id == runner.id }) else { return }
        guard let next else {
            runners.remove(at: place)
            return
        }
        runners[place].step = next
        checkBeginning(next, of: runner.id)
    }

    private mutating func outcome(of runner: Runner, _ answer: Answer) -> Exchange.Outcome {
        if case .after(let act) = answer {
            actOfSibling(act)
            return outcome(of: runner, .ok)
        }
        switch (runner.step, answer) {
        case (.refresh(let held), .ok), (.refresh(let held), .malformed), (.refresh(let held), .expired):
            let version = TokenVersion(session: held.version.session, generation: held.version.generation + 1)
            return .token(newToken(answer, version: version))
        case (.initial, .ok), (.initial, .expired):
            return .token(newToken(answer, version: TokenVersion(session: state.line.session, generation: 0)))
        case (.load, .ok), (.reread, .ok), (.verify, .ok): return .loaded(stored?.copy, openIntent, absence)
        case (.intent(let new), .ok):
            // The store calls of a provider are sequential: the end of the intent comes later.
            if lock == runner.id {
                isLost =
                    (isLost || !isIntentOurs) && intent?.session == new.session && intent?.generation == new.generation
                (intent, isIntentOurs) = (new, true)
            }
            return .done
        case (.lock, .ok): return .done
        default: return .failed(failure(answer))
        }
    }

    private func failure(_ answer: Answer) -> RefreshFailure {
        switch answer {
        case .noToken: RefreshFailure(NotAuthorized(.noToken))
        case .lost: RefreshFailure(ExploredFailure(delivery: .mayHaveBeenProcessed))
        case .retryAfter: RefreshFailure(ExploredFailure(retryAfter: .seconds(200)))
        case .refused: RefreshFailure(TokenEndpointError(status: 401))
        case .client: RefreshFailure(ExploredFailure(kind: .client))
        case .interaction: RefreshFailure(ExploredFailure(kind: .interaction))
        case .noRefreshToken: RefreshFailure(ExploredFailure(kind: .noRefreshToken))
        case .terminal: RefreshFailure(ExploredFailure(kind: .terminal))
        case .ok, .malformed, .expired, .notSent, .overdue, .givenUp, .after:
            RefreshFailure(ExploredFailure(delivery: .notSent))
        }
    }

    private var openIntent: RefreshIntent? { state.vault.kind == .shared ? intent : nil }

    // MARK: - By hand

    private mutating func beginManual(isAwaited: Bool) {
        let id = RefreshID()
        let refusal = change { $0.beginSignIn(id, isAwaited: isAwaited, &$1) }
        guard refusal == nil else {
            return demand(state.isShutDown || state.pace.backOff.ordered > now.uptime, "a sign-in is refused")
        }
        hands.append(Hand(id: id, isAwaited: isAwaited))
        if isAwaited { awaited.append(id) }
    }

    private mutating func manual(_ index: Int, _ answer: Answer) {
        let id = hands[index].id
        guard answer == .ok || answer == .malformed else {
            return change { $0.failSignIn(id, ExploredFailure(), &$1) }
        }
        let held = newToken(answer, version: TokenVersion(session: newSession(), generation: 0))
        fresh.append(held)
        signedIn.append(held.version.session)
        change { $0.signedIn(id, held, &$1) }
    }

    // MARK: - Siblings

    private mutating func notice(_ event: Event) {
        switch event {
        case .noticed(let act):
            if let act { actOfSibling(act) }
            let (item, intent, absence) = (stored?.copy, openIntent, absence)
            change { $0.noticed(item, intent, absence, &$1) }
        case .look(let act):
            if let act { actOfSibling(act) }
            look = Look(basis: state.basis, item: stored?.copy, intent: openIntent, absence: absence)
        default:
            guard let look else { return }
            self.look = nil
            if state.basis == look.basis { change { $0.noticed(look.item, look.intent, look.absence, &$1) } }
        }
    }

    mutating func actOfSibling(_ act: SiblingAct) {
        isStoreOurs = false
        if act == .signedIn {
            let version = TokenVersion(session: newSession(), generation: 0)
            sessionsOfSiblings.append(version.session)
            stored = StoredItem(newToken(version: version))
            return
        }
        guard let old = stored else { return }
        let next = TokenVersion(session: old.version.session, generation: old.version.generation + 1)
        switch act {
        case .refreshed:
            (intent, isLost) = (nil, false)
            stored = StoredItem(newToken(version: next))
        case .signedIn: break
        case .removed:
            removed.append(old.version.session)
            (stored, absence) = (nil, .gone)
        // With the folder goes the record of removed items.
        case .lost: (stored, absence, removed) = (nil, .placeMissing, [])
        case .signedOut where state.vault.kind != .shared: stored = nil
        case .signedOut: stored = StoredItem(content: .signedOut, version: next, obtainedAt: now.date)
        case .crashed:
            (isIntentOurs, isLost) = (false, false)
            intent = RefreshIntent(
                session: old.version.session, generation: old.version.generation, beganAt: now.date)
        }
    }
}
