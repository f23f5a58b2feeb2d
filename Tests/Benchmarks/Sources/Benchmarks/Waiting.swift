// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import BenchmarkSupport

/// The cost per request when very many requests wait for a refresh, or are cancelled meanwhile.
private struct Way: Sendable {
    let name: String
    /// The bound for the processor time. More requests need more of it: their memory leaves the caches.
    let bound: Double
    let start: @Sendable (_ count: Int, Stopwatch, _ executor: OneThread?) async throws -> Cost

    static let all = [
        Way(name: "waiting for one refresh", bound: 2, start: waitForRefresh),
        Way(name: "cancelling waiters", bound: 2, start: cancelInOrder),
        Way(name: "cancelling waiters, shuffled", bound: 3, start: cancelShuffled),
    ]

    /// - Parameter executor: runs the requests and the task that waits for them, or `nil` for all cores.
    func run(_ count: Int, _ stopwatch: Stopwatch, on executor: OneThread? = nil) async throws -> Cost {
        try await withTaskExecutorPreference(executor) { try await start(count, stopwatch, executor) }
    }
}

private let (few, many) = (1_000, 100_000)

/// All requests run in one thread: several take turns in another order each time.
func compareWaiting() -> [Comparison] {
    Way.all.map { way in
        Comparison(
            "\(way.name) in one thread: each of \(many) / each of \(few)",
            Contender(units: Double(many)) { try await way.run($0.slowed(many), $0, on: .shared) },
            against: Contender(units: Double(few)) { try await way.run(few, $0, on: .shared) },
            bound: 1.1, rounds: 1)
    }
}

/// Without a tool that counts, on all cores.
func measureWaiting(slowDown: Double?) async throws -> [Figure] {
    var figures: [Figure] = []
    for way in Way.all {
        let comparison = Comparison(
            "\(way.name): each of \(many) / each of \(few)",
            Contender(units: Double(many)) { try await way.run(many, $0) },
            against: Contender(units: Double(20 * few)) { stopwatch in
                var sum = Cost()
                for _ in 0..<20 { sum = try await sum + way.run(few, stopwatch) }
                return sum
            },
            bound: way.bound, meter: .processorTime, rounds: 128)
        figures.append(try await comparison.measure(slowDown: slowDown))
    }
    return figures
}

/// From the first request to the return of the last, all in one task group.
private func waitForRefresh(_ count: Int, _ stopwatch: Stopwatch, _ executor: OneThread?) async throws -> Cost {
    let crowd = Crowd(count)
    let cost = try await stopwatch.measure {
        try await withThrowingTaskGroup { group in
            for _ in 0..<count { group.addTask { try await crowd.request() } }
            await crowd.isComplete()
            await crowd.service.open()
            try await group.waitForAll()
        }
    }
    try await crowd.checkOneRefresh()
    return cost
}

/// From the cancellation of the group to the return of its last request.
private func cancelInOrder(_ count: Int, _ stopwatch: Stopwatch, _ executor: OneThread?) async throws -> Cost {
    let crowd = Crowd(count)
    let cost = try await withThrowingTaskGroup { group in
        for _ in 0..<count { group.addTask { try await crowd.request() } }
        await crowd.isComplete()
        return try await stopwatch.measure {
            group.cancelAll()
            while let result = await group.nextResult() { try expectCancellation(result) }
        }
    }
    await crowd.service.open()
    try await crowd.checkOneRefresh()
    return cost
}

/// From the first cancellation to the return of the last request. It is awaited first, so most others have ended by
/// then.
private func cancelShuffled(_ count: Int, _ stopwatch: Stopwatch, _ executor: OneThread?) async throws -> Cost {
    let crowd = Crowd(count)
    let tasks = (0..<count).map { _ in
        Task.detached(executorPreference: executor) { try await crowd.request() }
    }
    await crowd.isComplete()
    let shuffled = tasks.shuffled()
    let cost = try await stopwatch.measure {
        for task in shuffled { task.cancel() }
        for task in shuffled.reversed() { try expectCancellation(await task.result) }
    }
    await crowd.service.open()
    try await crowd.checkOneRefresh()
    return cost
}

private func expectCancellation(_ result: Result<Void, any Error>) throws {
    guard case .failure(let error) = result, error is CancellationError else {
        throw BenchmarkError(description: "a cancelled request ended with \(result)")
    }
}
