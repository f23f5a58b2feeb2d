// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import TestProviders
import Testing

/// A failed refresh costs one call, for any number of waiters, and ends a session only if the server says so.
@Suite struct FailureTests {
    @Test func `ten thousand requests that wait for a failing service make one call`() async throws {
        let bench = Bench.make(.held)
        bench.clock.advance(by: .seconds(100))
        let requests = (0..<10_000).map { _ in Task { try await bench.name() } }
        await bench.held.reaches(10_000)
        #expect(try await bench.service.nextCall().fail(Offline()))
        var failures = 0
        for request in requests { if case .failure(is RefreshFailed) = await request.result { failures += 1 } }
        #expect(failures == 10_000)
        #expect(bench.service.calls == 1)
    }

    @Test func `until the next slot all requests get the same error at once, with the time of the next try`()
        async throws
    {
        let bench = Bench.make(.failure(Offline()), .token("new"))
        bench.clock.advance(by: .seconds(100))
        let due = bench.clock.now.addingTimeInterval(1)
        for _ in 0..<3 {
            let error = await #expect(throws: RefreshFailed.self) { try await bench.name() }
            #expect(error?.underlying is Offline)
            #expect(error?.nextTryAt == due)
        }
        #expect(bench.service.calls == 1)
        bench.clock.advance(by: .seconds(1))
        #expect(try await bench.name() == "new")
    }

    @Test func `the back-off doubles up to a minute`() async throws {
        let bench = Bench.make()
        for _ in 0..<8 { bench.service.append(.failure(Offline())) }
        bench.clock.advance(by: .seconds(100))
        var waits: [Double] = []
        for _ in 0..<8 {
            let error = await #expect(throws: RefreshFailed.self) { try await bench.name() }
            let wait = try #require(error).nextTryAt.timeIntervalSince(bench.clock.now)
            waits.append(wait)
            bench.clock.advance(by: .seconds(wait))
        }
        #expect(waits == [1, 2, 4, 8, 16, 32, 60, 60])
    }

    @Test(.timeLimit(.minutes(5)), arguments: [3_600.0, -3_600])
    func `a wall clock that is set by an hour opens no slot, and delays none`(seconds: Double) async throws {
        let bench = Bench.make(.failure(Offline()), .token("new"))
        try await bench.auth.setNeedsRefreshAfterUnauthorizedResponse(for: bench.sent(with: "old"))
        await #expect(throws: RefreshFailed.self) { try await bench.name() }
        bench.clock.setWallClock(to: bench.clock.now.addingTimeInterval(seconds))
        await #expect(throws: RefreshFailed.self) { try await bench.name() }
        #expect(bench.service.calls == 1)
        bench.clock.advance(by: .seconds(1))
        #expect(try await bench.name() == "new")
    }

    @Test(arguments: [(Duration.seconds(90), 90.0), (.seconds(20_520), 300)])
    func `a Retry-After is honoured, at most for five minutes`(asked: Duration, waited: Double) async throws {
        let bench = Bench.make(.failure(TokenEndpointError(status: 503, retryAfter: asked)), .token("new"))
        bench.clock.advance(by: .seconds(100))
        let error = await #expect(throws: RefreshFailed.self) { try await bench.name() }
        let next = try #require(error).nextTryAt
        #expect(next.timeIntervalSince(bench.clock.now) == waited)
        await bench.auth.retryNow()
        await #expect(throws: RefreshFailed.self) { try await bench.name() }
        await #expect(throws: RefreshFailed.self) { try await bench.auth.signIn { TestToken("signed-in") } }
        #expect(bench.service.calls == 1)
        bench.clock.advance(by: .seconds(waited))
        #expect(try await bench.name() == "new")
    }

    @Test func `retryNow and a sign-in do not wait for the slot`() async throws {
        let bench = Bench.make(.failure(Offline()), .token("new"))
        bench.clock.advance(by: .seconds(100))
        await #expect(throws: RefreshFailed.self) { try await bench.name() }
        await bench.auth.retryNow()
        #expect(try await bench.name() == "new")
        #expect(bench.service.calls == 2)

        let other = Bench.make(.failure(Offline()))
        other.clock.advance(by: .seconds(100))
        await #expect(throws: RefreshFailed.self) { try await other.name() }
        try await other.auth.signIn { TestToken("signed-in") }
        #expect(try await other.name() == "signed-in")
    }

