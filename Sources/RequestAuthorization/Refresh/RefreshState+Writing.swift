// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

// What follows a write to the store.
extension RefreshState {
    /// Begins a turn of the writer; `nil` if nothing is due.
    mutating func beginWrite(as id: RefreshID) -> Vault.Job? {
        guard let job = vault.begin() else { return nil }
        writer = id
        return job
    }

    /// Ends a turn of the writer, and returns whether newer content is to be written at once.
    mutating func endWrite(_ job: Vault.Job, _ written: Vault.Written, _ turn: inout Turn) -> Bool {
        writer = nil
        switch vault.end(job, written, at: turn.now, random: turn.random) {
        case .another:
            // After a sign-in the next write is about to replace it unseen.
            if case .refused(let item) = written, vault.unsaved?.content.replacesAnything == true,
                let later = unrevoked(job.content, item)
            {
                discard(later, &turn)
            }
            return true
        case .stored(let news): announce(news, &turn)
        case .refused(let item, let news): refused(job.content, item, news, &turn)
        case .failed(let error, let isToken, let news):
            turn.emit(isToken ? .saveFailed : .clearFailed, error: error)
            announce(news, &turn)
        }
        return false
    }

    /// Repeats a failed write, if it is due.
    mutating func writeIfDue(_ turn: inout Turn) { if vault.wake(at: turn.now) { turn.perform(.write) } }

    /// Announces now what waits for the store. The writer goes on.
    mutating func announceNow(_ turn: inout Turn) { announce(vault.takeNews(), &turn) }

    /// Stops writing to the store at the end of a shutdown. No caller waits any longer, and siblings get exclusive access.
    ///
    /// A sign-out is still stored: otherwise the session would go on at the next start. A sign-in after it is given up.
    mutating func giveUpWriting(_ turn: inout Turn) {
        if !isOver || vault.isSettled || vault.holdsToken { vault.close() }
        // A store that hangs may hold the token later, or never.
        if vault.isWriting { turn.resumeAll(.failure(NotAuthorized(.shutDown))) }
        announceNow(&turn)
        turn.resumeAll(.failure(NotAuthorized(.shutDown)))
    }

    // MARK: - Helpers

    private mutating func announce(_ news: News?, _ turn: inout Turn) {
        guard let news else { return }
        let flight = takeSaved()
        switch news {
        case .refreshed(let held): publish(held, of: flight, isRefreshed: true, &turn)
        case .signedIn(let held, let signIn):
            if signIn.isAwaited { turn.perform(.answer(signIn.id, .success(held))) }
            publish(held, &turn)
        case .ended(let ending): endSession(ending.error, of: flight, &turn)
        }
    }

    /// Handles a write that the store refused: a sibling has signed out, signed in or refreshed, and its change counts.
    ///
    /// - Parameters:
    ///   - content: what was to be stored.
    ///   - item: what the store holds; `nil` if the session was removed.
    private mutating func refused(_ content: Vault.Content, _ item: StoredItem?, _ news: News?, _ turn: inout Turn) {
        // The store holds it as a later generation: a sibling had spent the same token.
        if case .token(let ours, .older) = content, let held = item?.token.flatMap({ ours.renumbered(as: $0) }) {
            return renumber(held, news, &turn)
        }
        if let later = unrevoked(content, item) { return signOut(after: later, &turn) }
        // The session was taken for one that was never stored.
        if case .tombstone(let version, let date, .nothing) = content, version.session == item?.token?.version.session {
            let end = Vault.Content.tombstone(version, obtainedAt: date, replacing: .session(version.session))
            return order(end, announcing: news, &turn)
        }
        if let next = successor(content, of: item) ?? secondToken(content, after: item) {
            return order(vault.successor(next), announcing: news == nil ? nil : .refreshed(next), &turn)
        }
        let flight = takeSaved()
        if case .signedIn(let held, let signIn)? = news { beginSession(held, of: signIn, &turn) }
        if case .refreshed(let held)? = news {
            // After a sign-out or another sign-in the token belongs to a session that is over. A moved session goes on.
            let isMoved = if case .moved? = item?.content { true } else { false }
            let isLate = item?.token == nil || item?.version.session != held.version.session
            if isLate, !isMoved { discard(held, &turn) } else { turn.emit(.tokenDiscarded) }
        }
        if case .ended(let ending)? = news, item?.token == nil { return endSession(ending.error, of: flight, &turn) }
        // A sign-out here stays one, even if a sibling had signed in unseen.
        guard let item else {
            return isOver ? releaseWaiters(&turn) : endSession(NotAuthorized(.signedOut), of: flight, &turn)
        }
        vault.note(item)
        // If the server ended the session, a sibling's sign-in counts, also if the end could not be stored before.
        if !isOver || item.token != nil && !isShutDown && !isSignOut(content, after: item), isNews(item) {
            turn.emit(.tokenAdopted)
            adopt(item, nil, &turn)
        }
        done(flight, .adopted, &turn)
    }

