// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The one truth of a ``RefreshableTokenAuthorization``: its state, who waits and who observes it, under one lock.
///
/// Nothing is resumed, started or called while the lock is held, and no token of a user is let go of there. Nothing here is
/// generic over the token: to ask the runtime for such types costs as much as the lock itself.
final class ProviderCore: Sendable {
    typealias Continuation = UnsafeContinuation<HeldToken, any Error>

    /// A request that is held.
    struct Waiter {
        let continuation: Continuation
        /// What binds it to the session in which it was queued; see ``SessionLine``.
        var line: Int?
    }

    /// The task of a refresh, from when it is certain that there will be one.
    fileprivate enum RefreshTask {
        case starting
        case running(Task<Void, Never>)
        case cancelled
    }

    fileprivate struct Contents {
        var state: RefreshState
        /// What a request needs as long as nothing is to be decided.
        var warm: (held: HeldToken, until: Date)?
        var ordinary = WaiterQueue<Waiter>()
        var lasting = WaiterQueue<Waiter>()
        /// How many of those that wait no session binds.
        var unbound = 0
        var manual: [RefreshID: Continuation] = [:]
        var observers: [Int: Mailbox<TokenNotice>] = [:]
        var listeners: [Int: Mailbox<AuthorizationEvent>] = [:]
        var followers: [Int: Mailbox<RefreshState.Status>] = [:]
        /// Hears of each event with nothing locked. The provider is no less idle for it.
        var reporter: (any AuthorizationReporter)?
        /// What the followers have been told last.
        var status: RefreshState.Status?
        var tasks: [RefreshID: RefreshTask] = [:]
        var subscriptions = 0
        /// When the timer fires for the state, as uptime.
        var wake: Duration?
        /// The provider itself, until the store holds what it must not lose.
        var owner: AnyObject?
        /// The provider is gone: nothing will change any more.
        var isFinished = false
    }

    private let contents: Lock<Contents>

    init(_ state: RefreshState, at now: Moment) {
        contents = Lock(Contents(state: state, warm: state.warm(at: now)))
    }

    /// What requests may use without asking.
    func warmToken(at date: Date) -> HeldToken? {
        contents.withLock { contents in
            guard let warm = contents.warm, date < warm.until else { return nil }
            return warm.held
        }
    }

    /// The header value of ``warmToken(at:)``, unless a proof belongs to it.
    func warmHeader(at date: Date) -> String? {
        contents.withLock { contents in
            guard let warm = contents.warm, date < warm.until else { return nil }
            return warm.held.wholeCredential
        }
    }

    /// What proves requests with this credential, if it is the one that is held.
    func proof(of header: String?) -> (any RequestProof)? {
        contents.withLock { contents in
            guard case .held(let held) = contents.state.credential, held.header == header else { return nil }
            return held.proof
        }
    }

    /// Whether nobody waits, nobody observes, nothing is under way, and a provider that is made anew goes on from here.
    func isDispensable(at now: Moment) -> Bool {
        contents.withLock { $0.isUnused && $0.state.isDispensable(at: now) }
    }

    func read<Result>(_ body: (RefreshState) -> Result) -> Result { contents.withLock { body($0.state) } }

    /// Moves the state on, and tells those who observe it in the order of the lock.
    ///
    /// - Returns: what the transition returned, and what is to be done now.
    func change<Result>(
        _ inputs: Turn.Inputs, _ body: (inout RefreshState, inout Turn) -> Result
    ) -> (Result, Aftermath) {
        contents.withLock { $0.change(inputs, body) }
    }

    /// The timer has fired.
    func timePassed(_ inputs: Turn.Inputs) -> Aftermath {
        contents.withLock { contents in
            contents.wake = nil
            return contents.change(inputs) { state, turn in state.timePassed(&turn) }.1
        }
    }

    // MARK: Waiting

    /// A request that has been suspended waits, if that changes nothing else: most of those that come during a refresh.
    ///
    /// - Returns: whether it waits; if not, ``request(within:_:_:_:)`` decides.
    func waitAtOnce(_ ticket: WaiterTicket, _ continuation: Continuation) -> Bool {
        guard let date = ticket.date else { return false }
        return contents.withLock { contents in
            guard !Task.isCancelled, contents.state.holdsRequests(at: date) else { return false }
            ticket.note(contents.enqueue(continuation, in: .ordinary), in: .ordinary)
            return true
        }
    }

