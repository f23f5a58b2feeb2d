// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization
import RequestAuthorizationTesting
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

    @Test func `observers that begin and end see changes in order while tokens change`() async throws {
        let auth = RefreshableTokenAuthorization(
            service: CountingService(), token: TestToken("0"), clock: ManualClock())
        let misordered = SharedCount(0)
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

extension TokenChange<TestToken> {
    var name: String? { if case .tokenUpdated(let token) = self { token.name } else { nil } }
}
