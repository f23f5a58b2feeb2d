// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Synchronization
import Testing

@testable import BenchmarkSupport

@Suite struct ComparisonTests {
    @Test func `the contender runs twice a round, and all take each place equally often`() async throws {
        let log = Mutex<[String]>([])
        let comparison = Comparison(
            "work", Contender(times: 1) { _ in log.withLock { $0.append("contender") } },
            against: Contender(times: 1) { _ in log.withLock { $0.append("base") } }, bound: 1, rounds: 12)
        _ = try await comparison.measure()
        // One round warms up.
        let rounds = log.withLock { $0 }.dropFirst(3)
        let places = rounds.enumerated().filter { $0.element == "base" }.map { $0.offset % 3 }
        #expect(places.count == 12)
        #expect((0..<3).map { place in places.count { $0 == place } } == [4, 4, 4])
    }

    @Test(arguments: [
        (99.0, 128, 8), (100, 128, 8), (100, 100, 12), (100, 32, 8), (100, 7, 7), (101, 128, 64), (101, 100, 50),
        (101, 16, 8),
    ])
    func `a figure clearly within or above its bound needs a part of the rounds`(
        cost: Double, limit: Int, rounds: Int
    ) async throws {
        let count = Mutex(0)
        let base = Contender(units: 1) { _ in
            count.withLock { $0 += 1 }
            return Cost(time: 100)
        }
        let figure = try await Comparison("work", .costing(cost), against: base, bound: 1, rounds: limit).measure()
        #expect(figure.value == cost / 100)
        // One round warms up.
        #expect(count.withLock { $0 } == rounds + 1)
    }

    @Test func `the factor of a slow-down comes from a whole quarter of the rounds`() async throws {
        let count = Mutex(0)
        let base = Contender(units: 1) { _ in
            count.withLock { $0 += 1 }
            return Cost(time: 100)
        }
        let comparison = Comparison("work", .costing(100), against: base, bound: 2, rounds: 128)
        _ = try await comparison.measure(slowDown: 1.05)
        // The slowed figure is clear after half of the rounds. A round warms up each of the two runs.
        let rounds = count.withLock { $0 }
        #expect(rounds == 33 + 65)
    }

    @Test func `a figure that is clear after half of the rounds needs no more rounds`() async throws {
        let turns = Mutex(0)
        let count = Mutex(0)
        // Costs half as much from the sixth round on; one round warms up, and each has two turns.
        let contender = Contender(units: 1) { _ in
            let turn = turns.withLock { turns in
                defer { turns += 1 }
                return turns
            }
            return Cost(time: turn < 12 ? 200 : 100)
        }
        let base = Contender(units: 1) { _ in
            count.withLock { $0 += 1 }
            return Cost(time: 100)
        }
        _ = try await Comparison("work", contender, against: base, bound: 1.6, rounds: 32).measure()
        #expect(count.withLock { $0 } == 17)
    }

    @Test(arguments: [(1.11, Figure.Verdict.met), (0.98, .withinMargin)])
    func `a figure within or above its bound by less than its margin needs all rounds`(
        bound: Double, verdict: Figure.Verdict
    ) async throws {
        let turns = Mutex(0)
        let count = Mutex(0)
        // Every other turn costs 0.9 or 1.1 times as much: the control is off by as much.
        let contender = Contender(units: 1) { _ in
            let turn = turns.withLock { turns in
                defer { turns += 1 }
                return turns
            }
            return Cost(time: [90, 110][(turn / 2 + turn) % 2])
        }
        let base = Contender(units: 1) { _ in
            count.withLock { $0 += 1 }
            return Cost(time: 100)
        }
        let figure = try await Comparison("work", contender, against: base, bound: bound, rounds: 32).measure()
        #expect(figure.verdict == verdict && figure.margin > 0.1)
        #expect(count.withLock { $0 } == 33)
    }

    @Test func `a slowed stopwatch runs until the work has taken the factor times its own time`() async {
        let clock = SteppingClock()
        let stopwatch = Stopwatch(factor: 2.5) { clock.read() }
        let cost = await stopwatch.measure { clock.advance(by: 100) }
        // 101 times 2.5, and the step of the clock.
        #expect(cost.time == 253)
        #expect(cost.processorTime == 253)
    }

    @Test func `a stopwatch without a slow-down measures the time of the work`() async {
        let clock = SteppingClock()
        let cost = await Stopwatch { clock.read() }.measure { clock.advance(by: 100) }
        #expect(cost.time == 101)
    }