    /// A request that has been suspended asks for a token, and waits if it has to.
    ///
    /// - Returns: how it goes on, if that is known already; and what is to be done now.
    func request(
        within surrounding: [RefreshID], _ inputs: Turn.Inputs, _ ticket: WaiterTicket, _ continuation: Continuation
    ) -> (Result<HeldToken, any Error>?, Aftermath) {
        contents.withLock { contents in
            // The handler of a task that has been cancelled may have run already.
            if Task.isCancelled { return (.failure(CancellationError()), Aftermath()) }
            return contents.change(inputs) { state, turn in
                state.request(ticket.need, within: surrounding, &turn)
            } then: { decision, contents in
                switch decision {
                case .use(let held): return .success(held)
                case .fail(let error): return .failure(error)
                case .wait(let kind):
                    ticket.note(contents.enqueue(continuation, in: kind), in: kind)
                    return nil
                }
            }
        }
    }

    /// A request was cancelled. The refresh goes on.
    func cancel(_ ticket: WaiterTicket) {
        contents.withLock { contents in
            ticket.place.flatMap { contents.remove($0.number, from: $0.kind) }
        }?.resume(throwing: CancellationError())
    }

    /// A caller awaits a manual refresh from now on, or none does.
    func await(_ id: RefreshID, _ continuation: Continuation?) {
        contents.withLock { $0.manual[id] = continuation }
    }

    // MARK: Tasks

    /// A task of this name is about to start; until it is known, its cancellation is noted.
    func expectTask(of id: RefreshID) { contents.withLock { $0.tasks[id] = .starting } }

    /// Remembers the task of a refresh, so that it can be cancelled; at once, if that was asked for meanwhile.
    func register(_ task: Task<Void, Never>, for id: RefreshID) {
        let isCancelled = contents.withLock { contents in
            // It may have ended by now.
            guard let known = contents.tasks[id] else { return false }
            contents.tasks[id] = .running(task)
            if case .cancelled = known { return true }
            return false
        }
        if isCancelled { task.cancel() }
    }

    func cancelTask(of id: RefreshID) {
        let task = contents.withLock { contents -> Task<Void, Never>? in
            switch contents.tasks[id] {
            case .starting: contents.tasks[id] = .cancelled
            case .running(let task): return task
            case .cancelled, nil: break
            }
            return nil
        }
        task?.cancel()
    }

    func forgetTask(of id: RefreshID) { contents.withLock { _ = $0.tasks.removeValue(forKey: id) } }

    // MARK: Subscriptions

    /// A mailbox for changes that begins with what is known now; it closes when the subscription goes.
    func observe() -> Subscription<TokenNotice> {
        subscribe { mailbox, contents, number in
            switch contents.state.credential {
            case .held(let held): _ = mailbox.post(.updated(held))
            case .ended(let ending): _ = mailbox.post(.invalidated(ending.error))
            case .unknown, .absent: break
            }
            contents.observers[number] = mailbox
        }
    }

    /// A mailbox for events.
    func listen() -> Subscription<AuthorizationEvent> {
        subscribe { mailbox, contents, number in contents.listeners[number] = mailbox }
    }

    /// A mailbox for each new status, in the order of the lock; it begins with the status of now.
    func follow() -> Subscription<RefreshState.Status> {
        subscribe { mailbox, contents, number in
            let status = contents.state.status
            _ = mailbox.post(status)
            contents.status = status
            contents.followers[number] = mailbox
        }
    }

    /// Who hears of each event from now on, with nothing locked.
    var reporter: (any AuthorizationReporter)? {
        get { contents.withLock { $0.reporter } }
        set {
            let former = contents.withLock { contents in
                defer { contents.reporter = newValue }
                return contents.reporter
            }
            withExtendedLifetime(former) {}  // Nothing of a user's ends under the lock.
        }
    }

    /// The provider is gone: observers take what is there, then end.
    func finish() {
        let (observers, listeners, followers) = contents.withLock { contents in
            defer {
                (contents.observers, contents.listeners, contents.followers) = ([:], [:], [:])
                contents.isFinished = true
            }
            return (contents.observers, contents.listeners, contents.followers)
        }
        for mailbox in observers.values { mailbox.finish() }
        for mailbox in listeners.values { mailbox.finish() }
        for mailbox in followers.values { mailbox.finish() }
    }

    // MARK: -

    private func subscribe<Element>(_ body: (Mailbox<Element>, inout Contents, Int) -> Void) -> Subscription<Element> {
        let mailbox = Mailbox<Element>()
        let (number, isFinished) = contents.withLock { contents in
            contents.subscriptions += 1
            if !contents.isFinished { body(mailbox, &contents, contents.subscriptions) }
            return (contents.subscriptions, contents.isFinished)
        }
        if isFinished { mailbox.finish() }
        return Subscription(mailbox) { [weak self] in self?.unsubscribe(number) }
    }

    private func unsubscribe(_ number: Int) {
        contents.withLock { contents in
            contents.observers[number] = nil
            contents.listeners[number] = nil
            contents.followers[number] = nil
        }
    }
}

extension ProviderCore.Contents {
    fileprivate var isUnused: Bool {
        ordinary.isEmpty && lasting.isEmpty && manual.isEmpty && tasks.isEmpty && observers.isEmpty
            && listeners.isEmpty && followers.isEmpty
    }

