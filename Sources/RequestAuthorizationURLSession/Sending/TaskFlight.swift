// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One task of a session and the one who waits for it: whatever comes first, answer, time-out or cancellation, ends it.
final class TaskFlight<Body: Sendable>: Sendable {
    /// Not a checked one: ``end(_:)`` hands it out once.
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
    ///   - discard: lets go of a body that came too late.
    ///   - abandon: lets go of what a task has received that is about to be cancelled.
    init(
        discard: @escaping @Sendable (Body) -> Void,
        abandon: @escaping @Sendable (URLSessionTask) -> Void = { _ in }
    ) {
        self.discard = discard
        self.abandon = abandon
    }

    /// The response of the task as far as it is known.
    var response: URLResponse? {
        state.withLock { if case .flying(let task, _) = $0 { task.response } else { nil } }
    }

    /// Lets the task go, unless the flight was ended before it began.
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

    /// Answers what the task asks, unless it is being cancelled.
    ///
    /// swift-corelibs-foundation ends the process when an answer about a redirect comes after the cancellation of its task. Here the
    /// one is over before the other begins.
    func answer(_ body: () -> Void) { state.withLock { if case .flying = $0 { body() } } }

    /// Hands out what came of the task.
    func land(_ result: Result<(Body, URLResponse), any Error>) {
        if let (_, waiter) = end(nil) {
            waiter.resume(with: result)
        } else if case .success((let body, _)) = result {
            discard(body)
        }
    }

    /// Ends the wait now; the task may take its time to stop.
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
            case .over:
                return nil
            }
        }
    }
}
