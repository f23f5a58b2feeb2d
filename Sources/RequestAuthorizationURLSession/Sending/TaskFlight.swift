// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// One task of a session and its waiter. The first of answer, time-out and cancellation ends it.
final class TaskFlight<Body: Sendable>: Sendable {
    /// An unchecked continuation, which is safe because ``end(_:)`` returns it only once.
    typealias Waiter = UnsafeContinuation<(Body, URLResponse), any Error>

    private enum State {
        case ready
        case flying(URLSessionTask, Waiter)
        case over((any Error)?)
    }

    private let state = Lock(State.ready)
    private let discard: @Sendable (Body) -> Void
    private let abandon: @Sendable (URLSessionTask) -> Void

    /// - Parameters:
    ///   - discard: discards a body that came too late.
    ///   - abandon: discards the data that a task has received, before the task is cancelled.
    init(
        discard: @escaping @Sendable (Body) -> Void, abandon: @escaping @Sendable (URLSessionTask) -> Void = { _ in }
    ) {
        (self.discard, self.abandon) = (discard, abandon)
    }

    /// The response of the task, once it has arrived.
    var response: URLResponse? {
        state.withLock { if case .flying(let task, _) = $0 { task.response } else { nil } }
    }

    /// Starts the task, unless the flight was ended before.
    func start(_ task: URLSessionTask, continuation: Waiter) {
        let error: (any Error)? = state.withLock { state in
            if case .over(let error) = state { return error }
            state = .flying(task, continuation)
            return nil
        }
        guard let error else { return task.resume() }
        abandon(task)
        task.cancel()
        continuation.resume(throwing: error)
    }

    /// Answers a question of the task, unless the task is being cancelled.
    ///
    /// swift-corelibs-foundation ends the process when a redirect is answered after its task was cancelled. Here the
    /// answer is given before the cancellation begins, or not at all.
    func answer(_ body: () -> Void) { state.withLock { if case .flying = $0 { body() } } }

    /// Resumes the waiter with the task's result, or discards the body if the flight has ended already.
    func land(_ result: Result<(Body, URLResponse), any Error>) {
        if let (_, waiter) = end(nil) {
            waiter.resume(with: result)
        } else if case .success((let body, _)) = result {
            discard(body)
        }
    }

    /// Resumes the waiter with an error at once, and cancels the task, which may stop later.
    func abort(with error: any Error) {
        guard let (task, waiter) = end(error) else { return }
        abandon(task)
        waiter.resume(throwing: error)
        task.cancel()
    }

    private func end(_ error: (any Error)?) -> (URLSessionTask, Waiter)? {
        state.withLock { state in
            switch state {
            case .ready:
                state = .over(error)
                return nil
            case .flying(let task, let waiter):
                state = .over(nil)
                return (task, waiter)
            case .over: return nil
            }
        }
    }
}
