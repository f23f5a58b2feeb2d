// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// One task of a session and its waiter. The first of answer, time-out and cancellation ends it.
final class TaskFlight<Body: Sendable>: Sendable {
    typealias Result = Swift.Result<(Body, URLResponse), any Error>
    /// An unchecked continuation, which is safe because ``end(with:)`` returns it only once. The result does not go through
    /// it but through the lock, which the thread sanitizer sees.
    private typealias Waiter = UnsafeContinuation<Void, Never>

    @safe private enum State {
        case ready
        case flying(URLSessionTask, Waiter)
        case over(Result)
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

    /// Runs a task, and returns its result. Cancelling the caller ends it at once.
    func result(of makeTask: () -> URLSessionTask) async throws -> (Body, URLResponse) {
        await withTaskCancellationHandler {
            unsafe await withUnsafeContinuation { unsafe start(makeTask(), $0) }
        } onCancel: {
            abort(with: CancellationError())
        }
        guard case .over(let result) = state.withLock({ $0 }) else { throw URLError(.unknown) }
        return try result.get()
    }

    /// Starts the task, unless the flight was ended before.
    private func start(_ task: URLSessionTask, _ waiter: Waiter) {
        let isOver = state.withLock { state in
            if case .over = state { return true }
            unsafe state = .flying(task, waiter)
            return false
        }
        guard isOver else { return task.resume() }
        abandon(task)
        task.cancel()
        unsafe waiter.resume()
    }

    /// Answers a question of the task, unless the task is being cancelled.
    ///
    /// swift-corelibs-foundation ends the process when a redirect is answered after its task was cancelled. Here the
    /// answer is given before the cancellation begins, or not at all.
    func answer(_ body: () -> Void) { state.withLock { if case .flying = $0 { body() } } }

    /// Resumes the waiter with the task's result, or discards the body if the flight has ended already.
    func land(_ result: Result) {
        if let (_, waiter) = unsafe end(with: result) {
            unsafe waiter.resume()
        } else if case .success((let body, _)) = result {
            discard(body)
        }
    }

    /// Resumes the waiter with an error at once, and cancels the task, which may stop later.
    func abort(with error: any Error) {
        guard let (task, waiter) = unsafe end(with: .failure(error)) else { return }
        abandon(task)
        unsafe waiter.resume()
        task.cancel()
    }

    /// - Returns: the task and its waiter, if there is one that has no result yet.
    private func end(with result: Result) -> (URLSessionTask, Waiter)? {
        unsafe state.withLock { state in
            if case .over = state { return nil }
            defer { state = .over(result) }
            if case .flying(let task, let waiter) = state { return unsafe (task, waiter) }
            return nil
        }
    }
}
