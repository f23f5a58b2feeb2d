// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// How long a call waits when Spotify answers 429.
///
/// A wait ends when the task is cancelled. Spotify sometimes asks for hours. A wait beyond the limit is an error at
/// once, with the time in ``SpotifyError/retryAfter``.
public struct RateLimitPolicy: Hashable, Sendable {
    /// The longest duration of all waits of one call together.
    public var longestWait: Duration
    /// The maximum number of tries of a call, including the first.
    public var attempts: Int

    /// - Parameters:
    ///   - longestWait: zero for no waits.
    ///   - attempts: at least 1.
    public init(longestWait: Duration = .seconds(30), attempts: Int = 4) {
        self.longestWait = longestWait
        self.attempts = max(1, attempts)
    }

    /// Never waits: a 429 is an error at once.
    public static let none = RateLimitPolicy(longestWait: .zero, attempts: 1)

    /// - Returns: the wait before the next try; `nil` for no further try.
    func wait(after retryAfter: Duration?, attempt: Int, waited: Duration) -> Duration? {
        guard attempt < attempts else { return nil }
        let wait = retryAfter ?? .seconds(1 << min(attempt - 1, 5))
        return waited + wait <= longestWait ? wait : nil
    }
}
