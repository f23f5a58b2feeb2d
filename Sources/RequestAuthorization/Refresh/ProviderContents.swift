// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The state of a provider, those who wait and those who follow. All of it changes under one lock.
struct ProviderContents {
    private(set) var state: RefreshState
    /// The token of the warm path, and until when it may be used.
    private(set) var warm: (held: HeldToken, until: Date)?
    private var waiters = WaiterQueue<WaitingRequest>()
    /// The number of waiters that are bound to no session.
    private(set) var unbound = 0
    /// Until when the waiters before a place wait for a slot. A waiter before none of them has seen no failure yet.
    private var patience: [(end: Int, until: Duration)] = []
    /// The callers that wait, by what they wait for. Whether that is reached is asked once for all of them.
    private var settlers: [Goal: [UUID: UnsafeContinuation<Bool, Never>]] = [:]
    /// The number of locks of the store that are being released.
    private var unlocks = 0
    var feed = Feed()
    /// The uptimes for which timers are set, the next one last. Those that are not needed any more fire all the same.
    private var wakes: [Duration] = []
    /// Made when it is first needed: most of the providers that a server keeps are idle.
    private var timer: TimerQueue?
    /// The provider itself, kept alive until the store holds its token, or its sign-out.
    private var owner: AnyObject?

    init(_ state: RefreshState) { self.state = state }

    mutating func begin(with held: HeldToken, at now: Moment) {
        state.hold(held)
        warm = state.warm(at: now)
    }

    // Not an atomic reference: the thread sanitizer does not see that one of `Synchronization` publishes the object.
    mutating func timer(_ clock: any AuthorizationClock) -> TimerQueue {
        if let timer { return timer }
        let made = TimerQueue(clock)
        timer = made
        return made
    }

    /// Whether nobody waits or follows.
    var isUnused: Bool { waiters.isEmpty && settlers.isEmpty && feed.isEmpty }
}

/// What callers wait for.
enum Goal: CaseIterable {
    /// Nothing is under way, everything is stored, and no lock is held. Otherwise the next process would find the intent
    /// of a refresh that is over, and refresh again.
    case settled
    /// The store holds the last content, or one try to store it has failed.
    case stored
}

// MARK: - Transitions

extension ProviderContents {
    mutating func change<Decision>(
        _ inputs: Turn.Inputs, _ body: (inout RefreshState, inout Turn) -> Decision
    ) -> (Decision, Aftermath) {
        let former = state
        var aftermath = Aftermath(former: former)
        var turn = Turn(inputs, isAwaited: !waiters.isEmpty, byUnbound: unbound > 0)
        let decision = body(&state, &turn)
        state.finish(&turn)
        warm = state.warm(at: inputs.now)
        aftermath.readers = feed.post(turn.notices, former, state)
        let released = distribute(turn.effects, at: inputs.now.uptime, &aftermath)
        if released > 0 {
            turn.emit(.requestsReleased(released))
            aftermath.readers += feed.post(.event(.requestsReleased(released)))
        }
        aftermath.hasReport = feed.queue(turn.notices)
        aftermath.settled = takeSettled()
        if let next = state.nextWake(at: inputs.now), wakes.last.map({ next < $0 }) ?? true {
            wakes.append(next)
            aftermath.wake = next
        }
        aftermath.formerOwner = owner
        owner = state.vault.isSettled ? nil : inputs.owner
        return (decision, aftermath)
    }

    mutating func timerFired(for wake: Duration) { wakes.removeAll { $0 == wake } }

    /// Takes out those who are to be resumed, and returns how many requests go on or fail, if anybody wants to know.
    private mutating func distribute(_ effects: [Effect], at now: Duration, _ aftermath: inout Aftermath) -> Int {
        var released = 0
        let isHeard = feed.isHeard
        for effect in effects {
            if case .unlock = effect { unlocks += 1 }
            let (resumed, result): (ArraySlice<WaitingRequest?>, Result<HeldToken, any Error>)
            switch effect {
            case .resume(let kind, let outcome): (resumed, result) = (take { kind == nil || $0.kind == kind }, outcome)
            case .postpone(let error, let slot):
                (resumed, result) = (takeImpatient(before: slot, at: now), .failure(error))
            case .dismissFormer: (resumed, result) = (takeFormer(), .failure(NotAuthorized(.sessionReplaced)))
            case .start, .cancel, .write, .look, .unlock, .answer, .discard:
                aftermath.effects.append(effect)
                continue
            }
            if isHeard { released += resumed.count { $0 != nil } }
            if !resumed.isEmpty { aftermath.resumptions.append((resumed, result)) }
        }
        return released
    }

    // MARK: Requests

    /// - Returns: the place in the queue.
    mutating func enqueue(_ continuation: WaitingRequest.Continuation, as kind: Waiters) -> Int {
        let line = state.lineOfWaiters
        if line == nil { unbound += 1 }
        return waiters.append(WaitingRequest(continuation: continuation, kind: kind, line: line))
    }

    mutating func remove(_ place: Int) -> WaitingRequest.Continuation? {
        guard let waiter = waiters.remove(place) else { return nil }
        if waiter.line == nil { unbound -= 1 }
        return waiter.continuation
    }

    /// Removes waiters, in order of arrival.
    mutating func take(before end: Int = .max, _ condition: (WaitingRequest) -> Bool)
        -> ArraySlice<WaitingRequest?>
    {
        let taken = waiters.removeAll(before: end, where: condition)
        unbound -= taken.count { $0.map { $0.line == nil } ?? false }
        return taken
    }

    /// Removes the waiters that would have to wait for a slot for too long, in order of arrival.
    ///
    /// Those who see their first failure now have all of their patience. So who came earlier is not more patient.
    private mutating func takeImpatient(before slot: Duration, at now: Duration) -> ArraySlice<WaitingRequest?> {
        patience.append((waiters.end, now + state.policy.backOff.patience))
        let end = patience.last { $0.until < slot }?.end ?? 0
        patience.removeAll { $0.until < slot }
        return take(before: end) { _ in true }
    }

    /// Removes the waiters of sessions that a sibling has replaced, in order of arrival.
    private mutating func takeFormer() -> ArraySlice<WaitingRequest?> {
        waiters.removeAll { [line = state.line.number] in ($0.line ?? line) < line }
    }

    // MARK: Callers

    /// Adds a caller that waits, and returns whether the goal is reached; `nil` if the caller has to wait.
    mutating func wait(_ caller: UUID, for goal: Goal, _ continuation: UnsafeContinuation<Bool, Never>) -> Bool? {
        if isReached(goal) { return true }
        // The cancellation handler may have run already.
        if goal == .settled, Task.isCancelled { return false }
        settlers[goal, default: [:]][caller] = continuation
        return nil
    }

    mutating func removeSettler(_ caller: UUID) -> UnsafeContinuation<Bool, Never>? {
        for goal in Goal.allCases { if let found = settlers[goal]?.removeValue(forKey: caller) { return found } }
        return nil
    }

    private func isReached(_ goal: Goal) -> Bool {
        switch goal {
        case .settled: state.isSettled && unlocks == 0
        case .stored: state.vault.isTried
        }
    }

    /// - Returns: the callers that have waited for this.
    mutating func endUnlock() -> [UnsafeContinuation<Bool, Never>] {
        unlocks -= 1
        return takeSettled()
    }

    private mutating func takeSettled() -> [UnsafeContinuation<Bool, Never>] {
        guard !settlers.isEmpty else { return [] }
        return Goal.allCases.filter(isReached).flatMap { settlers.removeValue(forKey: $0)?.values.map { $0 } ?? [] }
    }
}
