// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorization

/// A provider that forwards can set the credential synchronously if the provider behind it can.
@MainActor struct ComposedAtOnceTests {
    nonisolated private static let api: Origin = "https://api.example.com"
    private static let plain: Origin = "http://ledger.internal:8080"

    private static var composed: [any AuthorizationProvider] {
        let bearer = BearerTokenAuthorization(token: "ABC")
        let refreshable = RefreshableTokenAuthorization(
            service: ScriptedTokenService<TestToken>(), token: TestToken("ABC"))
        let other: Origin = "https://other.example"
        let many = (0..<9).map { Origin(host: "host\($0).example") }
        return [
            bearer.restricted(to: api), bearer.restricted(to: other, api), bearer.restricted(to: Set(many + [api])),
            bearer.restricted(to: api, allowingPlaintext: true),
            bearer.restricted(to: other).restricted(to: other, elsewhere: .use(bearer)),
            bearer.restricted(to: api).restricted(to: api, other), OriginAuthorization([api: bearer]),
            OriginAuthorization([api: bearer, other: .header("X-Key", "key")]),
            OriginAuthorization([other: Spy()], elsewhere: .use(bearer)), refreshable,
            refreshable.restricted(to: api), OriginAuthorization([api: refreshable]),
        ]
    }

    @Test func `a credential in memory is set without waiting`() async throws {
        for provider in Self.composed {
            let request = FakeRequest.make(to: Self.api)
            let credential = try #require(try provider.credentialAtHand(for: request))
            #expect(credential.fields.map(\.value) == ["Bearer ABC"])
            #expect(try await provider.authorize(request).fields == ["authorization": "Bearer ABC"])
        }
    }

    @Test func `plaintext is refused, and gets the credential if it is allowed by name`() throws {
        let bearer = BearerTokenAuthorization(token: "ABC")
        let request = FakeRequest.make(to: Self.plain)
        let refusing: [any AuthorizationProvider] = [
            bearer.restricted(to: Self.plain), OriginAuthorization([Self.plain: bearer]),
            // The provider behind it would set nothing.
            OriginAuthorization([:], elsewhere: .passThrough).restricted(to: Self.plain),
        ]
        for provider in refusing {
            var refused = request
            let error = #expect(throws: NotAuthorized.self) {
                try provider.credentialAtHand(for: request).map { try refused.set($0) }
            }
            #expect(error?.reason == .insecureTransport)
            #expect(refused == request)
        }
        let allowing: [any AuthorizationProvider] = [
            bearer.restricted(to: Self.plain, allowingPlaintext: true),
            bearer.restricted(to: Self.plain).restricted(to: Self.plain, allowingPlaintext: true),
            OriginAuthorization([Self.plain: bearer.restricted(to: Self.plain, allowingPlaintext: true)]),
        ]
        for provider in allowing {
            var allowed = request
            try allowed.set(try #require(try provider.credentialAtHand(for: request)))
            #expect(allowed.fields == ["authorization": "Bearer ABC"])
        }
    }

    @Test func `another origin is refused, passed through or given to the fallback`() throws {
        let bearer = BearerTokenAuthorization(token: "ABC")
        let request = FakeRequest.make(to: "https://evil.example")
        for provider: any AuthorizationProvider in [bearer.restricted(to: Self.api), OriginAuthorization([:])] {
            let error = #expect(throws: NotAuthorized.self) { try provider.credentialAtHand(for: request) }
            #expect(error?.reason == .originNotAllowed)
        }
        let passing = bearer.restricted(to: Self.api, elsewhere: .passThrough)
        #expect(try passing.credentialAtHand(for: request)?.fields.isEmpty == true)
        let keyed = bearer.restricted(to: Self.api, elsewhere: .use(.header("X-Key", "key")))
        #expect(try keyed.credentialAtHand(for: request)?.fields.map(\.name) == ["X-Key"])
        #expect(
            try keyed.credentialAtHand(for: FakeRequest.make(to: Self.api))?.fields.map(\.name) == ["Authorization"])
    }

    @Test func `a custom provider is awaited`() async throws {
        let spy = Spy()
        let providers: [any AuthorizationProvider] = [
            spy.restricted(to: Self.api), spy.restricted(to: Self.api).restricted(to: Self.api),
            OriginAuthorization([Self.api: spy]), OriginAuthorization([:], elsewhere: .use(spy)),
        ]
        for provider in providers {
            let request = FakeRequest.make(to: Self.api)
            #expect(try provider.credentialAtHand(for: request) == nil)
            _ = try await provider.authorize(request)
        }
        #expect(spy.log == Array(repeating: "authorize https://api.example.com", count: 4))
    }

    @Test func `a request that calls itself plaintext is not shown to a custom provider`() async {
        let spy = Spy()
        let error = await #expect(throws: NotAuthorized.self) {
            _ = try await spy.restricted(to: Self.api).authorize(PlainRequest())
        }
        #expect(error?.reason == .insecureTransport)
        #expect(spy.log.isEmpty)
    }

    @Test func `a 401 refreshes the token of the provider behind it, once`() async throws {
        for compose in [
            { $0.restricted(to: Self.api) }, { OriginAuthorization([Self.api: $0]) },
        ] as [@Sendable (RefreshableTokenAuthorization<TestToken>) -> any AuthorizationProvider] {
            let bench = Bench.make(.success(TestToken("new")))
            let provider = compose(bench.auth)
            let client = ScriptedTransport<FakeRequest, TestResponse>(
                .success(TestResponse(401)), .success(TestResponse(200)))
            let response = try await provider.send(FakeRequest.make(to: Self.api)) { try await client.send($0) }
            #expect(response.statusCode == 200)
            #expect(client.requests.map { $0.fields["authorization"] } == ["Bearer old", "Bearer new"])
            #expect(bench.service.calls == 1)
        }
    }

    @Test func `a credential that is not in memory is waited for`() async throws {
        let bench = Bench.make(holding: nil, .success(TestToken("first")))
        let provider = bench.auth.restricted(to: Self.api)
        let request = FakeRequest.make(to: Self.api)
        #expect(try provider.credentialAtHand(for: request) == nil)
        #expect(try await provider.authorize(request).fields == ["authorization": "Bearer first"])
        #expect(try provider.credentialAtHand(for: request)?.fields.map(\.value) == ["Bearer first"])
    }

    @Test func `a credential is not at hand from the moment of its expiry on`() throws {
        let clock = ManualClock()
        let auth = RefreshableTokenAuthorization(
            service: ScriptedTokenService<TestToken>(),
            token: TestToken("old", expiresAt: clock.now.addingTimeInterval(10)),
            policy: RefreshPolicy(leeway: .init(maximum: .zero)), clock: clock)
        let request = FakeRequest.make(to: Self.api)
        clock.advance(by: .seconds(9))
        #expect(try auth.credentialAtHand(for: request) != nil)
        clock.advance(by: .seconds(1))
        #expect(try auth.credentialAtHand(for: request) == nil)
    }
}

/// Its origin is encrypted, but it calls itself plaintext.
private struct PlainRequest: AuthorizableRequest {
    var origin: Origin? { "https://api.example.com" }
    var isPlaintext: Bool { true }
    var isReplayable: Bool { true }
    func credential(in field: String) -> String? { nil }
    mutating func setCredential(_ value: String, in field: String) {}
}
