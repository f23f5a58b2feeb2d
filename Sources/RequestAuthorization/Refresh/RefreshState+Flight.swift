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
            flight.step = storage == .shared ? .lock : .refresh(held.token)
        case .unknown: flight.step = .load
        case .absent, .ended: flight.step = storage == .shared ? .lock : .initial
        }
        self.flight = flight
        return [.emit(.refreshStarted), .fly(flight)]
    }

    /// A step of a flight has ended.
    ///
    /// - Parameter random: 0 to 1, for jitter and back-off.
    /// - Returns: its next step; `nil` if the flight is over.
    mutating func advance(
        _ id: FlightID, _ outcome: Outcome, at now: Moment, random: Double
    ) -> (Step?, [Action]) {
        guard var flight = take(id), flight.session == session else {
            guard case .token(let token, _) = outcome else { return (nil, []) }
            return (nil, [.discard(token), .emit(.tokenDiscarded)])
        }
        let next: Step?
        var actions: [Action]
        switch (flight.step, outcome) {
        case (.load, .loaded(let stored, let intent)):
            (next, actions) = loaded(stored, intent, &flight, at: now, random: random)
        case (.load, .failed(let failure)), (.lock, .failed(let failure)), (.reread, .failed(let failure)),
            (.verify, .failed(let failure)):
            // A store that is out of reach is not an empty store, and ends no session.
            (next, actions) = fail(&flight, RefreshFailure(ofStore: failure.error), at: now, random: random)
        case (.lock, _):
            flight.hasLock = true
            (next, actions) = (.reread, [])
        case (.reread, .loaded(let stored, let intent)):
            (next, actions) = reread(stored, intent, &flight, at: now, random: random)
        case (.intent, _):
            if case .failed(let failure) = outcome {
                actions = [.emit(.saveFailed(failure.error))]
            } else {
                actions = []
            }
            flight.hasIntent = true
            next = serviceCall
        case (_, .token(let token, let requestedAt)):
            (next, actions) = refreshed(token, requestedAt, &flight, at: now, random: random)
        case (.refresh, .failed(let failure)) where failure.kind != .transient && storage != .none:
            (next, actions) = (.verify(failure), [])
        case (.verify(let failure), .loaded(let stored, let intent)):
            (next, actions) = verified(failure, stored, intent, &flight, at: now, random: random)
        case (.save(let held, _), .saved(let conflict)):
            (next, actions) = saved(held, conflict, &flight, at: now, random: random)
        case (.save(let held, let condition), .failed(let failure)):
            (next, actions) = saveFailed(held, condition, failure, flight, at: now, random: random)
        case (.clearIntent, _):
            flight.hasIntent = false
            (next, actions) = conclude(flight, at: now, random: random)
        case (_, .failed(let failure)):
            (next, actions) = fail(&flight, failure, at: now, random: random)
        case (_, .done), (_, .loaded), (_, .saved):
            preconditionFailure("a step of a refresh ended in a way that it has not")
        }
        if let next {
            flight.step = next
            put(flight)
        } else if !flight.isStray {
            actions.append(.emit(.refreshEnded))
        }
        return (next, actions)
    }

    /// The time that anybody may wait for the flight is over.
    mutating func deadlinePassed(_ id: FlightID, at now: Moment, random: Double) -> [Action] {
        guard flight?.id == id, flight?.isDraining == false else { return [] }
        flight?.isDraining = true
        let failure = RefreshFailure(DeadlineExceeded(description: "the refresh took more than \(policy.deadline)"))
        return note(failure, at: now, random: random) + releaseWaiters(at: now) + [.cancel(id)]
    }

    /// The flight has had twice its time: another may begin, and a late answer still counts as long as there is none newer.
    mutating func hardLimitPassed(_ id: FlightID, at now: Moment) -> [Action] {
        guard var flight, flight.id == id else { return [] }
        flight.isStray = true
        self.flight = nil
        strays.append(flight)
        return [.emit(.refreshEnded)] + releaseWaiters(at: now)
    }

    // MARK: - Steps

    private var serviceCall: Step {
        if case .held(let held) = credential { .refresh(held.token) } else { .initial }
    }

    private mutating func loaded(
        _ stored: StoredToken<Token>?, _ intent: RefreshIntent?, _ flight: inout Flight, at now: Moment, random: Double
    ) -> (Step?, [Action]) {
        adopt(stored, intent, random: random)
        flight.session = session
        if case .ended(let ending) = credential { return (nil, end(ending.error, at: now)) }
        guard case .held(let held) = credential else {
            credential = .absent
            return (storage == .shared ? .lock : .initial, [])
        }
        flight.basis = held.version
        if held.isUsable(at: now.date) { return (nil, publish(held, at: now)) }
        return (storage == .shared ? .lock : .refresh(held.token), [])
    }

    private mutating func reread(
        _ stored: StoredToken<Token>?, _ intent: RefreshIntent?, _ flight: inout Flight, at now: Moment, random: Double
    ) -> (Step?, [Action]) {
        if let stored, unsaved == nil, isNews(stored, since: flight.basis) {
            adopt(stored, intent, random: random)
            flight.session = session
            if case .ended(let ending) = credential { return (nil, end(ending.error, at: now)) }
            guard case .held(let held) = credential else { return (.initial, []) }
            flight.basis = held.version
            if held.isUsable(at: now.date) { return (nil, [.emit(.tokenAdopted)] + publish(held, at: now)) }
        }
        guard let basis = flight.basis else { return (.initial, []) }
        return (.intent(RefreshIntent(session: basis.session, generation: basis.generation, beganAt: now.date)), [])
    }

    private mutating func refreshed(
        _ token: Token, _ requestedAt: Date, _ flight: inout Flight, at now: Moment, random: Double
    ) -> (Step?, [Action]) {
        guard flight.basis == heldVersion else {
            return (nil, releaseWaiters(at: now))  // A stray has come back, and a newer token is held.
        }
        let version = TokenVersion(session: session, generation: flight.basis.map { $0.generation + 1 } ?? 0)
        let held = HeldToken(token, version: version, obtainedAt: requestedAt, policy: policy, random: random)
        if storage == .none {
            return (nil, publish(held, at: now))
        }
        return (.save(held, replacing: .older(session: session, generation: version.generation)), [])
    }

    private mutating func verified(
        _ failure: RefreshFailure, _ stored: StoredToken<Token>?, _ intent: RefreshIntent?, _ flight: inout Flight,
        at now: Moment, random: Double
    ) -> (Step?, [Action]) {
        guard let stored, unsaved == nil, isNews(stored, since: flight.basis) else {
            return clearIntent(of: &flight, then: .fail(failure), at: now, random: random)
        }
        adopt(stored, intent, random: random)
        flight.session = session
        if case .ended(let ending) = credential { return (nil, end(ending.error, at: now)) }
        guard case .held(let held) = credential else { return (.initial, []) }
        flight.basis = held.version
        if held.isUsable(at: now.date) {
            return clearIntent(of: &flight, then: .publish(held), at: now, random: random)
        }
        return (.refresh(held.token), [.emit(.tokenAdopted)])
    }

    private mutating func saved(
        _ held: HeldToken<Token>, _ conflict: TokenSaveConflict<Token>?, _ flight: inout Flight, at now: Moment,
        random: Double
    ) -> (Step?, [Action]) {
        guard let stored = conflict?.stored else {
            let kept = wasSaved(held.stored)
            let (next, actions) = clearIntent(of: &flight, then: .publish(held), at: now, random: random)
            return (next, kept + actions)
        }
        // A sibling signed out, or in as somebody else: then what we hold belongs to a session that is over.
        let isOver = stored.token == nil || stored.version.session != held.version.session
        let late: [Action] = isOver ? [.discard(held.token), .emit(.tokenDiscarded)] : []
        adopt(stored, nil, random: random)
        flight.session = session
        if case .ended(let ending) = credential { return (nil, late + end(ending.error, at: now)) }
        guard case .held(let adopted) = credential else { return (nil, late + releaseWaiters(at: now)) }
        let (next, actions) = clearIntent(of: &flight, then: .publish(adopted), at: now, random: random)
        return (next, late + [.emit(.tokenAdopted)] + actions)
    }

    private mutating func saveFailed(
        _ held: HeldToken<Token>, _ condition: TokenSaveCondition, _ failure: RefreshFailure, _ flight: Flight,
        at now: Moment, random: Double
    ) -> (Step?, [Action]) {
        let kept = couldNotSave(
            held.stored, replacing: condition, keepsLock: flight.hasLock, error: failure.error, at: now, random: random)
        return (nil, kept + publish(held, at: now))
    }

    // MARK: - Ends

    /// Removes the intent if there is one, then ends the flight.
    private mutating func clearIntent(
        of flight: inout Flight, then verdict: Verdict, at now: Moment, random: Double
    ) -> (Step?, [Action]) {
        flight.verdict = verdict
        return flight.hasIntent ? (.clearIntent, []) : conclude(flight, at: now, random: random)
    }

    private mutating func conclude(_ flight: Flight, at now: Moment, random: Double) -> (Step?, [Action]) {
        switch flight.verdict {
        case .publish(let held): (nil, publish(held, at: now))
        case .fail(let failure): (nil, settle(failure, flight, at: now, random: random))
        case nil: (nil, [])
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
        // Otherwise it is about a token that is no longer held.
        guard flight.basis == heldVersion else { return releaseWaiters(at: now) }
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
        if flight.isDraining { return releaseWaiters(at: now) }  // The failure was counted at the deadline.
        if case .initial = flight.step, let error = failure.error as? NotAuthorized, error.reason == .noToken {
            return isHolding ? [] : resumeAll(.failure(error))  // Nothing failed: nobody has signed in.
        }
        return note(failure, at: now, random: random) + releaseWaiters(at: now)
    }

    /// Counts a failure and tells those who listen.
    private mutating func note(_ failure: RefreshFailure, at now: Moment, random: Double) -> [Action] {
        self.failure = failure
        backOff.fail(retryAfter: failure.retryAfter, at: now, policy: policy.backOff, random: random)
        return [.emit(.refreshFailed(failure.error, nextTryAt: backOff.slot.date))]
    }

    // MARK: - Flights by name

    private var heldVersion: TokenVersion? {
        if case .held(let held) = credential { held.version } else { nil }
    }

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
