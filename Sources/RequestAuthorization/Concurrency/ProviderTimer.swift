// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Schedules all timers of a provider over one sleeping task.
///
/// A cancelled sleep stays in the runtime until its time has come. So entries do not sleep by themselves, and
/// cancelling one does not cancel the sleep: it finds nothing due and goes on to the next entry.
final class ProviderTimer: Sendable {
    private struct Entry {
        let due: Duration
        let fire: @Sendable () -> Void
    }

    private struct Contents {
        var entries: [Int: Entry] = [:]
        var lastNumber = 0
        var armed: Duration?
        var sleeps: [Duration: Task<Void, Never>] = [:]
    }

    private let clock: any AuthorizationClock
    private let contents = Lock(Contents())

    init(_ clock: any AuthorizationClock) { self.clock = clock }

    deinit { for sleep in contents.withLock({ $0.sleeps }).values { sleep.cancel() } }

    /// Calls `fire` once at an uptime, unless it is cancelled first.
    func schedule(at due: Duration, _ fire: @escaping @Sendable () -> Void) -> Int {
        let (number, isEarlier) = contents.withLock { contents in
            contents.lastNumber += 1
            contents.entries[contents.lastNumber] = Entry(due: due, fire: fire)
            return (contents.lastNumber, contents.armed.map { due < $0 } ?? true)
        }
        if isEarlier { arm() }
        return number
    }

    func schedule(after duration: Duration, _ fire: @escaping @Sendable () -> Void) -> Int {
        schedule(at: clock.uptime + duration, fire)
    }

    func cancel(_ number: Int) {
        // The captures of the closure are released outside the lock.
        _ = contents.withLock { $0.entries.removeValue(forKey: number) }
    }

    // MARK: -

    private func arm() {
        contents.withLock { contents in
            let due = contents.entries.values.map(\.due).min()
            guard let due, contents.armed.map({ due < $0 }) ?? true else { return }
            contents.armed = due
            contents.sleeps[due] = Task { [weak self, clock] in
                try? await clock.sleep(for: due - clock.uptime)
                self?.wake(due)
            }
        }
    }

    private func wake(_ time: Duration) {
        let uptime = clock.uptime
        let due = contents.withLock { contents in
            contents.sleeps[time] = nil
            contents.armed = contents.sleeps.keys.min()
            let due = contents.entries.filter { $0.value.due <= uptime }
            for number in due.keys { contents.entries[number] = nil }
            return due
        }
        for (_, entry) in due.sorted(by: { ($0.value.due, $0.key) < ($1.value.due, $1.key) }) { entry.fire() }
        arm()
    }
}
