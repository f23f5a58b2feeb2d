// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension AuthorizationEvent {
    static func refreshStarted(_ cause: RefreshCause, replacing held: HeldToken?, at now: Moment) -> Self {
        // A token without expiry has no such time: its date may exceed the range of `Duration`.
        let left = held.map { $0.expiresAt.timeIntervalSince(now.date) }.flatMap { abs($0) < 1e9 ? $0 : nil }
        return Self(.refreshStarted, cause: cause, expiresIn: left.map { .seconds($0) })
    }
    static func refreshFailed(_ error: any Error, nextTryAt: Date, of flight: Flight, at now: Moment)
        -> Self
    {
        Self(
            .refreshFailed, error: error, nextTryAt: nextTryAt, cause: flight.cause,
            duration: now.uptime - flight.beganAt)
    }
    static func manualRefreshFailed(_ error: any Error, nextTryAt: Date? = nil) -> Self {
        Self(.refreshFailed, error: error, nextTryAt: nextTryAt, cause: .byHand)
    }
    static func lockAwaited(_ duration: Duration, error: (any Error)? = nil) -> Self {
        Self(.lockAwaited, error: error, duration: duration)
    }
    static func requestsReleased(_ count: Int) -> Self { Self(.requestsReleased, count: count) }
}
