// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Synchronization

/// The state of a ``RefreshableTokenAuthorization``, its waiters and its observers, under one lock.
///
/// While the lock is held, nothing is resumed or started, no user code runs, and no user's object is released. No type
/// here is generic over the token: looking up such types at run time costs as much as the lock itself.
final class ProviderCore: Sendable {
    typealias Continuation = UnsafeContinuation<HeldToken, any Error>

    /// A suspended request.
    struct Waiter {
        let continuation: Continuation
        /// The line of sessions that binds the request; see ``SessionLine``.
        var line: Int?
    }

    /// The task of a refresh, from before it is created.
    enum RefreshTask {
        case starting
        case running(Task<Void, Never>)
        case cancelled
    }

    struct Contents {
        var state: RefreshState
        /// The token of the warm path, and until when it may be used.
        var warm: (held: HeldToken, until: Date)?
        var ordinary = WaiterQueue<Waiter>()
        var lasting = WaiterQueue<Waiter>()
        /// The number of waiters that are bound to no session.
        var unbound = 0
        var manual: [RefreshID: Continuation] = [:]
        var observers: [Int: Mailbox<TokenNotice>] = [:]
        var listeners: [Int: Mailbox<AuthorizationEvent>] = [:]
        var followers: [Int: Mailbox<RefreshState.Status>] = [:]
        /// Receives each event outside the lock. It does not count as a use of the provider.
        var reporter: (any AuthorizationReporter)?
        /// The status that followers received last.
        var status: RefreshState.Status?
        var tasks: [RefreshID: RefreshTask] = [:]
        var subscriptions = 0
        /// The uptime for which the timer is set.
        var wake: Duration?
        /// The provider itself, kept alive until the store holds its token.
        var owner: AnyObject?
        /// The provider is gone. Nothing will change any more.
        var isFinished = false
    }

    private let contents: Lock<Contents>
    /// Counts resumptions; see ``willResume()``.
    private let resumptions = Atomic(0)

    init(_ state: RefreshState, at now: Moment) { contents = Lock(Contents(state: state, warm: state.warm(at: now))) }

    /// The token that a request may use without asking the state.
    func warmToken(at date: Date) -> HeldToken? {
        contents.withLock { contents in
            guard let warm = contents.warm, date < warm.until else { return nil }
            return warm.held
        }
    }

    /// The credential of ``warmToken(at:)``; `nil` if it needs a proof.
    func warmCredential(at date: Date) -> Credential? {
        contents.withLock { contents in
            guard let warm = contents.warm, date < warm.until, !warm.held.needsProof else { return nil }
            return Credential(warm.held)
        }
    }

    /// The proof for requests with this credential, if it is the held one.
    func proof(of header: String?) -> (any RequestProof)? {
        contents.withLock { contents in
            guard case .held(let held) = contents.state.credential, held.header == header else { return nil }
            return held.proof
        }
    }

    /// Whether the provider is unused, and a new one could go on from the same state.
    func isDispensable(at now: Moment) -> Bool { contents.withLock { $0.isUnused && $0.state.isDispensable(at: now) } }

    func read<Result>(_ body: (RefreshState) -> Result) -> Result { contents.withLock { body($0.state) } }

    /// Performs a transition, and posts its notices in the order of the lock. Returns its result and the work to do now.
    func change<Result>(
        _ inputs: Turn.Inputs, _ body: (inout RefreshState, inout Turn) -> Result
    ) -> (Result, Aftermath) {
        contents.withLock { $0.change(inputs, body) { result, _ in result } }
    }

    /// Performs the transition that is due when the timer fires.
    func timePassed(_ inputs: Turn.Inputs) -> Aftermath {
        contents.withLock { contents in
            contents.wake = nil
            return contents.change(inputs, { $0.timePassed(&$1) }, then: { _, _ in }).1
        }
    }

    // MARK: Waiting

