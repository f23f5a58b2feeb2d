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
        var (copy, turn) = (state, turn(at: now))
        let decision = copy.request(.now, &turn)
        copy.finish(&turn)
        let changesNothing = copy == state && turn.effects.isEmpty && turn.notices.isEmpty
        guard case .wait(.ordinary) = decision, changesNothing else {
            return demand(!holds, "a request would be held that could go on, or begin a refresh")
        }
        // Ahead of expiry a request may wait for a while although the token is valid: that needs a transition.
        demand(holds || state.isUsable(at: now), "a request would decide anew that it waits")
    }

    /// Nothing is due by time alone before the timer fires.
    private mutating func inspectTimer(at moment: Moment) {
        var (copy, turn) = (state, turn(at: moment))
        copy.timePassed(&turn)
        copy.finish(&turn)
        if turn.effects.isEmpty, turn.notices.isEmpty, copy == state { return }
        demand(wake.map { $0 <= moment.uptime } ?? false, "something is due, and no timer fires")
    }

    private mutating func inspectLateRefusal() {
        var (copy, turn) = (state, turn(at: now))
        _ = copy.unauthorized("Bearer old", &turn)
        demand(
            copy == state && turn.effects.isEmpty && turn.notices.isEmpty, "a 401 for another token changes something")
    }

    private mutating func inspectRequest(within id: RefreshID) {
        let isAwaited = state.flight?.id == id || state.manuals.contains { $0.id == id && $0.isHolding }
        for need in [State.Need.now, .refreshed] where isAwaited {
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
        let isForgotten = state.forgotten.contains(runner.id)
        let version = TokenVersion(session: runner.session, generation: 99)
        var (copy, turn) = (state, turn(at: now))
        let next = copy.advance(runner.id, .token(newToken(version: version)), &turn)
        demand(next == nil && turn.effects.count == (isForgotten ? 0 : 1), "a late token is not discarded")
        demand(turn.notices.count == 1, "listeners do not hear of a late token")
        checkSame(copy)
        guard runner.step == .lock else { return }
        (copy, turn) = (state, self.turn(at: now))
        _ = copy.advance(runner.id, .done, &turn)
        demand(turn.effects.count == 1, "a late lock is kept")
    }

    mutating func checkLate(_ hand: Hand) {
        var (copy, turn) = (state, turn(at: now))
        copy.manualSucceeded(hand.id, newToken(version: TokenVersion(session: newSession(), generation: 0)), &turn)
        demand(turn.effects.count == 1 && turn.notices.count == 1, "a late token is not discarded")
        checkSame(copy)
        (copy, turn) = (state, self.turn(at: now))
        copy.manualFailed(hand.id, ExploredFailure(), &turn)
        copy.cancelManual(hand.id, &turn)
        demand(turn.effects.isEmpty && turn.notices.isEmpty && copy == state, "a late failure changes something")
    }

    private mutating func checkSame(_ copy: State) {
        var copy = copy
        (copy.lastNumber, copy.discards, copy.forgotten) = (state.lastNumber, state.discards, state.forgotten)
        demand(copy == state, "a late result changes something")
    }
}
