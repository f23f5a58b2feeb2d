// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

// How the program, its users and siblings begin and end sessions.
extension RefreshState {
    /// Begins a session at once with a token from the program.
    mutating func setToken(_ held: HeldToken, _ turn: inout Turn) {
        leaveSession(CancellationError(), &turn)
        order(.token(held, replacing: .anything), &turn)
        publish(held, &turn)
    }

    /// Signs out. Waiters fail, and all refreshes under way are dropped.
    ///
    /// - Parameters:
    ///   - revoked: the token that was revoked before, if there was one.
    ///   - condition: what the store must hold if it has not been read yet, or a token was revoked.
    ///   - isSparing: whether the sign-in that is under way goes on.
    mutating func reset(
        newSession: UUID, of revoked: TokenVersion? = nil, replacing condition: TokenSaveCondition = .anything,
        sparesSignIn isSparing: Bool = false, _ turn: inout Turn
    ) {
        let content = signOutContent(of: revoked, replacing: condition, at: turn.now)
        if vault.kind == .readOnly { leaveStored(revoked, &turn) }
        let error = NotAuthorized(.signedOut)
        leaveSession(error, sparesSignIn: isSparing, &turn)
        // A sign-out is stored even after a shutdown, so that it counts at the next start.
        vault.reopen()
        order(content, &turn)
        line.enter(newSession)
        // Observers already know of a session that has ended.
        if isOver { releaseWaiters(&turn) } else { endSession(error, &turn) }
    }

    /// Signs out after a token was revoked, and returns whether that is done: not if a sign-in or a refresh has replaced
    /// the token.
    ///
    /// - Parameter former: the sign-ins that were under way when the sign-out began. A later one goes on.
    mutating func reset(
        after revoked: TokenVersion?, former: [RefreshID] = [], newSession: UUID, _ turn: inout Turn
    ) -> Bool {
        if let held = heldVersion {
            guard let revoked, held.session == revoked.session, held.generation <= revoked.generation else {
                return false
            }
        }
        // About to be stored, a later one replaces what is held.
        if let stored = vault.signIn, !former.contains(stored.id) { return true }
        let isSparing = signIn.map { !former.contains($0.id) } ?? false
        // If a sibling has signed in meanwhile, its session stays. If it has refreshed, its token is to be revoked first.
        let condition =
            revoked.map { TokenSaveCondition.older(session: $0.session, generation: $0.next.generation) } ?? .nothing
        reset(newSession: newSession, of: revoked, replacing: condition, sparesSignIn: isSparing, &turn)
        return true
    }

    /// The sign-ins that are under way, or about to be stored.
    var signIns: [RefreshID] { [signIn?.id, vault.signIn?.id].compactMap { $0 } }

    private func signOutContent(
        of revoked: TokenVersion?, replacing unread: TokenSaveCondition, at now: Moment
    ) -> Vault.Content {
        if case .tombstone(let version, _, let condition)? = vault.unsaved?.content {
            return .tombstone(version, obtainedAt: now.date, replacing: condition)
        }
        if case .unknown = holding {
            return vault.end(of: revoked?.session ?? line.session, after: revoked, at: now.date, replacing: unread)
        }
        let isRevoked = revoked?.session == line.session
        let condition = vault.condition(of: line.session, isRevoked ? unread : .session(line.session))
        return vault.end(of: line.session, after: isRevoked ? revoked : heldVersion, at: now.date, replacing: condition)
    }

    /// Remembers which session a read-only store must not bring back. If none is known, the store is read and watched.
    private mutating func leaveStored(_ revoked: TokenVersion?, _ turn: inout Turn) {
        let unread: UUID? = if case .unknown = holding { revoked?.session } else { nil }
        vault.leave(vault.session ?? unread, at: turn.now.date)
        if vault.session == nil { turn.perform(.look) }
    }

    private mutating func leaveSession(_ error: any Error, sparesSignIn isSparing: Bool = false, _ turn: inout Turn) {
        pace.succeed()
        abandon(error, &turn)
        if !isSparing { cancelSignIn(error, &turn) }
    }

    // MARK: - By hand

