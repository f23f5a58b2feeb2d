// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// How long to leave a failing service or store alone.
struct BackOff: Hashable, Sendable {
    private(set) var attempts = 0
    /// When the next try is due, as uptime.
    private(set) var slot = Duration.zero
    /// Until when the server wants no try, as uptime. Then no try comes earlier.
    private(set) var ordered = Duration.zero

    /// The date at which the slot opens, by the present time of day; not in the past.
    func date(at now: Moment) -> Date { now.date.addingTimeInterval(max(0, (slot - now.uptime).seconds)) }

    func isOpen(at now: Moment) -> Bool { now.uptime >= slot }

    /// - Parameters:
    ///   - retryAfter: the delay that the server asked for.
    ///   - limit: a shorter bound than the usual one.
    ///   - isLongest: wait the maximum, because the user or an operator must act first.
    ///   - random: the part of the bound to wait, 0 to 1 (full jitter).
    mutating func fail(
        retryAfter: Duration? = nil, atMost limit: Duration? = nil, isLongest: Bool = false, at now: Moment,
        policy: RefreshPolicy.BackOff, random: Double
    ) {
        let usual = min(policy.maximum.seconds, policy.initial.seconds * Double(1 << min(attempts, 30)))
        let bound = min(usual, limit?.seconds ?? usual)
        let ordered = retryAfter.map { min($0, policy.maximumRetryAfter) }
        let delay = max(isLongest ? policy.maximum : .seconds(bound * random), ordered ?? .zero)
        attempts += 1
        self.ordered = ordered.map { now.uptime + $0 } ?? .zero
        slot = now.uptime + delay
    }

    /// Makes the next try due now, or at the time that the server named.
    mutating func lift() { slot = ordered }
}
