// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorization

/// The phase of a status, and how a test waits for it.
@MainActor
@Suite(.timeLimit(.minutes(5))) struct AuthorizationPhaseTests {
    @Test func `a session goes from unknown to signed out, signing in, authorized, refreshing, and over`() async throws
    {
        let bench = Bench.make(store: InMemoryTokenStore<TestToken>(), .failure(NotAuthorized(.noToken)), .held)
        let status = AuthorizationStatus(following: bench.auth)
        #expect(status.phase == .unknown)
        _ = try? await bench.name()
        try await status.reaches { $0.phase == .signedOut }
        #expect(status.error == nil)

        let answer = OneShot<TestToken>()
        let signIn = Task { try await bench.auth.signIn { try await answer.value() } }
        try await status.reaches { $0.phase == .signingIn }
        #expect(!status.isAuthorized && !status.isRefreshing)
        answer.fulfill(with: .success(TestToken("a", expiresAt: bench.clock.now.addingTimeInterval(100))))
        try await signIn.value
        try await status.reaches { $0.phase == .authorized }
        #expect(status.isAuthorized)

        try await bench.auth.setNeedsRefreshAfterUnauthorizedResponse(for: bench.sent(with: "a"))
        try await status.reaches { $0.phase == .refreshing }
        #expect(status.isAuthorized && status.isRefreshing)
        try await bench.service.nextCall().fail(TokenEndpointError(status: 400, code: "invalid_grant"))
        try await status.reaches { $0.phase == .signedOut }
        #expect(status.error?.reason == .rejected)
    }

    @Test func `after a shutdown no token is at hand, whatever ends then`() async throws {
        let bench = Bench.make(.held)
        bench.clock.advance(by: .seconds(100))
        let request = await bench.hold(1)[0]
        let call = try await bench.service.nextCall()
        let status = AuthorizationStatus(following: bench.auth)
        _ = try? await bench.auth.shutdown(within: .zero)
        try await status.reaches { $0.phase == .shutDown && !$0.isAuthorized }
        call.succeed(TestToken("new"))
        _ = await request.result
        try await bench.auth.settle(within: .seconds(60))
        let later = AuthorizationStatus(following: bench.auth)
        #expect(later.phase == .shutDown && !later.isAuthorized)
    }

    @Test func `a sign-in is under way until its token is stored`() async throws {
        let store = ScriptedTokenStore(InMemoryTokenStore<TestToken>())
        let save = store.hold(next: .save)
        let bench = Bench.make(store: store)
        let status = AuthorizationStatus(following: bench.auth)
        let signIn = Task { try await bench.auth.signIn { TestToken("a") } }
        await save.begins()
        try await status.reaches { $0.phase == .signingIn }
        #expect(AuthorizationStatus(following: bench.auth).phase == .signingIn)
        save.release()
        try await signIn.value
        try await status.reaches { $0.phase == .authorized }
    }

    @Test func `a newer sign-in cancels the one under way, and a failure leaves the former phase`()
        async throws
    {
        let bench = Bench.make()
        let status = AuthorizationStatus(following: bench.auth)
        let answer = OneShot<TestToken>()
        let first = Task { try await bench.auth.signIn { try await OneShot<TestToken>().value() } }
        try await status.reaches { $0.phase == .signingIn }
        #expect(status.isAuthorized)
        let second = Task { try await bench.auth.signIn { try await answer.value() } }
        await #expect(throws: CancellationError.self) { try await first.value }
        #expect(AuthorizationStatus(following: bench.auth).phase == .signingIn)
        answer.fulfill(with: .failure(Offline()))
        await #expect(throws: Offline.self) { try await second.value }
        try await status.reaches { $0.phase == .authorized }
    }

    @Test func `a first token that a service fetches by itself is being fetched, not refreshed`() async throws {
        let bench = Bench.make(holding: nil, .held)
        let status = AuthorizationStatus(following: bench.auth)
        #expect(status.phase == .signedOut)
        let request = await bench.hold(1)[0]
        try await status.reaches { $0.phase == .unknown }
        #expect(status.isRefreshing)
        try await bench.service.nextCall().succeed(TestToken("a"))
        #expect(try await request.value == "a")
        try await status.reaches { $0.phase == .authorized }
    }

    @Test func `a test that waits sees a phase, however short it is`() async throws {
        let bench = Bench.make(holding: nil)
        let status = AuthorizationStatus(following: bench.auth)
        let phases: [AuthorizationStatus.Phase] = [.signingIn, .authorized, .signedOut]
        let waits = phases.map { phase in Task { try await status.reaches { $0.phase == phase && $0.error == nil } } }
        waits[2].cancel()
        try await bench.auth.signIn { TestToken("a") }
        await bench.auth.reset()
        try await waits[0].value
        try await waits[1].value
    }

    @Test func `a wait that is cancelled ends at once`() async {
        let status = AuthorizationStatus(following: Bench.make().auth)
        let bench = Bench.make()
        let other = AuthorizationStatus(following: bench.auth)
        let wait = Task { try await other.reaches { !$0.isAuthorized } }
        wait.cancel()
        await #expect(throws: CancellationError.self) { try await wait.value }
        #expect(other.isAuthorized)
        await #expect(throws: CancellationError.self) { try await status.reaches { $0.phase == .signingIn } }
    }

    @Test func `a status is notified once for many transitions that do not change it`() async throws {
        let bench = Bench.make()
        let subscription = bench.auth.core.follow()
        for _ in 0..<10 { await bench.auth.retryNow() }
        await bench.auth.reset()
        let statuses = [subscription.mailbox.poll(), subscription.mailbox.poll(), subscription.mailbox.poll()]
        #expect(statuses.map { $0?.phase } == [.authorized, .signedOut, nil])
    }
}
