// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationOAuth
import RequestAuthorizationTesting
import Testing

/// A log-in at an identity provider becomes a token of another server (draft-ietf-oauth-identity-assertion-authz-grant).
@Suite(.timeLimit(.minutes(5))) struct IdentityAssertionTests {
    private let clock = ManualClock()
    private let transport = ScriptedTokenTransport()
    private var server = AuthorizationServer.make(at: "https://as.example")
    private var company: TokenEndpoint {
        var client = OAuthClient.public(id: "app-at-idp")
        client.resources = ["https://graph.idp.example"]
        return TokenEndpoint(
            server: companyServer, client: client, transport: transport, clock: clock, proof: companyProof)
    }
    private var companyServer = AuthorizationServer.make(at: "https://idp.example")
    private var companyProof: ProofOfPossession?

    private static let assertion = ScriptStep<TokenRequest, TokenResponse>.response(
        200,
        json:
            #"{"access_token":"jag","issued_token_type":"urn:ietf:params:oauth:token-type:id-jag","token_type":"N_A"}"#)
    private static let token = ScriptStep<TokenRequest, TokenResponse>.response(
        200, json: #"{"access_token":"a","token_type":"Bearer","refresh_token":"r"}"#)

    private func service(
        _ subject: @escaping @Sendable () async throws -> SecurityToken = { .idToken("id") }
    ) -> OAuthTokenService {
        var client = OAuthClient.secretBasic(id: "app", secret: "s")
        client.resources = ["https://api.example"]
        return .identityAssertion(
            from: company, server: server, client: client, scopes: ["read"], transport: transport, clock: clock,
            subject: subject)
    }

    @Test func `ID-JAG: the provider gets the log-in and names the server, the server gets the assertion`() async throws
    {
        transport.append(Self.assertion, Self.token)
        let token = try await service().initialToken()
        let (first, second) = (try #require(transport.requests.first), try #require(transport.requests.last))
        #expect(first.url.absoluteString == "https://idp.example/token")
        #expect(
            formParameters(first.text) == [
                "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "client_id": "app-at-idp",
                "requested_token_type": "urn:ietf:params:oauth:token-type:id-jag", "audience": "https://as.example",
                "resource": "https://api.example", "scope": "read", "subject_token": "id",
                "subject_token_type": "urn:ietf:params:oauth:token-type:id_token",
            ])
        #expect(second.url.absoluteString == "https://as.example/token" && second["Authorization"] == "Basic YXBwOnM=")
        #expect(
            formParameters(second.text) == [
                "grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion": "jag",
                "resource": "https://api.example", "scope": "read",
            ])
        // The provider decides anew each time.
        #expect(token.accessToken == "a" && token.refreshToken == nil && token.issuer == TokenIssuer(of: server))
    }

    @Test func `ID-JAG: the log-in is the ID token while it is valid, then the refresh token, and no other server's`()
        async throws
    {
        let idToken = IDToken.text(["exp": .integer(Int64(clock.now.timeIntervalSince1970) + 60)])
        var log = OAuthToken(accessToken: "a", refreshToken: "r", idToken: idToken)
        #expect(try company.logIn(of: log) == .idToken(idToken))
        clock.advance(by: .seconds(60))
        #expect(try company.logIn(of: log) == .refreshToken("r"))
        log.idToken = "damaged"
        #expect(try company.logIn(of: log).type == .refreshToken)
        log.refreshToken = nil
        let error = #expect(throws: NotAuthorized.self) { try company.logIn(of: log) }
        #expect(error?.reason == .needsInteraction)
        log = OAuthToken(accessToken: "a", refreshToken: "r", issuer: TokenIssuer(of: server))
        #expect(throws: TokenOfOtherIssuer.self) { try company.logIn(of: log) }
    }

    @Test(arguments: [
        ("authorization_grant_profiles_supported", "urn:ietf:params:oauth:grant-profile:id-jag"),
        ("identity_chaining_requested_token_types_supported", "urn:ietf:params:oauth:token-type:id-jag"),
    ])
    func `ID-JAG: nothing is sent if the metadata list other profiles or kinds only`(
        member: String, value: String
    ) async throws {
        var suite = self
        #expect(suite.server.acceptsIdentityAssertions == nil)
        for (list, isListed) in [(["urn:example:other"], false), ([], false), (["urn:example:other", value], true)] {
            suite.server.additionalMetadata[member] = .array(list.map { .string($0) })
            suite.companyServer.additionalMetadata[member] = suite.server.additionalMetadata[member]
            let former = transport.calls
            if isListed {
                transport.append(Self.assertion, Self.token)
                _ = try await suite.service().initialToken()
            } else {
                let error = await #expect(throws: AuthorizationServerError.self) {
                    try await suite.service().initialToken()
                }
                #expect(error?.problem == .unsupported && error?.member == member)
                #expect(transport.calls == former)
            }
        }
    }

    @Test(arguments: ["access_token", "jwt", "id_token"])
    func `ID-JAG: an answer of another kind is no assertion, and reaches no server`(kind: String) async throws {
        transport.append(
            .response(
                200,
                json:
                    #"{"access_token":"t","issued_token_type":"urn:ietf:params:oauth:token-type:\#(kind)","token_type":"Bearer"}"#
            ))
        let error = await #expect(throws: InvalidTokenResponse.self) { try await service().initialToken() }
        #expect(error?.field == "issued_token_type" && transport.calls == 1)
    }

    @Test(arguments: [
        ("invalid_grant", NotAuthorized.Reason.needsInteraction), ("login_required", .needsInteraction),
        ("insufficient_user_authentication", .needsInteraction), ("invalid_client", .clientRefused),
    ])
    func `ID-JAG: a refusal of the provider keeps the session, and says who has to act`(
        code: String, reason: NotAuthorized.Reason
    ) async throws {
        let (service, clock) = (service(), clock)
        let auth = RefreshableTokenAuthorization(service: service, clock: clock)
        transport.append(Self.assertion, Self.token, .response(400, json: #"{"error":"\#(code)"}"#))
        let token = try await auth.validToken()
        let error = await #expect(throws: NotAuthorized.self) { try await auth.refreshNow() }
        #expect(error?.reason == reason && error?.detail?.contains("identity provider's token endpoint") == true)
        #expect(auth.currentToken == token)
        clock.advance(by: .seconds(60))
        transport.append(Self.assertion, Self.token)
        #expect(try await auth.refreshNow().accessToken == "a")
    }

    @Test func `ID-JAG: a refusal of the client at the provider is not one of the platform's token for the server`()
        async throws
    {
        let identity = WorkloadIdentity.environment("TOKEN", in: ["TOKEN": IDToken.text("{}")])
        let service = OAuthTokenService.identityAssertion(
            from: company, server: server, client: .public(id: "app"), authentication: .workload(identity),
            transport: transport, clock: clock
        ) { .idToken("id") }
        let refusal = ScriptStep<TokenRequest, TokenResponse>.response(401, json: #"{"error":"invalid_client"}"#)
        transport.append(refusal, refusal)
        let error = await #expect(throws: TokenEndpointError.self) { try await service.initialToken() }
        #expect(error?.code == "invalid_client" && error?.purpose == .identityAssertion)
        #expect(transport.calls == 1)
    }

    @Test func `ID-JAG: a person who has signed out at the provider is asked for, and nobody is signed out here`()
        async throws
    {
        for reason in [NotAuthorized.Reason.signedOut, .rejected, .noToken] {
            let error = await #expect(throws: NotAuthorized.self) {
                try await service { throw NotAuthorized(reason) }.initialToken()
            }
            #expect(error?.reason == .needsInteraction && (error?.underlying as? NotAuthorized)?.reason == reason)
        }
        await #expect(throws: ClientAuthenticationFailed.self) {
            try await service { throw NotAuthorized(.shutDown) }.initialToken()
        }
        #expect(transport.calls == 0)
    }

    @Test func `ID-JAG: a server without a known issuer cannot be named, and an empty log-in is not sent`() async throws
    {
        var suite = self
        suite.server.issuer = nil
        var error = await #expect(throws: InvalidTokenRequest.self) { try await suite.service().initialToken() }
        #expect(error?.parameter == "audience")
        error = await #expect(throws: InvalidTokenRequest.self) { try await service { .idToken("") }.initialToken() }
        #expect(error?.parameter == "subject_token")
        #expect(transport.calls == 0)
    }
}
