// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Dispatch

/// A thread of its own for calls that may block: file calls take seconds on a busy disk, and the threads of Swift's
/// cooperative pool are as few as the processor's cores.
struct BlockingQueue: Sendable {
    let queue: DispatchQueue

    init(_ label: String) { queue = DispatchQueue(label: "RequestAuthorizationStorage.\(label)") }

    /// Runs one body after the other.
    func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withUnsafeThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try body() }) }
        }
    }

    /// Runs a body after those that were given before; nobody waits for it.
    func begin(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }

    /// Runs a body, and runs it again after some errors. Others are run in between.
    ///
    /// - Parameter retry: is told how much time has passed since the first failure. It returns how long to wait, or throws what
    ///   `run` throws.
    func run<Value: Sendable>(
        again retry: @escaping @Sendable (any Error, _ waited: Duration) throws -> Duration,
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withUnsafeThrowingContinuation { continuation in
            queue.async { attempt(body, since: nil, retry, continuation) }
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
            queue.asyncAfter(deadline: .now() + .nanoseconds(Int(pause / .nanoseconds(1)))) {
                attempt(body, since: start, retry, continuation)
            }
        } catch {
            continuation.resume(throwing: error)
        }
    }
}
