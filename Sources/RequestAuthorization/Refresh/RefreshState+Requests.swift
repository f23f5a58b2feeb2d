// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension RefreshState {
    /// How long the token must remain valid for a request.
    enum Need: Hashable {
        case now
        /// Valid until a date; the token is refreshed once at most for that.
        case until(Date)
        /// A new token is needed in any case.
        case refreshed
    }

    /// How a request goes on.
    enum Decision {
        case use(HeldToken)
        case wait(Effect.Waiters)
        case fail(any Error)
    }

    /// Decides how a request gets its token.
    ///
    /// - Parameter surrounding: the refreshes in whose service calls the request is made. It must not wait for them.
    mutating func request(_ need: Need = .now, within surrounding: [RefreshID] = [], _ turn: inout Turn) -> Decision {
        if isShutDown { return .fail(NotAuthorized(.shutDown)) }
        if isHolding { return wait(need, within: surrounding) }
        if need == .refreshed { backOff.lift(at: turn.now) }
        switch credential {
        case .ended(let ending): return .fail(ending.error)
        case .held(let held) where isUsable(at: turn.now):
            if need.isMet(by: held) { return use(held, within: surrounding, &turn) }
            return prolong(held, need, within: surrounding, &turn)
        case .unknown, .absent, .held: return join(need, within: surrounding, &turn)
        }
    }

    /// Whether a request that accepts any valid token would wait. Then ``request(_:within:_:)`` would return
    /// ``Decision/wait(_:)`` and change nothing.
    func holdsRequests(at date: Date) -> Bool {
        if isShutDown { return false }
        if isHolding { return true }
        guard let flight, !flight.isDraining else { return false }
        switch credential {
        case .ended: return false
        case .held(let held): return isRefused || held.isExpired(at: date)
        case .unknown, .absent: return true
        }
    }

    /// Records the refusal of a token of this provider.
    ///
    /// - Parameter afterRefresh: whether a young token is spared, because the call that it was for was refused before.
    mutating func refused(
        _ refused: HeldToken, afterRefresh: Bool, _ turn: inout Turn
    ) throws(NotAuthorized) -> Verdict {
        switch credential {
        case .ended(let ending): throw ending.error
        case .held(let held) where held.version.session != refused.version.session:
            throw NotAuthorized(.sessionReplaced)
        case .held(let held) where held.header == refused.header && !isRefused:
            if afterRefresh, held.isYoung(at: turn.now.date, policy: policy.storm) { return .accept }
            if let error = refuse(held, &turn) { throw error }
        case .held, .unknown, .absent: break  // The refusal is of a former token, or was reported before.
        }
        return .anew
    }

    /// Records a 401 to a request with this header value, and returns why a retry is pointless; `nil` if it is not.
    mutating func unauthorized(_ header: String?, _ turn: inout Turn) -> NotAuthorized? {
        guard case .held(let held) = credential, held.header == header, !isRefused else {
            if case .ended(let ending) = credential { return ending.error }
            if !line.includes(header) { return NotAuthorized(.sessionReplaced) }
            // The 401 is for a former token, or was reported before.
            return nil
        }
        return refuse(held, &turn)
    }

    /// Opens the slot early, because the caller knows that the network is back.
    mutating func retryNow(_ turn: inout Turn) {
        backOff.lift(at: turn.now)
        desired?.backOff.lift(at: turn.now)
        writeIfDue(&turn)
        switch credential {
        case .ended: break
        case .held(let held) where isUsable(at: turn.now) && turn.now.date < refreshAt(of: held): break
        case .unknown, .absent, .held:
            if flight == nil, backOff.isOpen(at: turn.now), !isHolding, !isShutDown { start(cause(of: .now), &turn) }
        }
    }

    /// The token of the warm path, and until when requests may use it.
    ///
    /// While the slot is closed or a refresh is under way, that is its expiry date. A timer fires when the slot opens.
    func warm(at now: Moment) -> (held: HeldToken, until: Date)? {
        guard !isHolding, !isShutDown, case .held(let held) = credential, !isRefused else { return nil }
        return (held, asksAheadOfExpiry(at: now) ? min(held.expiresAt, refreshAt(of: held)) : held.expiresAt)
    }

    /// The line of sessions that binds a request queued now; `nil` if no token is held, so that it may use any.
    var lineOfWaiters: Int? { if case .held = credential { line.number } else { nil } }

    // MARK: - Helpers

    /// Takes the held token out of use, and begins a refresh if that is not left to the next request.
    private mutating func refuse(_ held: HeldToken, _ turn: inout Turn) -> NotAuthorized? {
        if let error = stormError(of: held, &turn) { return error }
        isRefused = true
        if flight == nil, startsUnasked, backOff.isOpen(at: turn.now), !isHolding { start(.unauthorized, &turn) }
        return nil
    }

    /// Whether requests may be sent with the held token.
    func isUsable(at now: Moment) -> Bool {
        if case .held(let held) = credential { !isRefused && !held.isExpired(at: now.date) } else { false }
    }

    /// When a refresh ahead of expiry is due.
    func refreshAt(of held: HeldToken) -> Date { hasNoSuccessor ? held.expiresAt : held.refreshAt }

    /// Whether all requests wait: for a manual refresh, or until a sign-in is in the store.
    var isHolding: Bool {
        if case .signedIn? = pending?.news { return true }
        return manuals.contains { $0.isHolding }
    }

    /// Whether a refresh may begin that no caller waits for.
    var startsUnasked: Bool { policy.aheadOfExpiry == .inBackground && !isBackgroundStopped && !isShutDown }

    /// Whether a request ahead of expiry must leave the warm path, to begin a refresh or to wait for it.
    private func asksAheadOfExpiry(at now: Moment) -> Bool {
        let isForeground = policy.aheadOfExpiry.patience != nil
        if let flight { return isForeground && !flight.isOutOfPatience && !flight.isDraining }
        return (isForeground || startsUnasked) && backOff.isOpen(at: now)
    }

    /// Uses a valid token. If it is due for a refresh, one begins.
    private mutating func use(_ held: HeldToken, within surrounding: [RefreshID], _ turn: inout Turn) -> Decision {
        guard turn.now.date >= refreshAt(of: held) else { return .use(held) }
        if let patience = policy.aheadOfExpiry.patience {
            if flight == nil, backOff.isOpen(at: turn.now) { start(.expiry, &turn) }
            guard let flight, !flight.isOutOfPatience, !flight.isDraining, flight.beganAt + patience > turn.now.uptime,
                !surrounding.contains(where: isAwaited)
            else { return .use(held) }
            return .wait(.ordinary)
        }
        if flight == nil, startsUnasked, backOff.isOpen(at: turn.now) { start(.expiry, &turn) }
        return .use(held)
    }

    /// Refreshes a valid token that does not last as long as the caller needs.
    private mutating func prolong(
        _ held: HeldToken, _ need: Need, within surrounding: [RefreshID], _ turn: inout Turn
    ) -> Decision {
        if need != .refreshed, let error = stormError(of: held, &turn) { return .fail(error) }
        return join(need, within: surrounding, &turn)
    }

    /// Counts a refresh of a young token that is about to begin, and returns the error if there were too many.
    private mutating func stormError(of held: HeldToken, _ turn: inout Turn) -> NotAuthorized? {
        guard flight == nil, held.isYoung(at: turn.now.date, policy: policy.storm),
            !storm.admits(at: turn.now.uptime, policy: policy.storm)
        else { return nil }
        turn.emit(.refreshedTooOften)
        return NotAuthorized(.refreshedTooOften)
    }

    /// Waits for the refresh that is under way, or begins one.
    private mutating func join(_ need: Need, within surrounding: [RefreshID], _ turn: inout Turn) -> Decision {
        if let flight, !flight.isDraining { return wait(need, within: surrounding) }
        if let error = closedSlot(at: turn.now) { return .fail(error) }
        start(cause(of: need), &turn)
        return wait(need, within: surrounding)
    }

    private func cause(of need: Need) -> RefreshCause {
        switch credential {
        case .held where isRefused: .unauthorized
        case .held where need == .refreshed: .byHand
        case .held: .expiry
        case .unknown, .absent, .ended: .coldStart
        }
    }

    private func wait(_ need: Need, within surrounding: [RefreshID]) -> Decision {
        if surrounding.contains(where: isAwaited) { return .fail(NotAuthorized(.reentrantRefresh)) }
        return .wait(need == .now ? .ordinary : .lasting)
    }

    /// Whether requests wait for this refresh.
    private func isAwaited(_ id: RefreshID) -> Bool {
        flight?.id == id || manuals.contains { $0.isHolding && $0.id == id }
    }
}

