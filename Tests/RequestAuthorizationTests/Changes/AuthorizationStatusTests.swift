// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import Observation
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorization

@MainActor
@Suite(.timeLimit(.minutes(5))) struct AuthorizationStatusTests {
    @Test func `a status shows the known state at once`() async {
        let bench = Bench.make()
        #expect(AuthorizationStatus(following: bench.auth).isAuthorized)
        await bench.auth.reset()
        let status = AuthorizationStatus(following: bench.auth)
        #expect(!status.isAuthorized)
        #expect(status.error?.reason == .signedOut)
        let unknown = AuthorizationStatus(following: Bench.make(holding: nil).auth)
        #expect(!unknown.isAuthorized)
        #expect(unknown.error == nil)
    }

    @Test func `a status follows sign-in, sign-out and the end of the session`() async throws {
        let bench = Bench.make(holding: nil, .failure(TokenEndpointError(status: 400, code: "invalid_grant")))
        let status = AuthorizationStatus(following: bench.auth)

        let expiring = TestToken("a", expiresAt: bench.clock.now.addingTimeInterval(100))
        try await waitForChange(of: status.isAuthorized) { try await bench.auth.signIn { expiring } }
        #expect(status.isAuthorized)
        #expect(status.error == nil)

        await waitForChange(of: status.isAuthorized) { await bench.auth.reset() }
        #expect(!status.isAuthorized)
        #expect(status.error?.reason == .signedOut)

        try await waitForChange(of: status.error) { try await bench.auth.setToken(expiring) }
        #expect(status.isAuthorized)
        #expect(status.error == nil)

        bench.clock.advance(by: .seconds(100))
        await waitForChange(of: status.error) { _ = try? await bench.name() }
        #expect(!status.isAuthorized)
        #expect(status.error?.reason == .rejected)
        #expect(status.error?.needsSignIn == true)
    }

    @Test(arguments: [true, false])
    func `a status is refreshing during a refresh and not after it`(succeeds: Bool) async throws {
        let bench = Bench.make(.held)
        let status = AuthorizationStatus(following: bench.auth)
        #expect(!status.isRefreshing)
        try await waitForChange(of: status.isRefreshing) {
            try await bench.auth.setNeedsRefreshAfterUnauthorizedResponse(for: bench.sent(with: "old"))
        }
        #expect(status.isRefreshing)
        let call = try await bench.service.nextCall()
        await waitForChange(of: status.isRefreshing) {
            if succeeds { call.succeed(TestToken("new")) } else { call.fail(Offline()) }
        }
        #expect(!status.isRefreshing)
        #expect(status.isAuthorized)
    }

    @Test func `a status that is made during a refresh shows it`() async throws {
        let bench = Bench.make(.held)
        try await bench.auth.setNeedsRefreshAfterUnauthorizedResponse(for: bench.sent(with: "old"))
        let status = AuthorizationStatus(following: bench.auth)
        #expect(status.isRefreshing)
        let call = try await bench.service.nextCall()
        await waitForChange(of: status.isRefreshing) { call.succeed(TestToken("new")) }
        #expect(!status.isRefreshing)
    }

    @Test func `a status shows the first load from the store`() async throws {
        let store = ScriptedTokenStore(InMemoryTokenStore<TestToken>(.keeping(.token(TestToken("kept")))))
        let load = store.hold(next: .load)
        let bench = Bench.make(store: store)
        let status = AuthorizationStatus(following: bench.auth)
        let request = await bench.hold(1)[0]
        await load.begins()
        if !status.isRefreshing { await waitForChange(of: status.isRefreshing) {} }
        #expect(status.isRefreshing && !status.isAuthorized && status.error == nil)
        await waitForChange(of: status.isRefreshing) { load.release() }
        #expect(try await request.value == "kept")
        if !status.isAuthorized { await waitForChange(of: status.isAuthorized) {} }
        #expect(status.isAuthorized)
    }

    @Test func `a refresh that a new session ends is over for the status too`() async throws {
        let bench = Bench.make(.heldIgnoringCancellation)
        try await bench.auth.setNeedsRefreshAfterUnauthorizedResponse(for: bench.sent(with: "old"))
        let status = AuthorizationStatus(following: bench.auth)
        #expect(status.isRefreshing)
        try await waitForChange(of: status.isRefreshing) { try await bench.auth.setToken(TestToken("other")) }
        #expect(!status.isRefreshing)
    }

    @Test func `a refreshed token does not update views`() {
        let status = AuthorizationStatus(following: Bench.make().auth)
        let drawn = OneShot<Void>()
        withObservationTracking {
            _ = (status.phase, status.isAuthorized, status.error, status.isRefreshing)
        } onChange: {
            drawn.fulfill()
        }
        status.note(RefreshState.Status(phase: .authorized, isAuthorized: true))
        #expect(!drawn.isFulfilled)
        status.note(RefreshState.Status(phase: .signedOut, ending: .init(error: NotAuthorized(.signedOut))))
        #expect(drawn.isFulfilled)
    }

    @Test func `a status does not keep its provider alive, and is not authorized after the provider's end`()
        async throws
    {
        var bench: Bench? = .make()
        let provider = Weak(bench?.auth)
        let status = try #require(bench.map { AuthorizationStatus(following: $0.auth) })
        #expect(status.phase == .authorized)
        bench = nil
        #expect(provider.object == nil)
        try await status.reaches { $0.phase == .unknown }
        #expect(!status.isAuthorized && !status.isRefreshing && status.error == nil)
    }

    @Test func `after the end of its provider a status still shows why it was signed out`() async throws {
        var bench: Bench? = .make()
        let status = try #require(bench.map { AuthorizationStatus(following: $0.auth) })
        await bench?.auth.reset()
        try await status.reaches { $0.phase == .signedOut }
        bench = nil
        await #expect(throws: CancellationError.self) { try await status.reaches { $0.isAuthorized } }
        #expect(status.phase == .signedOut)
        #expect(status.error?.reason == .signedOut)
    }

    @Test func `a status that is deallocated stops following`() async throws {
        let bench = Bench.make()
        var status: AuthorizationStatus? = AuthorizationStatus(following: bench.auth)
        let (gone, subscription) = (Weak(status), Weak(status?.following))
        #expect(subscription.object is Subscription<RefreshState.Status>)
        status = nil
        #expect(gone.object == nil)
        #expect(subscription.object == nil)
        try await bench.auth.setToken(TestToken("a"))
    }

    // MARK: -

    /// Returns when the values that were read have changed after a body was run. As in a view, the notice comes before
    /// the change.
    private func waitForChange<Value>(
        of value: @autoclosure () -> Value, after body: () async throws -> Void
    ) async rethrows {
        let changed = OneShot<Void>()
        withObservationTracking {
            _ = value()
        } onChange: {
            changed.fulfill()
        }
        try await body()
        try? await changed.value()
    }
}
