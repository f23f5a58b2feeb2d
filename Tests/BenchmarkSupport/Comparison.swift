// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Times something against what it is built on: in each round both do small batches in turn, so that a machine that is busy for
/// a while is busy for both.
///
/// - Parameters:
///   - tasks: how many do it at a time.
///   - batch: how often one task does it before it is the other's turn.
/// - Returns: the median of the ratios of the rounds, and in words also that of the processor time of the whole process.
package func compare(
    _ name: String, _ contender: @escaping @Sendable () async throws -> Void,
    against base: @escaping @Sendable () async throws -> Void, tasks: Int, batch: Int, bound: Double
) async throws -> Figure {
    var rounds: [Round] = []
    for _ in 0..<2 {
        _ = try await Spent(tasks: tasks, batch: batch, base) + Spent(tasks: tasks, batch: batch, contender)
    }
    for _ in 0..<11 {
        var round = Round()
        for turn in 0..<24 {
            // Who is first in a pair changes, so that neither always gets the warmer machine.
            for isBase in turn.isMultiple(of: 2) ? [true, false] : [false, true] {
                let spent = try await Spent(tasks: tasks, batch: batch, isBase ? base : contender)
                if isBase { round.base = round.base + spent } else { round.contender = round.contender + spent }
            }
        }
        rounds.append(round)
    }
    let times = Double(24 * tasks * batch)
    let ratios = rounds.map { $0.contender.time / $0.base.time }.sorted()
    let processor = rounds.map { $0.contender.processorTime / $0.base.processorTime }.median
    let (mine, theirs) = (rounds.map { $0.contender.time / times }.median, rounds.map { $0.base.time / times }.median)
    return Figure(
        name: name, value: ratios.median, bound: bound,
        detail: """
            \(mine.asTime) / \(theirs.asTime), rounds \(ratios[0].rounded(places: 3)) to \
            \(ratios[ratios.count - 1].rounded(places: 3)), processor time \(processor.rounded(places: 3))
            """)
}

private struct Round {
    var contender = Spent()
    var base = Spent()
}

/// Nanoseconds.
private struct Spent {
    var time = 0.0
    var processorTime = 0.0

    static func + (left: Spent, right: Spent) -> Spent {
        var sum = left
        sum.time += right.time
        sum.processorTime += right.processorTime
        return sum
    }
}

extension Spent {
    init(tasks: Int, batch: Int, _ body: @escaping @Sendable () async throws -> Void) async throws {
        let before = BenchmarkSupport.processorTime()
        let duration = try await ContinuousClock().measure {
            try await withThrowingTaskGroup { group in
                for _ in 0..<tasks {
                    group.addTask { for _ in 0..<batch { try await body() } }
                }
                try await group.waitForAll()
            }
        }
        time = duration.nanoseconds
        processorTime = (BenchmarkSupport.processorTime() - before).nanoseconds
    }
}