    @Test func `invalid_grant ends the session, once`() async throws {
        let bench = Bench.make(.failure(TokenEndpointError(status: 400, code: "invalid_grant")))
        bench.clock.advance(by: .seconds(100))
        var changes = bench.auth.tokenChanges.makeAsyncIterator()
        #expect(await changes.next()?.isAuthorized == true)
        for _ in 0..<3 {
            let error = await #expect(throws: NotAuthorized.self) { try await bench.name() }
            #expect(error?.reason == .rejected)
            #expect(error?.needsSignIn == true)
            #expect(error?.underlying as? TokenEndpointError == TokenEndpointError(status: 400, code: "invalid_grant"))
        }
        #expect(bench.service.calls == 1)
        #expect(await changes.next()?.isAuthorized == false)
        try await bench.auth.setToken(TestToken("again"))
        guard case .tokenUpdated(let token) = await changes.next() else { Issue.record("announced twice"); return }
        #expect(token.name == "again")
    }

    @Test(arguments: [408, 429, 500, 502, 503, 504])
    func `a transient failure keeps the token and its refresh token`(status: Int) async throws {
        let bench = Bench.make(.failure(TokenEndpointError(status: status)), .token("new"))
        bench.clock.advance(by: .seconds(100))
        await #expect(throws: RefreshFailed.self) { try await bench.name() }
        bench.clock.advance(by: .seconds(1))
        #expect(try await bench.name() == "new")
        #expect(bench.service.history.map(\.input).allSatisfy { $0 == old(of: bench) })
    }

    @Test func `after a lost answer the first retry comes within a second`() async throws {
        let lost = TokenTransportError(.connectionLost, delivery: .mayHaveBeenProcessed)
        let bench = Bench.make(.failure(lost), .token("new"))
        bench.clock.advance(by: .seconds(100))
        let error = await #expect(throws: RefreshFailed.self) { try await bench.name() }
        #expect(error?.delivery == .mayHaveBeenProcessed)
        bench.clock.advance(by: .seconds(1))
        #expect(try await bench.name() == "new")
    }

    @Test func `a service without a first token leads to no back-off`() async throws {
        let bench = Bench.make(holding: nil, .failure(NotAuthorized(.noToken)), .token("first"))
        let error = await #expect(throws: NotAuthorized.self) { try await bench.name() }
        #expect(error?.reason == .noToken)
        #expect(try await bench.name() == "first")
    }

    @Test(arguments: [TokenEndpointError(status: 503), TokenEndpointError(status: 400, code: "invalid_grant")])
    func `the first token of a service that fails backs off`(failure: TokenEndpointError) async throws {
        let bench = Bench.make(holding: nil, .failure(failure), .token("first"))
        for _ in 0..<2 { await #expect(throws: RefreshFailed.self) { try await bench.name() } }
        #expect(bench.service.calls == 1)
        bench.clock.advance(by: .seconds(1))
        #expect(try await bench.name() == "first")
    }

    @Test func `a new token that must not be sent is never sent, and the next refresh begins from it`()
        async throws
    {
        let bench = Bench.make(.success(TestToken("a\r\nX: b")), .token("new"))
        bench.clock.advance(by: .seconds(100))
        for _ in 0..<2 {
            let error = await #expect(throws: NotAuthorized.self) { try await bench.name() }
            #expect(error?.reason == .malformedCredential)
        }
        bench.clock.advance(by: .seconds(1))
        #expect(try await bench.name() == "new")
        #expect(bench.service.history.last?.input == TestToken("a\r\nX: b"))
    }

    // MARK: -

    private func old(of bench: Bench) -> TestToken {
        TestToken("old", expiresAt: ManualClock().now.addingTimeInterval(100))
    }
}
