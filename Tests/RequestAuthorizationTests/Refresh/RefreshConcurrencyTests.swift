// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization
import RequestAuthorizationTesting
import Synchronization
import Testing

/// Many tasks at once, real threads: run these under the thread sanitizer.
@Suite struct RefreshConcurrencyTests {
    @Test func `a thousand tasks that are cancelled at random over a thousand refreshes lose nothing`() async throws {
        let service = CountingService()
        var policy = RefreshPolicy.default
        policy.storm.limit = .max
        let auth = RefreshableTokenAuthorization(
            service: service, token: TestToken("0"), policy: policy, clock: ManualClock())
        let observed = Task { await auth.tokenChanges.first { $0.name == "1000" } != nil }

        async let refreshes: Void = {
            for number in 0..<1000 {
                try await auth.setNeedsRefreshAfterUnauthorizedResponse(for: TokenBearer(header: "Bearer \(number)"))
                _ = try await auth.validToken()
            }
        }()
        var randomness = Seeded(seed: 7)
        let outcomes = await withTaskGroup(of: Outcome.self) { group in
            for _ in 0..<1000 {
                let (calls, pause) = (
                    Int.random(in: 1...20, using: &randomness), Int.random(in: 0...200, using: &randomness)
                )
                group.addTask { await Self.request(calls, cancelledAfter: pause, from: auth) }
            }
            return await group.reduce(into: [Outcome: Int]()) { $0[$1, default: 0] += 1 }
        }
        try await refreshes
        #expect(outcomes[.answered, default: 0] + outcomes[.cancelled, default: 0] == 1000)
        #expect(outcomes[.cancelled, default: 0] > 0)
        #expect(service.calls == 1000)
        #expect(try await auth.validToken().name == "1000")
        #expect(await observed.value)
    }

    @Test func `observers that come and go see changes in order while tokens change`() async throws {
        let auth = RefreshableTokenAuthorization(
            service: CountingService(), token: TestToken("0"), clock: ManualClock())
        let misordered = Counter(0)
        await withTaskGroup { group in
            group.addTask {
                for number in 1...500 { try? await auth.setToken(TestToken("\(number)")) }
                await auth.reset()
            }
            for _ in 0..<20 {
                group.addTask {
                    var last = -1
                    for await change in auth.tokenChanges {
                        guard let name = change.name, let number = Int(name) else { break }
                        if number <= last { misordered.add(1) }
                        last = number
                    }
                }
                group.addTask {
                    for _ in 0..<50 { auth.onTokenChange { _ in }.cancel() }
                }
            }
        }
        #expect(misordered.value == 0)
    }

    @Test func `sign-ins, resets and refreshes at once leave a state that works`() async throws {
        let service = CountingService()
        let auth = RefreshableTokenAuthorization(service: service, token: TestToken("0"), clock: ManualClock())
        await withTaskGroup { group in
            for worker in 0..<8 {
                group.addTask {
                    for round in 0..<100 {
                        switch (worker + round) % 4 {
                        case 0: try? await auth.signIn { TestToken("s\(worker)-\(round)") }
                        case 1: await auth.reset()
                        case 2: await auth.refresh { TestToken("m\(worker)-\(round)") }
                        default: _ = try? await auth.validToken()
                        }
                    }
                }
            }
        }
        try await auth.signIn { TestToken("last") }
        #expect(try await auth.validToken().name == "last")
    }

    // MARK: -

    private enum Outcome { case answered, cancelled, failed }

    private static func request(
        _ calls: Int, cancelledAfter pause: Int, from auth: RefreshableTokenAuthorization<TestToken>
    ) async -> Outcome {
        let task = Task {
            for _ in 0..<calls { _ = try await auth.validToken() }
            try Task.checkCancellation()
        }
        for _ in 0..<pause { await Task.yield() }
        task.cancel()
        switch await task.result {
        case .success: return .answered
        case .failure(is CancellationError): return .cancelled
        case .failure: return .failed
        }
    }
}

/// Two million calls that race with `reset()`.
@Suite struct ResetRaceTests {
    @Test func `no call that began after reset had returned gets the old token`() async throws {
        let auth = RefreshableTokenAuthorization(service: CountingService(), clock: ManualClock())
        let lastReset = Counter(-1)
        let calls = Counter(0)
        let violations = Counter(0)
        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    while calls.add(1) <= 2_000_000 {
                        // Valid tokens suspend nobody, so make room for the one who resets.
                        if Int.random(in: 0..<32) == 0 { await Task.yield() }
                        let over = lastReset.value
                        guard let name = try? await auth.validToken().name, let number = Int(name) else { continue }
                        if number <= over { violations.add(1) }
                    }
                }
            }
            group.addTask {
                var number = 0
                while calls.value < 2_000_000 {
                    try? await auth.setToken(TestToken("\(number)"))
                    await Task.yield()
                    await auth.reset()
                    lastReset.add(1)
                    number += 1
                }
            }
        }
        #expect(violations.value == 0)
        #expect(lastReset.value > 10)
    }
}

/// A number that all tasks count up.
private final class Counter: Sendable {
    private let number: Atomic<Int>

    init(_ number: Int) { self.number = Atomic(number) }

    var value: Int { number.load(ordering: .sequentiallyConsistent) }

    @discardableResult
    func add(_ count: Int) -> Int { number.add(count, ordering: .sequentiallyConsistent).newValue }
}

/// A service whose tokens are numbers, each one more than the last.
private final class CountingService: RefreshableTokenService {
    private let count = Counter(0)

    var calls: Int { count.value }

    func refresh(_ token: TestToken) async throws -> TestToken {
        await Task.yield()
        return TestToken("\(count.add(1))")
    }

    func initialToken() async throws -> TestToken { try await refresh(TestToken("none")) }
}

/// Random numbers that are the same each time.
private struct Seeded: RandomNumberGenerator {
    var seed: UInt64

    mutating func next() -> UInt64 {
        seed &+= 0x9E37_79B9_7F4A_7C15
        var value = seed
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}

extension TokenChange<TestToken> {
    fileprivate var name: String? { if case .tokenUpdated(let token) = self { token.name } else { nil } }
}
