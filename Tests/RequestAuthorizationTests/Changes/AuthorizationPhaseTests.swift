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

    @Test func `of two sign-ins one is under way until both have ended, and a failure leaves the former phase`()
        async throws
    {
        let bench = Bench.make()
        let status = AuthorizationStatus(following: bench.auth)
        let answers = [OneShot<TestToken>(), OneShot<TestToken>()]
        let signIns = answers.map { answer in Task { try await bench.auth.signIn { try await answer.value() } } }
        try await status.reaches { $0.phase == .signingIn }
        #expect(status.isAuthorized)
        answers[0].fulfill(with: .failure(Offline()))
        await #expect(throws: Offline.self) { try await signIns[0].value }
        #expect(AuthorizationStatus(following: bench.auth).phase == .signingIn)
        answers[1].fulfill(with: .failure(Offline()))
        await #expect(throws: Offline.self) { try await signIns[1].value }
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
