// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

@testable import RequestAuthorization

extension ExploredWorld {
    /// All possible events. Numbers are positions in the lists of the world.
    enum Event: Hashable {
        case request(Ask)
        case cancel(Int)
        case unauthorized
        case retryNow
        /// The step of a flight ends.
        case step(Int, Answer)
        /// The store has executed a step; the state will get the answer.
        case land(Int, Answer)
        case beginManual(isAwaited: Bool)
        case manual(Int, Answer)
        case cancelManual(Int)
        case setToken
        case reset
        case noticed(SiblingAct?)
        /// The store is read because a sibling may have changed it; the state will get the answer.
        case look(SiblingAct?)
        case hear
        case beginWrite
        case landWrite(Answer)
        case endWrite(Answer)
        case landLate
        case discarded
        case stopBackground
        case shutDown
        case giveUpWriting
        /// Time passes, and no timer fires.
        case pass(Threshold)
        /// Time passes, and the timer fires.
        case due(Threshold)
    }

    enum Ask: Hashable { case now, until, refreshed }

    enum Answer: Hashable {
        /// The store has executed the call.
        case ok
        case malformed
        /// The token has expired by now.
        case expired
        case noToken
        case notSent
        case lost
        case retryAfter
        case refused
        case client
        case interaction
        case noRefreshToken
        case terminal
        /// The store has executed the call, and the answer was lost.
        case overdue
        /// The store may execute the call later.
        case givenUp
        /// The store has executed the call, after a sibling's change.
        case after(SiblingAct)
    }

    /// `removed` leaves no tombstone; `lost` is the folder with all its items.
    enum SiblingAct: Hashable, CaseIterable { case refreshed, signedIn, signedOut, crashed, removed, lost }

    enum Threshold: Hashable, CaseIterable {
        case slot, youth, refresh, expiry, patience, deadline, grace, hardLimit, manualDeadline, writeSlot, trust,
            lastSeconds
    }

    var events: [Event] {
        var events = requests
        addFlightEvents(to: &events)
        addManualEvents(to: &events)
        addStoreEvents(to: &events)
        addProgramEvents(to: &events)
        addTimes(to: &events)
        return events
    }

    private var requests: [Event] {
        var events: [Event] = [.retryNow, .setToken, .reset]
        if callers.count < callerLimit {
            events.append(.request(.now))
            if scope.contains(.lasting) { events += [.request(.until), .request(.refreshed)] }
        }
        for index in callers.indices { events.append(.cancel(index)) }
        if case .held = state.holding { events.append(.unauthorized) }
        return events
    }

    private func addFlightEvents(to events: inout [Event]) {
        for (index, runner) in runners.enumerated() {
            if runner.landed != nil {
                events.append(.step(index, .ok))
                continue
            }
            guard let step = runner.step else { continue }
            if runner.isLeftOver {
                events += (step.callsService ? [.ok, .terminal] : [.notSent]).map { .step(index, $0) }
                continue
            }
            events += (isForgotten(runner) ? [.ok, .expired, .terminal] : answers(to: step)).map { .step(index, $0) }
            guard scope.contains(.races) else { continue }
            switch step {
            case .load, .reread, .verify: events += [.land(index, .ok)] + siblings.map { .land(index, .after($0)) }
            default: break
            }
        }
    }

    private func answers(to step: Exchange.Step) -> [Answer] {
        if lateWrite != nil, !step.callsService { return [.notSent] }
        return switch step {
        case .refresh:
            [
                .ok, .malformed, .expired, .notSent, .lost, .retryAfter, .refused, .client, .interaction,
                .noRefreshToken, .terminal,
            ]
        case .initial: [.ok, .expired, .noToken, .lost, .client, .terminal]
        case .lock: lock == nil ? [.ok, .notSent] : [.notSent]
        case .load, .reread, .verify: [.ok, .notSent] + siblings.map { .after($0) }
        case .intent: [.ok, .notSent]
        }
    }

    private func addManualEvents(to events: inout [Event]) {
        if hands.count < 2 { events.append(.beginManual(isAwaited: true)) }
        if hands.isEmpty { events.append(.beginManual(isAwaited: false)) }
        for (index, hand) in hands.enumerated() {
            events += [.manual(index, .ok), .manual(index, .malformed), .manual(index, .lost)]
            if hand.isAwaited { events.append(.cancelManual(index)) }
        }
    }

    private func addStoreEvents(to events: inout [Event]) {
        guard state.vault.kind != .none else { return }
        if lateWrite == nil {
            events += [.noticed(nil)] + siblings.map { .noticed($0) }
            if scope.contains(.races), look == nil { events += [.look(nil)] + siblings.map { .look($0) } }
        } else {
            events.append(.landLate)
        }
        if look != nil { events.append(.hear) }
        if isWriteDue { events.append(.beginWrite) }
        guard let writing else { return }
        if writing.landed != nil {
            events.append(.endWrite(.ok))
        } else if lateWrite != nil {
            events.append(.endWrite(.notSent))
        } else {
            events += [.endWrite(.ok), .endWrite(.notSent)] + siblings.map { .endWrite(.after($0)) }
            if scope.contains(.races) { events += [.endWrite(.overdue), .endWrite(.givenUp), .landWrite(.ok)] }
        }
    }

