// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationOAuth
import RequestAuthorizationTesting
import Testing

@Suite struct TokenEndpointTests {
    @Test func `RFC 6749 §4.4.2: client credentials are one form post with Basic`() async throws {
        let transport = ScriptedTokenTransport(.response(200, json: #"{"access_token":"a","token_type":"Bearer"}"#))
        let service = OAuthTokenService.clientCredentials(
            server: .make(), client: .secretBasic(id: "s6BhdRkqt3", secret: "gX1fBat3bV"), scopes: ["b", "a"],
            transport: transport)
        let token = try await service.initialToken()
        let request = try #require(transport.requests.first)
        #expect(request.method == "POST")
        #expect(request.text == "grant_type=client_credentials&scope=a+b")
        #expect(request["Authorization"] == "Basic czZCaGRSa3F0MzpnWDFmQmF0M2JW")
        #expect(request["Content-Type"] == "application/x-www-form-urlencoded")
        #expect(
            token
                == OAuthToken(
                    accessToken: "a", scopes: ["a", "b"], authorizedAt: token.authorizedAt,
                    issuer: TokenIssuer(of: .make())))
    }

    @Test func `RFC 6749 §6: a refresh sends the token, and values that the answer omits stay`() async throws {
        let clock = ManualClock()
        let transport = ScriptedTokenTransport(
            .response(200, json: #"{"access_token":"b","token_type":"bearer","expires_in":60}"#))
        let service = OAuthTokenService.authorizationCode(
            server: .make(), client: .public(id: "tool"), transport: transport, clock: clock)
        let old = OAuthToken.make(accessToken: "a", refreshToken: "r", scopes: ["x"], authorizedAt: .distantPast)
        let token = try await service.refresh(old)
        #expect(transport.requests.first?.text == "client_id=tool&grant_type=refresh_token&refresh_token=r")
        var expected = OAuthToken.make(accessToken: "b", refreshToken: "r", scopes: ["x"], authorizedAt: .distantPast)
        (expected.tokenType, expected.lifetime) = ("bearer", .seconds(60))
        (expected.expiresAt, expected.issuer) = (clock.now.addingTimeInterval(60), TokenIssuer(of: .make()))
        #expect(token == expected)
    }

    @Test func `a client's next token keeps the time of its first`() async throws {
        let clock = ManualClock()
        let service = OAuthTokenService.clientCredentials(
            server: .make(), client: .secretBasic(id: "web", secret: "s"),
            transport: ScriptedTokenTransport(forever: .response(200, json: #"{"access_token":"a"}"#)), clock: clock)
        let (began, first) = (clock.now, try await service.initialToken())
        clock.advance(by: .seconds(60))
        #expect(first.authorizedAt == began)
        #expect(try await service.refresh(first).authorizedAt == began)
    }

    @Test(arguments: ["invalid_grant", "invalid_token", "expired_token"])
    func `a client without a user whose grant is refused keeps its session`(code: String) async throws {
        let clock = ManualClock()
        let transport = ScriptedTokenTransport(
            .response(200, json: #"{"access_token":"a","expires_in":60}"#),
            .response(400, json: #"{"error":"\#(code)"}"#), .response(200, json: #"{"access_token":"b"}"#))
        let auth = RefreshableTokenAuthorization(
            service: OAuthTokenService.clientCredentials(
                server: .make(), client: .secretBasic(id: "web", secret: "s"), transport: transport, clock: clock),
            clock: clock)
        #expect(try await auth.validToken().accessToken == "a")
        clock.advance(by: .seconds(61))
        let error = await #expect(throws: NotAuthorized.self) { try await auth.validToken() }
        #expect(error?.reason == .clientRefused)
        clock.advance(by: .seconds(60))
        #expect(try await auth.validToken().accessToken == "b")
    }

    @Test func `a closure ends its session with an error that says so`() async throws {
        let clock = ManualClock()
        let began = clock.now
        let transport = ScriptedTokenTransport(.response(200, json: #"{"access_token":"a","expires_in":60}"#))
        let service = OAuthTokenService.custom(
            server: .make(), client: .public(id: "tool"), transport: transport, clock: clock
        ) { endpoint in
            guard clock.now == began else { throw NotAuthorized(.rejected) }
            return try await endpoint.token(grantType: "urn:example:grant")
        }
        let auth = RefreshableTokenAuthorization(service: service, clock: clock)
        #expect(try await auth.validToken().accessToken == "a")
        clock.advance(by: .seconds(61))
        let error = await #expect(throws: NotAuthorized.self) { try await auth.validToken() }
        #expect(error?.reason == .rejected && auth.currentToken == nil)
    }
}
