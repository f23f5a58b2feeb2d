// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import LocalSpotify
import RequestAuthorizationTesting
import Testing

@Suite struct `The token endpoint over a socket` {
    @Test func `exchanges a code once`() async throws {
        let spotify = try LocalSpotify(policy: TokenPolicy(accessTokenLifetime: .seconds(2)))
        try await spotify.serve { url in
            let client = Client(url)
            let form = "grant_type=authorization_code&code=\(await spotify.makeCode())"

            let first = try await client.token(form)
            let second = try await client.token(form)

            let tokens = try first.decode(Client.Tokens.self)
            #expect(first.status == 200)
            #expect(first.field("Cache-Control") == "no-store")
            #expect(tokens.tokenType == "Bearer")
            #expect(tokens.expiresIn == 2)
            #expect(tokens.refreshToken != nil)
            #expect(second.status == 400)
            #expect(second.text == #"{"error":"invalid_grant","error_description":"Invalid authorization code"}"#)
        }
    }

    @Test func `refreshes and rotates`() async throws {
        let spotify = try LocalSpotify(policy: TokenPolicy(rotation: .on))
        try await spotify.serve { url in
            let client = Client(url)
            let first = try await client.signIn(at: spotify)

            let second = try await client.refresh(first.refreshToken).decode(Client.Tokens.self)

            #expect(second.refreshToken != nil)
            #expect(second.refreshToken != first.refreshToken)
            #expect(second.accessToken != first.accessToken)
            #expect(await spotify.statistics.tokenCalls == 1)
            #expect(await spotify.statistics.duplicateTokenCalls == 0)
        }
    }

    @Test func `refreshes without a new refresh token if tokens do not rotate`() async throws {
        let spotify = try LocalSpotify(policy: TokenPolicy(rotation: .off))
        try await spotify.serve { url in
            let client = Client(url)
            let first = try await client.signIn(at: spotify)
            await spotify.revokeAccessTokens()

            let reply = try await client.refresh(first.refreshToken)

            #expect(reply.status == 200)
            #expect(!reply.text.contains("refresh_token"))
            #expect(await spotify.statistics.duplicateTokenCalls == 0)
        }
    }

    @Test func `ends the family of a spent refresh token`() async throws {
        let spotify = try LocalSpotify(policy: TokenPolicy(rotation: .on))
        try await spotify.serve { url in
            let client = Client(url)
            let first = try await client.signIn(at: spotify)
            let second = try await client.refresh(first.refreshToken).decode(Client.Tokens.self)

            let reuse = try await client.refresh(first.refreshToken)
            let next = try await client.refresh(second.refreshToken)

            let revoked = #"{"error":"invalid_grant","error_description":"Refresh token revoked"}"#
            #expect(reuse.status == 400)
            #expect(reuse.text == revoked)
            #expect(next.text == revoked)
            #expect(try await client.get("/v1/me", token: second.accessToken).status == 401)
            #expect(await spotify.statistics.duplicateTokenCalls == 1)
            #expect(await spotify.statistics.sessionsLost == 1)
        }
    }

    @Test(arguments: TokenPolicy.Rotation.allCases)
    func `counts each of several callers that refresh the same token`(rotation: TokenPolicy.Rotation) async throws {
        let spotify = try LocalSpotify(policy: TokenPolicy(rotation: rotation))
        try await spotify.serve { url in
            let token = try await Client(url).signIn(at: spotify).refreshToken
            await spotify.revokeAccessTokens()
            try await withThrowingTaskGroup { group in
                for _ in 0..<5 { group.addTask { _ = try await Client(url).refresh(token) } }
                try await group.waitForAll()
            }
            #expect(await spotify.statistics.tokenCalls == 5)
            #expect(await spotify.statistics.duplicateTokenCalls == 4)
            #expect(await spotify.statistics.sessionsLost == (rotation == .on ? 1 : 0))
        }
    }

    @Test func `gives the same successor within the grace and not after it`() async throws {
        let clock = ManualClock()
        let spotify = try LocalSpotify(policy: TokenPolicy(rotation: .on, grace: .seconds(5)), clock: clock)
        try await spotify.serve { url in
            let client = Client(url)
            let first = try await client.signIn(at: spotify)
            let second = try await client.refresh(first.refreshToken).decode(Client.Tokens.self)
            clock.advance(by: .seconds(5))
            let again = try await client.refresh(first.refreshToken).decode(Client.Tokens.self)
            clock.advance(by: .seconds(1))

            #expect(again.refreshToken == second.refreshToken)
            #expect(try await client.refresh(first.refreshToken).status == 400)
        }
    }

    @Test(arguments: [
        ("", "unsupported_grant_type", "grant_type parameter is missing"),
        (
            "grant_type=password", "unsupported_grant_type",
            "grant_type is not supported"
        ),
        ("grant_type=authorization_code", "invalid_request", "code must be supplied"),
        ("grant_type=refresh_token", "invalid_request", "refresh_token must be supplied"),
        ("grant_type=refresh_token&refresh_token=x", "invalid_grant", "Invalid refresh token"),
    ])
    func `says what is wrong in the authentication error object`(form: String, code: String, text: String) async throws
    {
        let spotify = try LocalSpotify()
        try await spotify.serve { url in
            let reply = try await Client(url).token(form)
            #expect(reply.status == 400)
            #expect(reply.field("Content-Type") == "application/json; charset=utf-8")
            #expect(reply.text == #"{"error":"\#(code)","error_description":"\#(text)"}"#)
        }
    }

    @Test func `refuses any method but POST`() async throws {
        try await LocalSpotify().serve { url in
            let reply = try await Client(url).get("/api/token")
            #expect(reply.status == 405)
            #expect(reply.field("Allow") == "POST")
        }
    }

    @Test func `keeps its sign-ins while the server is stopped`() async throws {
        let spotify = try LocalSpotify()
        let tokens = try await spotify.serve { try await Client($0).signIn(at: spotify) }
        try await spotify.serve { url in
            let reply = try await Client(url).get("/v1/me", token: tokens.accessToken)
            #expect(reply.status == 200)
        }
    }
}
