// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// How long a call waits when Spotify answers 429.
///
/// A wait is cancelled with the task. Spotify has been seen to ask for hours: what exceeds the cap is an error at once, with
/// the time in ``SpotifyError/retryAfter``.
public struct RateLimitPolicy: Hashable, Sendable {
    /// How long all waits of one call may take together.
    public var longestWait: Duration
    /// How often a call is sent, the first time included.
    public var attempts: Int

    /// - Parameters:
    ///   - longestWait: zero for none.
    ///   - attempts: at least 1.
    public init(longestWait: Duration = .seconds(30), attempts: Int = 4) {
        self.longestWait = longestWait
        self.attempts = max(1, attempts)
    }

    /// 429 is an error at once.
    public static let none = RateLimitPolicy(longestWait: .zero, attempts: 1)

    /// - Returns: how long to wait before the next attempt; `nil` for not at all.
    func wait(after retryAfter: Duration?, attempt: Int, waited: Duration) -> Duration? {
        guard attempt < attempts else { return nil }
        let wait = retryAfter ?? .seconds(1 << min(attempt - 1, 5))
        return waited + wait <= longestWait ? wait : nil
    }
}
