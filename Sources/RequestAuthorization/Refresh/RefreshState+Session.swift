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
        let content = signOut(at: now)
        let error = NotAuthorized(.signedOut)
        let over = leaveSession(error: error) + store(content)
        session = newSession
        // Of a session that has ended the observers know.
        if case .ended = credential { return over + releaseWaiters(at: now) }
        return over + end(error, at: now)
    }

    /// Signs out after a token has been revoked, unless somebody has signed in, or refreshed, since.
    ///
    /// - Returns: whether it did.
    mutating func reset(after revoked: TokenVersion?, newSession: UUID, at now: Moment) -> (Bool, [Action]) {
        if let held = heldVersion {
            guard let revoked, held.session == revoked.session, held.generation <= revoked.generation else {
                return (false, [])
            }
        }
        return (true, reset(newSession: newSession, at: now))
    }

    /// What takes the place of the session in the store.
    private func signOut(at now: Moment) -> Content {
        guard storage == .shared else { return .clear }
        let isSaving = manuals.contains { $0.pending != nil }
        if !isSaving, case .save(let stored, let condition) = unsaved?.content, case .signedOut = stored.content {
            // That has not happened yet.
            return .save(stored, replacing: condition)
        }
        let wasKnown = if case .unknown = credential { false } else { true }
        let version = TokenVersion(session: session, generation: heldVersion.map { $0.generation + 1 } ?? 0)
        let tombstone = StoredToken<Token>(.signedOut, version: version, obtainedAt: now.date)
        return .save(tombstone, replacing: wasKnown && !isSaving ? .session(session) : .anything)
    }

    /// The server ended the session.
    mutating func endSession(_ error: NotAuthorized, setAside: Bool, at now: Moment) -> [Action] {
        guard case .held(let held) = credential else { return releaseWaiters(at: now) }
        let over = leaveFlight()
        forgetFailures()
        let version = TokenVersion(session: held.version.session, generation: held.version.generation + 1)
        let marker = StoredToken(
            setAside ? .setAside(held.token) : .signedOut, version: version, obtainedAt: held.obtainedAt)
        let keeps = setAside || storage == .shared
        return over + store(keeps ? .save(marker, replacing: .session(session)) : .clear) + end(error, at: now)
    }

    /// The store holds something new that a sibling left there.
    mutating func noticed(_ stored: StoredToken<Token>?, _ intent: RefreshIntent?, at now: Moment, random: Double)
        -> [Action]
    {
        guard unsaved == nil else { return [] }
        switch credential {
        case .unknown: return []
        case .absent, .ended:
            // Somebody signed in. That there is nothing, or a sign-out, is no news to who holds nothing.
            guard stored?.token != nil else { return [] }
        case .held: break
        }
        guard let stored else {
            let over = leaveFlight()
            forgetFailures()
            return over + end(NotAuthorized(.signedOut), at: now)
        }
        // What a flight has just saved is not a sibling's.
        guard isNews(stored), !flights.contains(where: { $0.cargo?.version == stored.version }) else { return [] }
        return [.emit(.tokenAdopted)] + adopt(stored, intent, at: now, random: random)
            + releaseWaiters(at: now)
    }

    // MARK: - What sessions and flights share

    /// Takes over what a store holds, and tells the observers. Nobody who waits is released yet.
    mutating func adopt(
        _ stored: StoredToken<Token>, _ intent: RefreshIntent?, at now: Moment, random: Double
    ) -> [Action] {
        let over = stored.token == nil || stored.version.session != session ? leaveFlight() : []
        session = stored.version.session
        forgetFailures()
        switch stored.content {
        case .token(let token):
            var held = HeldToken(
                token, version: stored.version, obtainedAt: stored.obtainedAt, policy: policy, random: random)
            if let intent, intent.session == session, intent.generation == stored.version.generation {
                // The answer to a refresh of this token was lost: replace it while that still works.
                held.isRefused = true
            }
            credential = .held(held)
            return over + news(of: held, at: now)
        case .signedOut: return over + invalidate(NotAuthorized(.signedOut))
        case .setAside: return over + invalidate(NotAuthorized(.rejected))
        }
    }

    /// Whether a sibling has left something newer than what is held.
    func isNews(_ stored: StoredToken<Token>) -> Bool {
        // What a manual refresh has just saved, and what has become of it there, waits until that is told.
        if manuals.contains(where: { $0.pending?.version.session == stored.version.session }) { return false }
        guard let held = heldVersion, held.session == stored.version.session, stored.token != nil else { return true }
        return stored.version.generation > held.generation
    }

    /// What a look at the store is compared with.
    var basis: Basis { Basis(session: session, held: heldVersion) }

    /// Whether the store is to hold what is decided here.
    var isKept: Bool { storage == .plain || storage == .shared }

    var heldVersion: TokenVersion? {
        if case .held(let held) = credential { held.version } else { nil }
    }

    /// A token of our own is in use from now on: those who wait go on with it.
    mutating func publish(_ held: HeldToken<Token>, at now: Moment) -> [Action] {
        credential = .held(held)
        forgetFailures()
        let news = news(of: held, at: now)
        guard let fault = held.fault else {
            if isHolding { return news }
            // Who waited goes on with it, also if it has expired by now: nobody waits twice.
            return news + resumeAll(.success(held))
        }
        failure = RefreshFailure(fault)
        backOff.fail(at: now, policy: policy.backOff, random: 1)
        return news + releaseWaiters(at: now)
    }

    /// What observers and listeners hear of a token in use.
    private func news(of held: HeldToken<Token>, at now: Moment) -> [Action] {
        let news: [Action] = [.announce(.tokenUpdated(held.token)), .emit(.tokenInstalled)]
        guard let end = held.token.signInNeededBefore,
            end.timeIntervalSince(now.date) <= policy.signInNotice.seconds
        else { return news }
        return news + [.emit(.signInNeeded(before: end))]
    }

    /// The session is over, and everybody is told.
    mutating func end(_ error: NotAuthorized, at now: Moment) -> [Action] {
        invalidate(error) + releaseWaiters(at: now)
    }

    private mutating func invalidate(_ error: NotAuthorized) -> [Action] {
        credential = .ended(Ending(error: error))
        return [.announce(.tokenInvalidated(error))]
    }

    /// What is under way belongs to a session that is over: what it brings, or has brought, is dropped.
    mutating func leaveFlight() -> [Action] {
        let ended: [Action] = flight == nil ? [] : [.emit(.refreshEnded)]
        defer { (flight, strays) = (nil, []) }
        return ended
            + flights.flatMap { flight -> [Action] in
                guard let held = flight.cargo else { return [] }
                // If the flight has been overtaken, that may have been by its own token, from the store.
                return flight.basis == heldVersion ? late(held.token) : [.emit(.tokenDiscarded)]
            }
    }

    /// All flights of this session that may still bring a token.
    var flights: [Flight] { (flight.map { [$0] } ?? []) + strays }

    /// A token of a session that is over.
    func late(_ token: Token) -> [Action] { [.discard(token), .emit(.tokenDiscarded)] }

    private mutating func forgetFailures() {
        failure = nil
        backOff = BackOff()
        rejections = 0
    }

    private mutating func leaveSession(error: any Error) -> [Action] {
        forgetFailures()
        storm = []
        defer { manuals = [] }
        return leaveFlight() + leave(manuals, error: error)
    }
}

