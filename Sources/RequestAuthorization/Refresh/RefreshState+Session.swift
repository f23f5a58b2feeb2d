// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

// How sessions begin and end: by the program, by the server or by a sibling.
extension RefreshState {
    /// Begins a session at once with a token from the program.
    mutating func setToken(_ held: HeldToken, _ turn: inout Turn) {
        abandonSession(error: CancellationError(), &turn)
        store(.save(held, replacing: .anything), &turn)
        publish(held, &turn)
    }

    /// Signs out. Waiters fail, and all refreshes under way are dropped.
    mutating func reset(newSession: UUID, _ turn: inout Turn) {
        let content = signOutContent(at: turn.now)
        let error = NotAuthorized(.signedOut)
        abandonSession(error: error, &turn)
        // A sign-out is stored even after a shutdown, so that it counts at the next start.
        isClosed = false
        store(content, &turn)
        session = newSession
        // Observers already know of a session that has ended.
        if isOver { releaseWaiters(&turn) } else { endSession(error, &turn) }
    }

    /// Signs out after a token was revoked, and returns whether it did: not if a sign-in or a refresh has replaced it.
    mutating func reset(after revoked: TokenVersion?, newSession: UUID, _ turn: inout Turn) -> Bool {
        if let held = heldVersion {
            guard let revoked, held.session == revoked.session, held.generation <= revoked.generation else {
                return false
            }
        }
        reset(newSession: newSession, &turn)
        return true
    }

    /// What replaces the token in the store: a tombstone in a shared store, nothing in another.
    private func signOutContent(at now: Moment) -> Desired.Content {
        guard storage == .shared else { return .clear }
        if case .signOut? = desired?.content, let desired { return desired.content }
        let isKnown = if case .unknown = credential { false } else { true }
        let version = TokenVersion(session: session, generation: heldVersion.map { $0.generation + 1 } ?? 0)
        let replacesAnything = !isKnown || desired?.replacesAnything == true
        return .signOut(
            version, obtainedAt: now.date, replacing: replacesAnything ? .anything : condition(.session(session)))
    }

    /// Records that the server ended the session. This is stored before it is published; meanwhile requests wait.
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

    /// Handles a change that a sibling made to the store.
    mutating func noticed(
        _ item: StoredItem?, _ intent: RefreshIntent?, _ absence: TokenAbsence, _ turn: inout Turn
    ) {
        guard desired == nil, !isClosed else { return }
        switch credential {
        case .unknown: return
        case .absent, .ended:
            // Without a held token only a sign-in of a sibling matters.
            guard item?.token != nil else { return }
        case .held: break
        }
        guard let item else {
            if absence == .setAside { return saveAgain(&turn) }
            guard isEnd(absence) else { return }
            abandonRefreshes(&turn)
            forgetFailures()
            return endSession(NotAuthorized(.signedOut), &turn)
        }
        note(item)
        guard isNews(item) else { return }
        turn.emit(.tokenAdopted)
        adopt(item, intent, &turn)
        releaseWaiters(&turn)
    }

    // MARK: - Shared by sessions and refreshes

    /// Adopts the content of the store, and tells the observers. Waiters are not resumed yet.
    mutating func adopt(_ item: StoredItem, _ intent: RefreshIntent?, _ turn: inout Turn) {
        note(item)
        let isNewSession = item.token == nil || item.version.session != session
        if isNewSession { abandonRefreshes(&turn) }
        session = item.version.session
        // An adopted token that has expired too does not open the slot: siblings would keep waking one another.
        if isNewSession || item.token?.isExpired(at: turn.now.date) == false { forgetFailures() }
        guard let held = item.token else { return invalidate(item.ending, &turn) }
        let former = line.number
        hold(held)
        if line.number != former { turn.dismissFormer() }
        // The answer to a refresh of this token was lost: replace the token while the server still allows it.
        let wasLost = intent?.session == session && intent?.generation == item.version.generation
        if wasLost || item.wasSetAside { isRefused = true }
        tell(held, &turn)
    }

    /// Whether the store holds something newer than this provider.
    func isNews(_ item: StoredItem) -> Bool {
        guard let held = heldVersion, held.session == item.version.session, item.token != nil else { return true }
        return item.version.generation > held.generation
    }