    /// Begins a manual refresh or a sign-in. Requests wait for it. It cancels the one under way.
    ///
    /// - Parameter isAwaited: whether a caller awaits the outcome; if not, a failure is an event.
    /// - Returns: why it cannot begin: the server has named a later time, or the provider is shut down; else `nil`.
    mutating func beginSignIn(_ id: RefreshID, isAwaited: Bool, _ turn: inout Turn) -> (any Error)? {
        let shutDown = isShutDown ? NotAuthorized(.shutDown) : nil
        var pace = pace
        pace.lift()  // Only a time that the server has named counts.
        if let refusal = shutDown ?? pace.refusal(at: turn.now) {
            if !isAwaited { turn.emit(.manualRefreshFailed(refusal, nextTryAt: pace.backOff.date(at: turn.now))) }
            return refusal
        }
        cancelSignIn(CancellationError(), &turn)
        signIn = SignIn(id: id, beganAt: turn.now.uptime, isAwaited: isAwaited)
        return nil
    }

    /// Installs the token of a sign-in. It begins a session of its own once it is stored.
    mutating func signedIn(_ id: RefreshID, _ held: HeldToken, _ turn: inout Turn) {
        guard let signIn, signIn.id == id else { return discard(held, &turn) }
        if let fault = held.fault {
            discard(held, &turn)
            return failSignIn(id, fault, &turn)
        }
        self.signIn = nil
        abandon(CancellationError(), &turn)
        if vault.isKept {
            return order(.token(held, replacing: .anything), announcing: .signedIn(held, signIn), &turn)
        }
        if signIn.isAwaited { turn.perform(.answer(id, .success(held))) }
        publish(held, &turn)
    }

    /// Ends a sign-in without a token. The held token stays, and waiters go on with it.
    mutating func failSignIn(_ id: RefreshID, _ error: any Error, _ turn: inout Turn) {
        guard let signIn, signIn.id == id else { return }
        self.signIn = nil
        if signIn.isAwaited {
            turn.perform(.answer(id, .failure(error)))
        } else {
            turn.emit(.manualRefreshFailed(error))
        }
        releaseWaiters(&turn)
    }

    /// Cancels a sign-in whose caller was cancelled. If it has a token already, nothing happens.
    mutating func cancelSignIn(_ id: RefreshID, _ turn: inout Turn) {
        guard signIn?.id == id else { return }
        failSignIn(id, CancellationError(), &turn)
        turn.perform(.cancel(id))
    }

    /// Cancels the sign-in that is under way, and fails the caller that awaits it.
    private mutating func cancelSignIn(_ error: any Error, _ turn: inout Turn) {
        guard let signIn else { return }
        self.signIn = nil
        turn.perform(.cancel(signIn.id))
        if signIn.isAwaited { turn.perform(.answer(signIn.id, .failure(error))) }
    }

    mutating func shutDown(_ turn: inout Turn) {
        life = .shutDown
        cancelSignIn(NotAuthorized(.shutDown), &turn)
        releaseWaiters(&turn)
    }

    // MARK: - Siblings

    /// Handles a change that a sibling made to the store.
    mutating func noticed(_ item: StoredItem?, _ intent: RefreshIntent?, _ absence: TokenAbsence, _ turn: inout Turn) {
        if vault.unsaved != nil, let item { vault.note(item) }
        guard vault.unsaved == nil, !vault.isClosed, !(isShutDown && isOver) else { return }
        if vault.hasLeft(item, absence, at: turn.now.date) { return }
        switch holding {
        case .unknown: return
        // Without a held token only a sign-in of a sibling matters.
        case .absent, .ended: guard item?.token != nil else { return }
        case .held: break
        }
        guard let item else {
            if absence == .setAside { return saveAgain(&turn) }
            guard vault.isEnd(of: line.session, absence) else { return }
            abandon(NotAuthorized(.signedOut), &turn)
            pace.succeed()
            return endSession(NotAuthorized(.signedOut), &turn)
        }
        vault.note(item)
        guard isNews(item), !renumber(as: item.token) else { return }
        turn.emit(.tokenAdopted)
        adopt(item, intent, &turn)
        releaseWaiters(&turn)
    }
}
