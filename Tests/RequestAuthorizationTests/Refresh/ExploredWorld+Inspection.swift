// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

@testable import RequestAuthorization

// The invariants of a world before the next event, checked once for each new world.
extension ExploredWorld {
    mutating func inspect() {
        inspectWarm()
        inspectHolding()
        inspectTimer(at: now)
        for threshold in Threshold.allCases {
            if let moment = moment(of: threshold) { inspectTimer(at: moment) }
        }
        inspectLateRefusal()
        // A request does first what a late timer has left undone.
        if isTimerLate { return }
        for runner in runners where runner.step.callsService { inspectRequest(within: runner.id) }
        for hand in hands { inspectRequest(within: hand.id) }
    }

    /// The token in memory is what a request would get, unless the timer is late.
    private mutating func inspectWarm() {
        guard let warm, now.date < warm.until, wake.map({ $0 > now.uptime }) ?? true else { return }
        var (copy, turn) = (state, turn(at: now))
        guard case .use(let held) = copy.request(.now, &turn) else {
            return demand(false, "a token is warm that a request would not get")
        }
        demand(held === warm.held && turn.effects.isEmpty, "a token is warm although a refresh would have to begin")
    }

    /// Requests wait without a transition where the transition would only make them wait.
    private mutating func inspectHolding() {
        let holds = state.holdsRequests(at: now.date)
        if isTimerLate {
            let isOverdue = state.flight.map { !$0.isDraining && $0.deadline.uptime <= now.uptime } ?? false
            return demand(!holds || state.isHolding || !isOverdue, "a request joins a refresh that is over")
        }
        var (copy, turn) = (state, turn(at: now))
        let decision = copy.request(.now, &turn)
        copy.finish(&turn)
        let changesNothing = copy == state && turn.effects.isEmpty && turn.notices.isEmpty
        guard case .wait(.ordinary) = decision, changesNothing else {
            return demand(!holds, "a request would be held that could go on, or begin a refresh")
        }
        // Ahead of expiry a request may wait for a while although the token is valid: that needs a transition.
        let isForSlot = state.isSlotNear(at: now)
        demand(holds || state.isUsable(at: now) || isForSlot, "a request would decide anew that it waits")
    }

    /// Nothing is due by time alone before the timer fires.
    private mutating func inspectTimer(at moment: Moment) {
        var (copy, turn) = (state, turn(at: moment))
        copy.timePassed(&turn)
        copy.finish(&turn)
        if turn.effects.isEmpty, turn.notices.isEmpty, copy == state { return }
        demand(wake.map { $0 <= moment.uptime } ?? false, "something is due, and no timer fires")
    }

    var isTimerLate: Bool { wake.map { $0 <= now.uptime } ?? false }

    private mutating func inspectLateRefusal() {
        var (copy, turn) = (state, turn(at: now))
        _ = copy.unauthorized("Bearer old", &turn)
        demand(
            copy == state && turn.effects.isEmpty && turn.notices.isEmpty, "a 401 for another token changes something")
    }

    private mutating func inspectRequest(within id: RefreshID) {
        let isAwaited = state.flight?.id == id || state.signIn.map { $0.id == id && $0.isHolding } == true
        for need in [TokenNeed.now, .refreshed] where isAwaited {
            var (copy, turn) = (state, turn(at: now))
            if case .wait = copy.request(need, within: [id], &turn) { demand(false, "a service waits for itself") }
        }
    }

    private func turn(at moment: Moment) -> Turn {
        Turn(
            Turn.Inputs(now: moment, random: Self.chance), isAwaited: !callers.isEmpty,
            byUnbound: callers.contains { $0.session == nil })
    }

    // MARK: - Late results

    /// A flight that no longer counts changes nothing, whatever its result.
    mutating func checkLate(_ runner: Runner) {
        let isOver = runner.session != state.line.session || state.isOver || state.vault.news?.isOfTheSession == false
        let version = TokenVersion(session: runner.session, generation: isOver ? 99 : -1)
        var (copy, turn) = (state, turn(at: now))
        if isOver || held != nil {
            let next = copy.advance(runner.id, .token(newToken(version: version)), &turn)
            demand(next == nil && turn.effects.count == (isOver ? 1 : 0), "a late token is not discarded")
            demand(turn.notices.count == 1, "listeners do not hear of a late token")
            checkSame(copy)
        }
        guard runner.step == .lock else { return }
        (copy, turn) = (state, self.turn(at: now))
        _ = copy.advance(runner.id, .done, &turn)
        demand(turn.effects.count == 1, "a late lock is kept")
    }

    /// Whether a call has passed its hard limit, and can still bring a token.
    func isForgotten(_ runner: Runner) -> Bool {
        guard runner.step.callsService, !state.isUnderWay(runner.id), runner.session == state.line.session else {
            return false
        }
        if state.isOver || state.vault.news?.isOfTheSession == false { return false }
        return switch runner.step {
        case .refresh(let token): held?.version == token.version
        default: held == nil
        }
    }

    /// Whether a call of a session that is over is awaited when the program ends.
    func isLeftOver(_ runner: Runner) -> Bool {
        guard scope.contains(.programs), runner.isLeftOver else { return false }
        return now.uptime < runner.beganAt + state.policy.deadline * 2 || wake.map { $0 <= now.uptime } ?? false
    }

    /// The answer of a forgotten call: a token that is newer is used, and nothing else counts.
    mutating func checkForgotten(_ outcome: Exchange.Outcome, before: ExploredWorld) {
        guard case .token(let late) = outcome,
            before.held?.version.session != late.version.session
                || before.held.map({
                    $0.version.generation < late.version.generation
                }) == true
        else { return demand(state.holding == before.state.holding, "a late answer changes something") }
        if case .refreshed(let other)? = before.state.vault.news {
            return demand(other !== late && state.vault == before.state.vault, "the later of two answers counts")
        }
        if before.isOfSession(late) {
            demand(held === late || state.vault.unsaved?.content.token === late, "the late token of a session is lost")
        }
    }

    private func isOfSession(_ late: HeldToken) -> Bool {
        late.version.session == state.line.session && !state.isOver && state.vault.news?.isOfTheSession != false
    }

    mutating func checkLate(_ hand: Hand) {
        var (copy, turn) = (state, turn(at: now))
        copy.signedIn(hand.id, newToken(version: TokenVersion(session: newSession(), generation: 0)), &turn)
        demand(turn.effects.count == 1 && turn.notices.count == 1, "a late token is not discarded")
        checkSame(copy)
        (copy, turn) = (state, self.turn(at: now))
        copy.failSignIn(hand.id, ExploredFailure(), &turn)
        copy.cancelSignIn(hand.id, &turn)
        demand(turn.effects.isEmpty && turn.notices.isEmpty && copy == state, "a late failure changes something")
    }

    private mutating func checkSame(_ copy: State) {
        var copy = copy
        copy.leftovers = state.leftovers
        demand(copy == state, "a late result changes something")
    }
}

extension News {
    /// Whether the session goes on after it.
    var isOfTheSession: Bool {
        switch self {
        case .refreshed: true
        case .signedIn, .ended: false
        }
    }
}
