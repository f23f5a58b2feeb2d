// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationOAuth
import RequestAuthorizationTesting
import Testing

/// How numbers and types are written in answers (RFC 6749 §5.1, RFC 8259 §6).
@Suite struct LifetimeTests {
    private func refreshed(_ members: String) async throws -> OAuthToken {
        let transport = ScriptedTokenTransport(.response(200, json: #"{"access_token":"a",\#(members)}"#))
        let service = OAuthTokenService.authorizationCode(
            server: .make(), client: .public(id: "tool"), transport: transport, clock: ManualClock())
        return try await service.refresh(.make(refreshToken: "r"))
    }

    @Test(arguments: [
        ("3600", 3600.0), ("3600.0", 3600), ("3.6e3", 3600), ("36E+2", 3600), (#""3600""#, 3600), (#""3600.0""#, 3600),
        (#""3.6e3""#, 3600), (#""0060""#, 60),
    ])
    func `RFC 8259 §6: expires_in is any number of JSON, also as a text`(value: String, seconds: Double) async throws {
        #expect(try await refreshed(#""expires_in":\#(value)"#).lifetime == .seconds(seconds))
    }

    @Test(arguments: [
        #""0x10""#, #""0X1p4""#, #""+60""#, #"" 60""#, #""60 ""#, #""6_0""#, #"".5""#, #""inf""#, #""nan""#, #""1e""#,
        #""٣""#,
    ])
    func `an expires_in that is no number of JSON counts as absent`(value: String) async throws {
        let token = try await refreshed(#""expires_in":\#(value)"#)
        #expect(token.lifetime == nil && token.expiresAt == .distantFuture)
    }

    @Test(arguments: ["7", "true", "[\"Bearer\"]", "{}"])
    func `RFC 6749 §7.1: a token_type that is no text is not Bearer`(value: String) async throws {
        await #expect(throws: InvalidTokenResponse(field: "token_type", problem: .malformed)) {
            try await refreshed(#""token_type":\#(value)"#)
        }
        #expect(try await refreshed(#""token_type":null"#).tokenType == "Bearer")
    }
}
