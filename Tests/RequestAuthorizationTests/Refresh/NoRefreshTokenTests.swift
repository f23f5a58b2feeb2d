// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

/// A token that nothing can refresh is used until it expires or is refused.
@Suite(.timeLimit(.minutes(5))) struct NoRefreshTokenTests {
    private struct Nothing: TokenServiceFailure {
        let kind = TokenFailureKind.noRefreshToken
        let delivery = TokenRequestDelivery.notSent
    }

    private static func policy(leeway: Duration) -> RefreshPolicy {
        RefreshPolicy(leeway: .init(maximum: leeway, fraction: 1))
    }

    @Test(arguments: [Duration.seconds(1), .seconds(50), .seconds(99)])
    func `a live token without a refresh token lives to its end, whatever the leeway`(leeway: Duration) async throws {
        let bench = Bench.make(
            policy: Self.policy(leeway: leeway), .failure(Nothing()), .failure(Nothing()))
        let due = Duration.seconds(100) - leeway * 0.8
        bench.clock.advance(by: due)
        let event = try await bench.event(.refreshFailed) { _ = try await bench.name() }
        #expect(event?.error is Nothing)
        #expect(event?.nextTryAt == bench.clock.now.addingTimeInterval(100 - due.inSeconds))
        // No try is made before its end.
        while bench.clock.now < ManualClock().now.addingTimeInterval(99) {
            #expect(try await bench.name() == "old")
            await bench.auth.retryNow()
            bench.clock.advance(by: .seconds(1))
        }
        #expect(bench.service.calls == 1)
        bench.clock.setWallClock(to: ManualClock().now.addingTimeInterval(100))
        let error = await #expect(throws: NotAuthorized.self) { try await bench.name() }
        #expect(error?.reason == .rejected)
        #expect(error?.underlying is Nothing)
        #expect(bench.service.calls == 2)
    }

    @Test func `a refused token without a refresh token ends the session at once`() async throws {
        let bench = Bench.make(.failure(Nothing()))
        try await bench.auth.setNeedsRefreshAfterUnauthorizedResponse(for: bench.sent(with: "old"))
        let error = await #expect(throws: NotAuthorized.self) { try await bench.name() }
        #expect(error?.reason == .rejected)
        #expect(error?.needsSignIn == true)
    }

    @Test func `a token that is refused after it was left to its end does so too`() async throws {
        let bench = Bench.make(.failure(Nothing()), .failure(Nothing()))
        bench.clock.advance(by: .seconds(95))
        _ = try await bench.event(.refreshFailed) { _ = try await bench.name() }
        try await bench.auth.setNeedsRefreshAfterUnauthorizedResponse(for: bench.sent(with: "old"))
        await #expect(throws: NotAuthorized.self) { try await bench.name() }
    }

    @Test func `a token that a sibling left is used before the session is ended`() async throws {
        let bench = SharedBench.make(follows: false, .held)
        bench.clock.advance(by: .seconds(10))
        let request = Task { try await bench.name() }
        let call = try await bench.service.nextCall()
        let stored = try #require(bench.place.stored)
        let token = TestToken("siblings", expiresAt: bench.clock.now.addingTimeInterval(100))
        try await bench.place.sibling().save(
            StoredToken(.token(token), version: stored.version.next, obtainedAt: bench.clock.now))
        call.fail(Nothing())
        #expect(try await request.value == "siblings")
    }
}
