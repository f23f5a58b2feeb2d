// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

// The steps of an ordinary refresh.
extension RefreshState {
    /// Begins an ordinary refresh. None may be under way.
    mutating func start(_ cause: RefreshCause, _ turn: inout Turn) {
        var flight = Flight(id: nextID(), cause: cause, beganAt: turn.now.uptime, session: session, step: .initial)
        switch credential {
        case .held(let held): (flight.basis, flight.step) = (held.version, before(.refresh(held)))
        case .unknown: flight.step = .load
        case .absent, .ended: flight.step = before(.initial)
        }
        // An unsaved token has kept the lock; this refresh uses it.
        if access != nil, flight.step == .lock {
            access?.user = flight.id
            flight.step = .reread
        }
        self.flight = flight
        turn.emit(.refreshStarted(cause, replacing: held, at: turn.now))
        turn.perform(.start(flight))
    }

    /// Records the result of a step, and returns the next one; `nil` if the refresh itself has nothing more to do.
    mutating func advance(_ id: RefreshID, _ outcome: Outcome, _ turn: inout Turn) -> Step? {
        guard var flight = take(id) else {
            dropLate(outcome, of: id, &turn)
            return nil
        }
        let next: Step? =
            if flight.basis != heldVersion {
                supersede(flight, outcome, &turn)
            } else if pending != nil {
                yield(flight, outcome, &turn)
            } else {
                proceed(&flight, outcome, &turn)
            }
        guard let next else { return nil }
        if flight.isDraining, next.beginsSomething {
            // After its deadline a refresh starts no new work.
            fail(flight, overdue(at: next), &turn)
            return nil
        }
        if next == .save, flight.isStray, self.flight == nil {
            putBack(flight, at: turn.now)
            return nil
        }
        flight.step = next
        put(flight)
        return next == .save ? nil : next
    }

    // MARK: - Steps

    private mutating func proceed(_ flight: inout Flight, _ outcome: Outcome, _ turn: inout Turn) -> Step? {
        switch (flight.step, outcome) {
        case (.load, .loaded(let item, let intent, let absence)): return loaded(item, intent, absence, &flight, &turn)
        case (.load, .failed(let failure)), (.lock, .failed(let failure)), (.reread, .failed(let failure)),
            (.verify, .failed(let failure)):
            // An unreachable store is not an empty store, and ends no session.
            fail(flight, RefreshFailure(ofStore: failure.error), &turn)
            return nil
        case (.lock, _):
            access = Access(owner: flight.id, user: flight.id)
            return .reread
        case (.reread, .loaded(let item, let intent, let absence)):
            return reread(item, intent, absence, &flight, &turn)
        case (.intent, _):
            // The refresh goes on without the intent: the lock is held, and a full disk must not end the session.
            if case .failed(let failure) = outcome { turn.emit(.saveFailed, error: failure.error) }
            return serviceCall
        case (_, .token(let held)): return refreshed(held, flight, &turn)
        case (.refresh, .failed(let failure)) where failure.mayEndSession && isKept: return .verify(failure)
        case (.verify(let failure), .loaded(let item, let intent, let absence)):
            return verified(failure, item, intent, absence, &flight, &turn)
        case (.refresh, .failed(let failure)): return judge(failure, flight, &turn)
        case (_, .failed(let failure)):
            fail(flight, failure, &turn)
            return nil
        case (_, .done), (_, .loaded): preconditionFailure("a step of a refresh returned the result of another step")
        }
    }

    private mutating func loaded(
        _ item: StoredItem?, _ intent: RefreshIntent?, _ absence: TokenAbsence, _ flight: inout Flight,
        _ turn: inout Turn
    ) -> Step? {
        if storage == .readOnly {
            look(item, absence, flight, &turn)
            return nil
        }
        guard let item else {
            credential = .absent
            return before(.initial)
        }
        if isNews(item) { takeOver(item, intent, &flight, &turn) }
        return isServed(at: turn.now) ? done(flight, .loaded, &turn) : before(serviceCall)
    }

    /// Uses what a read-only store holds. This process never calls the token service.
    private mutating func look(_ item: StoredItem?, _ absence: TokenAbsence, _ flight: Flight, _ turn: inout Turn) {
        if item == nil, heldVersion == nil {
            end(flight, .noToken, &turn)
            credential = .absent
            return isHolding ? () : resumeAll(.failure(NotAuthorized(.noToken)), &turn)
        }
        if item == nil, absence == .gone {
            end(flight, .sessionEnded, &turn)
            abandonRefreshes(&turn)
            return endSession(NotAuthorized(.signedOut), &turn)
        }
        let wasNews = item.map(isNews) ?? false
        if let item, wasNews { adopt(item, nil, &turn) }
        guard isServed(at: turn.now) else {
            note(RefreshFailure(ofStore: NotAuthorized(.refreshedElsewhere)), flight, &turn)
            end(flight, .failed, &turn)
            return releaseWaiters(failing: error(at: turn.now), &turn)
        }
        // Ahead of expiry another process is about to refresh: read again soon, but not with each request.
        end(flight, outcome(.loaded), &turn)
        if !wasNews { backOff.fail(atMost: Self.shortly, at: turn.now, policy: policy.backOff, random: turn.random) }
        releaseWaiters(&turn)
    }

