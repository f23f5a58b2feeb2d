// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
import LoopbackServer
import RequestAuthorization
import RequestAuthorizationOAuth
import Testing

/// RFC 6749 §2.3: one way of authentication in a request, and the secret never in a URI.
@Suite struct ClientAuthenticationTests {
    private static let answer = Answer.json(#"{"access_token":"a","token_type":"Bearer"}"#)

    private func request(
        of client: OAuthClient, quirks: ServerQuirks = ServerQuirks()
    ) async throws -> RawRequest {
        try await TokenServer.run(Self.answer) { run in
            _ = try await run.service(client, quirks: quirks).refresh(.make(refreshToken: "r"))
            return try #require(await run.server.requests.first)
        }
    }

    @Test func `RFC 6749 §3.2.1: a public client sends its id`() async throws {
        let request = try await request(of: .public(id: "tööl"))
        #expect(request.text == "client_id=t%C3%B6%C3%B6l&grant_type=refresh_token&refresh_token=r")
        #expect(request["Authorization"] == nil)
    }

    /// The pair is that of RFC 6749 App. B, so that a colon in it survives.
    @Test func `RFC 6749 §2.3.1: id and secret are form-encoded before Basic`() async throws {
        let request = try await request(of: .secretBasic(id: "a:b", secret: "p+ä %&"))
        let value = try #require(request["Authorization"]?.split(separator: " ").last.map(String.init))
        let pair = try #require(Data(base64Encoded: value).map { String(decoding: $0, as: UTF8.self) })
        #expect(pair == "a%3Ab:p%2B%C3%A4+%25%26")
        #expect(request.text == "grant_type=refresh_token&refresh_token=r")
    }

    @Test func `only a server that wants it gets the client id beside Basic`() async throws {
        let quirks = ServerQuirks(sendsClientIDBesideBasic: true)
        let request = try await request(of: .secretBasic(id: "web", secret: "s"), quirks: quirks)
        #expect(request["Authorization"] == "Basic d2ViOnM=")
        #expect(request.text == "client_id=web&grant_type=refresh_token&refresh_token=r")
        // The others send it as ever, and once.
        for client in [OAuthClient.public(id: "web"), .secretPost(id: "web", secret: "s")] {
            let (text, usual) = (
                try await self.request(of: client, quirks: quirks).text, try await self.request(of: client).text
            )
            #expect(text == usual && text.hasPrefix("client_id=web&"))
        }
        #expect(!ServerQuirks().sendsClientIDBesideBasic)
        #expect(try JSONDecoder().decode(ServerQuirks.self, from: JSONEncoder().encode(quirks)) == quirks)
        #expect(try !JSONDecoder().decode(ServerQuirks.self, from: Data("{}".utf8)).sendsClientIDBesideBasic)
    }

    @Test func `RFC 6749 §2.3.1: a secret may stand in the body, but in no URI`() async throws {
        let request = try await request(of: .secretPost(id: "web", secret: "s&c"))
        #expect(request.text == "client_id=web&client_secret=s%26c&grant_type=refresh_token&refresh_token=r")
        #expect(request["Authorization"] == nil)
        #expect(request.target == "/token")
    }

    @Test func `RFC 6749 §3.2: a token request is a POST of a form`() async throws {
        let request = try await request(of: .public(id: "tool"))
        #expect(request.method == "POST")
        #expect(request["Content-Type"] == "application/x-www-form-urlencoded")
        #expect(request["Cookie"] == nil)
    }

    @Test func `RFC 6749 §3.2: extra parameters replace none of ours, and none is sent twice`() async throws {
        var client = OAuthClient.secretBasic(id: "web", secret: "s")
        client.tokenParameters = [
            "audience": "https://api.example", "refresh_token": "evil", "client_secret": "evil", "client_id": "evil",
            "grant_type": "password", "scope": "all",
        ]
        let request = try await request(of: client)
        #expect(request.text == "grant_type=refresh_token&refresh_token=r&audience=https%3A%2F%2Fapi.example")
    }

    @Test func `RFC 6749 §2.3: a custom grant adds no second way of authentication`() async throws {
        let proof = [
            ("client_secret", "x"), ("client_assertion", "y"), ("client_assertion_type", "z"), ("assertion", "1"),
        ]
        .map { (name: $0.0, value: $0.1) }
        try await TokenServer.run(Self.answer) { run in
            for client in [OAuthClient.secretBasic(id: "web", secret: "s"), .public(id: "tool")] {
                _ = try await run.service(client).endpoint.token(grantType: "g", parameters: proof)
            }
            #expect(
                await run.bodies == [
                    "grant_type=g&assertion=1",
                    "client_id=tool&grant_type=g&client_secret=x&client_assertion=y&client_assertion_type=z&assertion=1",
                ])
        }
    }

    @Test func `a custom grant cannot double a parameter either`() async throws {
        try await TokenServer.run(Self.answer) { run in
            let endpoint = run.service(.secretPost(id: "web", secret: "s")).endpoint
            let parameters = [("client_secret", "evil"), ("assertion", "1"), ("assertion", "2"), ("grant_type", "x")]
            _ = try await endpoint.token(
                grantType: "urn:g", parameters: parameters.map { (name: $0.0, value: $0.1) })
            #expect(await run.bodies == ["client_id=web&client_secret=s&grant_type=urn%3Ag&assertion=1"])
        }
    }
}
#endif
