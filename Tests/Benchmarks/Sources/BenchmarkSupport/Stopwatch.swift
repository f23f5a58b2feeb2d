// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import BenchmarkMarks
import Foundation

/// Measures the cost of work, and can raise that cost on purpose.
package struct Stopwatch: Sendable {
    /// The cost that the work is raised to, as a multiple of its own cost. 1 changes nothing.
    let factor: Double
    private let isCounting: Bool
    private let now: @Sendable () -> Cost

    /// Measures time.
    init(factor: Double = 1, now: @escaping @Sendable () -> Cost = Stopwatch.systemTime) {
        self.factor = factor
        self.isCounting = false
        self.now = now
    }

    /// Marks the beginning and the end of the work for a tool that counts instructions; measures nothing itself.
    static func marking(factor: Double) -> Stopwatch { Stopwatch(factor: factor, isCounting: true) { Cost() } }

    private init(factor: Double, isCounting: Bool, now: @escaping @Sendable () -> Cost) {
        self.factor = factor
        self.isCounting = isCounting
        self.now = now
    }

    /// Measures work that can be repeated. Where instructions are counted, repeating it slows it down.
    func measure(times: Int, _ work: (_ times: Int) async throws -> Void) async throws -> Cost {
        guard isCounting else { return try await measure { try await work(times) } }
        return try await measure { try await work(slowed(times)) }
    }

    /// Where instructions are counted, work is slowed down by doing it more often.
    ///
    /// - Returns: how often work is to be done in place of this many times.
    package func slowed(_ times: Int) -> Int {
        isCounting ? Int((Double(times) * factor).rounded(.up)) : times
    }

    /// Measures work, after which the processor is kept busy until the work took `factor` times as long.
    package func measure(_ work: () async throws -> Void) async rethrows -> Cost {
        if isCounting {
            benchmark_mark()
            try await work()
            benchmark_mark()
            return Cost()
        }
        let start = now()
        try await work()
        var end = now()
        guard factor > 1 else { return end - start }
        let time = start.time + (end.time - start.time) * factor
        let processorTime = start.processorTime + (end.processorTime - start.processorTime) * factor
        while end.time < time || end.processorTime < processorTime { end = now() }
        return end - start
    }

    private static func systemTime() -> Cost {
        Cost(time: seconds(CLOCK_MONOTONIC), processorTime: seconds(CLOCK_PROCESS_CPUTIME_ID))
    }

    private static func seconds(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}
