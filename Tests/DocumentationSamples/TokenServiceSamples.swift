// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationTesting
import Testing

@Suite struct TokenServiceSamples {
    // sample: token-checks
    @Test func `it is a token`() async throws {
        try await AuthorizationTokenChecks(
            expired: WidgetToken(accessToken: "a-token", refreshToken: "r1", expiresAt: .now - 60),
            valid: WidgetToken(accessToken: "a-token", refreshToken: "r1", expiresAt: .now + 60)
        ).run()
    }
    // end sample

    // sample: service-test
    @Test func `the service carries the refresh token over`() async throws {
        let url = try #require(URL(string: "https://accounts.widgets.example/token"))
        let server = ScriptedTokenTransport(
            .response(200, json: #"{"access_token":"a2","expires_in":60}"#),
            .response(400, json: #"{"error":"invalid_grant"}"#))
        let service = WidgetTokenService(
            endpoint: JSONTokenEndpoint(url, transport: server, keys: .convertFromSnakeCase))
        let token = WidgetToken(accessToken: "a1", refreshToken: "r1", expiresAt: .distantPast)

        let next = try await service.refresh(token)
        #expect(next.accessToken == "a2" && next.refreshToken == "r1")
        await #expect(throws: TokenEndpointError(status: 400, code: "invalid_grant")) {
            try await service.refresh(next)
        }
    }
    // end sample

    @Test func `a token does not print its contents`() {
        let token = WidgetToken(accessToken: "secret", refreshToken: "secret too", expiresAt: .distantFuture)
        var dumped = ""
        dump(token, to: &dumped)
        #expect("\(token)" == "WidgetToken([redacted])")
        #expect(!dumped.contains("secret"))
    }
}
