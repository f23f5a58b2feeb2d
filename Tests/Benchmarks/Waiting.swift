// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import BenchmarkSupport
import RequestAuthorization
import Synchronization

/// What it costs one of very many requests to wait for a refresh, or to be cancelled meanwhile.
func measureWaiting() async throws -> [Figure] {
    let (few, many) = (1_000, 100_000)
    return [
        try await compare("waiting for one refresh", few, many, bound: 2, waitForRefresh),
        try await compare("cancelling who waits", few, many, bound: 2, cancelInOrder),
        try await compare("cancelling who waits, shuffled", few, many, bound: 3, cancelShuffled),
    ]
}

private func compare(
    _ name: String, _ few: Int, _ many: Int, bound: Double, _ run: (Int) async throws -> Duration
) async throws -> Figure {
    var costs: [Int: [Double]] = [:]
    for _ in 0..<5 {
        for count in [many] + Array(repeating: few, count: 20) {
            costs[count, default: []].append(try await run(count).nanoseconds / Double(count))
        }
    }
    let (each, eachOfMany) = (costs[few, default: []].median, costs[many, default: []].median)
    return Figure(
        name: "\(name): each of \(many) / each of \(few)", value: eachOfMany / each, bound: bound,
        detail: "\(eachOfMany.asTime) / \(each.asTime)")
}

/// Holds requests until the benchmark lets go, and knows when all of them are held.
private struct Crowd {
    let service = GatedService()
    let auth: RefreshableTokenAuthorization<BenchmarkToken>
    private let held: AsyncStream<Void>

    init(_ count: Int) {
        let missing = Mutex(count)
        let (held, continuation) = AsyncStream<Void>.makeStream()
        self.held = held
        auth = RefreshableTokenAuthorization(
            service: service, token: .expired, store: nil, clock: .system,
            onHold: {
                let isComplete = missing.withLock { missing in
                    missing -= 1
                    return missing == 0
                }
                if isComplete { continuation.finish() }
            })
    }

    /// Returns once all are held and the refresh is under way.
    func isComplete() async {
        for await _ in held {}
        await service.hasBegun()
    }

    func checkOneRefresh() async throws {
        let calls = await service.calls
        if calls != 1 { throw BenchmarkError(description: "\(calls) refreshes in place of 1") }
    }
}

/// From the first request to the return of the last, all in one task group.
private func waitForRefresh(_ count: Int) async throws -> Duration {
    let crowd = Crowd(count)
    let duration = try await processorTime {
        try await withThrowingTaskGroup { group in
            for _ in 0..<count { group.addTask { keep(try await crowd.auth.authorize(SlotRequest())) } }
            await crowd.isComplete()
            await crowd.service.open()
            try await group.waitForAll()
        }
    }
    try await crowd.checkOneRefresh()
    return duration
}

/// From the cancellation of the group to the return of its last request.
private func cancelInOrder(_ count: Int) async throws -> Duration {
    let crowd = Crowd(count)
    let duration = try await withThrowingTaskGroup { group in
        for _ in 0..<count { group.addTask { keep(try await crowd.auth.authorize(SlotRequest())) } }
        await crowd.isComplete()
        return try await processorTime {
            group.cancelAll()
            while let result = await group.nextResult() { try expectCancellation(result) }
        }
    }
    await crowd.service.open()
    try await crowd.checkOneRefresh()
    return duration
}

/// From the first cancellation to the return of the last request, which is awaited first: then most awaits find an end.
private func cancelShuffled(_ count: Int) async throws -> Duration {
    let crowd = Crowd(count)
    let tasks = (0..<count).map { _ in
        Task.detached { keep(try await crowd.auth.authorize(SlotRequest())) }
    }
    await crowd.isComplete()
    let shuffled = tasks.shuffled()
    let duration = try await processorTime {
        for task in shuffled { task.cancel() }
        for task in shuffled.reversed() { try expectCancellation(await task.result) }
    }
    await crowd.service.open()
    try await crowd.checkOneRefresh()
    return duration
}

private func expectCancellation(_ result: Result<Void, any Error>) throws {
    guard case .failure(let error) = result, error is CancellationError else {
        throw BenchmarkError(description: "a cancelled request ended with \(result)")
    }
}
