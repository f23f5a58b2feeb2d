// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A clock that moves only when a test advances it.
///
///     let clock = ManualClock()
///     let auth = RefreshableTokenAuthorization(service: service, clock: clock)
///     clock.advance(by: .seconds(61))                      // a token of a minute has expired
///
/// To test a time-out, wait until a task sleeps, then advance the clock:
///
///     await clock.sleepers(1)
///     clock.advance(by: .seconds(30))
public final class ManualClock: AuthorizationClock {
    private struct Sleeper: Sendable {
        let wakeUp: Duration
        let order: Int
        let signal: OneShot<Void>
    }

    private struct State: Sendable {
        var now: Date
        var uptime: Duration = .zero
        var sleepers: [Int: Sleeper] = [:]
        var arrivals = 0
        var watchers: [Watcher] = []

        /// Removes and returns the watchers whose condition is met.
        mutating func takeSatisfiedWatchers() -> [Watcher] {
            let now = self
            defer { watchers = watchers.filter { !$0.isSatisfied(now) } }
            return watchers.filter { $0.isSatisfied(now) }
        }
    }

    private struct Watcher: Sendable {
        let signal = OneShot<Void>()
        let isSatisfied: @Sendable (State) -> Bool
    }

    private let state: Lock<State>

    /// Creates a clock with a time of day.
    ///
    /// - Parameter now: the time of day; by default a fixed moment in January 2027.
    public init(now: Date = Date(timeIntervalSince1970: 1_800_000_000)) {
        state = Lock(State(now: now))
    }

    /// The time of day.
    public var now: Date { state.withLock(\.now) }

    /// The total time by which the clock has been advanced.
    public var uptime: Duration { state.withLock(\.uptime) }

    /// The remaining time of each sleeping task, the shortest first.
    public var sleeping: [Duration] {
        state.withLock { state in state.sleepers.values.map { $0.wakeUp - state.uptime }.sorted() }
    }

    /// Advances ``now`` and ``uptime``, and wakes all tasks whose time has come, the earliest first.
    ///
    /// - Parameter duration: zero or more. Only the wall clock can be set back, with ``setWallClock(to:)``.
    public func advance(by duration: Duration) {
        precondition(duration >= .zero, "the duration is negative; use setWallClock(to:) to set the time of day")
        let (due, watchers) = state.withLock { state in
            state.uptime = (state.uptime + duration.saturated).saturated
            state.now += duration.saturated.seconds
            let due = state.sleepers.values.filter { $0.wakeUp <= state.uptime }
            for sleeper in due { state.sleepers[sleeper.order] = nil }
            return (due, state.takeSatisfiedWatchers())
        }
        for sleeper in due.sorted(by: { ($0.wakeUp, $0.order) < ($1.wakeUp, $1.order) }) { sleeper.signal.fulfill() }
        for watcher in watchers { watcher.signal.fulfill() }
    }

    /// Sets the time of day, as a user or a time server does. ``uptime`` does not change, and no task wakes.
    public func setWallClock(to now: Date) {
        state.withLock { $0.now = now }
    }

    /// Sleeps until the clock has been advanced by a duration.
    ///
    /// - Throws: `CancellationError` at once when the task is cancelled.
    public func sleep(for duration: Duration) async throws {
        try Task.checkCancellation()
        guard duration > .zero else { return }
        let (sleeper, watchers) = state.withLock { state in
            state.arrivals += 1
            let sleeper = Sleeper(wakeUp: state.uptime + duration.saturated, order: state.arrivals, signal: OneShot())
            state.sleepers[sleeper.order] = sleeper
            return (sleeper, state.takeSatisfiedWatchers())
        }
        for watcher in watchers { watcher.signal.fulfill() }
        do {
            try await sleeper.signal.value()
        } catch {
            state.withLock { _ = $0.sleepers.removeValue(forKey: sleeper.order) }
            throw error
        }
    }

    /// Suspends until at least this many tasks sleep.
    ///
    /// Returns early only if the calling task is cancelled.
    public func sleepers(_ count: Int) async {
        await watch { $0.sleepers.count >= count }
    }

    /// Suspends until a task sleeps with exactly this remaining time, such as one with a time-out of that length.
    ///
    /// Returns early only if the calling task is cancelled.
    public func sleeper(for duration: Duration) async {
        await watch { state in state.sleepers.values.contains { $0.wakeUp - state.uptime == duration } }
    }

    // MARK: -

    private func watch(until isSatisfied: @escaping @Sendable (State) -> Bool) async {
        let watcher = Watcher(isSatisfied: isSatisfied)
        state.withLock { state in
            if isSatisfied(state) { watcher.signal.fulfill() } else { state.watchers.append(watcher) }
        }
        try? await watcher.signal.value()
    }
}

extension Duration {
    var seconds: Double { self / .seconds(1) }
}
