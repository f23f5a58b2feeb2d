// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if PostgreSQL
/// Lends each connection to one statement at a time, in order of arrival.
final class ConnectionPool: Sendable {
    private struct Waiter {
        let id: UUID
        let began: ContinuousClock.Instant
        let continuation: UnsafeContinuation<LibPQConnection, any Error>
    }

    private struct State {
        var idle: [LibPQConnection] = []
        var open = 0
        var waiters: [Waiter] = []
        /// When the server last answered, on any connection.
        var answeredAt = ContinuousClock.now
    }

    private let limit: Int
    private let make: @Sendable () -> LibPQConnection
    private let state = Lock(State())

    /// - Parameters:
    ///   - limit: the largest number of connections.
    ///   - make: makes a connection, which connects with its first statement.
    init(limit: Int, _ make: @escaping @Sendable () -> LibPQConnection) { (self.limit, self.make) = (limit, make) }

    /// Returns a connection, and waits if all are in use.
    ///
    /// - Parameter began: when the call began.
    /// - Throws: `CancellationError` at once when the task is cancelled; ``PostgreSQLError`` `timedOut` with others.
    func take(began: ContinuousClock.Instant) async throws -> LibPQConnection {
        try Task.checkCancellation()
        let id = UUID()
        return try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { wait(Waiter(id: id, began: began, continuation: $0)) }
        } onCancel: {
            leave(id)
        }
    }

    /// Takes a connection back and lends it to the waiter that came first. Its next statement reconnects if needed.
    func giveBack(_ connection: LibPQConnection) {
        let next = state.withLock { state -> Waiter? in
            if !state.waiters.isEmpty { return state.waiters.removeFirst() }
            state.idle.append(connection)
            return nil
        }
        next?.continuation.resume(returning: connection)
    }

    /// The server has answered, if only with an error.
    func noteAnswer() { state.withLock { $0.answeredAt = .now } }

    /// A call timed out. If the server has answered nobody since it began, those who waited with it fail with it.
    func noteTimeout(ofCallFrom began: ContinuousClock.Instant, to end: ContinuousClock.Instant) {
        let failed = state.withLock { state in
            let failed = state.waiters.filter { $0.began < end && state.answeredAt < began }
            if !failed.isEmpty { state.waiters.removeAll { $0.began < end } }
            return failed
        }
        for waiter in failed { waiter.continuation.resume(throwing: PostgreSQLError(.timedOut)) }
    }

    // MARK: -

    private func wait(_ waiter: Waiter) {
        let result = state.withLock { state -> Result<LibPQConnection, any Error>? in
            // The cancellation handler may have run before.
            if Task.isCancelled { return .failure(CancellationError()) }
            if let connection = state.idle.popLast() { return .success(connection) }
            guard state.open < limit else {
                state.waiters.append(waiter)
                return nil
            }
            state.open += 1
            return .success(make())
        }
        if let result { waiter.continuation.resume(with: result) }
    }

    private func leave(_ id: UUID) {
        let waiter = state.withLock { state in
            state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0) }
        }
        waiter?.continuation.resume(throwing: CancellationError())
    }
}
#endif
