// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import LocalSpotify
import Testing

@Suite struct `Revocation and introspection over a socket` {
    private static let web = "&client_id=local-web&client_secret=local-secret"

    /// Signs in with a confidential client or a public one.
    private func serve(
        _ credentials: String = web, policy: TokenPolicy = TokenPolicy(),
        _ body: (LocalSpotify, Visitor, Client.Tokens) async throws -> Void
    ) async throws {
        let spotify = try LocalSpotify(policy: policy)
        try await spotify.serve { url in
            let form = "grant_type=authorization_code&code=\(await spotify.makeCode())" + credentials
            try await body(spotify, Visitor(url), try await Client(url).token(form).decode())
        }
    }

    @Test func `of a refresh token ends the sign-in, which does not count as lost`() async throws {
        try await serve { spotify, visitor, tokens in
            let token = try #require(tokens.refreshToken)
            let page = try await visitor.submit("token=\(token)" + Self.web, to: "/api/revoke")

            #expect(page.status == 200)
            #expect(try await Client(visitor.url).get("/v1/me", token: tokens.accessToken).status == 401)
            #expect(try await Client(visitor.url).refresh(token + Self.web).text.contains("Refresh token revoked"))
            #expect(await spotify.statistics.sessionsLost == 0)
        }
    }

    @Test func `of an access token keeps the refresh token`() async throws {
        try await serve { _, visitor, tokens in
            _ = try await visitor.submit("token=\(tokens.accessToken)" + Self.web, to: "/api/revoke")
            #expect(try await Client(visitor.url).get("/v1/me", token: tokens.accessToken).status == 401)
            let token = try #require(tokens.refreshToken)
            #expect(try await Client(visitor.url).refresh(token + Self.web).status == 200)
        }
    }

    @Test func `of an unknown token succeeds`() async throws {
        try await serve { _, visitor, _ in
            let page = try await visitor.submit("token=made-up" + Self.web, to: "/api/revoke")
            #expect(page.status == 200)
        }
    }

    @Test func `is allowed only to the client of the token`() async throws {
        try await serve { _, visitor, tokens in
            let token = try #require(tokens.refreshToken)
            let page = try await visitor.submit("token=\(token)&client_id=local-client", to: "/api/revoke")
            #expect(page.text.contains(#""error":"invalid_grant""#))
            #expect(try await visitor.submit("token=\(token)", to: "/api/revoke").text.contains("invalid_client"))
            #expect(try await Client(visitor.url).get("/v1/me", token: tokens.accessToken).status == 200)
        }
    }

    @Test(arguments: [true, false])
    func `is allowed to public clients unless the policy forbids it`(mayRevoke: Bool) async throws {
        let policy = TokenPolicy(publicClientsMayRevoke: mayRevoke)
        try await serve("&client_id=local-client", policy: policy) { _, visitor, tokens in
            let form = "token=\(tokens.accessToken)&client_id=local-client"
            let page = try await visitor.submit(form, to: "/api/revoke")
            #expect(page.status == (mayRevoke ? 200 : 400))
            #expect(page.text.contains("unauthorized_client") == !mayRevoke)
        }
    }

    @Test func `can fail because of a fault, and then revokes nothing`() async throws {
        try await serve { spotify, visitor, tokens in
            await spotify.inject(.status(503), on: .revocationEndpoint)
            let page = try await visitor.submit("token=\(tokens.accessToken)" + Self.web, to: "/api/revoke")
            #expect(page.status == 503)
            #expect(try await Client(visitor.url).get("/v1/me", token: tokens.accessToken).status == 200)
        }
    }

    private struct Introspection: Decodable {
        let active: Bool
        let scope, clientId, tokenType, sub, username, iss: String?
        let iat, exp: Int?
    }

    @Test func `describes an active token`() async throws {
        try await serve { _, visitor, tokens in
            let page = try await visitor.submit("token=\(tokens.accessToken)" + Self.web, to: "/api/introspect")
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            let answer = try decoder.decode(Introspection.self, from: Data(page.text.utf8))
            #expect(answer.active)
            #expect(answer.scope == tokens.scope)
            #expect(answer.clientId == "local-web")
            #expect(answer.sub == "local-listener")
            #expect(answer.iss == visitor.url.absoluteString)
            #expect((answer.exp ?? 0) - (answer.iat ?? 0) == 3600)
        }
    }

    @Test func `does not describe an inactive token, and refuses public clients`() async throws {
        try await serve { spotify, visitor, tokens in
            await spotify.revokeSessions()
            for token in [tokens.accessToken, tokens.refreshToken ?? "", "made-up"] {
                let page = try await visitor.submit("token=\(token)" + Self.web, to: "/api/introspect")
                #expect(page.text == #"{"active":false}"#)
            }
            let page = try await visitor.submit("token=made-up&client_id=local-client", to: "/api/introspect")
            #expect(page.text.contains("unauthorized_client"))
        }
    }
}
