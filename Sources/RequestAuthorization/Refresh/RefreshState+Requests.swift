// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

// Whether a request goes on, waits or fails; and what a 401 means.
extension RefreshState {
    enum Decision {
        case use(HeldToken)
        case wait(Waiters)
        case fail(any Error)
    }

    /// Decides how a request gets its token.
    ///
    /// - Parameter surrounding: the refreshes in whose service calls the request is made. It must not wait for them.
    mutating func request(_ need: TokenNeed = .now, within surrounding: [RefreshID] = [], _ turn: inout Turn)
        -> Decision
    {
        // A deadline that has passed concerns those who came before.
        if let wake = nextWake(at: turn.now), wake <= turn.now.uptime { timePassed(&turn) }
        if isShutDown { return .fail(NotAuthorized(.shutDown)) }
        if isHolding { return wait(need, within: surrounding) }
        if need == .refreshed { pace.lift() }
        switch holding {
        case .ended(let ending):
            lookForSignIn(&turn)
            return .fail(ending.error)
        case .held(let held, _) where isUsable(at: turn.now):
            // Else the token is valid, but does not last as long as the caller needs.
            let isEnough = need.isMet(by: held) || (trustEnd != nil && need != .refreshed)
            if !isEnough, need == .refreshed || isWorthRefreshing(held, at: turn.now) {
                return join(need, within: surrounding, &turn)
            }
            return use(held, within: surrounding, &turn)
        case .unknown, .absent, .held: return join(need, within: surrounding, &turn)
        }
    }

    /// Whether a request that accepts any valid token would wait. Then ``request(_:within:_:)`` would return
    /// ``Decision/wait(_:)`` and change nothing.
    func holdsRequests(at date: Date) -> Bool {
        if isShutDown { return false }
        if isHolding { return true }
        guard isExpecting, flight.map({ $0.isDraining || date < $0.deadline.date }) ?? true else { return false }
        return switch holding {
        case .ended: false
        case .held(let held, let use): use.isRefused || (trustEnd == nil && held.isExpired(at: date))
        case .unknown, .absent: true
        }
    }

    /// Records the refusal of a token of this provider.
    ///
    /// - Parameter afterRefresh: whether a young token is spared, because the call that it was for was refused before. It is
    ///   not if the challenge demands claims, and the token was fetched without any.
    mutating func refused(
        _ refused: HeldToken, by challenge: AuthenticationChallenge? = nil, afterRefresh: Bool, _ turn: inout Turn
    ) throws(NotAuthorized) -> Verdict {
        if let error = objection(to: refused) { throw error }
        guard case .held(let held, let use) = holding, held.header == refused.header, !use.isRefused else {
            return .anew  // The refusal is of a former token, or was reported before.
        }
        let isFirstDemand = challenge?.claims != nil && held.claims == nil
        if afterRefresh, !isFirstDemand, isYoung(held, at: turn.now) { return .accept }
        if let error = refuse(held, by: challenge, &turn) { throw error }
        return .anew
    }

    /// Why a request may not go on with a token: its session has ended, or was replaced; `nil` if it may.
    func objection(to token: HeldToken) -> NotAuthorized? {
        if case .ended(let ending) = holding { return ending.error }
        let isReplaced = held.map { $0.version.session != token.version.session } ?? false
        return isReplaced ? NotAuthorized(.sessionReplaced) : nil
    }

    /// Records a 401 to a request with this header value, and returns why a retry is pointless; `nil` if it is not.
    mutating func unauthorized(
        _ header: String?, by challenge: AuthenticationChallenge? = nil, _ turn: inout Turn
    ) -> NotAuthorized? {
        guard case .held(let held, let use) = holding, held.header == header, !use.isRefused else {
            if case .ended(let ending) = holding { return ending.error }
            // The 401 is for a former token of the session, or was reported before.
            return line.includes(header) ? nil : NotAuthorized(.sessionReplaced)
        }
        return refuse(held, by: challenge, &turn)
    }

    /// Opens the slot early, because the caller knows that the network is back.
    mutating func retryNow(_ turn: inout Turn) {
        pace.lift()
        vault.lift()
        writeIfDue(&turn)
        let isServed = held.map { isUsable(at: turn.now) && turn.now.date < refreshAt(of: $0) } ?? false
        guard !isOver, turn.isAwaited || startsUnasked && !isServed, isQuiet, pace.isOpen(at: turn.now), !isHolding,
            !isShutDown
        else { return }
        start(cause(of: .now), &turn)
    }

