// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import RequestAuthorizationTelemetry
import RequestAuthorizationTesting
import Testing

/// The texts and levels of log lines.
@Suite(.timeLimit(.minutes(5))) struct LogTests {
    private let desk = Desk()

    @Test func `a successful request logs nothing above debug, with refresh, 401 and retry`() async throws {
        let auth = desk.provider(lasts: 0, .token("new", lasts: .seconds(100)), .token("next", lasts: .seconds(100)))
        let transport = ScriptedTransport<TestRequest, TestResponse>(.response(401), .response(200))
        _ = try await auth.send(TestRequest()) { try await transport.send($0) }
        await desk.logs.line("request retried")
        await desk.logs.line("refresh ended", count: 2)
        #expect(desk.logs.lines.count > 6)
        #expect(desk.logs.lines.filter { $0.level > .debug }.map(\.text) == [])
    }

    @Test func `a line carries the label, the cause and the duration`() async throws {
        let service = ScriptedTokenService<TestToken>(clock: desk.clock, .held)
        let auth = desk.provider(of: service, lasts: 0)
        let request = Task { try await auth.validToken() }
        let call = try await service.nextCall()
        desk.clock.advance(by: .milliseconds(1_500))
        call.succeed(TestToken("new"))
        _ = try await request.value
        let line = try #require(await desk.logs.line("refresh ended"))
        #expect(
            line.metadata == [
                "authorization.label": "billing", "authorization.cause": "expiry", "authorization.outcome": "refreshed",
                "authorization.duration_seconds": "1.5",
            ])
    }

    @Test func `a failure line has its kind and the time of the next try`() async throws {
        let auth = desk.provider(lasts: 0, .failure(TokenEndpointError(status: 503, retryAfter: .seconds(60))))
        await #expect(throws: RefreshFailed.self) { try await auth.validToken() }
        let line = try #require(await desk.logs.line("refresh failed"))
        #expect(line.level == .warning)
        #expect(line.metadata["error.type"] == "503")
        #expect(line.metadata["error.message"] == "\(TokenEndpointError(status: 503))")
        #expect(line.metadata["authorization.next_try_at"] == "\(desk.clock.now.addingTimeInterval(60))")
    }

    @Test func `a failure of the store has its kind and what to do`() async throws {
        let store = ScriptedTokenStore(InMemoryTokenStore<TestToken>())
        let full = TokenStoreError(.noSpace, "make room")
        store.fail(next: .save, with: full)
        let auth = RefreshableTokenAuthorization(
            service: ScriptedTokenService<TestToken>(clock: desk.clock), store: store, clock: desk.clock)
        auth.report(to: desk.telemetry())
        try await auth.setToken(TestToken("a"))
        let line = try #require(await desk.logs.line("save failed"))
        #expect(line.metadata["error.message"] == "\(full)")
    }

    @Test func `a failure that needs an operator or a sign-in has a higher level`() async throws {
        let client = desk.provider(lasts: 0, .failure(TokenEndpointError(status: 401, code: "invalid_client")))
        await #expect(throws: NotAuthorized.self) { try await client.validToken() }
        #expect(await desk.logs.line("refresh failed")?.level == .error)
        let ended = desk.provider(lasts: 0, .failure(TokenEndpointError(status: 400, code: "invalid_grant")))
        await #expect(throws: NotAuthorized.self) { try await ended.validToken() }
        #expect(await desk.logs.line("session ended")?.level == .warning)
        let signedOut = desk.provider()
        await signedOut.reset()
        #expect(await desk.logs.line("session ended", count: 2)?.level == .info)
    }

    @Test func `each provider of a pool has the label of its identity`() async throws {
        let pool = AuthorizationPool(clock: desk.clock) { [desk] (_: String) in
            RefreshableTokenAuthorization(
                service: ScriptedTokenService<TestToken>(clock: desk.clock, .token("a", lasts: .seconds(100))),
                clock: desk.clock)
        }
        let early = pool["ada"]
        pool.report(to: desk.poolTelemetry())
        _ = try await early.validToken()
        _ = try await pool["bob"].validToken()
        await desk.logs.line("requests released", count: 2)
        let labels = Set(desk.logs.lines.compactMap { $0.metadata["authorization.label"]?.description })
        #expect(labels == ["user ada", "user bob"])
    }
}
#endif
