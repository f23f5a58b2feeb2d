// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Serves many timers and sleeping tasks with a few sleeps of a clock.
///
/// A cancelled sleep of the runtime stays in memory until its time has come, 1 KiB each. A server with short-lived
/// providers would keep the deadlines of the last 30 s. Here a cancelled entry is removed at once. The sleep goes on,
/// finds nothing due, and serves the next entry.
final class TimerQueue: Sendable {
    fileprivate struct Contents {
        var entries: [Int: (due: Duration, fire: @Sendable () -> Void)] = [:]
        var order = EarliestFirst<Duration>()
        var lastNumber = 0
        /// The present sleeps of the clock, by their ends.
        var sleeps: [Duration: Task<Void, Never>?] = [:]
    }

    private let clock: any AuthorizationClock
    private let contents = Lock(Contents())
    /// Called outside the lock when a task begins to sleep; for tests.
    private let onSleep: (@Sendable () -> Void)?

    init(_ clock: any AuthorizationClock, onSleep: (@Sendable () -> Void)? = nil) {
        self.clock = clock
        self.onSleep = onSleep
    }

    deinit { for sleep in contents.withLock({ $0.sleeps }).values { sleep?.cancel() } }

    /// The number of kept places, including those of cancelled entries.
    var capacity: Int { contents.withLock { $0.order.count } }

    // MARK: Timers

    /// Calls `fire` once at an uptime, unless it is cancelled first.
    ///
    /// - Returns: the number with which it is cancelled.
    func schedule(at due: Duration, _ fire: @escaping @Sendable () -> Void) -> Int {
        let (number, next) = contents.withLock { $0.add(fire, due: due) }
        arm(next)
        return number
    }

    func schedule(after duration: Duration, _ fire: @escaping @Sendable () -> Void) -> Int {
        schedule(at: clock.uptime + duration.saturated, fire)
    }

    func cancel(_ number: Int) {
        // What the closure captures is released outside the lock.
        withExtendedLifetime(contents.withLock { $0.remove(number) }) {}
    }

    // MARK: Sleeping

    /// Waits for a duration; throws `CancellationError` at once when the task is cancelled.
    func sleep(for duration: Duration) async throws {
        try Task.checkCancellation()
        guard duration > .zero else { return }
        let end = FirstResult<Void>()
        let number = schedule(after: duration) { end.land(.success(())) }
        onSleep?()
        try await end.value { cancel(number) }
    }

    // MARK: -

    /// Sleeps until a time, in a task that inherits nothing from its creator.
    private func arm(_ due: Duration?) {
        guard let due else { return }
        let sleep = Task.detached(priority: .high) { [weak self, clock] in
            try? await clock.sleep(for: due - clock.uptime)
            self?.wake(due)
        }
        contents.withLock { if $0.sleeps[due] != nil { $0.sleeps[due] = sleep } }
    }

    private func wake(_ end: Duration) {
        let uptime = clock.uptime
        let (due, next) = contents.withLock { contents in
            contents.sleeps[end] = nil
            return (contents.takeDue(at: uptime), contents.nextSleep())
        }
        for fire in due { fire() }
        arm(next)
    }
}

extension TimerQueue.Contents {
    /// - Returns: the number of the entry; when another sleep of the clock must end, `nil` if a present one ends early enough.
    fileprivate mutating func add(_ fire: @escaping @Sendable () -> Void, due: Duration) -> (Int, next: Duration?) {
        lastNumber += 1
        entries[lastNumber] = (due, fire)
        order.insert(lastNumber, key: due)
        return (lastNumber, nextSleep())
    }

    fileprivate mutating func remove(_ number: Int) -> (@Sendable () -> Void)? {
        let former = entries.removeValue(forKey: number)
        // Cancelled entries leave the order once they are more than half of it.
        if order.count > 2 * entries.count + 64 {
            order = EarliestFirst(entries.map { (key: $0.value.due, number: $0.key) })
        }
        return former?.fire
    }

    fileprivate mutating func takeDue(at uptime: Duration) -> [@Sendable () -> Void] {
        var due: [@Sendable () -> Void] = []
        while let first = order.first {
            let entry = entries[first.number]
            if entry != nil, first.key > uptime { break }
            order.removeFirst()
            entries[first.number] = nil
            if let entry { due.append(entry.fire) }
        }
        return due
    }

    fileprivate mutating func nextSleep() -> Duration? {
        guard let first = order.first, sleeps.keys.allSatisfy({ first.key < $0 }) else { return nil }
        sleeps[first.key] = .some(nil)
        return first.key
    }
}
