// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension RefreshState {
    /// Begins the ordinary refresh. There is none under way.
    mutating func start() -> [Action] {
        var flight = Flight(id: nextFlightID(), session: session, step: .initial)
        switch credential {
        case .held(let held):
            flight.basis = held.version
            flight.step = first(.refresh(held.token))
        case .unknown: flight.step = .load
        case .absent, .ended: flight.step = first(.initial)
        }
        self.flight = flight
        return [.emit(.refreshStarted), .fly(flight)]
    }

    /// What comes before a call of the service or, where others call it, in its place.
    private func first(_ call: Step) -> Step {
        switch storage {
        case .none, .plain: call
        case .shared: .lock
        case .readOnly: .load
        }
    }

    /// A step of a flight has ended.
    ///
    /// - Parameter random: 0 to 1, for jitter and back-off.
    /// - Returns: its next step; `nil` if the flight is over.
    mutating func advance(
        _ id: FlightID, _ outcome: Outcome, at now: Moment, random: Double
    ) -> (Step?, [Action]) {
        guard var flight = take(id) else {
            guard case .token(let token, _) = outcome else { return (nil, []) }
            return (nil, late(token))
        }
        if case .save = flight.step { contest() }
        var (next, actions) =
            flight.basis == heldVersion
            ? proceed(&flight, outcome, at: now, random: random) : leave(&flight, outcome, at: now)
        if flight.isDraining, let step = next, step.beginsSomething {
            // Past its deadline a flight only brings home what it has.
            let (last, more) = clearIntent(of: &flight, then: .fail(overdue(at: step)), at: now, random: random)
            (next, actions) = (last, actions + more)
        }
        if let next {
            flight.step = next
            put(flight)
        } else if !flight.isStray {
            let index = actions.firstIndex { $0.isStart } ?? actions.endIndex
            actions.insert(.emit(.refreshEnded), at: index)
        }
        return (next, actions)
    }

    /// The time that anybody may wait for the flight is over.
    mutating func deadlinePassed(_ id: FlightID, at now: Moment, random: Double) -> [Action] {
        guard let step = flight?.step, flight?.id == id else { return [.cancel(id)] }
        flight?.isDraining = true
        return note(overdue(at: step), at: now, random: random) + releaseWaiters(at: now) + [.cancel(id)]
    }

    /// The flight has had twice its time: another may begin, and a late answer still counts as long as there is none newer.
    ///
    /// It has no exclusive access any more, and its intent may be another's by now.
    mutating func hardLimitPassed(_ id: FlightID, at now: Moment) -> [Action] {
        guard var flight, flight.id == id else { return [] }
        (flight.isStray, flight.hasLock, flight.hasIntent) = (true, false, false)
        self.flight = nil
        strays.append(flight)
        return [.emit(.refreshEnded)] + releaseWaiters(at: now)
    }

    /// What those get who come while a flight is past its deadline.
    func overdue(at step: Step) -> RefreshFailure {
        let error = DeadlineExceeded(description: "the refresh took more than \(policy.deadline)")
        return step.isBeforeService ? RefreshFailure(ofStore: error) : RefreshFailure(error)
    }

    // MARK: - Steps

    private mutating func proceed(
        _ flight: inout Flight, _ outcome: Outcome, at now: Moment, random: Double
    ) -> (Step?, [Action]) {
        switch (flight.step, outcome) {
        case (.load, .loaded(let stored, let intent)):
            return loaded(stored, intent, &flight, at: now, random: random)
        case (.load, .failed(let failure)), (.lock, .failed(let failure)), (.reread, .failed(let failure)),
            (.verify, .failed(let failure)):
            // A store that is out of reach is not an empty store, and ends no session.
            return fail(&flight, RefreshFailure(ofStore: failure.error), at: now, random: random)
        case (.lock, _):
            flight.hasLock = true
            return (.reread, [])
        case (.reread, .loaded(let stored, let intent)):
            return reread(stored, intent, &flight, at: now, random: random)
        case (.intent, _):
            flight.hasIntent = true
            if case .failed(let failure) = outcome { return (serviceCall, [.emit(.saveFailed(failure.error))]) }
            return (serviceCall, [])
        case (_, .token(let token, let requestedAt)):
            return refreshed(token, requestedAt, flight, at: now, random: random)
        case (.refresh, .failed(let failure)) where failure.kind != .transient && isKept:
            return (.verify(failure), [])
        case (.verify(let failure), .loaded(let stored, let intent)):
            return verified(failure, stored, intent, &flight, at: now, random: random)
        case (.save(let held, let condition), .saved(let conflict)):
            return saved(held, replacing: condition, conflict, &flight, at: now, random: random)
        case (.save(let held, let condition), .failed(let failure)):
            let kept = couldNotSave(
                held.stored, replacing: condition, keepsLock: flight.hasLock, error: failure.error, at: now,
                random: random)
            return (nil, kept + publish(held, at: now))
        case (.clearIntent, _):
            flight.hasIntent = false
            return conclude(flight, at: now, random: random)
        case (_, .failed(let failure)):
            return fail(&flight, failure, at: now, random: random)
        case (_, .done), (_, .loaded), (_, .saved):
            preconditionFailure("a step of a refresh ended in a way that it has not")
        }
    }

    /// A newer token of the session has come from elsewhere: the flight ends, whatever it brings.
    private mutating func leave(
        _ flight: inout Flight, _ outcome: Outcome, at now: Moment
    ) -> (Step?, [Action]) {
        flight.verdict = nil
        var actions: [Action] = []
        if case .token = outcome { actions = [.emit(.tokenDiscarded)] }
        if case .save = flight.step {
            actions = [.emit(.tokenDiscarded)]
            // What it brought may stand in the store now, in place of the newer one.
            if storage == .plain, case .held(let held) = credential {
                actions += store(.save(held.stored, replacing: .session(session)))
            }
        }
        if case .clearIntent = flight.step { flight.hasIntent = false }
        return flight.hasIntent ? (.clearIntent, actions) : (nil, actions + releaseWaiters(at: now))
    }

    private var serviceCall: Step {
        if case .held(let held) = credential { .refresh(held.token) } else { .initial }
    }

    private mutating func loaded(
        _ stored: StoredToken<Token>?, _ intent: RefreshIntent?, _ flight: inout Flight, at now: Moment, random: Double
    ) -> (Step?, [Action]) {
        if storage == .readOnly { return looked(stored, &flight, at: now, random: random) }
        guard let stored else {
            credential = .absent
            return (first(.initial), [])
        }
        guard isNews(stored) else { return (nil, releaseWaiters(at: now)) }
        let actions = takeOver(stored, intent, &flight, at: now, random: random)
        if isServed(at: now) { return (nil, actions + releaseWaiters(at: now)) }
        return (first(serviceCall), actions)
    }

    /// What there is counts: this process refreshes nothing.
    private mutating func looked(
        _ stored: StoredToken<Token>?, _ flight: inout Flight, at now: Moment, random: Double
    ) -> (Step?, [Action]) {
        guard let stored else {
            if case .held = credential { return (nil, end(NotAuthorized(.signedOut), at: now)) }
            credential = .absent
            return (nil, isHolding ? [] : resumeAll(.failure(NotAuthorized(.noToken))))
        }
        let actions = isNews(stored) ? takeOver(stored, nil, &flight, at: now, random: random) : []
        guard isServed(at: now) else {
            let failure = RefreshFailure(ofStore: NotAuthorized(.refreshedElsewhere))
            return (nil, actions + note(failure, at: now, random: random) + releaseWaiters(at: now))
        }
        // Ahead of expiry others are about to refresh: look again soon, not with each request.
        let policy = policy.backOff
        if actions.isEmpty { backOff.fail(atMost: Self.shortly, at: now, policy: policy, random: random) }
        return (nil, actions + releaseWaiters(at: now))
    }

    /// The longest time after which to try again what can change at any moment.
    private static var shortly: Duration { .seconds(1) }

    private mutating func reread(
        _ stored: StoredToken<Token>?, _ intent: RefreshIntent?, _ flight: inout Flight, at now: Moment, random: Double
    ) -> (Step?, [Action]) {
        var actions: [Action] = []
        if let stored, unsaved == nil, isNews(stored) {
            actions = [.emit(.tokenAdopted)] + takeOver(stored, intent, &flight, at: now, random: random)
            if isServed(at: now) { return (nil, actions + releaseWaiters(at: now)) }
        }
        return (announcedCall(of: flight, at: now), actions)
    }

    /// The service call or, with a shared store, first the intent.
    private func announcedCall(of flight: Flight, at now: Moment) -> Step {
        guard storage == .shared, let basis = flight.basis else { return serviceCall }
        return .intent(RefreshIntent(session: basis.session, generation: basis.generation, beganAt: now.date))
    }

    private mutating func refreshed(
        _ token: Token, _ requestedAt: Date, _ flight: Flight, at now: Moment, random: Double
    ) -> (Step?, [Action]) {
        let version = TokenVersion(session: session, generation: flight.basis.map { $0.generation + 1 } ?? 0)
        let held = HeldToken(token, version: version, obtainedAt: requestedAt, policy: policy, random: random)
        if !isKept { return (nil, publish(held, at: now)) }
        // What stands in the store is of an older session, if the first token of this one could not be saved.
        let isFirst = unsaved?.content.replacesAnything == true
        return (
            .save(held, replacing: isFirst ? .anything : .older(session: session, generation: version.generation)), []
        )
    }

    private mutating func verified(
        _ failure: RefreshFailure, _ stored: StoredToken<Token>?, _ intent: RefreshIntent?, _ flight: inout Flight,
        at now: Moment, random: Double
    ) -> (Step?, [Action]) {
        guard let stored, unsaved == nil, isNews(stored) else {
            return clearIntent(of: &flight, then: .fail(failure), at: now, random: random)
        }
        let actions = [.emit(.tokenAdopted)] + takeOver(stored, intent, &flight, at: now, random: random)
        guard isServed(at: now) else { return (announcedCall(of: flight, at: now), actions) }
        let (next, more) = clearIntent(of: &flight, then: nil, at: now, random: random)
        return (next, actions + releaseWaiters(at: now) + more)
    }

    private mutating func saved(
        _ held: HeldToken<Token>, replacing condition: TokenSaveCondition, _ conflict: TokenSaveConflict<Token>?,
        _ flight: inout Flight, at now: Moment, random: Double
    ) -> (Step?, [Action]) {
        guard let stored = conflict?.stored else {
            let kept =
                flight.isContested
                ? store(.save(held.stored, replacing: condition)) : wasSaved(held.stored, replacing: condition)
            let (next, actions) = clearIntent(of: &flight, then: .publish(held), at: now, random: random)
            return (next, kept + actions)
        }
        // A sibling signed out, or in as somebody else: then what we hold belongs to a session that is over.
        let isOver = stored.token == nil || stored.version.session != held.version.session
        var actions = isOver ? late(held.token) : [.emit(.tokenDiscarded)]
        if isNews(stored) {
            actions += dropUnsaved() + [.emit(.tokenAdopted)] + takeOver(stored, nil, &flight, at: now, random: random)
            if isServed(at: now) { actions += releaseWaiters(at: now) }
        }
        let (next, more) = clearIntent(of: &flight, then: nil, at: now, random: random)
        return (next, actions + more)
    }

    /// Goes on from what a sibling, or an earlier launch, left in the store.
    private mutating func takeOver(
        _ stored: StoredToken<Token>, _ intent: RefreshIntent?, _ flight: inout Flight, at now: Moment,
        random: Double
    ) -> [Action] {
        let actions = adopt(stored, intent, at: now, random: random)
        flight.session = session
        flight.basis = heldVersion
        return actions
    }

    /// Whether nothing needs to be refreshed now.
    private func isServed(at now: Moment) -> Bool {
        switch credential {
        case .ended: true
        case .held(let held): held.isUsable(at: now.date)
        case .unknown, .absent: false
        }
    }

    // MARK: - Ends

    /// Removes the intent if there is one, then ends the flight.
    private mutating func clearIntent(
        of flight: inout Flight, then verdict: Verdict?, at now: Moment, random: Double
    ) -> (Step?, [Action]) {
        flight.verdict = verdict
        // An intent in a session that is over is none.
        if case .ended = credential { return (nil, releaseWaiters(at: now)) }
        return flight.hasIntent ? (.clearIntent, []) : conclude(flight, at: now, random: random)
    }

    private mutating func conclude(_ flight: Flight, at now: Moment, random: Double) -> (Step?, [Action]) {
        switch flight.verdict {
        case .publish(let held): (nil, publish(held, at: now))
        case .fail(let failure): (nil, settle(failure, flight, at: now, random: random))
        case nil: (nil, releaseWaiters(at: now))
        }
    }

    /// A step failed: what was not sent or was answered leaves no intent behind, a lost answer does.
    private mutating func fail(
        _ flight: inout Flight, _ failure: RefreshFailure, at now: Moment, random: Double
    ) -> (Step?, [Action]) {
        let wasLost = if case .refresh = flight.step { failure.delivery == .mayHaveBeenProcessed } else { false }
        if wasLost { return (nil, settle(failure, flight, at: now, random: random)) }
        return clearIntent(of: &flight, then: .fail(failure), at: now, random: random)
    }

    /// Sorts a failure: the session ends, or the next slot tries again.
    private mutating func settle(_ failure: RefreshFailure, _ flight: Flight, at now: Moment, random: Double)
        -> [Action]
    {
        // The flight that took its place will tell.
        if flight.isStray, self.flight != nil { return [] }
        guard case .refresh = serviceCall else { return giveUp(flight, failure, at: now, random: random) }
        switch failure.kind {
        case .terminal: return endSession(failure.ending, setAside: false, at: now)
        case .rejected:
            rejections += 1
            if rejections >= policy.rejectionLimit { return endSession(failure.ending, setAside: true, at: now) }
            return giveUp(flight, failure, at: now, random: random)
        case .transient: return giveUp(flight, failure, at: now, random: random)
        }
    }

    /// The flight is over without a token; the session goes on.
    private mutating func giveUp(_ flight: Flight, _ failure: RefreshFailure, at now: Moment, random: Double)
        -> [Action]
    {
        // The failure was counted at the deadline; what the server asks for counts still.
        if flight.isDraining, failure.retryAfter == nil { return releaseWaiters(at: now) }
        if case .initial = flight.step, let error = failure.error as? NotAuthorized, error.reason == .noToken {
            // Nothing failed: nobody has signed in.
            return isHolding ? [] : resumeAll(.failure(error))
        }
        return note(failure, at: now, random: random) + releaseWaiters(at: now)
    }

    /// Counts a failure and tells those who listen.
    private mutating func note(_ failure: RefreshFailure, at now: Moment, random: Double) -> [Action] {
        // The server's grace period for an answer that was lost is short.
        let isFirstLoss = failure.delivery == .mayHaveBeenProcessed && self.failure?.delivery != .mayHaveBeenProcessed
        self.failure = failure
        let isSoon = isFirstLoss || storage == .readOnly
        backOff.fail(
            retryAfter: failure.retryAfter, atMost: isSoon ? Self.shortly : nil, at: now, policy: policy.backOff,
            random: random)
        return [.emit(.refreshFailed(failure.error, nextTryAt: backOff.slot.date))]
    }

    // MARK: - Flights by name

    /// Takes the flight out; it is put back if it goes on.
    private mutating func take(_ id: FlightID) -> Flight? {
        if let flight, flight.id == id {
            self.flight = nil
            return flight
        }
        return strays.firstIndex { $0.id == id }.map { strays.remove(at: $0) }
    }

    private mutating func put(_ flight: Flight) {
        if flight.isStray { strays.append(flight) } else { self.flight = flight }
    }
}
