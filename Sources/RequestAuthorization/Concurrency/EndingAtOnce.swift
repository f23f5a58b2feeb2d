// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Returns the result of a body, or throws `CancellationError` at once when the task is cancelled, even if the body ignores
/// that. The body then goes on, and its result is dropped.
package func endingAtOnce<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    let first = FirstResult<Value>()
    let work = startingHere { await first.land(body) }
    return try await first.value { work.cancel() }
}

/// Returns the result of a body, or throws at once when the task is cancelled or the time is over, even if the body ignores
/// that.
///
/// - Parameters:
///   - limit: how long it waits.
///   - overdue: the error when the time is over. The body is cancelled then.
package func endingAtOnce<Value: Sendable>(
    within limit: Duration, of clock: any AuthorizationClock, else overdue: any Error,
    _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    let first = FirstResult<Value>()
    let work = startingHere { await first.land(body) }
    if first.hasLanded { return try await first.value {} }  // Without a wait there is no timer.
    let timer = Task {
        guard (try? await clock.sleep(for: limit)) != nil else { return }
        first.land(.failure(overdue))
        work.cancel()
    }
    defer { timer.cancel() }
    return try await first.value { work.cancel() }
}

/// Runs a body on the current thread until it first suspends, where the system can do that.
private func startingHere(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) { return Task.immediate { await body() } }
    return Task { await body() }
}

/// The first of several results, for one task that waits for it.
package final class FirstResult<Value: Sendable>: Sendable {
    private enum State {
        case empty
        case awaited(UnsafeContinuation<Value, any Error>)
        case landed(Result<Value, any Error>)
    }

    private let state = Lock(State.empty)

    package init() {}

    var hasLanded: Bool { state.withLock { if case .landed = $0 { true } else { false } } }

    func land(_ body: () async throws -> Value) async {
        do { land(.success(try await body())) } catch { land(.failure(error)) }
    }

    /// Ignores all results but the first.
    package func land(_ result: Result<Value, any Error>) {
        let waiter = state.withLock { state -> UnsafeContinuation<Value, any Error>? in
            if case .landed = state { return nil }
            defer { state = .landed(result) }
            return if case .awaited(let waiter) = state { waiter } else { nil }
        }
        waiter?.resume(with: result)
    }

    /// Waits for the first result. Cancellation is one, and cancels the work with a closure.
    func value(cancelling cancel: @Sendable () -> Void) async throws -> Value {
        try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { deliver(to: $0) }
        } onCancel: {
            land(.failure(CancellationError()))  // Before the work can return something else for that.
            cancel()
        }
    }

    /// Resumes a continuation with the first result, once there is one.
    package func deliver(to waiter: UnsafeContinuation<Value, any Error>) {
        let result = state.withLock { state -> Result<Value, any Error>? in
            if case .landed(let result) = state { return result }
            state = .awaited(waiter)
            return nil
        }
        if let result { waiter.resume(with: result) }
    }
}
