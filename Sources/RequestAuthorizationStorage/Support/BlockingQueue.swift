// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A serial queue for blocking calls.
struct BlockingQueue: Sendable {
    private let queue: any FileQueue

    init(_ label: String) { queue = DispatchFileQueue(label) }

    init(on queue: any FileQueue) { self.queue = queue }

    /// Submits the body and returns at once.
    func begin(_ body: @escaping @Sendable () -> Void) { queue.begin(body) }

    /// Submits the body after a pause.
    func begin(after pause: Duration, _ body: @escaping @Sendable () -> Void) { queue.begin(after: pause, body) }

    /// Runs the body, and runs it again after errors that `retry` accepts. Other bodies run in between.
    ///
    /// - Parameter retry: called with the error and the time since the first failure. It returns the pause before the
    ///   next try, or throws the error of `run`.
    func run<Value: Sendable>(
        again retry: @escaping @Sendable (any Error, Duration) throws -> Duration = { error, _ in throw error },
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withUnsafeThrowingContinuation { continuation in
            queue.begin { attempt(body, since: nil, retry, continuation) }
        }
    }

    private func attempt<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value, since start: ContinuousClock.Instant?,
        _ retry: @escaping @Sendable (any Error, Duration) throws -> Duration,
        _ continuation: UnsafeContinuation<Value, any Error>
    ) {
        let result = Result { try body() }
        guard case .failure(let error) = result else { return continuation.resume(with: result) }
        let now = ContinuousClock.now
        let start = start ?? now
        do {
            let pause = try retry(error, now - start)
            queue.begin(after: pause) { attempt(body, since: start, retry, continuation) }
        } catch {
            continuation.resume(throwing: error)
        }
    }
}
