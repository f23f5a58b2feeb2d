// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorizationTesting
import TestProviders
import Testing

@testable import RequestAuthorization

/// Many timers and sleepers share few sleeps.
@Suite(.timeLimit(.minutes(5))) struct TimerQueueTests {
    private let clock = ManualClock()

    @Test func `sleepers wake at their deadlines, whatever their order`() async throws {
        let asleep = Tally()
        let queue = TimerQueue(clock) { asleep.add() }
        var sleepers: [(seconds: Int, task: Task<Void, any Error>)] = []
        for seconds in [30, 10, 20, 10, 40] {
            sleepers.append((seconds, Task { try await queue.sleep(for: .seconds(seconds)) }))
            await asleep.reaches(sleepers.count)
        }
        for seconds in [10, 20, 30, 40] {
            await clock.sleeper(for: .seconds(10))
            clock.advance(by: .seconds(10))
            for sleeper in sleepers where sleeper.seconds == seconds { try await sleeper.task.value }
        }
        #expect(queue.capacity == 0)
    }

    @Test func `a cancelled sleep ends at once, and leaves nothing`() async {
        let queue = TimerQueue(clock)
        for _ in 0..<1000 {
            let sleeper = Task { try await queue.sleep(for: .seconds(30)) }
            sleeper.cancel()
            await #expect(throws: CancellationError.self) { try await sleeper.value }
        }
        #expect(queue.capacity <= 64)
        #expect(clock.sleeping.count <= 1)
    }

    @Test func `many cancelled sleepers do not affect the others`() async throws {
        let queue = TimerQueue(clock)
        let kept = Task { try await queue.sleep(for: .seconds(7)) }
        await clock.sleeper(for: .seconds(7))
        let others = (0..<500).map { _ in Task { try await queue.sleep(for: .seconds(5)) } }
        await clock.sleeper(for: .seconds(5))
        for other in others {
            other.cancel()
            await #expect(throws: CancellationError.self) { try await other.value }
        }
        #expect(queue.capacity <= 66)
        clock.advance(by: .seconds(7))
        try await kept.value
    }

    @Test func `a sleep of no time returns at once`() async throws {
        try await TimerQueue(clock).sleep(for: .zero)
        try await TimerQueue(clock).sleep(for: .seconds(-1))
        #expect(clock.sleeping.isEmpty)
    }

    @Test func `the first sleeper is the one with the earliest deadline`() {
        var order = EarliestFirst<Duration>()
        for number in [5, 3, 8, 1, 9, 2, 7, 3] { order.insert(number, key: .seconds(number)) }
        var sorted: [Int] = []
        while let first = order.first {
            sorted.append(first.number)
            order.removeFirst()
        }
        #expect(sorted == [1, 2, 3, 3, 5, 7, 8, 9])
    }

    @Test func `timers that are due together fire in the order in which they were set`() async {
        let (queue, fired) = (TimerQueue(clock), Journal<Int>())
        let cancelled = queue.schedule(after: .seconds(1)) { fired.add(9) }
        for number in 1...3 { _ = queue.schedule(after: .seconds(2)) { fired.add(number) } }
        queue.cancel(cancelled)
        _ = queue.schedule(after: .seconds(1)) { fired.add(0) }
        await clock.sleepers(1)
        clock.advance(by: .seconds(2))
        #expect(await fired.reaches(4) == [0, 1, 2, 3])
    }

    /// In a separate process, because its first access begins the time. Before zero no slot would be open.
    @Test func `the time of the system's clock begins at zero`() async {
        await #expect(processExitsWith: .success) { try #require(SystemClock().uptime >= .zero) }
    }

    @Test func `a queue that is released ends its sleeps`() async throws {
        let clock = EndingClock()
        var queue: TimerQueue? = TimerQueue(clock)
        _ = queue?.schedule(after: .seconds(30)) {}
        await clock.base.sleepers(1)
        queue = nil
        try await clock.ended.value()
        #expect(clock.base.sleeping.isEmpty)
    }
}

/// A manual clock that tells of the end of a sleep.
private struct EndingClock: AuthorizationClock {
    let base = ManualClock()
    let ended = OneShot<Void>()

    var now: Date { base.now }
    var uptime: Duration { base.uptime }

    func sleep(for duration: Duration) async throws {
        defer { ended.fulfill() }
        try await base.sleep(for: duration)
    }
}
