// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension ProviderCore.Contents {
    var isUnused: Bool {
        ordinary.isEmpty && lasting.isEmpty && manual.isEmpty && tasks.isEmpty && observers.isEmpty
            && listeners.isEmpty && followers.isEmpty
    }

    subscript(kind: Effect.Waiters) -> WaiterQueue<ProviderCore.Waiter> {
        get { kind == .ordinary ? ordinary : lasting }
        _modify { if kind == .ordinary { yield &ordinary } else { yield &lasting } }
    }

    mutating func enqueue(_ continuation: ProviderCore.Continuation, in kind: Effect.Waiters) -> Int {
        let line = state.lineOfWaiters
        if line == nil { unbound += 1 }
        return self[kind].append(ProviderCore.Waiter(continuation: continuation, line: line))
    }

    mutating func remove(_ number: Int, from kind: Effect.Waiters) -> ProviderCore.Continuation? {
        guard let waiter = self[kind].remove(number) else { return nil }
        if waiter.line == nil { unbound -= 1 }
        return waiter.continuation
    }

    /// Removes all waiters of a queue, in order of arrival.
    mutating func drain(_ kind: Effect.Waiters) -> ArraySlice<ProviderCore.Waiter?> {
        let waiters = self[kind].drain()
        unbound -= waiters.count { $0.map { $0.line == nil } ?? false }
        return waiters
    }

    /// Removes the waiters of sessions that a sibling has replaced, in order of arrival.
    mutating func takeFormer() -> ArraySlice<ProviderCore.Waiter?> {
        let isFormer = { [line = state.line.number] (waiter: ProviderCore.Waiter) in
            waiter.line.map { $0 < line } ?? false
        }
        return (ordinary.removeAll(where: isFormer) + lasting.removeAll(where: isFormer))[...]
    }

    mutating func change<Decision, Outcome>(
        _ inputs: Turn.Inputs, _ body: (inout RefreshState, inout Turn) -> Decision,
        then finish: (Decision, inout Self) -> Outcome
    ) -> (Outcome, Aftermath) {
        var aftermath = Aftermath(keeping: state.userObjects, status)
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

    /// Whether anything receives events.
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
