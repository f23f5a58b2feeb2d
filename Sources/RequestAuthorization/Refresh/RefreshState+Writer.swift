// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

// The one writer: it brings the desired content to the store, and tries until it is there.
extension RefreshState {
    /// Wants something in the store, in place of whatever was on its way there.
    ///
    /// - Parameter news: what is told after the first try to store it; nothing by default.
    mutating func store(_ content: Desired.Content, _ turn: inout Turn, then news: () -> Pending.News? = { nil }) {
        guard isKept else { return }
        var content = content
        if desired?.replacesAnything == true { content = content.replacingAnything }
        let number = nextNumber()
        desired = Desired(content: content, number: number, isWriting: desired?.isWriting ?? false)
        pending = news().map { Pending(news: $0, number: number) }
        turn.perform(.write)
    }

    /// The writer begins a turn.
    ///
    /// - Returns: `nil` if there is nothing to write, or another turn is under way.
    mutating func beginWrite() -> WriterJob? {
        guard let desired, !desired.isWriting, !isClosed else { return nil }
        self.desired?.isWriting = true
        self.desired?.isDue = false
        return WriterJob(
            content: desired.content, number: desired.number,
            ends: access?.leavesIntent == false && !isAnnounced ? access?.intent : nil)
    }

    /// A turn of the writer has ended.
    ///
    /// - Returns: whether there is something newer to write at once.
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
            turn.emit(desired.token == nil ? .clearFailed(error) : .saveFailed(error))
            tellPending(&turn)
        }
        return false
    }

    /// Tries again to store what could not be stored, if it is time.
    mutating func writeIfDue(_ turn: inout Turn) {
        guard let desired, desired.isWaiting, !isClosed, desired.backOff.isOpen(at: turn.now) else { return }
        self.desired?.isDue = true
        turn.perform(.write)
    }

    /// The first try to store it has ended, well or badly: it is told now.
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

    /// Whether the provider must not go before the store holds this.
    var holdsUnsavedToken: Bool { desired?.token != nil && !isClosed }

    // MARK: - Helpers

    /// Five seconds at most: siblings may be waiting for it.
    private static let writeBackOff = RefreshPolicy.BackOff(initial: .seconds(1), maximum: .seconds(5))

    /// A sibling has signed out, signed in or refreshed: what it left counts.
    ///
    /// - Parameter item: what it left; `nil` if it has removed the session.
    private mutating func refused(_ item: StoredItem?, _ turn: inout Turn) {
        let former = pending
        pending = nil
        let flight = takeSavingFlight()
        if case .refreshed(let held)? = former?.news {
            // Signed out, or in as somebody else: then the token belongs to a session that is over. One that was moved goes on.
            let isMoved = if case .moved? = item?.content { true } else { false }
            let isOver = item?.token == nil || item?.version.session != held.version.session
            if isOver, !isMoved { discard(held, &turn) } else { turn.emit(.tokenDiscarded) }
        }
        if case .ended(let ending)? = former?.news, item?.token == nil {
            return endSession(ending.error, of: flight, &turn)
        }
        // A sign-out stays one, whoever has signed in before it was written.
        let isOver = if case .ended = credential { true } else { false }
        guard let item else {
            if !isOver { return endSession(NotAuthorized(.signedOut), of: flight, &turn) }
            return releaseWaiters(&turn)
        }
        note(item)
        if !isOver, isNews(item) {
            turn.emit(.tokenAdopted)
            adopt(item, nil, &turn)
        }
        if let flight { end(flight, outcome(.adopted), &turn) }
        releaseWaiters(&turn)
    }

    /// Whether a flight has left an intent whose outcome is not known yet.
    private var isAnnounced: Bool {
        guard let flight, flight.id == access?.user else { return false }
        return flight.step != .save
    }

    /// The flight that waits for the writer: it is over.
    private mutating func takeSavingFlight() -> Flight? {
        defer {
            if flight?.step == .save { flight = nil }
            if stray?.step == .save { stray = nil }
        }
        return flights.first { $0.step == .save }
    }

    /// Exclusive access ends with its flight, or once the store holds what the flight brought.
    ///
    /// A sibling that got it earlier would find the spent token alone.
    mutating func giveUpAccess(_ turn: inout Turn) {
        guard let access, flight?.id != access.user else { return }
        if let desired, !isAbandoned, desired.token != nil || desired.error == nil { return }
        self.access = nil
        let endsIntent = access.intent != nil && !access.leavesIntent && desired?.token == nil
        turn.perform(.unlock(access.owner, endsIntent: endsIntent))
    }

    /// Whether ``desired`` is never written any more.
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
