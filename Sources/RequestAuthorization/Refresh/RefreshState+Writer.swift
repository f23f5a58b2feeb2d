// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

// The only writer: it saves the desired content, and tries again until the store holds it.
extension RefreshState {
    /// Requests a write to the store, in place of unsaved content. The news is published after the first attempt.
    mutating func store(_ content: Desired.Content, _ turn: inout Turn, then news: () -> Pending.News? = { nil }) {
        guard isKept else { return }
        var content = content
        if desired?.replacesAnything == true { content = content.replacingAnything }
        let number = nextNumber()
        desired = Desired(content: content, number: number, isWriting: desired?.isWriting ?? false)
        pending = news().map { Pending(news: $0, number: number) }
        turn.perform(.write)
    }

    /// Begins a turn of the writer; returns `nil` if there is nothing to write, or another turn is under way.
    mutating func beginWrite() -> WriterJob? {
        guard let desired, !desired.isWriting, !isClosed else { return nil }
        self.desired?.isWriting = true
        self.desired?.isDue = false
        return WriterJob(
            content: desired.content, number: desired.number,
            ends: access?.leavesIntent == false && !isAnnounced ? access?.intent : nil)
    }

    /// Ends a turn of the writer, and returns whether newer content is to be written at once.
    mutating func endWrite(_ job: WriterJob, _ written: Written, _ turn: inout Turn) -> Bool {
        desired?.isWriting = false
        if case .saved = written, case .save(let held, _) = job.content { storedSession = held.version.session }
        guard let desired else { return false }
        guard desired.number == job.number else { return true }
        switch written {
        case .saved:
            (self.desired, lastStored) = (nil, job.number)
            if job.ends != nil, !isAnnounced { access?.intent = nil }
            tellPending(&turn)
        case .refused(let item):
            (self.desired, lastStored) = (nil, job.number)
            refused(item, &turn)
        case .failed(let error):
            self.desired?.error = StoreFailure(error: error)
            self.desired?.backOff.fail(at: turn.now, policy: Self.writeBackOff, random: turn.random)
            turn.emit(desired.token == nil ? .clearFailed : .saveFailed, error: error)
            tellPending(&turn)
        }
        return false
    }

    /// Repeats a failed write, if it is due.
    mutating func writeIfDue(_ turn: inout Turn) {
        guard let desired, desired.isWaiting, !isClosed, desired.backOff.isOpen(at: turn.now) else { return }
        self.desired?.isDue = true
        turn.perform(.write)
    }

    /// Publishes news after the first attempt to store it, successful or not.
    mutating func tellPending(_ turn: inout Turn) {
        guard let pending else { return }
        self.pending = nil
        let flight = takeSavingFlight()
        switch pending.news {
        case .refreshed(let held): publish(held, of: flight, &turn)
        case .signedIn(let held, let manual): signedIn(held, manual, &turn)
        case .ended(let ending): endSession(ending.error, of: flight, &turn)
        }
    }

    /// Whether the provider must be kept alive until a token is saved.
    var holdsUnsavedToken: Bool { desired?.token != nil && !isClosed }

    // MARK: - Helpers

    /// At most five seconds, because siblings may be waiting for the lock.
    private static let writeBackOff = RefreshPolicy.BackOff(initial: .seconds(1), maximum: .seconds(5))

    /// Handles a write that the store refused: a sibling has signed out, signed in or refreshed, and its change counts.
    ///
    /// - Parameter item: what the store holds; `nil` if the session was removed.
    private mutating func refused(_ item: StoredItem?, _ turn: inout Turn) {
        let former = pending
        pending = nil
        let flight = takeSavingFlight()
        if case .refreshed(let held)? = former?.news {
            // After a sign-out or another sign-in the token belongs to a session that is over. A moved session goes on.
            let isMoved = if case .moved? = item?.content { true } else { false }
            let isLate = item?.token == nil || item?.version.session != held.version.session
            if isLate, !isMoved { discard(held, &turn) } else { turn.emit(.tokenDiscarded) }
        }
        if case .ended(let ending)? = former?.news, item?.token == nil {
            return endSession(ending.error, of: flight, &turn)
        }
        // A sign-out here stays one, even if a sibling signed in before it was written.
        guard let item else {
            return isOver ? releaseWaiters(&turn) : endSession(NotAuthorized(.signedOut), of: flight, &turn)
        }
        note(item)
        if !isOver, isNews(item) {
            turn.emit(.tokenAdopted)
            adopt(item, nil, &turn)
        }
        if let flight { end(flight, outcome(.adopted), &turn) }
        releaseWaiters(&turn)
    }

    /// Whether a refresh has written an intent and its outcome is not known yet.
    private var isAnnounced: Bool {
        guard let flight, flight.id == access?.user else { return false }
        return flight.step != .save
    }

    /// Removes the refresh that waits for the writer: it is over.
    private mutating func takeSavingFlight() -> Flight? {
        defer {
            if flight?.step == .save { flight = nil }
            if stray?.step == .save { stray = nil }
        }
        return flights.first { $0.step == .save }
    }

    /// Gives up exclusive access once its refresh has ended and the store holds what it brought.
    ///
    /// Otherwise a sibling would get the lock and find only the spent token.
    mutating func giveUpAccess(_ turn: inout Turn) {
        guard let access, flight?.id != access.user else { return }
        if let desired, !isAbandoned, desired.token != nil || desired.error == nil { return }
        self.access = nil
        let endsIntent = access.intent != nil && !access.leavesIntent && desired?.token == nil
        turn.perform(.unlock(access.owner, endsIntent: endsIntent))
    }

    /// Whether ``desired`` will never be written.
    var isAbandoned: Bool { isClosed && desired?.isWriting != true }
}

extension RefreshState.Desired.Content {
    fileprivate var replacingAnything: Self {
        switch self {
        case .save(let held, _): .save(held, replacing: .anything)
        case .signOut(let version, let obtainedAt, _):
            .signOut(version, obtainedAt: obtainedAt, replacing: .anything)
        case .clear: .clear
        }
    }
}
