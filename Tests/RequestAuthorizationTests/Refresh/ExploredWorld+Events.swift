// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

@testable import RequestAuthorization

extension ExploredWorld {
    /// All that can happen. Numbers are places in the lists of the world.
    enum Event: Hashable {
        case request
        /// A request was told to wait; its task has not been suspended yet.
        case reserve
        case hold(Int)
        case cancel(Int)
        /// A request from inside the service call of a flight or inside a manual refresh.
        case requestWithin(FlightID)
        case unauthorized
        case unauthorizedLate
        case retryNow
        /// The step of a flight ends.
        case step(Int, Answer)
        /// The store has done what a step asks for; the state will be told.
        case land(Int, Answer)
        case deadline(Int)
        case hardLimit(Int)
        case beginManual(isAwaited: Bool)
        case manual(Int, Answer)
        case landManual(Int, Answer)
        case cancelManual(Int)
        case manualDeadline(Int)
        case setToken
        case reset
        case noticed(SiblingAct?)
        case beginWrite
        case landWrite(Answer)
        case endWrite(Answer)
        case pass(Threshold)
    }

    enum Answer: Hashable {
        /// It did what was asked.
        case ok
        case malformed
        case noToken
        case notSent
        case lost
        case retryAfter
        case rejected
        case terminal
        /// The store did what was asked, and the answer was lost.
        case overdue
        /// It did what was asked, after a sibling did something.
        case after(SiblingAct)
    }

    enum SiblingAct: Hashable, CaseIterable { case refreshed, signedIn, signedOut, setAside, crashed }

    enum Threshold: Hashable, CaseIterable { case slot, writeSlot, youth, refresh, expiry }

    /// How many of each may be there at a time, so that the world stays small.
    enum Limit {
        static let callers = 3
        static let hands = 2
        static let strays = 1
    }

    var events: [Event] {
        requests + flightEvents + manualEvents + storeEvents + times
    }

    private var requests: [Event] {
        var events: [Event] = [.retryNow, .setToken, .reset, .unauthorizedLate]
        if callers.count < callerLimit { events.append(.request) }
        if callers.count < callerLimit, !callers.contains(where: { $0.stage == .reserved }) {
            events.append(.reserve)
        }
        for (index, caller) in callers.enumerated() {
            events.append(.cancel(index))
            if caller.stage != .waiting { events.append(.hold(index)) }
        }
        if case .held = state.credential { events.append(.unauthorized) }
        return events
    }

    private var flightEvents: [Event] {
        var events: [Event] = []
        for (index, runner) in runners.enumerated() {
            if runner.landed != nil {
                events.append(.step(index, .ok))
            } else {
                events += answers(to: runner.step).map { .step(index, $0) }
                if hasRaces, case .save = runner.step { events.append(.land(index, .ok)) }
            }
            switch runner.step {
            case .refresh, .initial: events.append(.requestWithin(runner.id))
            default: break
            }
            if runner.limits == 0 { events.append(.deadline(index)) }
            if runner.limits == 1, state.strays.count < Limit.strays { events.append(.hardLimit(index)) }
        }
        return events
    }

    private func answers(to step: State.Step) -> [Answer] {
        switch step {
        case .refresh: [.ok, .malformed, .notSent, .lost, .retryAfter, .rejected, .terminal]
        case .initial: [.ok, .noToken, .lost, .terminal]
        case .lock: lock == .nobody || lock == .kept ? [.ok, .notSent] : [.notSent]
        case .load, .reread, .verify: [.ok, .notSent] + siblings.map { .after($0) }
        case .intent, .clearIntent: [.ok, .notSent]
        case .save: [.ok, .notSent] + siblings.map { .after($0) } + (hasRaces ? [.overdue] : [])
        }
    }

    private var manualEvents: [Event] {
        var events: [Event] = []
        if hands.count < Limit.hands { events.append(.beginManual(isAwaited: true)) }
        if hands.isEmpty { events.append(.beginManual(isAwaited: false)) }
        for (index, hand) in hands.enumerated() {
            if hand.landed != nil {
                events.append(.manual(index, .ok))
            } else if hand.saving != nil {
                events += [.manual(index, .ok), .manual(index, .notSent)]
                if hasRaces { events += [.manual(index, .overdue), .landManual(index, .ok)] }
            } else {
                events += [
                    .manual(index, .ok), .manual(index, .malformed), .manual(index, .lost), .requestWithin(hand.id),
                ]
            }
            if hand.isAwaited { events.append(.cancelManual(index)) }
            if state.manuals[index].isHolding { events.append(.manualDeadline(index)) }
        }
        return events
    }

    private var storeEvents: [Event] {
        guard state.storage != .none else { return [] }
        var events: [Event] = [.noticed(nil)] + siblings.map { .noticed($0) }
        if isWriteDue { events.append(.beginWrite) }
        if let writing {
            if writing.landed == nil {
                events += [.endWrite(.ok), .endWrite(.notSent)] + siblings.map { .endWrite(.after($0)) }
                if hasRaces { events += [.endWrite(.overdue), .landWrite(.ok)] }
            } else {
                events.append(.endWrite(.ok))
            }
        }
        return events
    }

    private var siblings: [SiblingAct] {
        var acts: [SiblingAct] = [.signedIn]
        guard let stored else { return acts }
        if case .signedOut = stored.content { return acts }
        acts.append(.signedOut)
        guard stored.token != nil else { return acts }
        if state.storage == .plain { return acts + [.refreshed] }
        acts.append(.setAside)
        if lock == .nobody { acts += intent == nil ? [.refreshed, .crashed] : [.refreshed] }
        return acts
    }

    // MARK: Time

    private var times: [Event] { Threshold.allCases.filter { time(until: $0) > 0 }.map { .pass($0) } }

    /// Seconds until something becomes due.
    func time(until threshold: Threshold) -> Double {
        switch threshold {
        case .slot: return (state.backOff.slot.uptime - now.uptime).seconds
        case .writeSlot: return state.unsaved.map { ($0.backOff.slot.uptime - now.uptime).seconds } ?? 0
        case .youth:
            guard !state.storm.isEmpty, case .held(let held) = state.credential else { return 0 }
            return held.obtainedAt.timeIntervalSince(now.date) + 0.1 * ExploredToken.lifetime + 1
        case .refresh:
            guard case .held(let held) = state.credential else { return 0 }
            return held.refreshAt.timeIntervalSince(now.date)
        case .expiry:
            guard case .held(let held) = state.credential else { return 0 }
            return held.token.expiresAt.timeIntervalSince(now.date)
        }
    }
}
