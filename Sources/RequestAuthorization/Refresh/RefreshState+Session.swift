// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// Sessions: how one begins and ends, by hand, by the server or by a sibling.
extension RefreshState {
    /// A token from elsewhere begins a session at once.
    mutating func setToken(_ held: HeldToken<Token>, at now: Moment) -> [Action] {
        let over = leaveSession(error: CancellationError())
        session = held.version.session
        return over + store(.save(held.stored, replacing: .anything)) + publish(held, at: now)
    }

    /// Signs out: everybody who waits is told, and what is under way does not count any more.
    mutating func reset(newSession: UUID, at now: Moment) -> [Action] {
        let left = session
        let wasKnown = if case .unknown = credential { false } else { true }
        let generation = if case .held(let held) = credential { held.version.generation + 1 } else { 0 }
        let error = NotAuthorized(.signedOut)
        let over = leaveSession(error: error)
        session = newSession
        credential = .ended(Ending(error: error))
        let tombstone = StoredToken<Token>(
            .signedOut, version: TokenVersion(session: left, generation: generation), obtainedAt: now.date)
        let content: Content =
            storage == .shared ? .save(tombstone, replacing: wasKnown ? .session(left) : .anything) : .clear
        return over + store(content) + end(error, at: now)
    }

    /// The server ended the session.
    mutating func endSession(_ error: NotAuthorized, setAside: Bool, at now: Moment) -> [Action] {
        guard case .held(let held) = credential else { return releaseWaiters(at: now) }
        credential = .ended(Ending(error: error))
        forgetFailures()
        let version = TokenVersion(session: held.version.session, generation: held.version.generation + 1)
        let marker = StoredToken(
            setAside ? .setAside(held.token) : .signedOut, version: version, obtainedAt: held.obtainedAt)
        let keeps = setAside || storage == .shared
        return store(keeps ? .save(marker, replacing: .session(session)) : .clear) + end(error, at: now)
    }

    /// The store holds something new that a sibling left there.
    mutating func noticed(_ stored: StoredToken<Token>?, _ intent: RefreshIntent?, at now: Moment, random: Double)
        -> [Action]
    {
        guard unsaved == nil, manuals.isEmpty, case .held(let held) = credential else { return [] }
        guard let stored else {
            leaveFlight()
            let error = NotAuthorized(.signedOut)
            credential = .ended(Ending(error: error))
            return end(error, at: now)
        }
        guard isNews(stored, since: held.version) else { return [] }
        leaveFlight()
        adopt(stored, intent, random: random)
        guard case .held(let adopted) = credential else { return end(NotAuthorized(.signedOut), at: now) }
        return [.emit(.tokenAdopted)] + publish(adopted, at: now)
    }

    // MARK: - What sessions and flights share

    /// Takes over what a store holds. Nobody is told yet.
    mutating func adopt(_ stored: StoredToken<Token>?, _ intent: RefreshIntent?, random: Double) {
        guard let stored else { return }
        session = stored.version.session
        switch stored.content {
        case .token(let token):
            var held = HeldToken(
                token, version: stored.version, obtainedAt: stored.obtainedAt, policy: policy, random: random)
            if let intent, intent.session == session, intent.generation == stored.version.generation {
                // The answer to a refresh of this token was lost: replace it while that still works.
                held.isRefused = true
            }
            credential = .held(held)
        case .signedOut: credential = .ended(Ending(error: NotAuthorized(.signedOut)))
        case .setAside: credential = .ended(Ending(error: NotAuthorized(.rejected)))
        }
    }

    /// Whether a store holds something that is newer than what is held.
    func isNews(_ stored: StoredToken<Token>, since version: TokenVersion?) -> Bool {
        guard let version, version.session == stored.version.session, stored.token != nil else { return true }
        return stored.version.generation > version.generation
    }

    /// A token is in use from now on: those who wait go on with it.
    mutating func publish(_ held: HeldToken<Token>, at now: Moment) -> [Action] {
        credential = .held(held)
        forgetFailures()
        let news: [Action] = [.announce(.tokenUpdated(held.token)), .emit(.tokenRefreshed)]
        guard let fault = held.fault else {
            if isHolding { return news }
            // Who waited goes on with it, also if it has expired by now: nobody waits twice.
            return news + resumeAll(.success(held))
        }
        failure = RefreshFailure(fault)
        backOff.fail(at: now, policy: policy.backOff, random: 1)
        return news + releaseWaiters(at: now)
    }

