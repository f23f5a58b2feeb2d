// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorizationTesting
import TestProviders
import Testing

@testable import RequestAuthorization

/// Requests wait in the order of their calls, and are resumed in that order; see `Documentation/Design/State.md`.
@Suite struct ResumptionOrderTests {
    private static let count = 1000

    // MARK: Arrival

    @Test(arguments: OrderBench.Call.allCases)
    func `on one actor a call takes its place before the actor goes on to the next`(call: OrderBench.Call) async throws
    {
        let bench = OrderBench(call)
        let caller = Caller()
        try await checkArrival(bench) { try await caller.call($0, bench) }
    }

    @Test(arguments: OrderBench.Call.allCases)
    func `on the main actor a call takes its place before the next`(call: OrderBench.Call) async throws {
        let bench = OrderBench(call)
        try await checkArrival(bench) { @MainActor in try await bench.call($0) }
    }

    /// The first action of a call and its wait are recorded in sequence.
    private func checkArrival(
        _ bench: OrderBench, _ call: @escaping @Sendable (Int) async throws -> Void
    ) async throws {
        let tasks = (0..<Self.count).map { number in
            Task { try await OrderBench.$number.withValue(number) { try await call(number) } }
        }
        await bench.held.reaches(Self.count)
        let log = bench.log.withLock { $0 }
        let calls = stride(from: 0, to: log.count, by: 2).map { log[$0].number }
        #expect(Set(calls).count == Self.count)
        #expect(log == calls.flatMap { [.called($0), .held($0)] })
        try await bench.release()
        for task in tasks { try await task.value }
    }

    // MARK: Resumption

    @Test func `calls of one actor are resumed in order of arrival`() async throws {
        let bench = OrderBench()
        let caller = Caller()
        try await checkResumption(bench, { try await caller.call($0, bench) }, barrier: { await caller.pass() })
    }

    @Test func `calls of the main actor are resumed in order of arrival`() async throws {
        let bench = OrderBench()
        try await checkResumption(bench, { @MainActor in try await bench.call($0) }, barrier: { @MainActor in })
    }

    @Test func `calls of no actor are resumed in order of arrival`() async throws {
        let bench = OrderBench()
        try await checkResumption(bench, { @concurrent in try await bench.call($0) }, barrier: { @concurrent in })
    }

    /// The runtime enqueues a resumed task before it returns to its actor. With a pool of one thread the order of the
    /// resumptions is visible.
    private func checkResumption(
        _ bench: OrderBench, _ call: @escaping @Sendable (Int) async throws -> Void,
        barrier: @escaping @Sendable () async -> Void
    ) async throws {
        let pool = OneThread()
        let tasks = (0..<Self.count).map { number in
            Task(executorPreference: pool) {
                try await OrderBench.$number.withValue(number) { try await call(number) }
            }
        }
        await bench.held.reaches(Self.count)
        // A task that has not been suspended yet would just go on.
        await Task(executorPreference: pool) { await barrier() }.value
        try await bench.release()
        for task in tasks { try await task.value }
        let log = bench.log.withLock { $0 }
        let arrivals = log.filter { if case .held = $0 { true } else { false } }.map(\.number)
        let returns = log.filter { if case .returned = $0 { true } else { false } }.map(\.number)
        #expect(arrivals.count == Self.count)
        #expect(returns == arrivals)
    }
}

// MARK: -

/// A provider whose refresh is held, and the events of its callers.
struct OrderBench: Sendable {
    enum Call: CaseIterable { case validToken, authorize }

    enum Entry: Hashable {
        /// The caller begins to ask for a token.
        case called(Int)
        /// The lock has been taken, and the caller waits.
        case held(Int)
        /// The caller has received its token.
        case returned(Int)

        var number: Int {
            switch self {
            case .called(let number), .held(let number), .returned(let number): number
            }
        }
    }

    /// The number of the current task's call.
    @TaskLocal static var number = 0

    let log: Lock<[Entry]>
    let held: Tally
    private let kind: Call
    private let service: ScriptedTokenService<TestToken>
    private let auth: RefreshableTokenAuthorization<TestToken>

    init(_ kind: Call = .validToken) {
        let (log, held, clock) = (Lock<[Entry]>([]), Tally(), ManualClock())
        service = ScriptedTokenService(clock: clock)
        service.append(.held)
        auth = RefreshableTokenAuthorization(
            service: service, token: nil, store: nil, clock: clock,
            onHold: {
                log.withLock { $0.append(.held(Self.number)) }
                held.add()
            })
        (self.kind, self.log, self.held) = (kind, log, held)
    }

    /// Runs on the caller's actor.
    func call(_ number: Int) async throws {
        log.withLock { $0.append(.called(number)) }
        switch kind {
        case .validToken: _ = try await auth.validToken()
        case .authorize: _ = try await TokenBearer().authorized(using: auth)
        }
        log.withLock { $0.append(.returned(number)) }
    }

    /// Lets the token arrive.
    func release() async throws { #expect(try await service.nextCall().succeed(TestToken("new"))) }
}

private actor Caller {
    func call(_ number: Int, _ bench: OrderBench) async throws { try await bench.call(number) }

    func pass() {}
}
