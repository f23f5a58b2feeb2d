// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import BenchmarkSupport
import RequestAuthorization
import Synchronization

/// The cost of waiting for a refresh, compared with the least cost of any suspension.
func measureSuspension(slowDown: Double?) async throws -> [Figure] {
    var figures: [Figure] = []
    for count in [1_000, 10_000, 100_000] {
        let comparison = Comparison(
            "waiting / a bare suspension, \(count) at a time",
            contender(count) { try await waitForRefresh(count, $0) },
            against: contender(count) { try await suspend(count, $0) },
            bound: 1.5, meter: .processorTime, rounds: 128)
        figures.append(try await comparison.measure(slowDown: slowDown))
    }
    return figures
}

/// - Returns: a contender that repeats the run until 100 000 requests have waited.
private func contender(_ count: Int, _ run: @escaping @Sendable (Stopwatch) async throws -> Cost) -> Contender {
    Contender(units: 100_000) { stopwatch in
        var sum = Cost()
        for _ in 0..<100_000 / count { sum = try await sum + run(stopwatch) }
        return sum
    }
}

/// From the creation of the first task to the return of the last.
private func waitForRefresh(_ count: Int, _ stopwatch: Stopwatch) async throws -> Cost {
    let crowd = Crowd(count)
    let cost = try await stopwatch.measure {
        let tasks = (0..<count).map { _ in Task.detached { try await crowd.request() } }
        await crowd.isComplete()
        await crowd.service.open()
        for task in tasks { try await task.value }
    }
    try await crowd.checkOneRefresh()
    return cost
}

/// The same without a provider.
private func suspend(_ count: Int, _ stopwatch: Stopwatch) async throws -> Cost {
    let crowd = BareCrowd(count)
    return try await stopwatch.measure {
        let tasks = (0..<count).map { _ in Task.detached { try await crowd.request() } }
        await crowd.isComplete()
        crowd.open(BenchmarkToken.valid.authorizationHeaderValue)
        for task in tasks { try await task.value }
    }
}

/// Continuations in an array, which are resumed in their order: no cancellation, no clock, no provider.
final class BareCrowd: Sendable {
    private struct Contents {
        var waiters: [UnsafeContinuation<String, any Error>] = []
        var header: String?
    }

    private let contents = Mutex(Contents())
    private let arrivals: Arrivals

    init(_ count: Int) { arrivals = Arrivals(count) }

    func isComplete() async { await arrivals.areComplete() }

    func request() async throws {
        arrivals.arrive()
        let header = try await withUnsafeThrowingContinuation { continuation in
            let header = contents.withLock { contents in
                if contents.header == nil { contents.waiters.append(continuation) }
                return contents.header
            }
            if let header { continuation.resume(returning: header) }
        }
        var request = SlotRequest()
        request.setCredential(header, in: "Authorization")
        keep(request)
    }

    func open(_ header: String) {
        let waiters = contents.withLock { contents in
            contents.header = header
            return contents.waiters
        }
        for waiter in waiters { waiter.resume(returning: header) }
    }
}
