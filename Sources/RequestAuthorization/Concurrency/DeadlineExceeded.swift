// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A call of a token service or a token store took too long. The call goes on, and its result still counts.
public struct DeadlineExceeded: Error, CustomStringConvertible {
    public let description: String

    init(description: String) { self.description = description }
}

extension Task where Failure == any Error {
    /// Returns the value, or throws when the time is over, even if the task ignores cancellation. The task goes on.
    func value(within limit: Duration, of timer: ProviderTimer, for purpose: String) async throws -> Success {
        try await withUnsafeThrowingContinuation { continuation in
            let once = Once(continuation)
            let entry = timer.schedule(after: limit) {
                once.resume(
                    with: .failure(
                        DeadlineExceeded(description: "\(purpose) took more than \(limit); try again later")))
            }
            Task<Void, Never> {
                let result = await self.result
                timer.cancel(entry)
                once.resume(with: result.mapError { $0 })
            }
        }
    }
}
