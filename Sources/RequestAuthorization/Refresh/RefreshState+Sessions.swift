// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

// How tokens come into use, and how sessions end.
extension RefreshState {
    /// Reports the end of a refresh.
    func end(_ flight: Flight, _ outcome: RefreshOutcome, _ turn: inout Turn) {
        let duration = turn.now.uptime - flight.beganAt
        turn.emit(AuthorizationEvent(.refreshEnded, cause: flight.cause, duration: duration, outcome: outcome))
    }

    /// Ends a refresh without a failure. It may have found in the store that the session is over.
    mutating func done(_ flight: Flight?, _ outcome: RefreshOutcome, _ turn: inout Turn) {
        if let flight { end(flight, isOver ? .sessionEnded : outcome, &turn) }
        releaseWaiters(&turn)
    }

    /// Puts a token that this provider obtained to use, and resumes the waiters with it.
    ///
    /// - Parameters:
    ///   - flight: the refresh that ends with it, if there is one.
    ///   - isRefreshed: whether a refresh has brought it.
    mutating func publish(_ held: HeldToken, of flight: Flight? = nil, isRefreshed: Bool = false, _ turn: inout Turn) {
        line.enter(held.version.session)
        hold(held)
        if isRefreshed { pace.note(held) }
        tell(held, &turn)
        if let flight { end(flight, held.fault == nil ? .refreshed : .failed, &turn) }
        if let fault = held.fault {
            pace.fail(with: fault, at: turn.now, policy: policy.backOff, random: 1)
            return releaseWaiters(failing: pace.error(at: turn.now), &turn)
        }
        if isRefreshed, held.isExpired(at: turn.now.date) {
            let error = TokenExpiredOnArrival(expiresAt: held.expiresAt, arrivedAt: turn.now.date)
            pace.expire(error, at: turn.now, policy: policy, random: turn.random)
            mark(.trusted(until: max(pace.slot, turn.now.uptime + .milliseconds(500))))
            let next = pace.backOff.date(at: turn.now)
            turn.emit(AuthorizationEvent(.tokenExpiredOnArrival, error: error, nextTryAt: next))
        } else {
            pace.succeed()
        }
        // Waiters go on with it even if it has expired by now.
        if !isHolding { turn.resumeAll(.success(held)) }
    }

    /// Adopts the content of the store, and tells the observers. Waiters are not resumed yet.
    mutating func adopt(_ item: StoredItem, _ intent: RefreshIntent?, _ turn: inout Turn) {
        vault.note(item)
        let isNewSession = item.token == nil || item.version.session != line.session
        if isNewSession { abandon(CancellationError(), &turn) }
        line.enter(item.version.session)
        // An adopted token that has expired too does not open the slot: siblings would keep waking one another.
        if isNewSession || item.token?.isExpired(at: turn.now.date) == false { pace.succeed() }
        guard let held = item.token else { return invalidate(item.ending, &turn) }
        let former = line.number
        hold(held)
        if line.number != former { turn.dismissFormer() }
        // The answer to a refresh of this token was lost: replace the token while the server still allows it.
        if intent?.isOf(item.version) == true { mark(.refused()) }
        tell(held, &turn)
    }

    /// Tells observers and listeners of a token in use.
    func tell(_ held: HeldToken, _ turn: inout Turn) {
        turn.tell(.updated(held))
        turn.emit(.tokenInstalled)
        guard let end = held.signInNeededBefore,
            end.timeIntervalSince(turn.now.date) <= policy.signInNotice.seconds,
            held.keepAliveAt == nil || end != held.refreshNeededBefore  // else a refresh is about to move it
        else { return }
        turn.emit(AuthorizationEvent(.signInNeeded, signInNeededBefore: end))
    }

    /// Whether the store holds something newer than this provider.
    func isNews(_ item: StoredItem) -> Bool {
        guard let held = heldVersion, held.session == item.version.session, item.token != nil else { return true }
        return item.version.generation > held.generation
    }

    /// Gives the held token the number under which the store holds it, and returns whether the stored token is that one.
    @discardableResult
    mutating func renumber(as stored: HeldToken?) -> Bool {
        guard case .held(let former, let use) = holding, let held = stored.flatMap({ former.renumbered(as: $0) })
        else { return false }
        // A call that has spent it brings the token after it.
        if case .refresh? = calling?.step { return true }
        holding = .held(held, use)
        return true
    }

    // MARK: Storing

    /// Has content stored in place of what is not stored yet.
    mutating func order(_ content: Vault.Content, announcing news: News? = nil, _ turn: inout Turn) {
        guard vault.isKept else { return }
        drop(vault.order(content, announcing: news), CancellationError(), &turn)
        turn.perform(.write)
    }

    /// Saves the held token again after its damaged item was set aside. If a sibling was quicker, its token stays.
    mutating func saveAgain(_ turn: inout Turn) {
        if let held, vault.unsaved == nil { order(vault.successor(held), &turn) }
    }

    // MARK: Ends

    /// Ends the session, and tells the observers and the waiters. Any other refresh of the session is abandoned.
    ///
    /// - Parameter ended: the refresh that discovered the end, if there is one.
    mutating func endSession(_ error: NotAuthorized, of ended: Flight? = nil, _ turn: inout Turn) {
        invalidate(error, &turn)
        if let ended { end(ended, .sessionEnded, &turn) }
        abandon(error, &turn)
        releaseWaiters(&turn)
    }

    private mutating func invalidate(_ error: NotAuthorized, _ turn: inout Turn) {
        if held != nil { turn.emit(.sessionEnded, error: error) }
        holding = .ended(Ending(error: error, mayBeFetched: held?.isFetched ?? (vault.kind == .none)))
        turn.tell(.invalidated(error))
    }

    /// Abandons what a session that is over has under way. Tokens that it brings, or has brought, are discarded.
    mutating func abandon(_ error: any Error, _ turn: inout Turn) {
        if let flight { end(flight, .superseded, &turn) }
        if let calling { leftovers.expect(calling.id, until: calling.beganAt + policy.deadline * 2) }
        activity = .idle
        pace.calm()
        drop(vault.takeNews(), error, &turn)
    }

    /// Drops news that were not announced.
    private mutating func drop(_ news: News?, _ error: any Error, _ turn: inout Turn) {
        switch news {
        case .refreshed(let held): discard(held, &turn)
        case .signedIn(let held, let signIn):
            discard(held, &turn)
            if signIn.isAwaited { turn.perform(.answer(signIn.id, .failure(error))) }
        case .ended, nil: break
        }
    }

    /// Asks the service to revoke a token of a session that is over.
    mutating func discard(_ held: HeldToken, _ turn: inout Turn) {
        leftovers.beginRevocation()
        turn.perform(.discard(held))
        turn.emit(.tokenDiscarded)
    }
}