    /// Tells everybody that the session is over. ``credential`` says so already.
    mutating func end(_ error: NotAuthorized, at now: Moment) -> [Action] {
        [.announce(.tokenInvalidated(error))] + releaseWaiters(at: now)
    }

    /// The flight that is under way belongs to a session that is over: its result will be dropped.
    mutating func leaveFlight() {
        flight = nil
        strays = []
    }

    private mutating func forgetFailures() {
        failure = nil
        backOff = BackOff()
        rejections = 0
    }

    private mutating func leaveSession(error: any Error) -> [Action] {
        leaveFlight()
        forgetFailures()
        storm = []
        defer { manuals = [] }
        return manuals.flatMap { manual -> [Action] in
            [.cancel(manual.id)] + (manual.waiter.map { [.resume([$0], .failure(error))] } ?? [])
        }
    }
}

// MARK: - Writing

extension RefreshState {
    /// Wants something in the store, in place of whatever was on its way there.
    mutating func store(_ content: Content) -> [Action] {
        guard storage != .none else { return [] }
        return replaceUnsaved(by: content, keepsLock: false) + [.write]
    }

    /// What was on its way to the store is out of date.
    mutating func replaceUnsaved(by content: Content, keepsLock: Bool) -> [Action] {
        let old = unsaved
        flightCount += 1
        unsaved = Unsaved(
            content: content, number: flightCount, isWriting: old?.isWriting ?? false, keepsLock: keepsLock)
        return old?.keepsLock == true && !keepsLock ? [.unlock] : []
    }

    /// The store holds this token now; nothing older may follow.
    mutating func wasSaved(_ stored: StoredToken<Token>) -> [Action] {
        guard let old = unsaved else { return [] }
        // What is being written at this moment may land after it, so it is written once more.
        if old.isWriting { return replaceUnsaved(by: .save(stored, replacing: .anything), keepsLock: false) }
        unsaved = nil
        return old.keepsLock ? [.unlock] : []
    }

    /// The store could not be reached: a slot is set for the next try.
    mutating func couldNotSave(
        _ stored: StoredToken<Token>, replacing condition: TokenSaveCondition, keepsLock: Bool, error: any Error,
        at now: Moment, random: Double
    ) -> [Action] {
        let release = replaceUnsaved(by: .save(stored, replacing: condition), keepsLock: keepsLock)
        let policy = policy.backOff
        unsaved?.backOff.fail(at: now, policy: policy, random: random)
        return release + [.emit(.saveFailed(error))]
    }

    /// Tries again to save what could not be saved, if a slot for that has come.
    mutating func writeIfDue(at now: Moment) -> [Action] {
        guard let unsaved, !unsaved.isWriting, now.uptime >= unsaved.backOff.slot.uptime else { return [] }
        return [.write]
    }

    /// Somebody is about to bring ``unsaved`` to the store.
    ///
    /// - Returns: `nil` if somebody else already is.
    mutating func beginWrite() -> Unsaved? {
        guard let unsaved, !unsaved.isWriting else { return nil }
        self.unsaved?.isWriting = true
        return unsaved
    }

    /// A write has ended.
    ///
    /// - Returns: whether there is something newer to write at once.
    mutating func endWrite(
        _ number: Int, _ result: Result<TokenSaveConflict<Token>?, any Error>, at now: Moment, random: Double
    ) -> (again: Bool, [Action]) {
        unsaved?.isWriting = false
        guard let written = unsaved else { return (false, []) }
        guard written.number == number else { return (true, []) }
        switch result {
        case .success(let conflict):
            unsaved = nil
            let release: [Action] = written.keepsLock ? [.unlock] : []
            guard let stored = conflict?.stored else { return (false, release) }
            return (false, release + noticed(stored, nil, at: now, random: random))
        case .failure(let error):
            let policy = policy.backOff
            unsaved?.backOff.fail(at: now, policy: policy, random: random)
            if case .save(let stored, _) = written.content, stored.token != nil {
                return (false, [.emit(.saveFailed(error))])
            }
            return (false, [.emit(.clearFailed(error))])
        }
    }
}
