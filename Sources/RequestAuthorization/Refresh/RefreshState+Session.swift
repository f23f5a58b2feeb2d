// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

// Sessions: how one begins and ends, by hand, by the server or by a sibling.
extension RefreshState {
    /// A token from elsewhere begins a session at once.
    mutating func setToken(_ held: HeldToken, _ turn: inout Turn) {
        leaveSession(error: CancellationError(), &turn)
        store(.save(held, replacing: .anything), &turn)
        publish(held, &turn)
    }

    /// Signs out: all that wait are told, and what is under way does not count any more.
    mutating func reset(newSession: UUID, _ turn: inout Turn) {
        let content = signOutContent(at: turn.now)
        let error = NotAuthorized(.signedOut)
        leaveSession(error: error, &turn)
        // Who signs out while the program ends is signed out at its next start, too.
        isClosed = false
        store(content, &turn)
        session = newSession
        // Of a session that has ended the observers know.
        if case .ended = credential { releaseWaiters(&turn) } else { endSession(error, &turn) }
    }

    /// Signs out after a token has been revoked, unless a sign-in or a refresh has come between.
    ///
    /// - Returns: whether it did.
    mutating func reset(after revoked: TokenVersion?, newSession: UUID, _ turn: inout Turn) -> Bool {
        if let held = heldVersion {
            guard let revoked, held.session == revoked.session, held.generation <= revoked.generation else {
                return false
            }
        }
        reset(newSession: newSession, &turn)
        return true
    }

    /// What takes the place of the session in the store.
    private func signOutContent(at now: Moment) -> Desired.Content {
        guard storage == .shared else { return .clear }
        if case .signOut? = desired?.content, let desired { return desired.content }
        let isKnown = if case .unknown = credential { false } else { true }
        let version = TokenVersion(session: session, generation: heldVersion.map { $0.generation + 1 } ?? 0)
        let replacesAnything = !isKnown || desired?.replacesAnything == true
        return .signOut(
            version, obtainedAt: now.date, replacing: replacesAnything ? .anything : condition(.session(session)))
    }

    /// The server ended the session: that is stored before it is told. Meanwhile requests wait.
    mutating func beginEnd(
        _ error: NotAuthorized, of held: HeldToken, _ flight: Flight, _ turn: inout Turn
    ) -> Step? {
        isRefused = true
        forgetFailures()
        let version = TokenVersion(session: held.version.session, generation: held.version.generation + 1)
        let content: Desired.Content =
            storage == .shared
            ? .signOut(version, obtainedAt: turn.now.date, replacing: condition(.session(session))) : .clear
        guard isKept else {
            endSession(error, of: flight, &turn)
            return nil
        }
        store(content, &turn) { .ended(Ending(error: error)) }
        return .save
    }

    /// The store holds something new that a sibling left there.
    mutating func noticed(
        _ item: StoredItem?, _ intent: RefreshIntent?, _ absence: TokenAbsence, _ turn: inout Turn
    ) {
        guard desired == nil, !isClosed else { return }
        switch credential {
        case .unknown: return
        case .absent, .ended:
            // A sibling signed in. That there is nothing, or a sign-out, is no news while nothing is held.
            guard item?.token != nil else { return }
        case .held: break
        }
        guard let item else {
            guard isEnd(absence) else { return }
            leaveFlight(&turn)
            forgetFailures()
            return endSession(NotAuthorized(.signedOut), &turn)
        }
        note(item)
        guard isNews(item) else { return }
        turn.emit(.tokenAdopted)
        adopt(item, intent, &turn)
        releaseWaiters(&turn)
    }

    // MARK: - What sessions and flights share

    /// Takes over what a store holds, and tells the observers. No request that waits is released yet.
    mutating func adopt(_ item: StoredItem, _ intent: RefreshIntent?, _ turn: inout Turn) {
        note(item)
        let isNewSession = item.token == nil || item.version.session != session
        if isNewSession { leaveFlight(&turn) }
        session = item.version.session
        // A successor that has expired as well is no reason to try earlier: siblings would drive each other on.
        if isNewSession || item.token?.isExpired(at: turn.now.date) == false { forgetFailures() }
        guard let held = item.token else { return invalidate(item.ending, &turn) }
        let former = line.number
        line.adopt(held)
        if line.number != former { turn.dismissFormer() }
        hold(held)
        // The answer to a refresh of this token was lost: replace it while that still works.
        let wasLost = intent?.session == session && intent?.generation == item.version.generation
        if wasLost || item.wasSetAside { isRefused = true }
        tell(held, &turn)
    }

    /// Whether a sibling has left something newer than what is held.
    func isNews(_ item: StoredItem) -> Bool {
        guard let held = heldVersion, held.session == item.version.session, item.token != nil else { return true }
        return item.version.generation > held.generation
    }

    /// The store has been seen to hold the session.
    mutating func note(_ item: StoredItem) { if item.token != nil { storedSession = item.version.session } }