    /// Remembers that the store has held the session.
    mutating func note(_ item: StoredItem) { if item.token != nil { storedSession = item.version.session } }

    /// Whether the empty store means that the session was ended: the store held the session, and it was removed.
    ///
    /// A damaged item or a missing folder does not end the session: this process may hold the only copy.
    func isEnd(_ absence: TokenAbsence) -> Bool { absence == .gone && storedSession == session && desired == nil }

    /// Saves the held token again after its damaged item was set aside. If a sibling was quicker, its token stays.
    mutating func saveAgain(_ turn: inout Turn) {
        guard let held, desired == nil, pending == nil else { return }
        let older = TokenSaveCondition.older(session: held.version.session, generation: held.version.generation)
        store(.save(held, replacing: condition(older)), &turn)
    }

    /// What the store must hold for a write of this session to be accepted.
    ///
    /// - Parameter known: the condition if the store is known to have held the session.
    func condition(_ known: TokenSaveCondition) -> TokenSaveCondition { storedSession == session ? known : .nothing }

    var basis: Basis { Basis(session: session, held: heldVersion, stored: lastStored) }

    /// Whether this provider writes to the store.
    var isKept: Bool { (storage == .plain || storage == .shared) && !isClosed }

    var held: HeldToken? { if case .held(let held) = credential { held } else { nil } }
    var heldVersion: TokenVersion? { held?.version }

    /// Whether the last session has ended and no other has begun.
    var isOver: Bool { if case .ended = credential { true } else { false } }

    /// Puts a token that this provider obtained to use, and resumes the waiters with it.
    ///
    /// - Parameter flight: the refresh that brought the token and ends with it, if there is one.
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
        // Waiters go on with it even if it has expired by now: no request waits twice.
        if !isHolding { resumeAll(.success(held), &turn) }
    }

    /// Counts a token that had expired on arrival as a failure; otherwise each request would call the service.
    private mutating func noteExpiry(of held: HeldToken, _ turn: inout Turn) {
        backOff.fail(at: turn.now, policy: policy.backOff, random: turn.random)
        storm.admits(at: turn.now.uptime, policy: policy.storm)
        let error = TokenExpiredOnArrival(expiresAt: held.expiresAt, arrivedAt: turn.now.date)
        failure = RefreshFailure(error)
        turn.emit(.tokenExpiredOnArrival(error, nextTryAt: backOff.slot.date))
    }

    /// Tells observers and listeners of a token in use.
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

    /// Ends the session, and tells the observers and the waiters. Any other refresh of the session is abandoned.
    ///
    /// - Parameter ended: the refresh that discovered the end, if there is one.
    mutating func endSession(_ error: NotAuthorized, of ended: Flight? = nil, _ turn: inout Turn) {
        invalidate(error, &turn)
        if let ended { end(ended, .sessionEnded, &turn) }
        abandonRefreshes(&turn)
        releaseWaiters(&turn)
    }

    private mutating func invalidate(_ error: NotAuthorized, _ turn: inout Turn) {
        if held != nil { turn.emit(.sessionEnded, error: error) }
        credential = .ended(Ending(error: error))
        isRefused = false
        turn.tell(.invalidated(error))
    }

    // MARK: - Abandoning

    /// Abandons the refreshes of a session that is over. Tokens that they bring, or have brought, are discarded.
    mutating func abandonRefreshes(_ turn: inout Turn) {
        if let flight { end(flight, .superseded, &turn) }
        if case .refreshed(let held)? = pending?.news {
            discard(held, &turn)
            pending = nil
        }
        if case .ended? = pending?.news { pending = nil }
        (flight, stray, strayedAt) = (nil, nil, nil)
    }

    /// Asks the service to revoke a token of a session that is over.
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

    private mutating func abandonSession(error: any Error, _ turn: inout Turn) {
        forgetFailures()
        storm = StormGuard()
        abandonRefreshes(&turn)
        if case .signedIn(let held, let manual)? = pending?.news {
            pending = nil
            discard(held, &turn)
            if manual.isAwaited { turn.perform(.answer(manual.id, .failure(error))) }
        }
        cancel(manuals, error: error, &turn)
        manuals = []
    }
}
