// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Counts refreshes caused by 401s on young tokens, and tokens that had expired on arrival.
///
/// Counting one more costs O(1) on average.
struct StormGuard: Hashable, Sendable {
    /// The uptimes of the counted events, in order. The first ones may be outside the window.
    private(set) var times: ArraySlice<Duration> = []

    /// Whether nothing was counted within the window.
    func isQuiet(at uptime: Duration, policy: RefreshPolicy.Storm) -> Bool {
        times.last.map { $0 + policy.window <= uptime } ?? true
    }

    /// Counts one more unless the window holds the limit already, and returns whether a refresh may begin.
    @discardableResult
    mutating func admits(at uptime: Duration, policy: RefreshPolicy.Storm) -> Bool {
        while let first = times.first, first + policy.window <= uptime { times.removeFirst() }
        if times.isEmpty { times = [] }
        guard times.count < policy.limit else { return false }
        times.append(uptime)
        return true
    }
}
