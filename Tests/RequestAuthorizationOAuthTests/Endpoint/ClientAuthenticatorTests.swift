// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationOAuth
import RequestAuthorizationTesting
import Testing

/// A client that authenticates each request without a shared secret.
@Suite struct ClientAuthenticatorTests {
    private let clock = ManualClock()
    private let authenticator = CountingAuthenticator()
    private let transport = ScriptedTokenTransport(
        forever: .response(200, json: #"{"access_token":"a","refresh_token":"r","expires_in":60,"active":true}"#))

    private var service: OAuthTokenService {
        .authorizationCode(
            server: .make(), client: .public(id: "bank"), authentication: authenticator,
            redirectURI: "https://client.example/cb", pendingSignIns: InMemoryPendingSignIns(),
            transport: transport, clock: clock)
    }

    private func proof(_ number: Int) -> String {
        "client_id=bank&client_assertion_type=urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer"
            + "&client_assertion=proof-\(number)&"
    }

    @Test func `every request of the client has a proof of its own`() async throws {
        let service = service
        let token = try await service.endpoint.token(grantType: "authorization_code")
        _ = try await service.refresh(token)
        _ = try await service.introspect(token)
        try await service.revoke(token)  // two requests, one for each token
        transport.append(
            .response(
                200,
                json: #"{"device_code":"d","user_code":"u","verification_uri":"https://as.example","expires_in":9}"#))
        let device = OAuthTokenService.device(
            server: .make(), client: .public(id: "bank"), authentication: authenticator, transport: transport)
        _ = try await device.deviceSignIn(scopes: [])
        #expect(
            transport.requests.map { $0.url.lastPathComponent }
                == ["token", "token", "introspect", "revoke", "revoke", "device"])
        for (index, request) in transport.requests.enumerated() {
            #expect("\(request.text)&".hasPrefix(proof(index + 1)), "\(request.url)")
            #expect(request["X-Proof"] == "\(index + 1)")
        }
    }

    @Test func `an authenticator gets the address, the parameters and the time of a request`() async throws {
        _ = try await service.refresh(.make(refreshToken: "r"))
        let asked = try #require(authenticator.requests.first)
        #expect(asked.clientID == "bank")
        #expect(asked.endpoint == URL(string: "https://as.example/token"))
        #expect(asked.server == .make())
        #expect(asked.date == clock.now)
        #expect(asked.parameters.map(\.name) == ["grant_type", "refresh_token"])
    }

    /// Parameters of the closure prove the client in the first token request only. An authenticator proves it in every
    /// request.
    @Test func `the refresh of a custom grant proves the client as its first request did`() async throws {
        let service = OAuthTokenService.custom(
            server: .make(), client: .public(id: "bank"), authentication: authenticator, transport: transport,
            clock: clock
        ) { try await $0.token(grantType: "urn:example:grant", parameters: [(name: "client_assertion", value: "x")]) }
        let auth = RefreshableTokenAuthorization(
            service: service, policy: .init(backOff: .init(patience: .zero)), clock: clock)
        _ = try await auth.validToken()
        clock.advance(by: .seconds(61))
        _ = try await auth.validToken()
        #expect(
            transport.requests.map(\.text) == [
                "\(proof(1))grant_type=urn%3Aexample%3Agrant",
                "\(proof(2))grant_type=refresh_token&refresh_token=r",
            ])
    }

    @Test func `a client with an authenticator does not count as public`() async throws {
        let quirks = ServerQuirks(refusesPublicRevocation: true)
        for authentication: (any ClientAuthenticator)? in [nil, authenticator] {
            let service = OAuthTokenService.authorizationCode(
                server: .make(quirks: quirks), client: .public(id: "bank"), authentication: authentication,
                transport: transport)
            try await service.revoke(.make(accessToken: "", refreshToken: "r"))
        }
        #expect(transport.requests.map(\.text) == ["\(proof(1))token=r&token_type_hint=refresh_token"])
    }

    // MARK: - No proof

    /// Errors that end a session if the token service throws them. The last one is the answer of another token endpoint,
    /// which the authenticator asked.
    private static let endings: [any Error & Sendable] = [
        NotAuthorized(.rejected), NoRefreshToken(),
        TokenEndpointError(status: 400, code: "invalid_grant", kind: .terminal),
    ]

    @Test(arguments: endings.indices)
    func `without a proof nothing is sent, and the session goes on`(index: Int) async throws {
        let auth = RefreshableTokenAuthorization(
            service: service, policy: .init(backOff: .init(patience: .zero)), clock: clock)
        try await auth.setToken(.make(refreshToken: "r"))
        authenticator.refuse(with: Self.endings[index])
        let error = await #expect(throws: RefreshFailed.self) { try await auth.refreshNow() }
        let failure = try #require(error?.underlying as? ClientAuthenticationFailed)
        #expect(type(of: failure.underlying) == type(of: Self.endings[index]))
        #expect(error?.delivery == .notSent)
        #expect(transport.calls == 0)
        authenticator.refuse(with: nil)
        await auth.retryNow()
        #expect(try await auth.refreshNow().accessToken == "a")
    }

    @Test func `a typed failure is passed on unchanged, and so is a cancellation`() async throws {
        authenticator.refuse(with: TokenTransportError(.unreachable, delivery: .notSent))
        await #expect(throws: TokenTransportError.self) { try await service.refresh(.make(refreshToken: "r")) }
        authenticator.refuse(with: CancellationError())
        await #expect(throws: CancellationError.self) { try await service.refresh(.make(refreshToken: "r")) }
        #expect(transport.calls == 0)
    }

    @Test func `a lost answer to the authenticator does not count as one of the server`() async throws {
        let auth = RefreshableTokenAuthorization(
            service: service, policy: .init(backOff: .init(patience: .zero)), clock: clock)
        try await auth.setToken(.make(refreshToken: "r"))
        authenticator.refuse(with: TokenTransportError(.timedOut, delivery: .mayHaveBeenProcessed))
        let error = await #expect(throws: RefreshFailed.self) { try await auth.refreshNow() }
        #expect((error?.underlying as? TokenTransportError)?.code == .timedOut)
        #expect(error?.delivery == .notSent)
        #expect(transport.calls == 0)
    }

    /// An authenticator may ask another token endpoint, and that may be unavailable.
    @Test func `without a proof a revocation is not refused, and works later`() async throws {
        let unavailable = TokenEndpointError(status: 503)
        authenticator.refuse(with: unavailable)
        await #expect(throws: unavailable) { try await service.revoke(.make(refreshToken: "r")) }
        #expect(transport.calls == 0)
        authenticator.refuse(with: nil)
        try await service.revoke(.make(refreshToken: "r"))
        #expect(transport.calls == 2)
    }

    @Test func `a proof with a line break is not sent`() async throws {
        struct Forger: ClientAuthenticator {
            func authenticate(_ request: ClientRequest) -> ClientProof {
                ClientProof(fields: [(name: "Authorization", value: "Basic eA==\r\nX-Admin: 1")])
            }
        }
        let service = OAuthTokenService.authorizationCode(
            server: .make(), client: .public(id: "bank"), authentication: Forger(), transport: transport)
        let error = await #expect(throws: ClientAuthenticationFailed.self) {
            try await service.refresh(.make(refreshToken: "r"))
        }
        #expect(error?.underlying is NotAuthorized)
        #expect(transport.calls == 0)
    }
}
