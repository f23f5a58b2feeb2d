// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full && canImport(Glibc)
import Foundation
import RequestAuthorizationOAuth
import RequestAuthorizationTesting
import RequestAuthorizationURLSession
import TestServers
import Testing

/// A log-in at an identity provider becomes a token of a server that is made of Authlib.
@Suite(.enabled(if: FastMCP.isThere, Comment(rawValue: FastMCP.how)), .timeLimit(.minutes(5)))
struct AuthlibIdentityAssertionTests {
    private struct Bench {
        let servers: IdentityAssertionServer
        let company: TokenEndpoint
        let service: OAuthTokenService

        /// - Parameter subject: the log-in of each token, from what Alice logged in with.
        init(
            scopes: Set<String> = ["read"],
            subject: @escaping @Sendable (TokenEndpoint, OAuthToken) throws -> SecurityToken = { try $0.logIn(of: $1) }
        ) async throws {
            servers = try await IdentityAssertionServer()
            let alice = try await servers.logIn()
            let company = TokenEndpoint(
                server: try await .discover(issuer: servers.provider, transport: .patient),
                client: .public(id: "app-at-idp"), transport: .patient)
            service = .identityAssertion(
                from: company, server: try await .discover(issuer: servers.issuer, transport: .patient),
                client: .secretBasic(id: "app", secret: "appsecret"), scopes: scopes, transport: .patient
            ) { try subject(company, alice) }
            self.company = company
        }
    }

    @Test func `an ID token or a refresh token becomes a token, and each refresh asks the provider anew`() async throws
    {
        for subject: @Sendable (OAuthToken) -> SecurityToken in [
            { .idToken($0.idToken ?? "") }, { .refreshToken($0.refreshToken ?? "") },
        ] {
            let bench = try await Bench { subject($1) }
            defer { bench.servers.end() }
            #expect(bench.service.endpoint.server.acceptsIdentityAssertions == true)
            let auth = RefreshableTokenAuthorization(service: bench.service, clock: ManualClock(now: .now))
            let first = try await auth.validToken()
            #expect(first.scopes == ["read"] && first.refreshToken == nil && first.tokenType == "Bearer")
            let second = try await auth.refreshNow()
            #expect(second.accessToken != first.accessToken)
            #expect(try await bench.servers.counts() == .init(exchanges: 2, tokens: 2))
        }
    }

    @Test func `a log-in that has ended needs its person, and the session goes on after the next log-in`() async throws
    {
        let bench = try await Bench()
        defer { bench.servers.end() }
        let auth = RefreshableTokenAuthorization(service: bench.service, clock: ManualClock(now: .now))
        let token = try await auth.validToken()
        try await bench.servers.logOut()
        let error = await #expect(throws: NotAuthorized.self) { try await auth.refreshNow() }
        #expect(error?.reason == .needsInteraction && error?.needsSignIn == true)
        #expect(error?.detail == "the identity provider's token endpoint answered 400 (invalid_grant)")
        #expect(auth.currentToken?.accessToken == token.accessToken)
    }

    @Test(arguments: [
        ("aud", JSONValue.string("https://other.example")), ("client_id", .string("another")),
        ("sub", .string("mallory")), ("exp", .integer(1)), ("iss", .string("https://other.example")),
        ("typ", .string("JWT")),
    ])
    func `Authlib refuses an assertion for anybody or anything else, and the next one is another`(
        claim: String, value: JSONValue
    ) async throws {
        let bench = try await Bench()
        defer { bench.servers.end() }
        try await bench.servers.change([claim: value])
        let error = await #expect(throws: TokenEndpointError.self) { try await bench.service.initialToken() }
        #expect(error?.code == "invalid_grant" && error?.kind == .client)
        #expect(try await bench.servers.counts() == .init(exchanges: 1, tokens: 0))
        _ = try await bench.service.initialToken()
        #expect(try await bench.servers.counts() == .init(exchanges: 2, tokens: 1))
    }

    @Test func `a wrong secret, and a scope that the policy refuses, are the client's, and keep the session`()
        async throws
    {
        let bench = try await Bench(scopes: ["read", "write"])
        defer { bench.servers.end() }
        let refused = await #expect(throws: TokenEndpointError.self) { try await bench.service.initialToken() }
        #expect(refused?.code == "invalid_grant" && refused?.kind == .client)
        try await bench.servers.changeSecret(to: "another")
        let error = await #expect(throws: TokenEndpointError.self) { try await bench.service.initialToken() }
        #expect(error?.code == "invalid_client" && error?.purpose == .token)
    }

    @Test func `what no provider gave is refused there`() async throws {
        let bench = try await Bench { _, _ in .idToken("eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbGljZSJ9.") }
        defer { bench.servers.end() }
        let error = await #expect(throws: TokenEndpointError.self) { try await bench.service.initialToken() }
        #expect(error?.purpose == .identityAssertion && error?.kind == .interaction)
        #expect(try await bench.servers.counts() == .init(exchanges: 0, tokens: 0))
    }
}
#endif
