// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationTesting
import TestProviders
import Testing

@testable import RequestAuthorization

/// A clock that is fast makes each new token look expired.
@Suite(.timeLimit(.minutes(5))) struct ExpiredOnArrivalTests {
    /// A service whose server's clock is an hour behind.
    private static func bench(store: (any TokenStore<TestToken>)? = nil) -> (
        auth: RefreshableTokenAuthorization<TestToken>, service: ScriptedTokenService<TestToken>, clock: ManualClock
    ) {
        let clock = ManualClock()
        let service = ScriptedTokenService<TestToken>(clock: clock, forever: .token("late", lasts: .seconds(-3600)))
        let auth = RefreshableTokenAuthorization(
            service: service, token: nil, store: store, policy: .impatient, clock: clock, random: { 1 })
        return (auth, service, clock)
    }

    @Test func `a thousand requests cost one call for each slot, not one each`() async throws {
        let (auth, service, clock) = Self.bench()
        for _ in 0..<1000 {
            _ = try? await auth.validToken()
            clock.advance(by: .milliseconds(50))
        }
        // 0, 1, 3, 7, 15 and 31 of 50 s.
        #expect(service.calls == 6)
    }

    @Test func `a thousand requests that servers answer with 401 cost no more`() async throws {
        let (auth, service, clock) = Self.bench()
        var refused = 0
        for _ in 0..<1000 {
            if let token = try? await auth.validToken() {
                refused += 1
                let request = TokenBearer(header: "Bearer \(token.name)")
                try? await auth.setNeedsRefreshAfterUnauthorizedResponse(for: request)
                _ = try? await auth.validToken()
            }
            clock.advance(by: .milliseconds(50))
        }
        // Once there were too many, the token stays in use like any young one.
        #expect(refused > 6)
        #expect(service.calls == 6)
    }

    @Test func `requests use the token until the next slot, after which a call is made`() async throws {
        let (auth, service, clock) = Self.bench()
        for (pause, calls) in [(0, 1), (999, 1), (1, 2), (1_999, 2), (1, 3)] {
            clock.advance(by: .milliseconds(pause))
            for _ in 1...20 { #expect(try await auth.validToken().name == "late") }
            #expect(try await auth.validToken(lasting: .seconds(60)).name == "late")
            #expect(service.calls == calls)
        }
    }

    @Test func `requests use the token for half a second if the next slot comes earlier`() async throws {
        let bench = Bench.make(holding: nil, random: 0.2, .token("late", lasts: .seconds(-1)), .held)
        _ = try await bench.name()
        bench.clock.advance(by: .milliseconds(499))
        #expect(try await bench.name() == "late")
        bench.clock.advance(by: .milliseconds(1))
        let request = await bench.hold(1)[0]
        try await bench.service.nextCall().succeed(TestToken("new"))
        #expect(try await request.value == "new")
    }

    @Test func `a token that was loaded, set or brought by a sign-in is not used after its expiry`() async throws {
        let clock = ManualClock()
        let service = ScriptedTokenService<TestToken>(clock: clock, forever: .token("new", lasts: .seconds(60)))
        let store = InMemoryTokenStore<TestToken>(.make("stored", lasts: -1))
        let auth = RefreshableTokenAuthorization(service: service, store: store, clock: clock)
        #expect(try await auth.validToken().name == "new")
        try await auth.setToken(TestToken("set", expiresAt: clock.now - 1))
        #expect(try await auth.validToken().name == "new")
        try await auth.signIn { [clock] in TestToken("signed-in", expiresAt: clock.now - 1) }
        #expect(try await auth.validToken().name == "new")
    }

    @Test func `a token that was adopted is not used after its expiry`() async throws {
        let bench = SharedBench.make(.token("new", lasts: .seconds(60)))
        let sibling = bench.sibling()
        #expect(try await bench.name() == "old")
        _ = await bench.event(.tokenAdopted) {
            try? await sibling.auth.setToken(TestToken("adopted", expiresAt: bench.clock.now - 1))
        }
        #expect(bench.auth.currentToken?.name == "adopted")
        #expect(try await bench.name() == "new")
    }

    @Test func `a refused token gives way to an error that names the clock`() async throws {
        let (auth, service, clock) = Self.bench()
        #expect(try await auth.validToken().name == "late")
        try await auth.setNeedsRefreshAfterUnauthorizedResponse(for: TokenBearer(header: "Bearer late"))
        let failure = await #expect(throws: RefreshFailed.self) { try await auth.validToken() }
        #expect(failure?.nextTryAt == clock.now.addingTimeInterval(1))
        let cause = try #require(failure?.underlying as? TokenExpiredOnArrival)
        #expect(cause == TokenExpiredOnArrival(expiresAt: clock.now.addingTimeInterval(-3600), arrivedAt: clock.now))
        #expect("\(cause)".contains("check the clock"))
        #expect(service.calls == 1)
    }

    @Test func `listeners get an event about the clock`() async throws {
        let (auth, _, clock) = Self.bench()
        var events = auth.events.makeAsyncIterator()
        _ = try await auth.validToken()
        var told: AuthorizationEvent?
        while told?.kind != .tokenExpiredOnArrival, let event = await events.next() { told = event }
        let event = try #require(told)
        #expect(event.kind == .tokenExpiredOnArrival && event.error is TokenExpiredOnArrival)
        #expect(event.nextTryAt == clock.now.addingTimeInterval(1))
        #expect("\(event)" == "token expired on arrival, check the clock (TokenExpiredOnArrival)")
    }

    @Test func `a corrected clock is noticed with the next slot`() async throws {
        let clock = ManualClock()
        let service = ScriptedTokenService<TestToken>(
            clock: clock, .token("late", lasts: .seconds(-3600)), .token("good", lasts: .seconds(100)),
            .failure(Offline()))
        let auth = RefreshableTokenAuthorization(
            service: service, token: nil, store: nil, policy: .impatient, clock: clock, random: { 1 })
        _ = try await auth.validToken()
        clock.advance(by: .seconds(1))
        #expect(try await auth.validToken().name == "good")
        clock.advance(by: .seconds(100))
        let failure = await #expect(throws: RefreshFailed.self) { try await auth.validToken() }
        #expect(failure?.nextTryAt == clock.now.addingTimeInterval(1))
    }

    @Test(arguments: [4, 5])
    func `five expired tokens in the window are a storm, and four are not`(count: Int) async throws {
        let clock = ManualClock()
        let service = ScriptedTokenService<TestToken>(clock: clock)
        let auth = RefreshableTokenAuthorization(
            service: service, token: nil, store: nil, policy: .impatient, clock: clock, random: { 0 })
        for _ in 0..<count {
            service.append(.token("late", lasts: .seconds(-1)))
            _ = try await auth.validToken()
            clock.advance(by: .milliseconds(500))
        }
        service.append(.token("young", lasts: .seconds(1000)))
        #expect(try await auth.validToken().name == "young")
        service.append(.token("next", lasts: .seconds(1000)))
        let refusal = TokenBearer(header: "Bearer young")
        if count < 5 {
            try await auth.setNeedsRefreshAfterUnauthorizedResponse(for: refusal)
            #expect(try await auth.validToken().name == "next")
        } else {
            let error = await #expect(throws: NotAuthorized.self) {
                try await auth.setNeedsRefreshAfterUnauthorizedResponse(for: refusal)
            }
            #expect(error?.reason == .refreshedTooOften)
        }
    }

    @Test func `siblings do not cause each other's refreshes`() async throws {
        let clock = ManualClock()
        let place = InMemorySharedTokenStore<TestToken>(.make("old", lasts: -1), clock: clock)
        let service = ScriptedTokenService<TestToken>(clock: clock, forever: .token("late", lasts: .seconds(-3600)))
        // The clock is ahead of the providers' own reads of the store, which must not count as late.
        var policy = RefreshPolicy.impatient
        policy.storeDeadline = .seconds(3_600)
        let providers = (0..<2).map { [policy] number in
            RefreshableTokenAuthorization(
                service: service, token: nil, store: number == 0 ? place : place.sibling(), policy: policy,
                clock: clock, random: { 1 })
        }
        for _ in 0..<1000 {
            for provider in providers { _ = try? await provider.validToken() }
            clock.advance(by: .milliseconds(50))
        }
        // The number that each would make by itself.
        #expect((1...12).contains(service.calls))
    }

    @Test func `a token that is set by hand may have expired`() async throws {
        let bench = Bench.make(holding: nil, .token("new"))
        try await bench.auth.setToken(TestToken("old", expiresAt: bench.clock.now.addingTimeInterval(-1)))
        #expect(try await bench.name() == "new")
    }
}
