// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationURLSession
import Testing

@testable import SpotifyDemo

/// Answers every token call in the same way and keeps what was sent.
private actor FixedTransport: TokenTransport {
    let response: TokenResponse
    private(set) var bodies: [String] = []

    init(status: Int = 200, _ body: String, fields: [(name: String, value: String)] = []) {
        response = TokenResponse(statusCode: status, fields: fields, body: Array(body.utf8))
    }

    func send(_ request: TokenRequest) async throws -> TokenResponse {
        bodies.append(String(decoding: request.body, as: UTF8.self))
        return response
    }
}

@Suite struct `The token service of the demo` {
    private func service(_ transport: FixedTransport) throws -> SpotifyTokenService {
        SpotifyTokenService(
            endpoint: try #require(URL(string: "http://127.0.0.1/api/token")), transport: transport)
    }

    private let old = SpotifyToken(accessToken: "a", refreshToken: "r+/= ü", expiresAt: .distantPast)

    @Test func `sends the refresh token as a form and takes the new pair`() async throws {
        let transport = FixedTransport(#"{"access_token":"b","refresh_token":"s","expires_in":60}"#)
        let token = try await service(transport).refresh(old)
        #expect(token.authorizationHeaderValue == "Bearer b")
        #expect(token.refreshToken == "s")
        #expect(token.expiresAt > .now)
        #expect(await transport.bodies == ["grant_type=refresh%5Ftoken&refresh_token=r%2B%2F%3D%20%C3%BC"])
    }

    @Test func `keeps the refresh token that the answer leaves out`() async throws {
        let transport = FixedTransport(#"{"access_token":"b","expires_in":60}"#)
        #expect(try await service(transport).refresh(old).refreshToken == old.refreshToken)
    }

    @Test func `tells what the server refused and how long it wants to be left alone`() async throws {
        let transport = FixedTransport(status: 400, #"{"error":"invalid_grant"}"#, fields: [("Retry-After", "7")])
        let error = TokenEndpointError(status: 400, code: "invalid_grant", retryAfter: .seconds(7))
        await #expect(throws: error) { try await service(transport).refresh(old) }
    }

    @Test func `understands an answer that is no JSON as an error without a code`() async throws {
        let transport = FixedTransport(status: 503, "<html>")
        await #expect(throws: TokenEndpointError(status: 503)) { try await service(transport).refresh(old) }
    }
}
