// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A continuation that the first of several may resume.
final class Once<Value: Sendable>: Sendable {
    private let continuation: Lock<UnsafeContinuation<Value, any Error>?>

    init(_ continuation: UnsafeContinuation<Value, any Error>) { self.continuation = Lock(continuation) }

    func resume(with result: Result<Value, any Error>) {
        continuation.withLock { continuation in
            defer { continuation = nil }
            return continuation
        }?.resume(with: result)
    }
}

/// An operation took longer than it may.
struct DeadlineExceeded: Error, CustomStringConvertible {
    let description: String
}

extension Task where Failure == any Error {
    /// The value, or an error once the time is over, whether or not the task heeds cancellation. The task goes on.
    func value(within limit: Duration, of clock: any AuthorizationClock, for purpose: String) async throws -> Success {
        try await withUnsafeThrowingContinuation { continuation in
            let once = Once(continuation)
            let timer = Task<Void, Never> {
                guard (try? await clock.sleep(for: limit)) != nil else { return }
                once.resume(with: .failure(DeadlineExceeded(description: "\(purpose) took more than \(limit)")))
            }
            Task<Void, Never> {
                let result = await self.result
                timer.cancel()
                once.resume(with: result.mapError { $0 })
            }
        }
    }
}