extension RefreshState.Need {
    func isMet(by held: HeldToken) -> Bool {
        switch self {
        case .now: true
        case .until(let date): held.expiresAt >= date
        case .refreshed: false
        }
    }
}

// MARK: - Waiters

extension RefreshState {
    /// The error for requests that arrive before the next slot; `nil` if a refresh may begin.
    func closedSlot(at now: Moment) -> (any Error)? {
        if let flight, flight.isDraining { return error(for: failure ?? overdue(at: flight.step), at: now) }
        guard let failure, !backOff.isOpen(at: now) else { return nil }
        return error(for: failure, at: now)
    }

    /// Resumes all waiters if the outcome is known, else starts a refresh for them.
    ///
    /// - Parameter error: the failure of the refresh that has just ended, if it failed.
    mutating func releaseWaiters(failing error: (any Error)? = nil, _ turn: inout Turn) {
        guard !isHolding, turn.isAwaited else { return }
        switch credential {
        case .ended(let ending): resumeAll(.failure(ending.error), &turn)
        case .held(let held) where isUsable(at: turn.now):
            turn.perform(.resume(.ordinary, .success(held)))
            if let flight, !flight.isDraining { return }
            let failure = error ?? closedSlot(at: turn.now)
            turn.perform(.resume(.lasting, failure.map { .failure($0) } ?? .success(held)))
        case .unknown, .absent, .held:
            if let flight, !flight.isDraining { return }
            let shutDown = isShutDown ? NotAuthorized(.shutDown) : nil
            if let error = error ?? shutDown ?? closedSlot(at: turn.now) {
                return resumeAll(.failure(error), &turn)
            }
            start(cause(of: .now), &turn)
        }
    }

    func resumeAll(_ result: Result<HeldToken, any Error>, _ turn: inout Turn) {
        guard turn.isAwaited else { return }
        turn.perform(.resume(.ordinary, result))
        turn.perform(.resume(.lasting, result))
    }
}
