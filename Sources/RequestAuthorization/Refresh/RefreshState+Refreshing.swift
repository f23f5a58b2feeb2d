// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

// The ordinary refresh, and how it ends.
extension RefreshState {
    /// Returns the first step of a refresh whose task begins; `nil` if it is over already.
    mutating func begin(_ id: RefreshID, _ turn: inout Turn) -> Exchange.Step? {
        guard let flight = calling, flight.id == id else {
            leftovers.end(id)
            return nil
        }
        activity = .idle
        return follow(.perform(flight.step), flight, &turn)
    }

    /// Records the result of a step, and returns the next one; `nil` if the refresh itself has nothing more to do.
    mutating func advance(_ id: RefreshID, _ outcome: Exchange.Outcome, _ turn: inout Turn) -> Exchange.Step? {
        guard case .refreshing(var flight) = activity, flight.id == id else {
            late(outcome, of: id, &turn)
            return nil
        }
        activity = .idle
        // If the result is dropped, no refresh uses this access, and it is given up at the end of the transition.
        if flight.step == .lock, case .done = outcome { vault.take(for: id) }
        if flight.basis != heldVersion {
            // The token has been replaced from elsewhere.
            if case .token = outcome { turn.emit(.tokenDiscarded) }
            done(flight, .superseded, &turn)
            return nil
        }
        switch (flight.step, outcome) {
        case (_, .loaded(let item, _, let absence)) where vault.kind == .readOnly:
            look(item, absence, flight, &turn)
            return nil
        case (_, .loaded(let item, let intent, let absence)):
            let reading = read(item, absence, in: flight.step, &turn)
            let move = flight.exchange.read(reading, intent, at: turn.now.date)
            return follow(move, flight, &turn)
        case (.intent, .failed(let failure)): turn.emit(.saveFailed, error: failure.error)
        default: break
        }
        let move = flight.exchange.end(outcome, verifies: vault.isKept)
        return follow(move, flight, &turn)
    }

    private mutating func follow(_ move: Exchange.Move, _ flight: Flight, _ turn: inout Turn) -> Exchange.Step? {
        switch move {
        case .perform(let step):
            // What the call brings could not be stored.
            guard !vault.isClosed else {
                fail(flight, RefreshFailure(ofStore: NotAuthorized(.shutDown)), &turn)
                return nil
            }
            if case .intent(let intent) = step {
                vault.announce(intent, isAfterLoss: flight.exchange.isAfterLoss)
            }
            activity = .refreshing(flight)
            return step
        case .adopt(let item): return adopt(item, in: flight, &turn)
        case .finish: done(flight, flight.step == .load ? .loaded : .adopted, &turn)
        case .gone: endSession(NotAuthorized(.signedOut), of: flight, &turn)
        case .use(let held): use(held, of: flight, &turn)
        case .fail(let failure): fail(flight, failure, &turn)
        case .judge(let failure): judge(failure, flight, &turn)
        case .stop(let step): fail(flight, overdue(at: step), &turn)
        }
        return nil
    }

    // MARK: - Reading

    private mutating func read(
        _ item: StoredItem?, _ absence: TokenAbsence, in step: Exchange.Step, _ turn: inout Turn
    ) -> Exchange.Reading {
        guard let item else {
            if step == .load { holding = .absent }
            if vault.isEnd(of: line.session, absence) { return .gone }
            if step == .reread, absence == .setAside { saveAgain(&turn) }
            return .nothingNew
        }
        vault.note(item)
        // Under another number it is the very token whose refresh has failed.
        if case .verify = step, renumber(as: item.token) { return .nothingNew }
        // What is not stored yet counts, unless a sibling has gone on from there: then its save was only slow to answer.
        let mayAdopt = vault.unsaved == nil || item.version.session == heldVersion?.session
        return mayAdopt && isNews(item) ? .news(item) : .nothingNew
    }

    /// Goes on with a token that a sibling, or an earlier launch, has saved.
    private mutating func adopt(_ item: StoredItem, in flight: Flight, _ turn: inout Turn) -> Exchange.Step? {
        var flight = flight
        // Its own token under another number is news to nobody, and still to be refreshed.
        let isOwn = renumber(as: item.token)
        if !isOwn {
            if flight.step != .load { turn.emit(.tokenAdopted) }
            adopt(item, flight.exchange.intent, &turn)
        }
        let move = flight.exchange.adopted(held, isServed: !isOwn && isServed(at: turn.now), at: turn.now.date)
        return follow(move, flight, &turn)
    }

    /// Uses what a read-only store holds. This process never calls the token service.
    private mutating func look(_ item: StoredItem?, _ absence: TokenAbsence, _ flight: Flight, _ turn: inout Turn) {
        let hasLeft = vault.hasLeft(item, absence, at: turn.now.date)
        if item == nil, held == nil {
            end(flight, .noToken, &turn)
            holding = .absent
            return isHolding ? () : turn.resumeAll(.failure(NotAuthorized(.noToken)))
        }
        if item == nil, vault.isEnd(of: line.session, absence) {
            end(flight, .sessionEnded, &turn)
            return endSession(NotAuthorized(.signedOut), &turn)
        }
        let wasNews = !hasLeft && item.map(isNews) ?? false
        if let item, wasNews { adopt(item, nil, &turn) }
        guard isServed(at: turn.now) else {
            let failure = RefreshFailure(ofStore: NotAuthorized(.refreshedElsewhere, detail: held?.problem))
            note(failure, flight, at: turn.now, &turn)
            end(flight, .failed, &turn)
            return releaseWaiters(failing: pace.error(at: turn.now), &turn)
        }
        // Ahead of expiry another process is about to refresh: read again soon, but not with each request.
        if !wasNews { pace.pause(at: turn.now, policy: policy.backOff, random: turn.random) }
        done(flight, .loaded, &turn)
    }