    /// The token of the warm path, and until when requests may use it.
    ///
    /// While the slot is closed or a refresh is under way, that is its expiry date. A timer fires when the slot opens.
    func warm(at now: Moment) -> (held: HeldToken, until: Date)? {
        guard !isHolding, !isShutDown, case .held(let held, let use) = holding, !use.isRefused else { return nil }
        let end = trustEnd.map { now.advanced(by: $0 - now.uptime).date } ?? held.expiresAt
        return (held, asksAheadOfExpiry(at: now) ? min(end, refreshAt(of: held)) : end)
    }

    /// The line of sessions that binds a request queued now; `nil` if no token is held, so that it may use any.
    var lineOfWaiters: Int? { if case .held = holding { line.number } else { nil } }

    // MARK: - Helpers

    /// Takes the held token out of use, and begins a refresh if that is not left to the next request.
    private mutating func refuse(
        _ held: HeldToken, by challenge: AuthenticationChallenge?, _ turn: inout Turn
    ) -> NotAuthorized? {
        if held.lacks(challenge) { return NotAuthorized(.needsInteraction, challenge: challenge) }
        if isQuiet, !admits(held, at: turn.now) {
            turn.emit(.refreshedTooOften)
            return NotAuthorized(.refreshedTooOften)
        }
        mark(.refused(by: challenge))
        if isQuiet, startsUnasked, pace.isOpen(at: turn.now), !isHolding { start(.unauthorized, &turn) }
        return nil
    }

    /// Whether a request ahead of expiry must leave the warm path, to begin a refresh or to wait for it.
    private func asksAheadOfExpiry(at now: Moment) -> Bool {
        let isForeground = policy.aheadOfExpiry.patience != nil
        if let flight { return isForeground && !flight.isOutOfPatience && !flight.isDraining }
        return (isForeground || startsUnasked) && pace.isOpen(at: now)
    }

    /// Uses a valid token. If it is due for a refresh, one begins.
    private mutating func use(_ held: HeldToken, within surrounding: [RefreshID], _ turn: inout Turn) -> Decision {
        guard turn.now.date >= refreshAt(of: held) else { return .use(held) }
        let isForeground = policy.aheadOfExpiry.patience != nil
        if isQuiet, isForeground || startsUnasked, pace.isOpen(at: turn.now) { start(.expiry, &turn) }
        guard let flight, let patience = flight.patience, !flight.isOutOfPatience, !flight.isDraining,
            flight.beganAt + patience > turn.now.uptime, !surrounding.contains(where: isAwaited)
        else { return .use(held) }
        return .wait(.ordinary)
    }

    /// Whether a refresh may bring a token that lasts longer than the held one. The refresh of a young token is counted.
    private mutating func isWorthRefreshing(_ held: HeldToken, at now: Moment) -> Bool {
        guard isQuiet else { return true }
        guard pace.mayLast(longerThan: held.expiresAt.timeIntervalSince(now.date)) else { return false }
        // Before the slot no refresh begins, and none is counted.
        return !pace.isOpen(at: now) || admits(held, at: now)
    }

    /// Whether a refusal now is one of a young token. The age of one that had expired on arrival is not known.
    private func isYoung(_ held: HeldToken, at now: Moment) -> Bool {
        trustEnd != nil || held.isYoung(at: now.date, policy: policy.storm)
    }

    /// Counts a refresh of a young token that is about to begin, and returns whether there were not too many.
    private mutating func admits(_ held: HeldToken, at now: Moment) -> Bool {
        !isYoung(held, at: now) || pace.admits(at: now, policy: policy.storm)
    }

    /// Reads a store again that others share: one of them may have signed in. A later request finds out.
    private mutating func lookForSignIn(_ turn: inout Turn) {
        guard vault.kind == .shared || vault.kind == .readOnly, isQuiet, pace.isOpen(at: turn.now) else { return }
        pace.pause(at: turn.now, policy: policy.backOff, random: turn.random)
        turn.perform(.look)
    }

    /// Waits for the refresh that is under way, or begins one.
    private mutating func join(_ need: TokenNeed, within surrounding: [RefreshID], _ turn: inout Turn) -> Decision {
        if isExpecting { return wait(need, within: surrounding) }
        if let error = closedSlot(at: turn.now) {
            return isSlotNear(at: turn.now) ? wait(need, within: surrounding) : .fail(error)
        }
        start(cause(of: need), &turn)
        return wait(need, within: surrounding)
    }

    private func wait(_ need: TokenNeed, within surrounding: [RefreshID]) -> Decision {
        if surrounding.contains(where: isAwaited) { return .fail(NotAuthorized(.reentrantRefresh)) }
        return .wait(need == .now ? .ordinary : .lasting)
    }

    /// Whether requests wait for this refresh, or what they wait for may need this writer to have ended.
    private func isAwaited(_ id: RefreshID) -> Bool {
        flight?.id == id || writer == id || signIn.map { $0.isHolding && $0.id == id } == true
    }
}
