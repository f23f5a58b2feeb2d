// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// What a provider was made with besides its service and its store. Providers with the usual settings share one object.
final class ProviderSettings: Sendable {
    let policy: FixedPolicy
    let clock: any AuthorizationClock
    /// 0 to 1, for jitter and back-off.
    let random: @Sendable () -> Double
    /// Keeps the system from suspending the process during a refresh; `nil` where processes are not suspended.
    let activities: (any ExpiringActivities)?
    /// Called outside the lock when a request begins to wait; for tests.
    let onHold: (@Sendable () -> Void)?
    private let hasSystemClock: Bool

    private static let usual = ProviderSettings(.usual, SystemClock(), Chance.next, Suspension.activities, nil)

    private init(
        _ policy: FixedPolicy, _ clock: any AuthorizationClock, _ random: @escaping @Sendable () -> Double,
        _ activities: (any ExpiringActivities)?, _ onHold: (@Sendable () -> Void)?
    ) {
        (self.policy, self.clock, self.random) = (policy, clock, random)
        (self.activities, self.onHold) = (activities, onHold)
        hasSystemClock = clock is SystemClock
    }

    /// - Parameters: `nil` stands for what programs use.
    static func with(
        _ policy: RefreshPolicy, clock: any AuthorizationClock, random: (@Sendable () -> Double)?,
        activities: (any ExpiringActivities)?, onHold: (@Sendable () -> Void)?
    ) -> ProviderSettings {
        let policy = FixedPolicy.of(policy)
        if policy === FixedPolicy.usual, random == nil, activities == nil, onHold == nil, clock is SystemClock {
            return usual
        }
        // Only the usual ones are so many that the system's random numbers would be felt.
        return ProviderSettings(
            policy, clock, random ?? { .random(in: 0..<1) }, activities ?? Suspension.activities, onHold)
    }

    /// Not inlined: otherwise each waiting request would keep memory for the clock.
    var now: Date {
        @inline(never) get { clock.now }
    }

    /// The time of day for a request with a valid token. On Linux it is up to 10 ms behind.
    var coarseNow: Date { hasSystemClock ? SystemClock.coarseNow : clock.now }
}

/// A policy that does not change. The many states and providers with one policy refer to it.
final class FixedPolicy: Sendable {
    let value: RefreshPolicy

    init(_ value: RefreshPolicy) { self.value = value.saturated }

    static let usual = FixedPolicy(.default)

    static func of(_ policy: RefreshPolicy) -> FixedPolicy { policy == .default ? usual : FixedPolicy(policy) }
}

extension FixedPolicy: Hashable {
    static func == (left: FixedPolicy, right: FixedPolicy) -> Bool { left === right || left.value == right.value }
    func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
}
