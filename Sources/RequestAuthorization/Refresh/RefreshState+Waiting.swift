// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

// How refreshes begin, and how those who wait go on.
extension RefreshState {
    /// Begins an ordinary refresh. None may be under way.
    ///
    /// - Parameter isAsked: whether the caller of this transition wants it.
    mutating func start(_ cause: RefreshCause, isAsked: Bool = true, _ turn: inout Turn) {
        let id = RefreshID()
        let isKnown = if case .unknown = holding { false } else { true }
        let exchange = Exchange(
            vault.kind, replacing: held, isKnown: isKnown, hasAccess: isKnown && vault.reuse(for: id))
        let flight = Flight(id: id, cause: cause, beganAt: turn.now, policy: policy, exchange)
        activity = .refreshing(flight)
        turn.emit(.refreshStarted(cause, replacing: held, at: turn.now))
        turn.perform(.start(flight, isAsked: isAsked))
    }

    func cause(of need: TokenNeed) -> RefreshCause {
        switch holding {
        case .held(_, .refused): .unauthorized
        case .held where need == .refreshed: .byHand
        case .held: .expiry
        case .unknown, .absent, .ended: .coldStart
        }
    }

    /// The error for requests that arrive before the next slot; `nil` if a refresh may begin.
    func closedSlot(at now: Moment) -> (any Error)? {
        if let flight, flight.isDraining { return pace.error(for: pace.failure ?? overdue(at: flight.step), at: now) }
        return pace.refusal(at: now)
    }

    /// Whether the next slot comes so soon that requests wait for it. A failure that a person must mend is not waited out.
    func isSlotNear(at now: Moment) -> Bool {
        flight == nil && !isShutDown && !pace.isOpen(at: now) && pace.failure?.notAuthorized == nil
            && pace.slot - now.uptime <= policy.backOff.patience
    }

    /// The failure for requests that arrive while a refresh is past its deadline.
    func overdue(at step: Exchange.Step) -> RefreshFailure {
        let error = DeadlineExceeded(description: "the refresh took more than \(policy.deadline); try again later")
        return switch step {
        case .load, .lock, .reread, .intent: RefreshFailure(ofStore: error)
        case .refresh, .initial, .verify: RefreshFailure(error)
        }
    }

    /// Resumes all waiters if the outcome is known, else starts a refresh for them.
    ///
    /// - Parameter error: the failure of the refresh that has just ended, if it failed.
    mutating func releaseWaiters(failing error: (any Error)? = nil, _ turn: inout Turn) {
        guard !isHolding, turn.isAwaited else { return }
        switch holding {
        case .ended(let ending): turn.resumeAll(.failure(ending.error))
        case .held(let held, _) where isUsable(at: turn.now):
            turn.perform(.resume(.ordinary, .success(held)))
            if isExpecting { return }
            if let failure = error ?? closedSlot(at: turn.now) { return failWaiters(failure, &turn) }
            turn.resumeAll(.success(held))
        case .unknown, .absent, .held:
            if isExpecting { return }
            let shutDown = isShutDown ? NotAuthorized(.shutDown) : nil
            if let error = error ?? shutDown ?? closedSlot(at: turn.now) { return failWaiters(error, &turn) }
            start(cause(of: .now), isAsked: false, &turn)
        }
    }

    /// Fails those who wait, but for the requests for which the next slot comes soon enough.
    private func failWaiters(_ error: any Error, _ turn: inout Turn) {
        if isSlotNear(at: turn.now) { return turn.perform(.postpone(error, to: pace.slot)) }
        turn.resumeAll(.failure(error))
    }
}
