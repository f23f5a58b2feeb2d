// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A call of a token service or a token store took too long. The call goes on, and its result still counts.
public struct DeadlineExceeded: Error, CustomStringConvertible {
    public let description: String
}

extension Task where Failure == any Error {
    /// Returns the value, or throws when the time is over, even if the task ignores cancellation. The task goes on.
    func value(within limit: Duration, of timer: TimerQueue, for purpose: String) async throws -> Success {
        let first = FirstResult<Success>()
        let entry = timer.schedule(after: limit) {
            let error = DeadlineExceeded(description: "\(purpose) took more than \(limit); try again later")
            first.land(.failure(error))
        }
        Task<Void, Never> {
            let result = await self.result
            timer.cancel(entry)
            first.land(result)
        }
        return try await withUnsafeThrowingContinuation { first.deliver(to: $0) }
    }
}
