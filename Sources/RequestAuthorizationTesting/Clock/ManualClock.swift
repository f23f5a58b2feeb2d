// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import RequestAuthorization

/// A clock that stands still until a test moves it.
///
///     let clock = ManualClock()
///     let auth = RefreshableTokenAuthorization(service: service, clock: clock)
///     clock.advance(by: .seconds(61))                      // a token of a minute has expired
///
/// To let a time-out strike, wait until somebody has gone to sleep, and move on:
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

        /// Those who watch for what is the case now.
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

    /// Makes a clock that shows a given time of day.
    ///
    /// - Parameter now: by default always the same moment, in January 2027.
    public init(now: Date = Date(timeIntervalSince1970: 1_800_000_000)) {
        state = Lock(State(now: now))
    }

    /// The time of day.
    public var now: Date { state.withLock(\.now) }

    /// The time by which the clock has been advanced.
    public var uptime: Duration { state.withLock(\.uptime) }

    /// How long each of those who sleep still has to, the shortest first.
    public var sleeping: [Duration] {
        state.withLock { state in state.sleepers.values.map { $0.wakeUp - state.uptime }.sorted() }
    }

    /// Moves ``now`` and ``uptime`` on and wakes everybody whose time has come, the earliest deadline first.
    ///
    /// - Parameter duration: not negative; time goes on, and only the wall clock can be set back.
    public func advance(by duration: Duration) {
        precondition(duration >= .zero, "time cannot be turned back; setWallClock(to:) sets the time of day")
        let due = state.withLock { state in
            state.uptime += duration
            state.now += duration.seconds
            let due = state.sleepers.values.filter { $0.wakeUp <= state.uptime }
            for sleeper in due { state.sleepers[sleeper.order] = nil }
            return due
        }
        for sleeper in due.sorted(by: { ($0.wakeUp, $0.order) < ($1.wakeUp, $1.order) }) { sleeper.signal.fulfill() }
    }

    /// Sets the time of day, as a person or a time server does: ``uptime`` does not change, and nobody wakes.
    public func setWallClock(to now: Date) {
        state.withLock { $0.now = now }
    }

    /// Sleeps until the clock has been advanced so far.
    ///
    /// - Throws: `CancellationError` at once when the task is cancelled.
    public func sleep(for duration: Duration) async throws {
        try Task.checkCancellation()
        guard duration > .zero else { return }
        let (sleeper, watchers) = state.withLock { state in
            state.arrivals += 1
            let sleeper = Sleeper(wakeUp: state.uptime + duration, order: state.arrivals, signal: OneShot())
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

    /// Suspends until at least so many are asleep.
    ///
    /// It returns early only if the calling task is cancelled.
    public func sleepers(_ count: Int) async {
        await watch { $0.sleepers.count >= count }
    }

    /// Suspends until somebody sleeps who still has exactly so long to sleep: somebody with a time-out of that length.
    ///
    /// It returns early only if the calling task is cancelled.
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
    /// As Foundation counts.
    var seconds: Double { self / .seconds(1) }
}
