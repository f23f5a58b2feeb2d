// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension RefreshState {
    /// Reports the end of a refresh. The end of a stray was reported when it became one.
    func end(_ flight: Flight, _ outcome: RefreshOutcome, _ turn: inout Turn) {
        if !flight.isStray { turn.emit(.refreshEnded(outcome, of: flight, at: turn.now)) }
    }

    /// The outcome of a refresh that has read the store: it may have found there that the session is over.
    func outcome(_ outcome: RefreshOutcome) -> RefreshOutcome { isOver ? .sessionEnded : outcome }

    mutating func done(_ flight: Flight, _ outcome: RefreshOutcome, _ turn: inout Turn) -> Step? {
        end(flight, self.outcome(outcome), &turn)
        releaseWaiters(&turn)
        return nil
    }

    /// Ends a refresh without a token. The session goes on.
    mutating func fail(_ flight: Flight, _ failure: RefreshFailure, _ turn: inout Turn) {
        if case .refresh = flight.step, failure.isLoss { access?.leavesIntent = true }
        if flight.step == .initial, let error = failure.error as? NotAuthorized, error.reason == .noToken {
            // No failure: no user has signed in yet.
            end(flight, .noToken, &turn)
            return isHolding ? () : resumeAll(.failure(error), &turn)
        }
        // The refresh that took the place of a stray reports the failure.
        let isTold = flight.isStray && self.flight != nil
        // The failure was counted at the deadline. A `Retry-After` of the server still counts.
        if !isTold, !flight.isDraining || failure.retryAfter != nil { note(failure, flight, &turn) }
        end(flight, .failed, &turn)
        if !isTold { releaseWaiters(failing: error(at: turn.now), &turn) }
    }

    /// Decides whether a failure ends the session, after the store has confirmed the token.
    mutating func judge(_ failure: RefreshFailure, _ flight: Flight, _ turn: inout Turn) -> Step? {
        guard let held, failure.mayEndSession, !flight.isStray || self.flight == nil else {
            fail(flight, failure, &turn)
            return nil
        }
        if failure.kind == .noRefreshToken, isUsable(at: turn.now) {
            // A valid token that cannot be refreshed is used until it expires.
            hasNoSuccessor = true
            turn.emit(.refreshFailed(failure.error, nextTryAt: held.expiresAt, of: flight, at: turn.now))
            end(flight, .failed, &turn)
            releaseWaiters(failing: failure.notAuthorized ?? failure.error, &turn)
            return nil
        }
        return beginEnd(failure.ending, of: held, flight, &turn)
    }

    mutating func note(_ failure: RefreshFailure, _ flight: Flight, _ turn: inout Turn) {
        // After a lost answer, retry soon: the server's grace period for it is short.
        let isFirstLoss = failure.isLoss && self.failure?.isLoss != true
        self.failure = failure
        refusals = Refusals.after(failure, in: refusals, at: turn.now)
        backOff.fail(
            retryAfter: failure.retryAfter, atMost: isFirstLoss || storage == .readOnly ? Self.shortly : nil,
            isLongest: failure.needsAction, at: turn.now, policy: policy.backOff, random: turn.random)
        turn.emit(.refreshFailed(failure.error, nextTryAt: backOff.slot.date, of: flight, at: turn.now))
    }

    /// The longest delay before a retry when the situation can change at any moment.
    static var shortly: Duration { .seconds(1) }

    /// The error of the last failure, with the time of the next try.
    func error(at now: Moment) -> (any Error)? { failure.map { error(for: $0, at: now) } }

    func error(for failure: RefreshFailure, at now: Moment) -> any Error {
        if let error = failure.notAuthorized { return error }
        return RefreshFailed(
            underlying: failure.error, nextTryAt: backOff.date(at: now), delivery: failure.delivery,
            refusals: refusals.map { .init($0) })
    }

    /// The failure for requests that arrive while a refresh is past its deadline.
    func overdue(at step: Step) -> RefreshFailure {
        let error = DeadlineExceeded(description: "the refresh took more than \(policy.deadline); try again later")
        return step.isBeforeService ? RefreshFailure(ofStore: error) : RefreshFailure(error)
    }

    // MARK: - Time

    /// Cancels the service call and resumes the waiters at the deadline of the refresh.
    mutating func deadlinePassed(_ turn: inout Turn) {
        guard let step = flight?.step else { return }
        let isServed = pending != nil
        // The token has arrived: publish it now. The writer goes on.
        flight?.isDraining = true
        tellPending(&turn)
        guard let flight else { return }
        turn.perform(.cancel(flight.id))
        if !isServed { note(overdue(at: step), flight, &turn) }
        releaseWaiters(failing: error(at: turn.now), &turn)
    }

    /// Turns a refresh into a stray after twice its deadline. Another refresh may then begin.
    ///
    /// A late answer still counts while there is no newer token. The stray loses exclusive access, and its intent
    /// stays. If there was a stray already, that one is forgotten. No request has waited for this refresh since its
    /// deadline.
    mutating func hardLimitPassed(_ turn: inout Turn) {
        // The token has arrived, and may have spent the former one: publish it and begin no other call.
        tellPending(&turn)
        guard var flight else { return }
        end(flight, .failed, &turn)
        flight.isStray = true
        self.flight = nil
        if case .refresh = flight.step { access?.leavesIntent = true }
        if let stray, let strayedAt {
            forgotten.append(stray.id)
            backOff.keepClosed(until: strayedAt + policy.backOff.maximum, at: turn.now)
            failure = failure ?? overdue(at: flight.step)
        }
        (stray, strayedAt) = (flight, turn.now.uptime)
    }
}