    /// Enqueues a suspended request if that changes nothing else, which is so for most requests during a refresh.
    ///
    /// - Returns: whether it was enqueued; if not, ``request(within:_:_:_:)`` decides.
    func waitAtOnce(_ ticket: WaiterTicket, _ continuation: Continuation) -> Bool {
        guard let date = ticket.date else { return false }
        return contents.withLock { contents in
            guard !Task.isCancelled, contents.state.holdsRequests(at: date) else { return false }
            ticket.note(contents.enqueue(continuation, in: .ordinary), in: .ordinary)
            return true
        }
    }

    /// Decides how a suspended request goes on, and enqueues it if it has to wait.
    ///
    /// - Returns: the result of the request, if it is known already; and the work to be done now.
    func request(
        within surrounding: [RefreshID], _ inputs: Turn.Inputs, _ ticket: WaiterTicket, _ continuation: Continuation
    ) -> (Result<HeldToken, any Error>?, Aftermath) {
        contents.withLock { contents in
            // The cancellation handler may have run already.
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

    /// Resumes a cancelled request. The refresh goes on.
    func cancel(_ ticket: WaiterTicket) {
        contents.withLock { contents in
            ticket.place.flatMap { contents.remove($0.number, from: $0.kind) }
        }?.resume(throwing: CancellationError())
    }

    /// Sets or removes the caller that awaits a manual refresh.
    func await(_ id: RefreshID, _ continuation: Continuation?) { contents.withLock { $0.manual[id] = continuation } }

    /// Tells the thread sanitizer, together with ``didResume()``, that waiters see what was written before.
    ///
    /// The runtime tells it only if the task has been suspended before its continuation is resumed.
    func willResume() { resumptions.wrappingAdd(1, ordering: .releasing) }

    /// Called by each waiter after its continuation has been resumed. Costs one load.
    func didResume() { _ = resumptions.load(ordering: .acquiring) }

    // MARK: Tasks

    /// Announces a task. A cancellation that comes before ``register(_:for:)`` is remembered.
    func expectTask(of id: RefreshID) { contents.withLock { $0.tasks[id] = .starting } }

    /// Registers the task of a refresh. If its cancellation was requested meanwhile, it is cancelled at once.
    func register(_ task: Task<Void, Never>, for id: RefreshID) {
        let isCancelled = contents.withLock { contents in
            // The task may have ended by now.
            guard let known = contents.tasks[id] else { return false }
            contents.tasks[id] = .running(task)
            if case .cancelled = known { return true }
            return false
        }
        if isCancelled { task.cancel() }
    }

    func cancelTask(of id: RefreshID) {
        contents.withLock { contents -> Task<Void, Never>? in
            switch contents.tasks[id] {
            case .starting: contents.tasks[id] = .cancelled
            case .running(let task): return task
            case .cancelled, nil: break
            }
            return nil
        }?.cancel()
    }

    func forgetTask(of id: RefreshID) { contents.withLock { _ = $0.tasks.removeValue(forKey: id) } }

    // MARK: Subscriptions

    /// Returns a mailbox for changes that begins with the current token. It closes when the subscription ends.
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

    func listen() -> Subscription<AuthorizationEvent> {
        subscribe { mailbox, contents, number in contents.listeners[number] = mailbox }
    }

    /// Returns a mailbox for each new status, in the order of the lock. It begins with the current status.
    func follow() -> Subscription<RefreshState.Status> {
        var former: RefreshState.Status?
        defer { withExtendedLifetime(former) {} }  // Its error is not released under the lock.
        return subscribe { mailbox, contents, number in
            let status = contents.state.status
            _ = mailbox.post(status)
            (former, contents.status) = (contents.status, status)
            contents.followers[number] = mailbox
        }
    }

    /// Receives each event from now on, outside the lock.
    var reporter: (any AuthorizationReporter)? {
        get { contents.withLock { $0.reporter } }
        set {
            let former = contents.withLock { contents in
                defer { contents.reporter = newValue }
                return contents.reporter
            }
            withExtendedLifetime(former) {}  // No user's object is released under the lock.
        }
    }

    /// Ends all subscriptions after their pending elements, because the provider is gone.
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
