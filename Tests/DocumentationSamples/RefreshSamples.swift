// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorizationTesting
import Testing

@Suite struct RefreshSamples {
    @Test func `a policy is a value`() async throws {
        let service = ScriptedTokenService(.token("a"))
        // sample: policy
        var policy = RefreshPolicy.default
        policy.deadline = .seconds(10)  // how long a request waits at most for a refresh
        policy.leeway.maximum = .seconds(60)  // how long before expiry the background refresh begins at most
        let auth = RefreshableTokenAuthorization(service: service, policy: policy)
        // end sample
        #expect(try await auth.validToken().name == "a")
    }

    @Test func `a tool settles before it ends, and a server ends its providers`() async throws {
        let service = ScriptedTokenService(.token("a", lasts: .seconds(600)), .token("b", lasts: .seconds(600)))
        let store = InMemoryTokenStore<TestToken>()
        let connect: (TestToken) -> Void = { #expect($0.name == "a") }
        // sample: tool
        let auth = RefreshableTokenAuthorization(service: service, store: store, policy: .tool)
        connect(try await auth.validToken(lasting: .seconds(300)))  // refreshed first if it lasts less
        try await auth.settle(within: .seconds(10))  // what has begun is finished and stored
        // end sample
        #expect(store.stored?.token?.name == "a")
        // sample: server
        auth.stopBackgroundRefresh()  // the server drains: only its requests cause refreshes
        // …
        try await auth.shutdown(within: .seconds(10))  // nothing begins any more; then as settle(within:)
        // end sample
        await #expect { try await auth.validToken() } throws: { ($0 as? NotAuthorized)?.reason == .shutDown }
        #expect(service.calls == 1)
    }

    @Test func `a network that is back ends the back-off`() async throws {
        struct Offline: Error {}
        let clock = ManualClock()
        let service = ScriptedTokenService(clock: clock, .failure(Offline()), .token("a"))
        let auth = RefreshableTokenAuthorization(
            service: service, policy: .init(backOff: .init(patience: .zero)), clock: clock)
        await #expect(throws: RefreshFailed.self) { try await auth.validToken() }
        // sample: retry
        await auth.retryNow()  // the network is back: do not wait for the next try
        // end sample
        #expect(try await auth.validToken().name == "a")
    }

    @Test func `a wider token replaces the narrow one`() async throws {
        let auth = RefreshableTokenAuthorization(service: ScriptedTokenService(), token: TestToken("narrow"))
        let fetchWiderToken: @Sendable () async throws -> TestToken = { TestToken("wider") }
        // sample: by-hand
        try await auth.signIn { try await fetchWiderToken() }  // requests wait meanwhile
        let token = try await auth.validToken()
        // end sample
        #expect(token.name == "wider")
    }

    @Test func `a session that nobody uses is kept alive`() async throws {
        let service = ScriptedTokenService(.token("a"))
        // sample: keep-alive
        let auth = RefreshableTokenAuthorization(service: service, policy: RefreshPolicy(keepsAlive: true))
        // end sample
        #expect(try await auth.validToken().name == "a")
    }
}
