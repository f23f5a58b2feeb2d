// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationOAuth
import RequestAuthorizationTesting
import Testing

/// A server that rotates refresh tokens has spent the old one when it answers. The session depends on the new one.
@Suite(.timeLimit(.minutes(5))) struct KeptRefreshTokenTests {
    private let clock = ManualClock()
    private let transport = ScriptedTokenTransport()

    private var service: OAuthTokenService {
        .authorizationCode(server: .make(), client: .public(id: "tool"), transport: transport, clock: clock)
    }

    private func refreshed(_ json: String) async throws -> OAuthToken {
        transport.append(.response(200, json: json))
        return try await service.refresh(.make(refreshToken: "old", scopes: ["x"]))
    }

    static let unusable = [
        #"{"access_token":"a\r\nX: y","refresh_token":"new","expires_in":60}"#,
        #"{"access_token":"a b","refresh_token":"new"}"#, #"{"access_token":"ä","refresh_token":"new"}"#,
        #"{"access_token":7,"refresh_token":"new"}"#, #"{"access_token":"","refresh_token":"new"}"#,
        #"{"refresh_token":"new"}"#, #"{"access_token":"a","token_type":"mac","refresh_token":"new"}"#,
        #"{"access_token":"a","token_type":7,"refresh_token":"new"}"#,
        #"{"access_token":"a","token_type":"DPoP","refresh_token":"new"}"#,
    ]

    @Test(arguments: unusable)
    func `a good answer with an unusable access token keeps its refresh token`(json: String) async throws {
        let token = try await refreshed(json)
        #expect(token.refreshToken == "new")
        #expect(token.accessToken == "")
        #expect(token.authorizationHeaderValue == "")
        #expect(token.scopes == ["x"])
    }

    @Test(arguments: ["7", "[7]", "{}", "true", #"["a",7]"#])
    func `a good answer with a scope of another type keeps its tokens`(scope: String) async throws {
        let token = try await refreshed(#"{"access_token":"a","refresh_token":"new","scope":\#(scope)}"#)
        #expect(token.accessToken == "a" && token.refreshToken == "new")
        #expect(token.scopes == ["x"])
    }

    @Test func `without a new refresh token an unusable access token is an error that names the field`() async throws {
        for rest in ["", #","refresh_token":"old""#] {
            let error = await #expect(throws: InvalidTokenResponse.self) {
                try await refreshed(#"{"access_token":7\#(rest)}"#)
            }
            #expect(error == InvalidTokenResponse(field: "access_token", problem: .malformed))
        }
    }

    @Test func `a first answer with an unusable access token is an error, because there is no session`() async throws {
        transport.append(.response(200, json: #"{"access_token":7,"refresh_token":"new"}"#))
        await #expect(throws: InvalidTokenResponse(field: "access_token", problem: .malformed)) {
            try await service.endpoint.token(grantType: "g")
        }
    }

    @Test(arguments: unusable)
    func `requests are not sent with an unusable access token, and the next slot uses the new refresh token`(
        json: String
    ) async throws {
        transport.append(.response(200, json: json))
        transport.append(.response(200, json: #"{"access_token":"b","refresh_token":"newer"}"#))
        let old = OAuthToken(accessToken: "a", refreshToken: "old", expiresAt: .distantPast)
        let auth = RefreshableTokenAuthorization(service: service, token: old, clock: clock)
        let error = await #expect(throws: NotAuthorized.self) { try await auth.validToken() }
        #expect(error?.reason == .malformedCredential)
        clock.advance(by: .seconds(1))
        #expect(try await auth.validToken().accessToken == "b")
        #expect(transport.requests.map { $0.text.contains("refresh_token=old") } == [true, false])
        #expect(transport.requests.last?.text.contains("refresh_token=new") == true)
    }

    @Test func `RFC 7009 §2.1: an access token that was not kept is not revoked`() async throws {
        let token = try await refreshed(#"{"access_token":7,"refresh_token":"new","expires_in":60}"#)
        transport.append(.response(200, json: ""))
        try await service.revoke(token)
        let revoked = transport.requests.dropFirst().map(\.text)
        #expect(revoked == ["client_id=tool&token=new&token_type_hint=refresh_token"])
    }
}
