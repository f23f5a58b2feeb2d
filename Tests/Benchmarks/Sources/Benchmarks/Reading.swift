// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import BenchmarkSupport
import Dispatch
import Foundation
import RequestAuthorization
import Synchronization

/// The cost of reading the token itself, compared with setting it on a request that stores its field in place.
func compareReading() async throws -> [Comparison] {
    let read = Contender(times: 10_000) { times in
        for _ in 0..<times { keep(try await Fixture.warm.validToken()) }
    }
    let authorize = Contender(times: 10_000) { times in
        for _ in 0..<times { keep(try await Fixture.warm.authorize(SlotRequest())) }
    }
    return [Comparison("validToken() / authorize, own request", read, against: authorize, bound: 1.5, rounds: 200)]
}

/// The cost of reading a valid token from many tasks, and from the main actor.
func measureReading(slowDown: Double?) async throws -> [Figure] {
    var figures: [Figure] = []
    for comparison in manyReaders() + [mainActor()] {
        figures.append(try await comparison.measure(slowDown: slowDown))
    }
    return try await figures + [countHops()]
}

private func manyReaders() -> [Comparison] {
    let ways: [(name: String, read: @Sendable () async throws -> Void)] = [
        ("authorize", { keep(try await Fixture.warm.authorize(SlotRequest())) }),
        ("validToken()", { keep(try await Fixture.warm.validToken()) }),
    ]
    // What several cores write costs more on some machines than on others, for the actor too.
    let holder = BareHolder()
    let base = fromTasks { keep(await holder.validToken()) }
    return ways.map { name, read in
        Comparison(
            "\(name) from 64 tasks / a getter of an actor", fromTasks(read), against: base, bound: 0.75, rounds: 100)
    }
}

/// The same work in 64 tasks.
private func fromTasks(_ read: @escaping @Sendable () async throws -> Void) -> Contender {
    Contender(times: 64_000) { times in
        try await withThrowingTaskGroup { group in
            for _ in 0..<64 {
                group.addTask { for _ in 0..<times / 64 { try await read() } }
            }
            try await group.waitForAll()
        }
    }
}

/// An actor that has a token, as a program would write it.
private actor BareHolder {
    private let token = BenchmarkToken.valid

    func validToken() -> BenchmarkToken? { token.isExpired(at: Date()) ? nil : token }
}

private func mainActor() -> Comparison {
    Comparison(
        "authorize on the main actor / elsewhere", Contender(times: 10_000, readOnMainActor),
        against: Contender(times: 10_000, readElsewhere), bound: 1.5, meter: .processorTime,
        rounds: 200)
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
