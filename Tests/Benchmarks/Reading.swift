// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import BenchmarkSupport
import Dispatch
import RequestAuthorization
import Synchronization

/// What reading a valid token costs when many read it, and when the main actor does.
func measureReading() async throws -> [Figure] {
    try await measureManyReaders() + [measureMainActor(), countHops()]
}

private func measureManyReaders() async throws -> [Figure] {
    let ways: [(name: String, read: @Sendable () async throws -> Void)] = [
        ("authorize", { keep(try await Fixture.warm.authorize(SlotRequest())) }),
        ("validToken()", { keep(try await Fixture.warm.validToken()) }),
    ]
    var measurements: [Figure] = []
    for (name, read) in ways {
        let contenders = [1, 64].map { tasks in
            Contender { times in
                try await withThrowingTaskGroup { group in
                    for _ in 0..<tasks {
                        group.addTask { for _ in 0..<times / tasks { try await read() } }
                    }
                    try await group.waitForAll()
                }
            }
        }
        let best = try await race(contenders, times: 640_000, rounds: 5)
        measurements.append(
            Figure(
                name: "\(name) from 64 tasks / from 1", value: best[1] / best[0], bound: 1.75,
                detail: "\(best[1].asTime) / \(best[0].asTime)"))
    }
    return measurements
}

private func measureMainActor() async throws -> Figure {
    let contenders = [
        Contender { times in try await readOnMainActor(times) },
        Contender { times in try await readElsewhere(times) },
    ]
    let best = try await race(contenders, times: 100_000, rounds: 9)
    return Figure(
        name: "authorize on the main actor / elsewhere", value: best[0] / best[1], bound: 1.5,
        detail: "\(best[0].asTime) / \(best[1].asTime)")
}

@MainActor
private func readOnMainActor(_ times: Int) async throws {
    for _ in 0..<times { keep(try await Fixture.warm.authorize(SlotRequest())) }
}

@concurrent
private func readElsewhere(_ times: Int) async throws {
    for _ in 0..<times { keep(try await Fixture.warm.authorize(SlotRequest())) }
}

/// A reader that hopped away and back would be enqueued again for every call.
private func countHops() async throws -> Figure {
    let reader = Reader()
    let before = reader.executor.jobs.load(ordering: .sequentiallyConsistent)
    let calls = 1_000
    try await reader.read(calls)
    let jobs = reader.executor.jobs.load(ordering: .sequentiallyConsistent) - before
    return Figure(
        name: "hops per 1 000 calls from an actor", value: Double(jobs - 1), bound: 0,
        detail: "\(jobs) job for all calls")
}

private actor Reader {
    nonisolated let executor = CountingExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func read(_ times: Int) async throws {
        for _ in 0..<times {
            keep(try await Fixture.warm.authorize(SlotRequest()))
            keep(try await Fixture.warm.validToken())
        }
    }
}

private final class CountingExecutor: SerialExecutor {
    let jobs = Atomic(0)
    private let queue = DispatchQueue(label: "reader")

    func enqueue(_ job: consuming ExecutorJob) {
        jobs.add(1, ordering: .sequentiallyConsistent)
        let job = UnownedJob(job)
        let executor = asUnownedSerialExecutor()
        queue.async { job.runSynchronously(on: executor) }
    }
}