    /// Whether no refresh is needed now.
    private func isServed(at now: Moment) -> Bool { isOver || isUsable(at: now) }

    // MARK: - Ends

    private mutating func use(_ held: HeldToken, of flight: Flight?, _ turn: inout Turn) {
        guard vault.isKept else {
            // The store keeps the spent token, so its intent stays.
            if vault.isClosed { vault.answerWasLost() }
            return publish(held, of: flight, isRefreshed: true, &turn)
        }
        vault.answerCame()
        activity = flight.map { .saving($0) } ?? .idle
        order(vault.successor(held), announcing: .refreshed(held), &turn)
    }

    /// Ends a refresh without a token. The session goes on.
    private mutating func fail(_ flight: Flight, _ failure: RefreshFailure, _ turn: inout Turn) {
        if case .refresh = flight.step, failure.isLoss { vault.answerWasLost() }
        if flight.step == .initial, let error = failure.error as? NotAuthorized, error.reason == .noToken {
            // No failure: no user has signed in yet.
            end(flight, .noToken, &turn)
            return isHolding ? () : turn.resumeAll(.failure(error))
        }
        // The failure was counted at the deadline. A `Retry-After` of the server still counts.
        let isCounted = flight.isDraining && failure.retryAfter == nil
        if !isCounted { note(failure, flight, at: turn.now, &turn) }
        end(flight, .failed, &turn)
        releaseWaiters(failing: isCounted ? nil : pace.error(at: turn.now), &turn)
    }

    private mutating func note(_ failure: RefreshFailure, _ flight: Flight, at moment: Moment, _ turn: inout Turn) {
        pace.fail(failure, isBrief: vault.kind == .readOnly, at: moment, policy: policy.backOff, random: turn.random)
        let next = pace.backOff.date(at: turn.now)
        turn.emit(.refreshFailed(failure.error, nextTryAt: next, of: flight, at: turn.now))
    }

    /// Ends the session by a failure that the store has confirmed, unless the token can still be used.
    private mutating func judge(_ failure: RefreshFailure, _ flight: Flight, _ turn: inout Turn) {
        guard let held else { return fail(flight, failure, &turn) }
        if failure.kind == .noRefreshToken, isUsable(at: turn.now), trustEnd == nil {
            mark(.last)
            turn.emit(.refreshFailed(failure.error, nextTryAt: held.expiresAt, of: flight, at: turn.now))
            end(flight, .failed, &turn)
            return releaseWaiters(failing: failure.notAuthorized ?? failure.error, &turn)
        }
        mark(.refused())
        pace.succeed()
        guard vault.isKept else { return endSession(failure.ending, of: flight, &turn) }
        // It is stored before it is announced. Meanwhile requests wait.
        activity = .saving(flight)
        let condition = vault.condition(of: line.session, .session(line.session))
        order(
            vault.end(of: line.session, after: held.version, at: turn.now.date, replacing: condition),
            announcing: .ended(Ending(error: failure.ending)), &turn)
    }

    // MARK: - Time

    /// Cancels the service call and resumes the waiters at the deadline of the refresh. Those who come then wait for a
    /// short while until the call has returned.
    ///
    /// The timer may be late; the slot counts from the deadline.
    mutating func passDeadline(_ turn: inout Turn) {
        changeFlight { $0.passDeadline() }
        // The token may have arrived: then it is published now, and the writer goes on.
        announceNow(&turn)
        guard let flight else { return }
        turn.perform(.cancel(flight.id))
        note(overdue(at: flight.step), flight, at: flight.deadline, &turn)
        releaseWaiters(failing: pace.error(at: turn.now), &turn)
        if policy.backOff.patience > .zero { changeFlight { $0.awaitReturn() } }
    }

    /// Forgets a refresh after twice its deadline. Another one may then begin.
    ///
    /// Its token still counts while there is no newer one. It loses exclusive access, and its intent stays.
    mutating func passHardLimit(_ turn: inout Turn) {
        // The token has arrived, and may have spent the former one: publish it and begin no other call.
        announceNow(&turn)
        guard let flight else { return }
        end(flight, .failed, &turn)
        if case .refresh = flight.step { vault.answerWasLost() }
        activity = .idle
        releaseWaiters(&turn)
    }

    /// Uses, drops or revokes what a call brings that the state has forgotten.
    private mutating func late(_ outcome: Exchange.Outcome, of id: RefreshID, _ turn: inout Turn) {
        leftovers.end(id)
        switch outcome {
        case .done where flight?.id == id:
            // Its lock, unless it has that already: then this was an intent. A lock stays until the token is stored.
            if vault.access == nil { vault.take(for: id) }
        case .done: turn.perform(.unlock(id, endsIntent: false))
        case .token(let token):
            // The held token may have got its number from the store.
            let held = held.flatMap { token.renumbered(after: $0) } ?? token
            if isOver || line.session != held.version.session { return discard(held, &turn) }
            switch vault.news {
            // The session is about to end, or to be replaced.
            case .ended, .signedIn: discard(held, &turn)
            case nil where heldVersion.map({ $0.generation < held.version.generation }) ?? true:
                // A refresh under way is over with it.
                let overtaken = flight
                activity = .idle
                use(held, of: overtaken, &turn)
            // Revoking an older token of the session could revoke the session.
            case .refreshed, nil: turn.emit(.tokenDiscarded)
            }
        case .loaded, .failed: break
        }
    }
}