// MARK: - Writing

extension RefreshState {
    /// Wants something in the store, in place of whatever was on its way there.
    mutating func store(_ content: Content) -> [Action] {
        guard isKept else { return [] }
        return replaceUnsaved(by: content, keepsLock: false) + [.write]
    }

    /// What was on its way to the store is out of date.
    mutating func replaceUnsaved(by content: Content, keepsLock: Bool) -> [Action] {
        let old = unsaved
        var content = content
        if case .save(let stored, _) = content, old?.content.replacesAnything == true {
            // The old has not been saved, so what stands in the store is of another session still.
            content = .save(stored, replacing: .anything)
        }
        flightCount += 1
        unsaved = Unsaved(
            content: content, number: flightCount, isWriting: old?.isWriting ?? false, keepsLock: keepsLock)
        return old?.keepsLock == true && !keepsLock ? [.unlock] : []
    }

    /// The store holds this token now; nothing older may follow.
    mutating func wasSaved(_ stored: StoredToken<Token>, replacing condition: TokenSaveCondition) -> [Action] {
        // What is being written at this moment may land after it, so it is written once more.
        if unsaved?.isWriting == true {
            return replaceUnsaved(by: .save(stored, replacing: condition), keepsLock: false)
        }
        return dropUnsaved()
    }

    /// What was to be saved is out of date; what is being written at this moment stays until that has ended.
    mutating func dropUnsaved() -> [Action] {
        guard let old = unsaved, !old.isWriting else { return [] }
        unsaved = nil
        return old.keepsLock ? [.unlock] : []
    }

    /// Something was saved, perhaps after what others are saving at this moment: that is to be saved once more.
    mutating func contest() {
        if case .save = flight?.step { flight?.isContested = true }
        for index in strays.indices { strays[index].isContested = true }
        for index in manuals.indices where manuals[index].pending != nil { manuals[index].isContested = true }
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
        contest()
        guard let written = unsaved else { return (false, []) }
        guard written.number == number else { return (true, []) }
        switch result {
        case .success(let conflict):
            unsaved = nil
            let release: [Action] = written.keepsLock ? [.unlock] : []
            // Who has just signed out stays so, whoever has signed in before that was written.
            guard let stored = conflict?.stored, case .held = credential else { return (false, release) }
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
