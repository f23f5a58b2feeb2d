// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The slots of a session, by origin, for requests that get a connection of their own.
final class ConnectionSlots: Sendable {
    @safe private struct Waiter {
        let continuation: UnsafeContinuation<Void, any Error>
        let ticket: Ticket
    }

    /// The state of a wait, made before it can be cancelled. It is used only under the lock of `hosts`.
    private final class Ticket: Sendable {
        enum State {
            case new
            case waiting(SlotQueue<Waiter>.Place)
            case over((any Error)?)
        }

        let state = Lock(State.new)
    }

    private let hosts = Lock<[Origin: SlotQueue<Waiter>]>([:])
    private let onWait = Lock<(@Sendable () -> Void)?>(nil)

    /// Takes a slot if one is free and no earlier waiter is queued.
    func takeAtOnce(at host: Origin, limit: Int, isReturning: Bool = false) -> Bool {
        hosts.withLock { $0[host, default: SlotQueue()].takeAtOnce(limit: limit, isReturning: isReturning) }
    }

    /// Waits for a slot.
    ///
    /// - Parameters:
    ///   - isReturning: whether the caller had a slot and gave it back to wait for something else, and so goes first.
    ///   - end: when the try must be over.
    /// - Throws: `CancellationError` at once when the task is cancelled, `URLError.timedOut`. No slot is taken then.
    func take(at host: Origin, limit: Int, isReturning: Bool = false, until end: ContinuousClock.Instant?) async throws
    {
        let ticket = Ticket()
        let deadline = end.map { end in
            Deadline(after: max(0, ContinuousClock.now.duration(to: end) / .seconds(1))) {
                self.leave(host, ticket, because: URLError(.timedOut))
            }
        }
        defer { deadline?.cancel() }
        try await withTaskCancellationHandler {
            try unsafe await withUnsafeThrowingContinuation { continuation in
                let waiter = unsafe Waiter(continuation: continuation, ticket: ticket)
                guard let result = enter(waiter, at: host, limit: limit, isReturning: isReturning) else {
                    return onWait.withLock { $0 }?() ?? ()
                }
                unsafe continuation.resume(with: result)
            }
        } onCancel: {
            leave(host, ticket, because: CancellationError())
        }
    }

    /// Gives a slot back.
    func give(at host: Origin) {
        let admitted = hosts.withLock { hosts in
            let admitted = Self.admit(hosts[host]?.give() ?? [])
            if hosts[host]?.isIdle == true { hosts[host] = nil }
            return admitted
        }
        for waiter in admitted { unsafe waiter.continuation.resume() }
    }

    /// Calls a function whenever a waiter is queued; for tests.
    func onWait(_ body: @escaping @Sendable () -> Void) { onWait.withLock { $0 = body } }

    // MARK: -

    /// - Returns: `nil` if the waiter was queued.
    private func enter(_ waiter: Waiter, at host: Origin, limit: Int, isReturning: Bool) -> Result<Void, any Error>? {
        hosts.withLock { hosts in
            // The wait was cancelled, or timed out, before it began.
            if case .over(let error?) = waiter.ticket.state.withLock({ $0 }) { return .failure(error) }
            // Changed in place: a copy of the queue would cost each waiter the more, the longer it is.
            if hosts[host, default: SlotQueue()].takeAtOnce(limit: limit, isReturning: isReturning) {
                waiter.ticket.state.withLock { $0 = .over(nil) }
                return .success(())
            }
            let place = hosts[host, default: SlotQueue()].wait(waiter, limit: limit, isReturning: isReturning)
            waiter.ticket.state.withLock { $0 = .waiting(place) }
            return nil
        }
    }

    private func leave(_ host: Origin, _ ticket: Ticket, because error: any Error) {
        let (waiter, admitted) = hosts.withLock { hosts -> (Waiter?, [Waiter]) in
            switch ticket.state.withLock({ $0 }) {
            case .new:
                ticket.state.withLock { $0 = .over(error) }
                return (nil, [])
            case .waiting(let place):
                ticket.state.withLock { $0 = .over(error) }
                let (waiter, admitted) = hosts[host]?.cancel(place) ?? (nil, [])
                return (waiter, Self.admit(admitted))
            case .over: return (nil, [])
            }
        }
        unsafe waiter?.continuation.resume(throwing: error)
        for waiter in admitted { unsafe waiter.continuation.resume() }
    }

    private static func admit(_ waiters: [Waiter]) -> [Waiter] {
        for waiter in waiters { waiter.ticket.state.withLock { $0 = .over(nil) } }
        return waiters
    }
}
