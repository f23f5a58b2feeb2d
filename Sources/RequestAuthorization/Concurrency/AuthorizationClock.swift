// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Tells the time and waits: a wall clock for expiry, and a clock that never jumps for everything else.
///
/// In tests, pass `ManualClock` of `RequestAuthorizationTesting`.
public protocol AuthorizationClock: Sendable {
    /// The time of day, for expiry.
    var now: Date { get }

    /// The time since a fixed moment, never set back: for back-off and deadlines.
    var uptime: Duration { get }

    /// Waits for a duration.
    ///
    /// - Throws: `CancellationError` at once when the task is cancelled.
    func sleep(for duration: Duration) async throws
}

/// The system's clocks.
public struct SystemClock: AuthorizationClock {
    private static let start = ContinuousClock.now

    package init() {}

    public var now: Date { Date.now }
    public var uptime: Duration { Self.start.duration(to: .now) }  // The start comes first, also at the first call.
    public func sleep(for duration: Duration) async throws { try await Self.sleeps.sleep(for: duration) }

    private static let sleeps = TimerQueue(RuntimeClock())
}

/// The clocks of the runtime, without a queue.
private struct RuntimeClock: AuthorizationClock {
    var now: Date { Date.now }
    var uptime: Duration { SystemClock().uptime }
    func sleep(for duration: Duration) async throws { try await ContinuousClock().sleep(for: duration) }
}

extension AuthorizationClock where Self == SystemClock {
    /// The system's clocks.
    public static var system: SystemClock { SystemClock() }
}

/// A point in time on both clocks.
struct Moment: Hashable, Sendable {
    /// For expiry; changes when the clock is set.
    var date: Date
    /// For back-off and deadlines.
    var uptime: Duration
}

extension Moment {
    func advanced(by duration: Duration) -> Moment {
        Moment(date: date.addingTimeInterval(duration.seconds), uptime: uptime + duration)
    }
}

extension AuthorizationClock { var moment: Moment { Moment(date: now, uptime: uptime) } }

extension Duration {
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
