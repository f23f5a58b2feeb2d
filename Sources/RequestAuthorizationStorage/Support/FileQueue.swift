// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Dispatch

/// Runs blocking calls, one after the other and in order.
///
/// Tests implement it to choose the order of queues and to simulate time. It is not public API.
@_spi(FileQueue) public protocol FileQueue: Sendable {
    /// Submits the body and returns at once.
    func begin(_ body: @escaping @Sendable () -> Void)
    /// Submits the body after a pause.
    func begin(after pause: Duration, _ body: @escaping @Sendable () -> Void)
}

extension FileQueue {
    /// Runs the body, and runs it again after errors that `retry` accepts. Other bodies run in between.
    ///
    /// - Parameter retry: called with the error and the time since the first failure. It returns the pause before the
    ///   next try, or throws the error of `run`.
    func run<Value: Sendable>(
        again retry: @escaping @Sendable (any Error, Duration) throws -> Duration = { error, _ in throw error },
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withUnsafeThrowingContinuation { continuation in
            begin { attempt(body, since: nil, retry, continuation) }
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
            begin(after: pause) { attempt(body, since: start, retry, continuation) }
        } catch {
            continuation.resume(throwing: error)
        }
    }
}

/// A dispatch queue: file calls take seconds on a busy disk, and Swift's cooperative pool has only one thread per core.
struct DispatchFileQueue: FileQueue {
    private let queue: DispatchQueue

    init(_ label: String) { queue = DispatchQueue(label: "RequestAuthorizationStorage.\(label)") }

    func begin(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }

    func begin(after pause: Duration, _ body: @escaping @Sendable () -> Void) {
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(pause / .nanoseconds(1))), execute: body)
    }
}
