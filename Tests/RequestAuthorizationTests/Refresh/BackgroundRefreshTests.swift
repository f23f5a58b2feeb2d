// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorization

/// While the token is valid no request waits.
@Suite struct BackgroundRefreshTests {
    /// With the maximal jitter a token of 100 s is due 8 s before its end: a tenth of its life, less a fifth of that.
    private let due = Duration.seconds(92)

    @Test func `ahead of expiry a refresh runs in the background`() async throws {
        let bench = Bench.make(.held)
        bench.clock.advance(by: due - .milliseconds(1))
        #expect(try await bench.name() == "old")
        #expect(bench.service.calls == 0)
        bench.clock.advance(by: .milliseconds(1))
        for _ in 0..<10 { #expect(try await bench.name() == "old") }
        let call = try await bench.service.nextCall()
        _ = await bench.event(.tokenInstalled) { call.succeed(TestToken("new")) }
        #expect(try await bench.name() == "new")
        #expect(bench.service.calls == 1)
    }

    @Test func `its failure is an event, not an error`() async throws {
        let bench = Bench.make(.failure(Offline()), .token("new"))
        bench.clock.advance(by: due)
        let event = try await bench.event(.refreshFailed) { _ = try await bench.name() }
        #expect(event?.error is Offline)
        #expect(event?.nextTryAt == bench.clock.now.addingTimeInterval(1))
        #expect(try await bench.name() == "old")
        #expect(bench.service.calls == 1)
        bench.clock.advance(by: .seconds(1))
        bench.timerFires()
        _ = try await bench.event(.tokenInstalled) { _ = try await bench.name() }
        #expect(try await bench.name() == "new")
    }

    @Test func `after expiry requests wait for it`() async throws {
        let bench = Bench.make(.held)
        bench.clock.advance(by: due)
        #expect(try await bench.name() == "old")
        bench.clock.advance(by: .seconds(8))
        let request = await bench.hold(1)[0]
        #expect(try await bench.service.nextCall().succeed(TestToken("new")))
        #expect(try await request.value == "new")
        #expect(bench.service.calls == 1)
    }

    @Test(arguments: [(86_400.0, 0.0, 120.0), (86_400, 1, 96), (100, 0, 10), (100, 1, 8), (2, 0, 0.2)])
    func `a refresh is due a tenth of the lifetime early, at most two minutes, less the jitter`(
        lifetime: Double, random: Double, early: Double
    ) {
        let now = ManualClock().now
        let token = TestToken("any", expiresAt: now.addingTimeInterval(lifetime))
        let held = TypedToken(
            token, version: TokenVersion(session: UUID(), generation: 0), obtainedAt: now, policy: .default,
            random: random)
        #expect(abs(token.expiresAt.timeIntervalSince(held.refreshAt) - early) < 0.001)
    }

    @Test func `a token that never expires is never refreshed ahead of time`() async throws {
        let bench = Bench.make(holding: nil, .token("forever"))
        #expect(try await bench.name() == "forever")
        bench.clock.advance(by: .seconds(86_400 * 365 * 50))
        #expect(try await bench.name() == "forever")
        #expect(bench.service.calls == 1)
    }

    @Test func `expiry counts from the time of the token request`() async throws {
        let clock = ManualClock()
        let service = ScriptedTokenService<TestToken>(clock: clock, .held, .held)
        let auth = RefreshableTokenAuthorization(service: service, clock: clock)
        let first = Task { try await auth.validToken() }
        let call = try await service.nextCall()
        clock.advance(by: .seconds(20))
        call.succeed(TestToken("a", expiresAt: call.date(after: .seconds(100))))
        #expect(try await first.value.name == "a")
        // Its life began with the request: 100 s, not 80 s, so it is due 8 to 10 s before its end.
        clock.advance(by: .seconds(69))
        #expect(try await auth.validToken().name == "a")
        #expect(service.calls == 1)
        clock.advance(by: .seconds(3))
        #expect(try await auth.validToken().name == "a")
        #expect(try await service.nextCall().number == 2)
    }
}