    var siblings: [SiblingAct] {
        var acts: [SiblingAct] = [.signedIn]
        guard let stored else { return acts }
        if case .signedOut = stored.content { return acts }
        acts.append(.signedOut)
        if state.vault.kind == .shared { acts += [.removed, .lost] }
        if state.vault.kind != .shared { return acts + [.refreshed] }
        if lock == nil { acts += intent == nil ? [.refreshed, .crashed] : [.refreshed] }
        return acts
    }

    private func addProgramEvents(to events: inout [Event]) {
        guard scope.contains(.programs) else { return }
        if discards > 0 { events.append(.discarded) }
        if state.life == .running { events.append(.stopBackground) }
        if !state.isShutDown { events.append(.shutDown) }
        if state.isShutDown, !state.vault.isClosed { events.append(.giveUpWriting) }
    }

    // MARK: Time

    private func addTimes(to events: inout [Event]) {
        for threshold in Threshold.allCases where moment(of: threshold) != nil {
            if threshold.isPassed { events.append(.pass(threshold)) }
            if threshold.isKept { events.append(.due(threshold)) }
        }
        // The timer is late.
        if let wake, wake <= now.uptime, moment(of: .slot) == nil { events.append(.due(.slot)) }
    }

    /// The next time at which a deadline passes; `nil` if one has passed, or if there is none.
    func moment(of threshold: Threshold) -> Moment? {
        switch threshold {
        case .slot: return moment(at: state.pace.backOff.slot)
        case .trust: return moment(at: trusted?.until)
        case .youth where !state.pace.storm.isActive(at: now.uptime, policy: state.policy.storm): return nil
        case .youth: return moment(at: held?.obtainedAt.addingTimeInterval(0.1 * ExploredToken.lifetime + 1))
        case .refresh: return moment(at: held?.refreshAt)
        case .expiry: return moment(at: held?.expiresAt)
        case .patience:
            guard state.policy.aheadOfExpiry.patience != nil else { return nil }
            return moment(at: patienceEnd)
        case .lastSeconds where state.policy.aheadOfExpiry.patience == nil: return nil
        case .lastSeconds: return moment(at: held?.expiresAt.addingTimeInterval(-4))
        case .deadline: return moment(at: state.flight.map { $0.beganAt + state.policy.deadline })
        case .grace: return moment(at: state.flight.flatMap { $0.isDraining ? graceEnd(of: $0) : nil })
        case .hardLimit where state.flight == nil:
            let left = runners.first { $0.isLeftOver }
            return moment(at: left.map { $0.beganAt + state.policy.deadline * 2 })
        case .hardLimit: return moment(at: state.flight.map { $0.beganAt + state.policy.deadline * 2 })
        case .manualDeadline: return moment(at: state.signIn.map { $0.beganAt + state.policy.deadline })
        case .writeSlot: return moment(at: state.vault.unsaved?.backOff.slot)
        }
    }

    /// Until when requests that come after the deadline wait for the refresh to return.
    func graceEnd(of flight: Flight) -> Duration {
        flight.beganAt + state.policy.deadline + state.policy.backOff.patience
    }

    /// Until when requests with a valid token may wait for the flight that is under way.
    var patienceEnd: Duration? { patience.flatMap { $0.id == state.flight?.id ? $0.end : nil } }

    var held: HeldToken? { state.held }

    private func moment(at uptime: Duration?) -> Moment? {
        guard let uptime, uptime > now.uptime else { return nil }
        return Moment(date: now.date.addingTimeInterval((uptime - now.uptime).seconds), uptime: uptime)
    }

    private func moment(at date: Date?) -> Moment? {
        guard let date, date > now.date else { return nil }
        return Moment(date: date, uptime: now.uptime + .seconds(date.timeIntervalSince(now.date)))
    }
}

extension ExploredWorld.Threshold {
    /// Whether it may happen without a timer.
    fileprivate var isPassed: Bool {
        switch self {
        case .slot, .youth, .refresh, .expiry, .deadline, .trust, .lastSeconds: true
        case .patience, .grace, .hardLimit, .manualDeadline, .writeSlot: false
        }
    }

    /// Whether a timer causes it.
    fileprivate var isKept: Bool {
        switch self {
        case .slot, .patience, .deadline, .grace, .hardLimit, .manualDeadline, .writeSlot, .trust: true
        case .youth, .refresh, .expiry, .lastSeconds: false
        }
    }
}

extension Exchange.Step {
    var callsService: Bool {
        switch self {
        case .refresh, .initial: true
        case .load, .lock, .reread, .intent, .verify: false
        }
    }
}

extension Exchange.Step? {
    var callsService: Bool { self?.callsService ?? false }
}
