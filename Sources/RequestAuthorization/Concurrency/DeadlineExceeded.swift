// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A call of a token service or a token store took too long. The call goes on, and its result still counts.
public struct DeadlineExceeded: Error, CustomStringConvertible {
    public let description: String
}

extension Task where Failure == any Error {
    /// Returns the value, or throws when the time is over, even if the task ignores cancellation. The task goes on.
    func value(within limit: Duration, of timer: TimerQueue, for purpose: String) async throws -> Success {
        try await withUnsafeThrowingContinuation { continuation in
            let once = Once(continuation)
            let entry = timer.schedule(after: limit) {
                let error = DeadlineExceeded(description: "\(purpose) took more than \(limit); try again later")
                once.resume(with: .failure(error))
            }
            Task<Void, Never> {
                let result = await self.result
                timer.cancel(entry)
                once.resume(with: result.mapError { $0 })
            }
        }
    }
}

/// A continuation that several callers may try to resume; the first one does.
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
