// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationTesting
import Testing

struct ManualClockTests {
    let clock = ManualClock(now: Date(timeIntervalSince1970: 1000))

    @Test func `advancing moves the time of day and the uptime`() {
        clock.advance(by: .seconds(2))
        clock.advance(by: .milliseconds(500))
        #expect(clock.now == Date(timeIntervalSince1970: 1002.5))
        #expect(clock.uptime == .milliseconds(2500))
    }

    @Test func `setting the time of day leaves the uptime and wakes no sleeper`() async {
        let task = Task { [clock] in try await clock.sleep(for: .seconds(10)) }
        await clock.sleepers(1)
        clock.setWallClock(to: Date(timeIntervalSince1970: 9000))
        #expect(clock.now == Date(timeIntervalSince1970: 9000))
        #expect(clock.uptime == .zero)
        #expect(clock.sleeping == [.seconds(10)])
        task.cancel()
    }

    @Test func `a sleeper wakes at its deadline and not earlier`() async throws {
        async let sleep: Void = clock.sleep(for: .seconds(10))
        await clock.sleepers(1)
        clock.advance(by: .seconds(9))
        #expect(clock.sleeping == [.seconds(1)])
        clock.advance(by: .seconds(1))
        #expect(clock.sleeping == [])
        try await sleep
    }

    @Test func `one step wakes all sleepers whose deadline has passed, the earliest first`() async throws {
        let executor = SteppingExecutor()
        let woken = Recorder<Int>()
        let tasks = [3, 1, 9, 2].map { seconds in
            Task(executorPreference: executor) { [clock] in
                try await clock.sleep(for: .seconds(seconds))
                woken.append(seconds)
            }
        }
        executor.run()
        clock.advance(by: .seconds(5))
        executor.run()
        #expect(woken.list == [1, 2, 3])
        tasks[2].cancel()
        executor.run()
        await #expect(throws: CancellationError.self) { try await tasks[2].value }
    }

    @Test func `a cancelled sleeper returns at once and sleeps no more`() async {
        let task = Task { [clock] in try await clock.sleep(for: .seconds(10)) }
        await clock.sleepers(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(clock.sleeping == [])
    }

    @Test func `a task that is cancelled beforehand does not sleep, not even for no time`() async {
        await withTaskGroup(of: Void.self) { [clock] group in
            group.cancelAll()
            for duration in [Duration.zero, .seconds(10)] {
                group.addTask {
                    _ = await #expect(throws: CancellationError.self) { try await clock.sleep(for: duration) }
                }
            }
        }
    }

    @Test func `sleeping for no time or less returns`() async throws {
        try await clock.sleep(for: .zero)
        try await clock.sleep(for: .seconds(-1))
    }

    @Test func `a test can wait for a sleeper with a time-out of a given length`() async throws {
        async let short: Void = clock.sleep(for: .seconds(1))
        await clock.sleeper(for: .seconds(1))
        let watch = Task { [clock] in
            await clock.sleeper(for: .seconds(30))
            return clock.sleeping
        }
        async let long: Void = clock.sleep(for: .seconds(30))
        #expect(await watch.value == [.seconds(1), .seconds(30)])
        clock.advance(by: .seconds(30))
        _ = try await (short, long)
    }

    @Test func `an advance can leave a sleeper with the awaited time`() async throws {
        let executor = SteppingExecutor()
        let events = Recorder<String>()
        let sleep = Task(executorPreference: executor) { [clock] in
            try await clock.sleep(for: .seconds(30))
        }
        let watch = Task(executorPreference: executor) { [clock] in
            await clock.sleeper(for: .seconds(10))
            events.append("seen")
        }
        executor.run()
        clock.advance(by: .seconds(20))
        executor.run()
        #expect(events.list == ["seen"])
        sleep.cancel()
        watch.cancel()
        executor.run()
        await watch.value
    }

    @Test func `waiting for sleepers ends when the waiting task is cancelled`() async {
        let task = Task { [clock] in await clock.sleepers(1) }
        task.cancel()
        await task.value
    }
}