    /// Whether it is the end of the session that the store keeps nothing: it held the session, and somebody removed it.
    ///
    /// What is damaged or whose place is missing has not been ended by anybody: this process may hold the only copy.
    func isEnd(_ absence: TokenAbsence) -> Bool { absence == .gone && storedSession == session && desired == nil }

    /// What must stand in the store for something of this session to be saved.
    ///
    /// - Parameter known: the condition if the store has been seen to hold the session.
    func condition(_ known: TokenSaveCondition) -> TokenSaveCondition {
        storedSession == session ? known : .nothing
    }

    /// What a look at the store is compared with.
    var basis: Basis { Basis(session: session, held: heldVersion, stored: lastStored) }

    /// Whether the store is to hold what is decided here.
    var isKept: Bool { (storage == .plain || storage == .shared) && !isClosed }

    var heldVersion: TokenVersion? { if case .held(let held) = credential { held.version } else { nil } }

    /// A token of our own is in use from now on: those who wait go on with it.
    ///
    /// - Parameter flight: the refresh that has brought it and ends with it, if one has.
    mutating func publish(_ held: HeldToken, of flight: Flight? = nil, _ turn: inout Turn) {
        session = held.version.session
        hold(held)
        tell(held, &turn)
        if let flight { end(flight, held.fault == nil ? .refreshed : .failed, &turn) }
        if let fault = held.fault {
            failure = RefreshFailure(fault)
            backOff.fail(at: turn.now, policy: policy.backOff, random: 1)
            return releaseWaiters(failing: error(at: turn.now), &turn)
        }
        if flight != nil, held.isExpired(at: turn.now.date) { noteExpiry(of: held, &turn) } else { forgetFailures() }
        // Those who waited go on with it, also if it has expired by now: no request waits twice.
        if !isHolding { resumeAll(.success(held), &turn) }
    }

    /// A token that has expired on arrival counts as a failure, or each request would cost a call of the service.
    private mutating func noteExpiry(of held: HeldToken, _ turn: inout Turn) {
        backOff.fail(at: turn.now, policy: policy.backOff, random: turn.random)
        storm.admits(at: turn.now.uptime, policy: policy.storm)
        let error = TokenExpiredOnArrival(expiresAt: held.expiresAt, arrivedAt: turn.now.date)
        failure = RefreshFailure(error)
        turn.emit(.tokenExpiredOnArrival(error, nextTryAt: backOff.slot.date))
    }

    /// What observers and listeners hear of a token in use.
    private func tell(_ held: HeldToken, _ turn: inout Turn) {
        turn.tell(.updated(held))
        turn.emit(.tokenInstalled)
        guard let end = held.signInNeededBefore,
            end.timeIntervalSince(turn.now.date) <= policy.signInNotice.seconds
        else { return }
        turn.emit(.signInNeeded(before: end))
    }

    private mutating func hold(_ held: HeldToken) {
        credential = .held(held)
        (isRefused, hasNoSuccessor) = (held.problem != nil, false)
    }

    /// The session is over, and all are told. Any other refresh of the session is left.
    ///
    /// - Parameter ended: the refresh that found out, if one did.
    mutating func endSession(_ error: NotAuthorized, of ended: Flight? = nil, _ turn: inout Turn) {
        invalidate(error, &turn)
        if let ended { end(ended, .sessionEnded, &turn) }
        leaveFlight(&turn)
        releaseWaiters(&turn)
    }

    private mutating func invalidate(_ error: NotAuthorized, _ turn: inout Turn) {
        if case .held = credential { turn.emit(.sessionEnded(error)) }
        credential = .ended(Ending(error: error))
        isRefused = false
        turn.tell(.invalidated(error))
    }

    // MARK: - Leaving

    /// What is under way belongs to a session that is over: what it brings, or has brought, is dropped.
    mutating func leaveFlight(_ turn: inout Turn) {
        if let flight { end(flight, .superseded, &turn) }
        if case .refreshed(let held)? = pending?.news {
            discard(held, &turn)
            pending = nil
        }
        if case .ended? = pending?.news { pending = nil }
        (flight, stray, strayedAt) = (nil, nil, nil)
    }

    /// A token of a session that is over: the service may revoke it.
    mutating func discard(_ held: HeldToken, _ turn: inout Turn) {
        let number = nextNumber()
        discards.insert(number)
        turn.perform(.discard(held, number: number))
        turn.emit(.tokenDiscarded)
    }

    mutating func forgetFailures() {
        (failure, refusals) = (nil, nil)
        backOff = BackOff()
    }

    private mutating func leaveSession(error: any Error, _ turn: inout Turn) {
        forgetFailures()
        storm = StormGuard()
        leaveFlight(&turn)
        if case .signedIn(let held, let manual)? = pending?.news {
            pending = nil
            discard(held, &turn)
            if manual.isAwaited { turn.perform(.answer(manual.id, .failure(error))) }
        }
        leave(manuals, error: error, &turn)
        manuals = []
    }
}
