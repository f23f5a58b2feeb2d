// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Synchronization

/// The state of a ``RefreshableTokenAuthorization``, those who wait and those who follow, under one lock.
///
/// While the lock is held, nothing is resumed or started, no user code runs, and no user's object is released. No type
/// here is generic over the token: looking up such types at run time costs as much as the lock itself.
final class ProviderCore: Sendable {
    private let contents: Lock<ProviderContents>
    /// Counts resumptions; see ``willResume()``.
    private let resumptions = Atomic(0)

    init(_ state: RefreshState) { contents = Lock(ProviderContents(state)) }

    /// Begins with a token, before anything else happens.
    func begin(with held: HeldToken, at now: Moment) { contents.withLock { $0.begin(with: held, at: now) } }

    func timer(_ clock: any AuthorizationClock) -> TimerQueue { contents.withLock { $0.timer(clock) } }

    /// The token that a request may use without asking the state.
    func warmToken(at date: Date) -> HeldToken? {
        contents.withLock { contents in
            guard let warm = contents.warm, date < warm.until else { return nil }
            return warm.held
        }
    }

    /// The credential of ``warmToken(at:)``; `nil` if it needs a proof.
    func warmCredential(at date: Date) -> Credential? {
        warmToken(at: date).flatMap { $0.needsProof ? nil : Credential($0) }
    }

    /// Whether the provider is unused, and a new one could go on from the same state.
    func isDispensable(at now: Moment) -> Bool {
        contents.withLock { $0.isUnused && $0.state.isDispensable(at: now) }
    }

    func read<Result>(_ body: (RefreshState) -> Result) -> Result { contents.withLock { body($0.state) } }

    /// Performs a transition, and posts its notices in the order of the lock. Returns its result and the work to do now.
    func change<Result>(
        _ inputs: Turn.Inputs, _ body: (inout RefreshState, inout Turn) -> Result
    ) -> (Result, Aftermath) {
        contents.withLock { $0.change(inputs, body) }
    }

    /// Performs the transition that is due when the timer fires.
    ///
    /// - Parameter wake: the uptime for which the timer was set.
    func timePassed(_ wake: Duration, _ inputs: Turn.Inputs) -> Aftermath {
        contents.withLock { contents in
            contents.timerFired(for: wake)
            return contents.change(inputs) { $0.timePassed(&$1) }.1
        }
    }

    // MARK: Waiting

    /// Enqueues a suspended request if that changes nothing else, which is so for most requests during a refresh.
    ///
    /// - Returns: whether it was enqueued; if not, ``request(within:_:_:_:)`` decides.
    func waitAtOnce(_ ticket: WaiterTicket, _ continuation: WaitingRequest.Continuation) -> Bool {
        guard let date = ticket.date else { return false }
        return contents.withLock { contents in
            guard !Task.isCancelled, contents.state.holdsRequests(at: date) else { return false }
            ticket.note(contents.enqueue(continuation, as: .ordinary))
            return true
        }
    }

    /// Decides how a suspended request goes on, and enqueues it if it has to wait.
    ///
    /// - Returns: the result of the request, if it is known already; and the work to be done now.
    func request(
        within surrounding: [RefreshID], _ inputs: Turn.Inputs, _ ticket: WaiterTicket,
        _ continuation: WaitingRequest.Continuation
    ) -> (Result<HeldToken, any Error>?, Aftermath) {
        contents.withLock { contents in
            // The cancellation handler may have run already.
            if Task.isCancelled { return (.failure(CancellationError()), Aftermath()) }
            let (decision, aftermath) = contents.change(inputs) { $0.request(ticket.need, within: surrounding, &$1) }
            switch decision {
            case .use(let held): return (.success(held), aftermath)
            case .fail(let error): return (.failure(error), aftermath)
            case .wait(let kind):
                ticket.note(contents.enqueue(continuation, as: kind))
                return (nil, aftermath)
            }
        }
    }

    /// Resumes a cancelled request. The refresh goes on.
    func cancel(_ ticket: WaiterTicket) {
        contents.withLock { contents in ticket.place.flatMap { contents.remove($0) } }?
            .resume(throwing: CancellationError())
    }

    /// Waits until a goal is reached. A cancelled task does not wait until all is settled.
    ///
    /// - Parameter begin: called when the wait begins.
    /// - Returns: whether it is reached.
    func wait(_ caller: UUID, for goal: Goal, begin: () -> Void = {}) async -> Bool {
        await withUnsafeContinuation { continuation in
            let isReached = contents.withLock { $0.wait(caller, for: goal, continuation) }
            if let isReached { continuation.resume(returning: isReached) } else { begin() }
        }
    }

    /// Ends a wait.
    func giveUp(_ caller: UUID) { contents.withLock { $0.removeSettler(caller) }?.resume(returning: false) }

    /// Notes that a lock of the store has been released.
    func endUnlock() { for caller in contents.withLock({ $0.endUnlock() }) { caller.resume(returning: true) } }

    /// Tells the thread sanitizer, together with ``didResume()``, that waiters see what was written before.
    ///
    /// The runtime tells it only if the task has been suspended before its continuation is resumed.
    func willResume() { resumptions.wrappingAdd(1, ordering: .releasing) }

    /// Called by each waiter after its continuation has been resumed. Costs one load.
    func didResume() { _ = resumptions.load(ordering: .acquiring) }

    // MARK: Subscriptions

    /// Returns a mailbox for changes that begins with the current token. It closes when the subscription ends.
    func observe() -> Subscription<TokenNotice> { subscribe { $0.feed.observe($1, $0.state) } }

    func listen() -> Subscription<AuthorizationEvent> { subscribe { $0.feed.listen($1) } }

    /// Returns a mailbox for each new status, in the order of the lock. It begins with the current status.
    func follow() -> Subscription<RefreshState.Status> { subscribe { $0.feed.follow($1, $0.state) } }

    /// Receives each event from now on, outside the lock.
    var reporter: (any AuthorizationReporter)? {
        get { contents.withLock { $0.feed.reporter } }
        set {
            let former = contents.withLock { $0.feed.report(to: newValue) }
            withExtendedLifetime(former) {}  // No user's object is released under the lock.
        }
    }

    /// Reports the queued events in the order of the lock, one thread at a time.
    func report() {
        var isNext = false
        while let (events, reporter) = contents.withLock({ $0.feed.takeReport(isNext: isNext) }) {
            for event in events { reporter.note(event) }
            isNext = true
        }
    }

    /// Ends all subscriptions after their pending elements, because the provider is gone.
    func finish() { for end in contents.withLock({ $0.feed.finish() }) { end() } }

    private func subscribe<Element>(
        _ body: (inout ProviderContents, Mailbox<Element>) -> Int?
    ) -> Subscription<Element> {
        let mailbox = Mailbox<Element>()
        guard let number = contents.withLock({ body(&$0, mailbox) }) else {
            mailbox.finish()
            return Subscription(mailbox) {}
        }
        return Subscription(mailbox) { [weak self] in self?.contents.withLock { $0.feed.remove(number) } }
    }
}