    @Test(arguments: [(1_000, 1.25, 1_250), (5, 1.25, 7), (5, 1, 5)])
    func `marked work is repeated to slow it down`(times: Int, factor: Double, slowed: Int) async throws {
        let done = Mutex(0)
        _ = try await Stopwatch.marking(factor: factor).measure(times: times) { count in done.withLock { $0 = count } }
        #expect(done.withLock { $0 } == slowed)
        #expect(Stopwatch.marking(factor: factor).slowed(times) == slowed)
        #expect(Stopwatch(factor: factor).slowed(times) == times)
    }

    @Test func `one thread runs all tasks in the order in which they were added`() async {
        let order = Order()
        await withTaskGroup { group in
            for index in 0..<1_000 {
                group.addTask(executorPreference: OneThread.shared) { order.indices.withLock { $0.append(index) } }
            }
        }
        #expect(order.indices.withLock { $0 } == Array(0..<1_000))
    }

    @Test func `a figure of one time shows the other as well`() async throws {
        let work = Contender(units: 1) { _ in Cost(time: 3_000, processorTime: 8_000) }
        let base = Contender(units: 1) { _ in Cost(time: 2_000, processorTime: 4_000) }
        let time = try await Comparison("a", work, against: base, bound: 1, rounds: 8).measure()
        #expect(time.value == 1.5 && time.detail == "3000 ns / 2000 ns, processor time 2.0")
        let processorTime = try await Comparison(
            "b", work, against: base, bound: 1, meter: .processorTime, rounds: 8
        ).measure()
        #expect(processorTime.value == 2 && processorTime.detail == "8000 ns / 4000 ns, elapsed time 1.5")
    }

    @Test func `a control of its own is compared with the contender`() async throws {
        let comparison = Comparison(
            "work", .costing(100), control: .costing(110), against: .costing(80), bound: nil, rounds: 8)
        let figure = try await comparison.measure()
        #expect(figure.value == 1.25)
        #expect(figure.control == 1.1 && abs(figure.margin - 0.1) < 1e-9)
    }

    @Test func `where nothing counts, a group times the same work or measures something else`() async throws {
        let work = Contender(units: 1) { _ in Cost(time: 1, processorTime: 1) }
        let comparison = Comparison("time", work, against: work, bound: 1, rounds: 8)
        let other = Figure(name: "other", value: 1, bound: 1, detail: "")
        let groups = [
            BenchmarkGroup("a", counted: { [comparison] }),
            BenchmarkGroup("b", counted: { [comparison] }, uncounted: { _ in [other] }),
            BenchmarkGroup("c", counted: { [comparison] }, uncounted: { _ in [] }, measured: { _ in [other] }),
        ]
        var names: [[String]] = []
        for group in groups { names.append(try await group.measuredFigures(slowDown: nil, counter: nil).map(\.name)) }
        #expect(names == [["time"], ["other"], ["other"]])
    }

    @Test func `a cost is given for one unit of work`() async throws {
        let contender = Contender(units: 8) { _ in Cost(time: 24, processorTime: 16) }
        let cost = try await contender.run(Stopwatch())
        #expect(cost.time == 3)
        #expect(cost.processorTime == 2)
    }

    @Test(arguments: [2.5, 0.9])
    func `a slow-down raises a figure above its bound`(bound: Double) async throws {
        let comparison = Comparison(
            "work", .costing(200), against: .costing(100), bound: bound, rounds: 5)
        let figure = try await comparison.measure()
        #expect(figure.value == 2)
        let slowed = try await comparison.measure(slowDown: 1.05)
        // A figure that is already above its bound is slowed down too.
        #expect(abs(slowed.value - max(bound, 2) * 1.05) < 0.001)
        #expect(slowed.margin == 0)
        #expect(slowed.verdict == .missed)
    }

    @Test func `without a bound nothing is slowed down`() async throws {
        let comparison = Comparison("work", .costing(200), against: .costing(100), bound: nil, rounds: 5)
        #expect(try await comparison.measure(slowDown: 1.05).value == 2)
    }
}

private final class Order: Sendable {
    let indices = Mutex<[Int]>([])
}

extension Contender {
    /// Work of a given cost, and its factor if it is slowed down.
    fileprivate static func costing(_ time: Double) -> Contender {
        Contender(units: 1) { Cost(time: time * $0.factor, processorTime: time * $0.factor) }
    }
}

/// A clock that advances by 1 whenever it is read.
private final class SteppingClock: Sendable {
    private let time = Mutex(0.0)

    func advance(by amount: Double) { time.withLock { $0 += amount } }

    func read() -> Cost {
        let time = time.withLock { time in
            time += 1
            return time
        }
        return Cost(time: time, processorTime: time)
    }
}
