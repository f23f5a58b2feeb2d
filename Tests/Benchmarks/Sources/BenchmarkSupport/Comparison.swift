// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A piece of work, the work that it is compared with, and a bound for the ratio of the two costs.
package struct Comparison: Sendable {
    /// Which time is compared.
    package enum Meter: Sendable { case time, processorTime }

    let name: String
    /// `nil` if the figure is reported and not judged.
    let bound: Double?
    let meter: Meter
    /// How many rounds there are at most.
    let rounds: Int
    let contender: Contender
    private let control: Contender
    let base: Contender

    /// - Parameter control: the contender's work with connections of its own, if contender and base share none. By default
    ///   it is the contender.
    package init(
        _ name: String, _ contender: Contender, control: Contender? = nil, against base: Contender, bound: Double?,
        meter: Meter = .time, rounds: Int
    ) {
        self.name = name
        self.bound = bound
        self.meter = meter
        self.rounds = rounds
        self.contender = contender
        self.control = control ?? contender
        self.base = base
    }

    /// Times both in rounds. In each round they and the control take turns, so a busy machine slows all of them.
    ///
    /// A figure below its bound by more than its margin after a sixteenth, an eighth, a quarter or half of the rounds
    /// needs no more rounds. Neither does one that is above it by more than its margin after half.
    ///
    /// - Parameter slowDown: if given, the contender and its control, which is the same work, are slowed down until the
    ///   figure is this many times its bound. Without a bound nothing is slowed down.
    package func measure(slowDown: Double? = nil) async throws -> Figure {
        var factor = 1.0
        if let slowDown, let bound {
            // All of these rounds are needed: the factor is as exact as their figure.
            let (rounds, _) = try await run(rounds: max(5, rounds / 4), Stopwatch(), mayEndEarly: false)
            factor = max(slowDown, bound * slowDown / rounds.figure)
        }
        let (rounds, costs) = try await run(rounds: rounds, Stopwatch(factor: factor))
        return Figure(
            name: name, value: rounds.figure, bound: bound, unit: .time, control: rounds.controlFigure,
            margin: rounds.margin, detail: detail(costs))
    }

    /// Runs both once for a tool that counts instructions.
    func mark(factor: Double) async throws {
        for (contender, factor) in [(contender, factor), (base, 1)] {
            _ = try await contender.run(Stopwatch())
            _ = try await contender.run(.marking(factor: factor))
        }
    }

    private typealias Costs = (contender: [Cost], base: [Cost])

    private func run(
        rounds count: Int, _ stopwatch: Stopwatch, mayEndEarly: Bool = true
    ) async throws -> (Rounds, Costs) {
        var rounds = Rounds()
        var costs: Costs = ([], [])
        // The first round only warms up.
        for index in -1..<count {
            var round = [Cost](repeating: Cost(), count: 3)
            for leg in Self.orders[(index + 6) % 6] {
                round[leg] = try await [contender, control, base][leg].run(leg == 2 ? Stopwatch() : stopwatch)
            }
            guard index >= 0 else { continue }
            rounds.append(contender: value(round[0]), control: value(round[1]), base: value(round[2]))
            costs.contender.append(round[0])
            costs.base.append(round[2])
            if mayEndEarly, isClear(rounds, of: count) { break }
        }
        return (rounds, costs)
    }

    /// The margin of less than eight rounds is meaningless.
    private func isClear(_ rounds: Rounds, of count: Int) -> Bool {
        guard let bound, rounds.count >= 8, let part = [16, 8, 4, 2].first(where: { rounds.count == count / $0 }) else {
            return false
        }
        let (figure, margin) = (rounds.figure, rounds.margin)
        return figure * (1 + margin) <= bound || part == 2 && figure > bound * (1 + margin)
    }

    /// All orders of the contender (0), its control (1) and its base (2), so that none always runs on the warmer
    /// machine.
    private static let orders = [[0, 1, 2], [2, 1, 0], [1, 2, 0], [0, 2, 1], [2, 0, 1], [1, 0, 2]]

    private func value(_ cost: Cost) -> Double { meter == .time ? cost.time : cost.processorTime }

    private func detail(_ costs: Costs) -> String {
        let (mine, theirs) = (costs.contender.map(value).median, costs.base.map(value).median)
        let times = zip(costs.contender, costs.base).map { $0.time / $1.time }.median
        let processorTimes = zip(costs.contender, costs.base).map { $0.processorTime / $1.processorTime }.median
        let other =
            meter == .time
            ? "processor time \(processorTimes.rounded(places: 3))" : "elapsed time \(times.rounded(places: 3))"
        return "\(mine.asTime) / \(theirs.asTime), \(other)"
    }
}
