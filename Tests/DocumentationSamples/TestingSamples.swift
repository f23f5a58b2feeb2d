// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorizationTesting
import Testing

@Suite struct TestingSamples {
    // sample: one-refresh
    @Test func `two callers, one refresh`() async throws {
        let clock = ManualClock()
        let service = ScriptedTokenService(
            clock: clock, .token("a", lasts: .seconds(60)), .token("b", lasts: .seconds(60)))
        let auth = RefreshableTokenAuthorization(service: service, clock: clock)
        #expect(try await auth.validToken().name == "a")

        clock.advance(by: .seconds(61))
        async let one = auth.validToken()
        async let two = auth.validToken()
        let names = try await [one.name, two.name]
        #expect(names == ["b", "b"] && service.calls == 2)
    }
    // end sample

    // sample: held
    @Test func `a sign-out during a refresh wins`() async throws {
        let service = ScriptedTokenService<TestToken>(.held)
        let auth = RefreshableTokenAuthorization(service: service)
        let request = Task { try await auth.validToken() }

        let call = try await service.nextCall()  // the refresh is under way …
        await auth.reset()
        call.succeed(TestToken("late"))  // … and its answer comes too late
        await #expect(throws: NotAuthorized.self) { try await request.value }
    }
    // end sample

    // sample: deadline
    @Test func `a request waits for a hung server until the deadline`() async throws {
        let clock = ManualClock()
        let service = ScriptedTokenService<TestToken>(clock: clock, .held)
        let auth = RefreshableTokenAuthorization(service: service, clock: clock)
        let request = Task { try await auth.validToken() }

        await clock.sleeper(for: .seconds(30))  // the provider's deadline
        clock.advance(by: .seconds(30))
        await #expect(throws: RefreshFailed.self) { try await request.value }
    }
    // end sample

    // sample: transport
    @Test func `a 401 leads to one more try`() async throws {
        let server = ScriptedTransport<TestRequest, TestResponse>(.response(401), .response(200))
        let auth = RefreshableTokenAuthorization(service: ScriptedTokenService(.token("a"), .token("b")))

        let response = try await auth.send(TestRequest()) { try await server.send($0) }
        #expect(response.statusCode == 200)
        #expect(server.requests.map { $0["Authorization"] } == ["Bearer a", "Bearer b"])
    }
    // end sample

    // sample: store
    @Test func `a token that cannot be saved is used all the same`() async throws {
        struct DiskFull: Error {}
        let store = ScriptedTokenStore(InMemoryTokenStore<TestToken>())
        store.fail(next: .save, with: DiskFull())
        let auth = RefreshableTokenAuthorization(service: ScriptedTokenService(.token("a")), store: store)
        #expect(try await auth.validToken().name == "a")
    }
    // end sample
}