    private mutating func reread(
        _ item: StoredItem?, _ intent: RefreshIntent?, _ absence: TokenAbsence, _ flight: inout Flight,
        _ turn: inout Turn
    ) -> Step? {
        if item == nil, isEnd(absence) {
            endSession(NotAuthorized(.signedOut), of: flight, &turn)
            return nil
        }
        if item == nil, absence == .setAside { saveAgain(&turn) }
        if let item { note(item) }
        if let item, desired == nil, isNews(item) {
            turn.emit(.tokenAdopted)
            takeOver(item, intent, &flight, &turn)
            if isServed(at: turn.now) { return done(flight, .adopted, &turn) }
        }
        // The answer to an earlier refresh was lost. The intent stays until there is another answer.
        if let intent, intent.session == session, intent.generation == flight.basis?.generation {
            access?.leavesIntent = true
        }
        return announcedCall(of: flight, at: turn.now)
    }

    private mutating func refreshed(_ held: HeldToken, _ flight: Flight, _ turn: inout Turn) -> Step? {
        if flight.step == .initial { fetchedSession = held.version.session }
        guard isKept else {
            publish(held, of: flight, &turn)
            return nil
        }
        access?.leavesIntent = false
        let older = TokenSaveCondition.older(session: held.version.session, generation: held.version.generation)
        // The store still holds an older session if the first token of this one could not be saved.
        let isFirst = desired?.replacesAnything == true
        store(.save(held, replacing: isFirst ? .anything : condition(older)), &turn) { .refreshed(held) }
        return .save
    }

    private mutating func verified(
        _ failure: RefreshFailure, _ item: StoredItem?, _ intent: RefreshIntent?, _ absence: TokenAbsence,
        _ flight: inout Flight, _ turn: inout Turn
    ) -> Step? {
        if item == nil, isEnd(absence) {
            endSession(NotAuthorized(.signedOut), of: flight, &turn)
            return nil
        }
        guard let item, desired == nil, isNews(item) else { return judge(failure, flight, &turn) }
        turn.emit(.tokenAdopted)
        takeOver(item, intent, &flight, &turn)
        return isServed(at: turn.now) ? done(flight, .adopted, &turn) : announcedCall(of: flight, at: turn.now)
    }

    /// Ends a refresh whose token has been replaced from elsewhere. Its result is dropped.
    private mutating func supersede(_ flight: Flight, _ outcome: Outcome, _ turn: inout Turn) -> Step? {
        drop(outcome, of: flight, &turn)
        return done(flight, .superseded, &turn)
    }

    /// Drops the later of two answers for one token. The refresh waits until the store holds the earlier one.
    private mutating func yield(_ flight: Flight, _ outcome: Outcome, _ turn: inout Turn) -> Step? {
        drop(outcome, of: flight, &turn)
        return flight.isStray ? nil : .save
    }

    private mutating func drop(_ outcome: Outcome, of flight: Flight, _ turn: inout Turn) {
        switch (flight.step, outcome) {
        case (_, .token): turn.emit(.tokenDiscarded)
        // No refresh uses this access, so it is given up at the end of the transition.
        case (.lock, .done): access = Access(owner: flight.id, user: flight.id)
        default: break
        }
    }

    // MARK: - What comes next

    /// The step that precedes a call of the service. With a read-only store it takes the place of the call.
    private func before(_ call: Step) -> Step {
        switch storage {
        case .none, .plain: call
        case .shared: .lock
        case .readOnly: .load
        }
    }

    private var serviceCall: Step { held.map { .refresh($0) } ?? .initial }

    /// The service call; with a shared store the intent comes first.
    private mutating func announcedCall(of flight: Flight, at now: Moment) -> Step {
        guard storage == .shared, let basis = flight.basis else { return serviceCall }
        let intent = RefreshIntent(session: basis.session, generation: basis.generation, beganAt: now.date)
        if !flight.isDraining { access?.intent = intent }
        return .intent(intent)
    }

    /// Goes on with a token that a sibling, or an earlier launch, has saved.
    private mutating func takeOver(
        _ item: StoredItem, _ intent: RefreshIntent?, _ flight: inout Flight, _ turn: inout Turn
    ) {
        adopt(item, intent, &turn)
        (flight.session, flight.basis) = (session, heldVersion)
    }

    /// Whether no refresh is needed now.
    private func isServed(at now: Moment) -> Bool { isOver || isUsable(at: now) }

    // MARK: - Refreshes by name

    /// Removes a refresh from the state. ``put(_:)`` puts it back.
    private mutating func take(_ id: RefreshID) -> Flight? {
        if let flight, flight.id == id {
            self.flight = nil
            return flight
        }
        guard let stray, stray.id == id else { return nil }
        self.stray = nil
        return stray
    }

    private mutating func put(_ flight: Flight) { if flight.isStray { stray = flight } else { self.flight = flight } }

    /// A stray has brought a token. Requests wait until the store holds it, unless another refresh is under way.
    private mutating func putBack(_ stray: Flight, at now: Moment) {
        var flight = stray
        (flight.step, flight.isDraining, flight.beganAt) = (.save, false, now.uptime)
        self.flight = flight
    }

    /// Cleans up after a step of a refresh that no longer counts.
    private mutating func dropLate(_ outcome: Outcome, of id: RefreshID, _ turn: inout Turn) {
        let isForgotten = forgotten.contains(id)
        forgotten.removeAll { $0 == id }
        if case .done = outcome { turn.perform(.unlock(id, endsIntent: false)) }
        if case .token(let held) = outcome {
            // The token of a forgotten stray belongs to this session: revoking it could revoke the session.
            if isForgotten { turn.emit(.tokenDiscarded) } else { discard(held, &turn) }
        }
    }
}
