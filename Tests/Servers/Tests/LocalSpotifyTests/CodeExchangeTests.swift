// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import LocalSpotify
import RequestAuthorizationTesting
import Testing

@Suite struct `Exchanging a code over a socket` {
    private func withCode(
        _ changes: [String: String?] = [:], _ body: (LocalSpotify, Client, String) async throws -> Void
    ) async throws {
        let spotify = try LocalSpotify()
        try await spotify.serve { url in
            let address = try #require(URL(string: url.absoluteString + SignIn.path(changes)))
            let callback = try await spotify.callback(for: address)
            let items = URLComponents(url: callback, resolvingAgainstBaseURL: false)?.queryItems
            let code = try #require(items?.first { $0.name == "code" }?.value)
            try await body(spotify, Client(url), code)
        }
    }

    @Test func `a second time ends the session of the first time`() async throws {
        try await withCode { spotify, client, code in
            let tokens = try await client.token(SignIn.form(code)).decode(Client.Tokens.self)
            #expect(try await client.get("/v1/me", token: tokens.accessToken).status == 200)

            let again = try await client.token(SignIn.form(code))

            #expect(again.text == #"{"error":"invalid_grant","error_description":"Invalid authorization code"}"#)
            #expect(try await client.get("/v1/me", token: tokens.accessToken).status == 401)
            let form = "grant_type=refresh_token&client_id=local-client&refresh_token=\(tokens.refreshToken ?? "")"
            #expect(try await client.token(form).text.contains("Refresh token revoked"))
            #expect(await spotify.tokenCalls.map(\.outcome) == [.signedIn, .codeReplayed, .familyEnded])
        }
    }

    @Test(arguments: [
        ("&client_id=local-client", "invalid_grant", "code_verifier must be supplied"),
        ("&client_id=local-client&code_verifier=short", "invalid_grant", "code_verifier was incorrect"),
        (
            "&client_id=local-client&code_verifier=dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXj", "invalid_grant",
            "code_verifier was incorrect"
        ),
        (
            "&client_id=local-web&client_secret=local-secret&code_verifier=\(SignIn.verifier)", "invalid_grant",
            "Invalid authorization code"
        ),
    ])
    func `needs the verifier and the client of the request, else the code is used up`(
        more: String, error: String, text: String
    ) async throws {
        try await withCode { _, client, code in
            let reply = try await client.token(SignIn.form(code, more))
            #expect(reply.status == 400)
            #expect(reply.text == #"{"error":"\#(error)","error_description":"\#(text)"}"#)
            #expect(try await client.token(SignIn.form(code)).text.contains("invalid_grant"))
        }
    }

    @Test func `needs the same redirect URI`() async throws {
        try await withCode { _, client, code in
            let form = SignIn.form(code).replacing("49152", with: "49153")
            let reply = try await client.token(form)
            #expect(reply.text == #"{"error":"invalid_grant","error_description":"Invalid redirect URI"}"#)
        }
    }

    @Test func `refuses a verifier if the request had no challenge`() async throws {
        let changes = ["client_id": "local-web", "code_challenge": nil, "code_challenge_method": nil]
        try await withCode(changes) { _, client, code in
            let more = "&client_id=local-web&client_secret=local-secret&code_verifier=\(SignIn.verifier)"
            let reply = try await client.token(SignIn.form(code, more))
            #expect(reply.text == #"{"error":"invalid_grant","error_description":"There was no code_challenge"}"#)
        }
    }

    @Test func `without a client is refused, and the code stays valid`() async throws {
        try await withCode { spotify, client, code in
            let reply = try await client.token(SignIn.form(code, "&code_verifier=\(SignIn.verifier)"))
            #expect(reply.text == #"{"error":"invalid_client","error_description":"client_id must be supplied"}"#)
            #expect(try await client.token(SignIn.form(code)).status == 200)
            #expect(await spotify.tokenCalls.map(\.outcome) == [.badClient, .signedIn])
        }
    }

    @Test func `refuses a repeated parameter`() async throws {
        try await withCode { _, client, code in
            let reply = try await client.token(SignIn.form(code) + "&client_id=local-client")
            #expect(reply.text.contains("invalid_request"))
        }
    }
}
