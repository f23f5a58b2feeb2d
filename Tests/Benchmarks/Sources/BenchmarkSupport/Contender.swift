// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A piece of work whose cost is measured in batches.
package struct Contender: Sendable {
    /// How many units of work one batch does; costs are given for one unit.
    let units: Double
    private let batch: @Sendable (Stopwatch) async throws -> Cost

    /// - Parameters:
    ///   - times: how often one batch does the work.
    ///   - units: how many units the work consists of, such as KiB that it reads.
    ///   - work: does the work this many times.
    package init(times: Int, units: Double = 1, _ work: @escaping @Sendable (_ times: Int) async throws -> Void) {
        self.init(units: Double(times) * units) { try await $0.measure(times: times, work) }
    }

    /// - Parameters:
    ///   - units: how many units of work one batch does.
    ///   - batch: does one batch, and lets the stopwatch measure the part of it that counts.
    package init(units: Double, batch: @escaping @Sendable (Stopwatch) async throws -> Cost) {
        self.units = units
        self.batch = batch
    }

    /// Does one batch.
    ///
    /// - Returns: the cost of one unit.
    func run(_ stopwatch: Stopwatch) async throws -> Cost { try await batch(stopwatch) / units }
}

/// The cost of a piece of work, in nanoseconds.
package struct Cost: Sendable {
    /// The wall-clock time.
    package private(set) var time: Double
    /// The processor time of all threads of this process. It depends less on the other load of the machine.
    package private(set) var processorTime: Double

    package init(time: Double = 0, processorTime: Double = 0) {
        self.time = time
        self.processorTime = processorTime
    }

    package static func + (left: Cost, right: Cost) -> Cost {
        Cost(time: left.time + right.time, processorTime: left.processorTime + right.processorTime)
    }

    package static func - (left: Cost, right: Cost) -> Cost {
        Cost(time: left.time - right.time, processorTime: left.processorTime - right.processorTime)
    }

    package static func / (cost: Cost, units: Double) -> Cost {
        Cost(time: cost.time / units, processorTime: cost.processorTime / units)
    }
}
