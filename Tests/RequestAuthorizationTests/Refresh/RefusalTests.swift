// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

/// A refusal without a verdict ends no session, for any number of refusals; after a while a sign-in is suggested.
@Suite(.timeLimit(.minutes(5))) struct RefusalTests {
    @Test(arguments: [
        TokenEndpointError(status: 400), TokenEndpointError(status: 401), TokenEndpointError(status: 403),
        TokenEndpointError(status: 404), TokenEndpointError(status: 400, code: "what_is_this"),
        TokenEndpointError(status: 503, code: "invalid_grant"), TokenEndpointError(status: 429, code: "invalid_grant"),
    ])
    func `no answer without a verdict ends a session, for any number of answers`(refusal: TokenEndpointError)
        async throws
    {
        let bench = Bench.make()
        bench.clock.advance(by: .seconds(100))
        for _ in 0..<50 {
            bench.service.append(.failure(refusal))
            await #expect(throws: RefreshFailed.self) { try await bench.name() }
            bench.clock.advance(by: .seconds(60))
        }
        #expect(bench.service.calls == 50)
        bench.service.append(.token("new"))
        #expect(try await bench.name() == "new")
        #expect(Set(bench.service.history.map(\.input)).count == 1)
    }

    @Test(arguments: ["temporarily_unavailable", "server_error", "slow_down", "authorization_pending"])
    func `a failure that may pass counts as no refusal`(code: String) async throws {
        let bench = Bench.make(.failure(TokenEndpointError(status: 400, code: code)))
        bench.clock.advance(by: .seconds(100))
        #expect(try await bench.failure().refusals == nil)
    }

    @Test func `a RefreshFailed has the number of refusals, the time of the first, and the last answer`() async throws {
        let bench = Bench.make(
            .failure(TokenEndpointError(status: 403)), .failure(TokenEndpointError(status: 403)),
            .failure(TokenEndpointError(status: 401, code: "BAD_LOGIN")))
        bench.clock.advance(by: .seconds(100))
        let since = bench.clock.now
        var seen: [RefreshFailed.Refusals?] = []
        for _ in 0..<3 {
            seen.append(try await bench.failure().refusals)
            bench.clock.advance(by: .seconds(60))
        }
        #expect(
            seen == [
                .init(count: 1, since: since, status: 403), .init(count: 2, since: since, status: 403),
                .init(count: 3, since: since, status: 401, code: "BAD_LOGIN"),
            ])
    }

    @Test func `a series of refusals goes on over lost answers, and ends with another answer or a success`()
        async throws
    {
        let refusal = TokenEndpointError(status: 401)
        let bench = Bench.make(
            .failure(refusal), .failure(Offline()), .failure(TokenTransportError(.timedOut, delivery: .notSent)),
            .failure(refusal), .failure(TokenEndpointError(status: 503)), .failure(refusal),
            .token("b", lasts: .seconds(10)), .failure(refusal))
        bench.clock.advance(by: .seconds(100))
        for expected in [1, 1, 1, 2, nil, 1] {
            #expect(try await bench.failure().refusals?.count == expected)
            bench.clock.advance(by: .seconds(60))
        }
        #expect(try await bench.name() == "b")
        bench.clock.advance(by: .seconds(60))
        #expect(try await bench.failure().refusals?.count == 1)
    }

    /// Seconds between the tries, their answers, and the time at which a sign-in is suggested.
    @Test(arguments: [
        ([0, 100, 199], [400, 401, 400], [false, false, false]),
        ([0, 100, 200], [400, 401, 400], [false, false, true]),
        ([0, 300], [401, 401], [false, false]),
        ([0, 300, 60], [401, 401, 200], [false, false, true]),
        ([0, 200, 200, 200], [402, 402, 402, 402], [false, false, false, false]),
        ([0, 200, 200, 200], [403, 403, 403, 403], [false, false, false, false]),
        ([0, 200, 200, 200, 200], [401, 403, 401, 401, 401], [false, false, false, false, true]),
        ([0, 200, 200], [401, 503, 401], [false, false, false]),
    ])
    func `a sign-in is suggested when 400s or 401s have gone on for three tries and five minutes`(
        waits: [Int], statuses: [Int], suggestions: [Bool]
    ) async throws {
        let bench = Bench.make()
        bench.clock.advance(by: .seconds(100))
        for ((wait, status), suggestion) in zip(zip(waits, statuses), suggestions) {
            bench.clock.advance(by: .seconds(wait))
            bench.service.append(.failure(TokenEndpointError(status: status, code: status == 200 ? "odd" : nil)))
            let error = try await bench.failure()
            #expect(error.suggestsSignIn == suggestion)
            #expect("\(error)".contains("signing in again may help") == suggestion)
        }
        bench.service.append(.token("new"))
        bench.clock.advance(by: .seconds(60))
        #expect(try await bench.name() == "new")
    }

    @Test func `the five minutes are measured by the monotonic clock`() async throws {
        let bench = Bench.make()
        bench.clock.advance(by: .seconds(100))
        for _ in 0..<3 {
            bench.service.append(.failure(TokenEndpointError(status: 400)))
            #expect(try await !bench.failure().suggestsSignIn)
            bench.clock.setWallClock(to: bench.clock.now.addingTimeInterval(3600))
            bench.clock.advance(by: .seconds(60))
        }
    }

    // MARK: - Failures that need an operator or a user

    @Test(arguments: ["invalid_client", "unauthorized_client", "unsupported_grant_type", "invalid_scope"])
    func `a refused client keeps its session, and goes on with it once it is corrected`(code: String) async throws {
        let store = InMemoryTokenStore(StoredToken<TestToken>.make("old"))
        let refusal = TokenEndpointError(status: 401, code: code)
        let bench = Bench.make(store: store, .failure(refusal), .failure(refusal), .token("new"))
        bench.clock.advance(by: .seconds(100))
        for _ in 0..<2 {
            let error = await #expect(throws: NotAuthorized.self) { try await bench.name() }
            #expect(error?.reason == .clientRefused)
            #expect(error?.needsSignIn == false)
            #expect(error?.underlying as? TokenEndpointError == refusal)
            #expect(error?.description.contains("(\(code)): the ") == true)
            #expect(error?.description.contains("the session is kept") == true)
            bench.clock.advance(by: .seconds(59))
            await #expect(throws: NotAuthorized.self) { try await bench.name() }
            #expect(store.stored?.token?.name == "old")
            bench.clock.advance(by: .seconds(1))
        }
        #expect(bench.service.calls == 2)
        #expect(try await bench.name() == "new")
        #expect(store.stored?.version.generation == 1)
    }

    @Test(arguments: ["interaction_required", "login_required", "consent_required", "account_selection_required"])
    func `a server that needs interaction ends no session, and is asked again after the longest back-off or a sign-in`(
        code: String
    ) async throws {
        let refusal = TokenEndpointError(status: 400, code: code)
        let bench = Bench.make(.failure(refusal), .failure(refusal), .token("new"))
        bench.clock.advance(by: .seconds(100))
        let error = await #expect(throws: NotAuthorized.self) { try await bench.name() }
        #expect(error?.reason == .needsInteraction)
        #expect(error?.needsSignIn == true)
        #expect(
            error?.description
                == "not authorized: needs interaction (the token endpoint answered 400 (\(code))); sign in again with what "
                + "the server requires")
        bench.clock.advance(by: .seconds(59))
        await #expect(throws: NotAuthorized.self) { try await bench.name() }
        #expect(bench.service.calls == 1)
        bench.clock.advance(by: .seconds(1))
        await #expect(throws: NotAuthorized.self) { try await bench.name() }
        #expect(bench.service.calls == 2)
        try await bench.auth.signIn { TestToken("signed-in", expiresAt: bench.clock.now.addingTimeInterval(10)) }
        #expect(try await bench.name() == "signed-in")
        bench.clock.advance(by: .seconds(10))
        #expect(try await bench.name() == "new")
    }

    @Test(arguments: ["invalid_client", "login_required"])
    func `retryNow does not wait for the longest back-off`(code: String) async throws {
        let bench = Bench.make(.failure(TokenEndpointError(status: 400, code: code)), .token("new"))
        bench.clock.advance(by: .seconds(100))
        await #expect(throws: NotAuthorized.self) { try await bench.name() }
        await bench.auth.retryNow()
        #expect(try await bench.name() == "new")
    }

    @Test func `a refused client goes on with a valid token`() async throws {
        let bench = Bench.make(.failure(TokenEndpointError(status: 401, code: "invalid_client")))
        bench.clock.advance(by: .seconds(95))
        let event = try await bench.event(.refreshFailed) { _ = try await bench.name() }
        #expect(event?.nextTryAt == bench.clock.now.addingTimeInterval(60))
        #expect(try await bench.name() == "old")
    }

    @Test func `a client whose first token is refused gets an error, at the longest back-off`() async throws {
        let bench = Bench.make(
            holding: nil, .failure(TokenEndpointError(status: 401, code: "invalid_client")), .token("first"))
        for _ in 0..<2 {
            let error = await #expect(throws: NotAuthorized.self) { try await bench.name() }
            #expect(error?.reason == .clientRefused)
        }
        bench.clock.advance(by: .seconds(60))
        #expect(try await bench.name() == "first")
        #expect(bench.service.calls == 2)
    }
}

extension Bench {
    /// The error of a request.
    fileprivate func failure() async throws -> RefreshFailed {
        try #require(await #expect(throws: RefreshFailed.self) { try await name() })
    }
}
