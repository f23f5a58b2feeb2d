// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Counts refreshes that are caused by 401s on young tokens, and tokens that had expired on arrival.
///
/// One more costs O(1) on average, however many the window holds.
struct StormGuard: Hashable, Sendable {
    /// Uptimes, in order; the first ones may be out of the window.
    private(set) var times: ArraySlice<Duration> = []

    /// Whether the window holds none.
    func isQuiet(at uptime: Duration, policy: RefreshPolicy.Storm) -> Bool {
        times.last.map { $0 + policy.window <= uptime } ?? true
    }

    /// Counts one, unless there were too many within the window.
    ///
    /// - Returns: whether a refresh may begin.
    @discardableResult
    mutating func admits(at uptime: Duration, policy: RefreshPolicy.Storm) -> Bool {
        forget(before: uptime, policy)
        guard times.count < policy.limit else { return false }
        times.append(uptime)
        return true
    }

    private mutating func forget(before uptime: Duration, _ policy: RefreshPolicy.Storm) {
        while let first = times.first, first + policy.window <= uptime { times.removeFirst() }
        if times.isEmpty { times = [] }
    }
}
