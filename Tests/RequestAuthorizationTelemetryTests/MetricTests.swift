// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
import MetricsTestKit
import RequestAuthorizationTelemetry
import RequestAuthorizationTesting
import TestProviders
import Testing

/// The metrics, with the names and dimensions of the guide.
@Suite(.timeLimit(.minutes(5))) struct MetricTests {
    private let desk = Desk()

    @Test func `a refresh is counted by cause and outcome, with its duration and how early it came`() async throws {
        let service = ScriptedTokenService<TestToken>(clock: desk.clock, .held)
        let auth = desk.provider(of: service, lasts: -5)
        let request = Task { try await auth.validToken() }
        let call = try await service.nextCall()
        desk.clock.advance(by: .seconds(2))
        call.succeed(TestToken("new"))
        _ = try await request.value
        await desk.logs.line("requests released")
        let dimensions = [("cause", "expiry"), ("outcome", "refreshed")]
        #expect(try desk.count("authorization_refreshes_total", dimensions) == 1)
        #expect(try desk.seconds("authorization_refresh_duration_seconds", dimensions) == [2])
        #expect(try desk.count("authorization_requests_held_total") == 1)
        let left = try desk.metrics.expectRecorder("authorization_expiry_at_refresh_seconds", [("cause", "expiry")])
        #expect(left.values == [-5])
    }

    @Test(arguments: [
        (TokenEndpointError(status: 503), "transient"),
        (TokenEndpointError(status: 400, code: "invalid_client"), "client"),
        (TokenEndpointError(status: 400, code: "login_required"), "interaction"),
    ])
    func `a failure is counted by its cause and kind`(error: TokenEndpointError, kind: String) async throws {
        let auth = desk.provider(lasts: 0, .failure(error))
        await #expect(throws: (any Error).self) { try await auth.validToken() }
        await desk.logs.line("requests released")
        let dimensions = [("cause", "expiry"), ("kind", kind)]
        #expect(try desk.count("authorization_refresh_failures_total", dimensions) == 1)
        #expect(
            try desk.count("authorization_refreshes_total", [("cause", "expiry"), ("outcome", "failed")]) == 1)
    }

    @Test func `the end of a session is counted by its reason`() async throws {
        let auth = desk.provider(lasts: 0, .failure(TokenEndpointError(status: 400, code: "invalid_grant")))
        await #expect(throws: NotAuthorized.self) { try await auth.validToken() }
        await desk.logs.line("requests released")
        let reason = [("reason", "rejected_by_the_token_endpoint")]
        #expect(try desk.count("authorization_sessions_ended_total", reason) == 1)
    }

    @Test func `401s and retries are counted`() async throws {
        let auth = desk.provider(.token("new", lasts: .seconds(100)))
        let transport = ScriptedTransport<TestRequest, TestResponse>(.response(401), .response(200))
        _ = try await auth.send(TestRequest()) { try await transport.send($0) }
        await desk.logs.line("request retried")
        #expect(try desk.count("authorization_unauthorized_total") == 1)
        #expect(try desk.count("authorization_retries_total") == 1)
    }

    @Test func `a storm is counted`() async throws {
        let service = ScriptedTokenService<TestToken>(
            clock: desk.clock, forever: .numberedToken(lasts: .seconds(1_000)))
        let auth = desk.provider(of: service, lasts: 1_000)
        for _ in 0..<6 {
            let request = try await auth.authorize(TestRequest())
            try? await auth.setNeedsRefreshAfterUnauthorizedResponse(for: request)
        }
        // While the thread of a refresh reports, it reports this too.
        #expect(await desk.logs.line("refreshed too often")?.level == .error)
        #expect(try desk.count("authorization_storms_total") == 1)
        #expect(try desk.count("authorization_unauthorized_total") == 6)
    }

    @Test func `a store failure is counted by its operation`() async throws {
        let store = ScriptedTokenStore(InMemoryTokenStore<TestToken>())
        store.fail(next: .save, with: Offline())
        let auth = RefreshableTokenAuthorization(
            service: ScriptedTokenService(clock: desk.clock, .token("new", lasts: .seconds(100))), store: store,
            clock: desk.clock)
        auth.report(to: desk.telemetry())
        _ = try await auth.validToken()
        await desk.logs.line("save failed")
        store.fail(next: .clear, with: Offline())
        await auth.reset()
        await desk.logs.line("clear failed")
        #expect(try desk.count("authorization_store_failures_total", [("operation", "save")]) == 1)
        #expect(try desk.count("authorization_store_failures_total", [("operation", "clear")]) == 1)
    }

    @Test func `the wait for the lock is timed, and an adoption is counted`() async throws {
        let session = UUID()
        let old = StoredToken(
            .token(TestToken("old", expiresAt: desk.clock.now)),
            version: TokenVersion(session: session, generation: 0), obtainedAt: desk.clock.now)
        let place = InMemorySharedTokenStore(old, clock: desk.clock)
        let sibling = place.sibling()
        let lock = try await sibling.lock(within: .seconds(1))
        let auth = RefreshableTokenAuthorization(
            service: ScriptedTokenService<TestToken>(clock: desk.clock), store: place, clock: desk.clock)
        auth.report(to: desk.telemetry())
        let request = Task { try await auth.validToken() }
        await desk.clock.sleeper(for: .seconds(20))
        desk.clock.advance(by: .seconds(4))
        let version = TokenVersion(session: session, generation: 1)
        let token = TestToken("sibling's", expiresAt: desk.clock.now.addingTimeInterval(100))
        _ = try await sibling.save(
            StoredToken(.token(token), version: version, obtainedAt: desk.clock.now), replacing: .anything, ending: nil)
        await lock.unlock()
        #expect(try await request.value.name == "sibling's")
        await desk.logs.line("lock awaited")
        await desk.logs.line("token adopted")
        #expect(try desk.seconds("authorization_lock_wait_seconds", [("outcome", "locked")]) == [4])
        #expect(try desk.count("authorization_adoptions_total") == 1)
    }

    @Test func `a pool reports its size and its evictions`() async throws {
        let pool = AuthorizationPool(atMost: 1, clock: desk.clock) { [desk] (_: String) in
            RefreshableTokenAuthorization(
                service: ScriptedTokenService<TestToken>(clock: desk.clock, .token("a", lasts: .seconds(100))),
                clock: desk.clock)
        }
        pool.report(to: desk.poolTelemetry())
        let size = try desk.metrics.expectGauge("authorization_pool_providers")
        #expect(size.lastValue == 0)
        _ = pool["ada"]
        _ = pool["bob"]
        #expect(size.lastValue == 1)
        #expect(try desk.count("authorization_pool_evictions_total") == 1)
    }

    @Test func `dimensions of the program are on each metric, and no identity is`() async throws {
        let auth = desk.provider(lasts: 0, .token("new", lasts: .seconds(100)))
        auth.report(to: desk.telemetry("user ada", dimensions: [("issuer", "example")]))
        _ = try await auth.validToken()
        await desk.logs.line("requests released")
        #expect(try desk.count("authorization_requests_held_total", [("issuer", "example")]) == 1)
        #expect(desk.dimensions == ["issuer=example", "cause=expiry", "outcome=refreshed"])
    }
}
#endif