    /// Goes on with a token of this provider under the number that the store has given to it.
    private mutating func renumber(_ held: HeldToken, _ news: News?, _ turn: inout Turn) {
        if case .refreshed? = news { return announce(.refreshed(held), &turn) }
        renumber(as: held)  // It was announced after an earlier try.
    }

    /// The token to save under the next number, if the store has given its own to the token that it replaces. Once
    /// exclusive access is lost, the store gives it no other by itself.
    private mutating func successor(_ content: Vault.Content, of item: StoredItem?) -> HeldToken? {
        guard let former = item?.token, let next = content.token?.renumbered(after: former) else { return nil }
        renumber(as: former)
        renumber(as: next)  // It may have been announced after an earlier try.
        return next
    }

    /// The token to save again, if it was taken for the first of its session, and the one before is stored after all.
    private mutating func secondToken(_ content: Vault.Content, after item: StoredItem?) -> HeldToken? {
        guard case .token(let held, .nothing) = content, let item, item.token != nil,
            item.version.session == held.version.session, item.version.generation < held.version.generation
        else { return nil }
        vault.note(item)
        return held
    }

    /// The token that a sibling has stored since the sign-out revoked the one before it.
    private func unrevoked(_ content: Vault.Content, _ item: StoredItem?) -> HeldToken? {
        guard case .tombstone(let version, _, .older) = content, let later = item?.token,
            later.version.session == version.session, later.version.generation >= version.generation
        else { return nil }
        return later
    }

    /// Revokes a sibling's token, and orders the end of its session again.
    private mutating func signOut(after later: HeldToken, _ turn: inout Turn) {
        discard(later, &turn)
        let version = later.version.next
        let isLast = version == later.version
        let condition: TokenSaveCondition =
            isLast ? .session(version.session) : .older(session: version.session, generation: version.generation)
        order(.tombstone(version, obtainedAt: turn.now.date, replacing: condition), &turn)
    }

    /// Begins the session of a sign-in whose answer was lost: it was stored, and siblings have gone on from there.
    private mutating func beginSession(_ held: HeldToken, of signIn: SignIn, _ turn: inout Turn) {
        if signIn.isAwaited { turn.perform(.answer(signIn.id, .success(held))) }
        line.enter(held.version.session)
        hold(held)
        pace.succeed()
        tell(held, &turn)
    }

    /// Whether the content is the end of a session that was signed out here, after a sibling's sign-in. The next
    /// session has its place already.
    private func isSignOut(_ content: Vault.Content, after item: StoredItem) -> Bool {
        guard case .tombstone(let version, let date, _) = content else { return false }
        return version.session != line.session && item.obtainedAt <= date
    }

    /// Removes the refresh that waits for the writer: it is over.
    private mutating func takeSaved() -> Flight? {
        guard case .saving(let flight) = activity else { return nil }
        activity = .idle
        return flight
    }
}