    fileprivate subscript(kind: Effect.Waiters) -> WaiterQueue<ProviderCore.Waiter> {
        get { kind == .ordinary ? ordinary : lasting }
        _modify { if kind == .ordinary { yield &ordinary } else { yield &lasting } }
    }

    fileprivate mutating func enqueue(_ continuation: ProviderCore.Continuation, in kind: Effect.Waiters) -> Int {
        let line = state.lineOfWaiters
        if line == nil { unbound += 1 }
        return self[kind].append(ProviderCore.Waiter(continuation: continuation, line: line))
    }

    fileprivate mutating func remove(_ number: Int, from kind: Effect.Waiters) -> ProviderCore.Continuation? {
        guard let waiter = self[kind].remove(number) else { return nil }
        if waiter.line == nil { unbound -= 1 }
        return waiter.continuation
    }

    /// All that wait in a queue, in order of arrival.
    fileprivate mutating func drain(_ kind: Effect.Waiters) -> ArraySlice<ProviderCore.Waiter?> {
        let waiters = self[kind].drain()
        unbound -= waiters.count { $0.map { $0.line == nil } ?? false }
        return waiters
    }

    /// Those that were queued in a session that a sibling has replaced, in order of arrival.
    fileprivate mutating func takeFormer() -> ArraySlice<ProviderCore.Waiter?> {
        let isFormer = { [line = state.line.number] (waiter: ProviderCore.Waiter) in
            waiter.line.map { $0 < line } ?? false
        }
        return (ordinary.removeAll(where: isFormer) + lasting.removeAll(where: isFormer))[...]
    }

    fileprivate mutating func change<Outcome>(
        _ inputs: Turn.Inputs, _ body: (inout RefreshState, inout Turn) -> Outcome
    ) -> (Outcome, Aftermath) {
        change(inputs, body) { outcome, _ in outcome }
    }

    fileprivate mutating func change<Decision, Outcome>(
        _ inputs: Turn.Inputs, _ body: (inout RefreshState, inout Turn) -> Decision,
        then finish: (Decision, inout Self) -> Outcome
    ) -> (Outcome, Aftermath) {
        var aftermath = Aftermath(keeping: state.tokens)
        var turn = Turn(inputs, isAwaited: !(ordinary.isEmpty && lasting.isEmpty), byUnbound: unbound > 0)
        let decision = body(&state, &turn)
        state.finish(&turn)
        warm = state.warm(at: inputs.now)
        for notice in turn.notices { aftermath.deliveries += post(notice) }
        if !followers.isEmpty { aftermath.deliveries += postStatus() }
        var released = 0
        for effect in turn.effects {
            switch effect {
            case .resume(let kind, let result):
                let waiters = drain(kind)
                if isHeard { released += waiters.count { $0 != nil } }
                if !waiters.isEmpty { aftermath.resumptions.append(.init(waiters: waiters, result: result)) }
            case .dismissFormer:
                let error = NotAuthorized(.sessionReplaced)
                aftermath.resumptions.append(.init(waiters: takeFormer(), result: .failure(error)))
            case .answer(let id, let result):
                let waiter = manual.removeValue(forKey: id).map { ProviderCore.Waiter(continuation: $0) }
                aftermath.resumptions.append(.init(waiters: [waiter], result: result))
            case .start, .cancel, .write, .unlock, .discard, .settled: aftermath.effects.append(effect)
            }
        }
        if released > 0 {
            turn.emit(.requestsReleased(released))
            aftermath.deliveries += post(.event(.requestsReleased(released)))
        }
        aftermath.report = report(turn.notices)
        if let next = state.nextWake(at: inputs.now), wake.map({ next < $0 }) ?? true {
            (wake, aftermath.wake) = (next, next)
        }
        aftermath.formerOwner = owner
        owner = state.holdsUnsavedToken ? inputs.owner : nil
        return (finish(decision, &self), aftermath)
    }

    /// Whether anybody hears of events.
    private var isHeard: Bool { reporter != nil || !listeners.isEmpty }

    private func report(_ notices: [Notice]) -> Aftermath.Report? {
        guard let reporter else { return nil }
        let events = notices.compactMap { if case .event(let event) = $0 { event } else { nil } }
        return events.isEmpty ? nil : Aftermath.Report(events: events, reporter: reporter)
    }

    private mutating func postStatus() -> [@Sendable () -> Void] {
        let status = state.status
        guard status != self.status else { return [] }
        self.status = status
        return followers.values.compactMap { $0.post(status)?.perform }
    }

    private func post(_ notice: Notice) -> [@Sendable () -> Void] {
        switch notice {
        case .token(let notice): observers.values.compactMap { $0.post(notice)?.perform }
        case .event(let event): listeners.values.compactMap { $0.post(event)?.perform }
        }
    }
}
