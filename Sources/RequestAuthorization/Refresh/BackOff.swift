// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One point in time on both clocks.
struct Moment: Hashable, Sendable {
    /// For expiry.
    var date: Date
    /// For back-off and windows.
    var uptime: Duration
}

extension AuthorizationClock {
    var moment: Moment { Moment(date: now, uptime: uptime) }
}

extension Duration {
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}

/// How long to leave a failing service or store alone.
struct BackOff: Hashable, Sendable {
    private(set) var attempts = 0
    /// When the next try is due.
    private(set) var slot = Moment(date: .distantPast, uptime: .zero)
    /// Whether the server itself named the slot: then nobody comes earlier.
    private(set) var isOrdered = false

    /// Whether a try is due.
    func isOpen(at now: Moment) -> Bool { now.uptime >= slot.uptime }

    /// - Parameters:
    ///   - retryAfter: what the server asked for.
    ///   - limit: a bound below the usual one.
    ///   - random: 0 to 1: the part of the bound that is waited (full jitter).
    mutating func fail(
        retryAfter: Duration? = nil, atMost limit: Duration? = nil, at now: Moment, policy: RefreshPolicy.BackOff,
        random: Double
    ) {
        let usual = min(policy.maximum.seconds, policy.initial.seconds * Double(1 << min(attempts, 30)))
        let bound = min(usual, limit?.seconds ?? usual)
        let ordered = retryAfter.map { min($0, policy.maximumRetryAfter) }
        let delay = max(.seconds(bound * random), ordered ?? .zero)
        attempts += 1
        isOrdered = ordered != nil
        slot = Moment(date: now.date.addingTimeInterval(delay.seconds), uptime: now.uptime + delay)
    }

    /// Makes the next try due now, unless the server named the time.
    mutating func lift() {
        if !isOrdered { slot = Moment(date: .distantPast, uptime: .zero) }
    }
}
