// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import LocalSpotify
import RequestAuthorizationTesting
import Testing

@Suite struct `Clients over a socket` {
    /// Requests a token for the client itself.
    private func ask(_ form: String, basic: String? = nil, clients: [LocalSpotify.Client]? = nil) async throws
        -> Visitor.Page
    {
        let spotify = try LocalSpotify(clients: clients ?? [.local, .localConfidential])
        return try await spotify.serve { url in
            let fields = basic.map { [("Authorization", "Basic " + Data($0.utf8).base64EncodedString())] } ?? []
            return try await Visitor(url).submit(
                "grant_type=client_credentials" + form, to: "/api/token", fields: fields)
        }
    }

    @Test(arguments: [("", "local-web:local-secret"), ("&client_id=local-web&client_secret=local-secret", nil)])
    func `with a secret get a token of their own, without a refresh token`(form: String, basic: String?) async throws {
        let page = try await ask(form, basic: basic)
        #expect(page.status == 200)
        #expect(page.text.contains(#""access_token":"#))
        #expect(!page.text.contains("refresh_token"))
    }

    @Test(arguments: [
        ("", "local-web:wrong"), ("", "nobody:local-secret"), ("", "local-web"), ("", "local-client:secret"),
    ])
    func `that fail with the header field get the authentication scheme`(form: String, basic: String) async throws {
        let page = try await ask(form, basic: basic)
        #expect(page.status == 401)
        #expect(page.field("WWW-Authenticate") == #"Basic realm="spotify", charset="UTF-8""#)
        #expect(page.text.contains(#""error":"invalid_client""#))
    }

    @Test(arguments: [
        ("&client_id=local-web&client_secret=wrong", "invalid_client"), ("&client_id=local-web", "invalid_client"),
        ("&client_id=nobody", "invalid_client"), ("", "invalid_client"),
        ("&client_secret=local-secret", "invalid_client"),
        ("&client_id=local-client", "unauthorized_client"),
        ("&client_id=local-client&client_secret=made-up", "invalid_client"),
    ])
    func `that fail with the form get an error`(form: String, error: String) async throws {
        let page = try await ask(form)
        #expect(page.status == 400)
        #expect(page.text.contains(#""error":"\#(error)""#))
    }

    @Test(arguments: ["&client_secret=local-secret", "&client_id=local-client"])
    func `must not use two methods of authentication`(form: String) async throws {
        #expect(try await ask(form, basic: "local-web:local-secret").text.contains(#""error":"invalid_request""#))
    }

    @Test(arguments: [true, false])
    func `may have any characters in ids and secrets`(inHeader: Bool) async throws {
        let client = LocalSpotify.Client(id: "a:b+c %&ü", secret: "1+1=2 & 50 % ö:", redirectURIs: [])
        let (id, secret) = ("a%3Ab%2Bc+%25%26%C3%BC", "1%2B1%3D2+%26+50+%25+%C3%B6%3A")
        let page =
            try await inHeader
            ? ask("", basic: "\(id):\(secret)", clients: [client])
            : ask("&client_id=\(id)&client_secret=\(secret)", clients: [client])
        #expect(page.status == 200)
    }

    @Test func `print no secret`() {
        var dumped = ""
        dump(LocalSpotify.Client.localConfidential, to: &dumped)
        for text in ["\(LocalSpotify.Client.localConfidential)", dumped] { #expect(!text.contains("local-secret")) }
    }
}

@Suite struct `The metadata over a socket` {
    @Test func `name all endpoints below the issuer`() async throws {
        struct Metadata: Decodable {
            let issuer, authorizationEndpoint, tokenEndpoint: String
            let codeChallengeMethodsSupported, responseTypesSupported: [String]
            let authorizationResponseIssParameterSupported: Bool
        }
        try await LocalSpotify().serve { url in
            let reply = try await Client(url).get("/.well-known/oauth-authorization-server")
            let metadata = try reply.decode(Metadata.self)
            let issuer = url.absoluteString
            #expect(metadata.issuer == issuer)
            #expect(metadata.authorizationEndpoint == issuer + "/authorize")
            #expect(metadata.tokenEndpoint == issuer + "/api/token")
            #expect(metadata.codeChallengeMethodsSupported == ["S256"])
            #expect(metadata.responseTypesSupported == ["code"])
            #expect(metadata.authorizationResponseIssParameterSupported)
        }
    }
}

@Suite struct `Refreshing over a socket` {
    @Test func `ends six months after the sign-in, regardless of refreshes`() async throws {
        try await expectEnd(policy: TokenPolicy(), after: .sixMonths)
    }

    @Test func `ends after the configured time, and rotation does not extend it`() async throws {
        let policy = TokenPolicy(rotation: .on, refreshTokenLifetime: .seconds(1000))
        try await expectEnd(policy: policy, after: .seconds(1000))
    }

    private func expectEnd(policy: TokenPolicy, after lifetime: Duration) async throws {
        let clock = ManualClock()
        let spotify = try LocalSpotify(policy: policy, clock: clock)
        try await spotify.serve { url in
            let client = Client(url)
            var token = try await client.signIn(at: spotify).refreshToken
            clock.advance(by: lifetime - .seconds(1))
            let last = try await client.refresh(token)
            #expect(last.status == 200)
            token = try last.decode(Client.Tokens.self).refreshToken ?? token
            clock.advance(by: .seconds(1))
            let late = try await client.refresh(token)
            #expect(late.text == #"{"error":"invalid_grant","error_description":"Refresh token expired"}"#)
            #expect(await spotify.tokenCalls.map(\.outcome) == [.signedIn, .refreshed, .sessionExpired])
        }
    }

    @Test func `may ask for fewer scopes, not for more`() async throws {
        let spotify = try LocalSpotify()
        try await spotify.serve { url in
            let client = Client(url)
            let code = await spotify.makeCode(scopes: ["user-read-email", "streaming"])
            let first = try await client.token("grant_type=authorization_code&code=\(code)").decode(Client.Tokens.self)
            let form = "grant_type=refresh_token&refresh_token=\(first.refreshToken ?? "")&scope="

            #expect(first.scope == "streaming user-read-email")
            #expect(try await client.token(form + "streaming").decode(Client.Tokens.self).scope == "streaming")
            #expect(try await client.token(form + "streaming+user-top-read").text.contains("invalid_scope"))
        }
    }

    @Test func `is allowed only to the client that signed in`() async throws {
        let spotify = try LocalSpotify(policy: TokenPolicy(rotation: .on))
        try await spotify.serve { url in
            let client = Client(url)
            let form = "grant_type=authorization_code&client_id=local-client&code=\(await spotify.makeCode())"
            let token = try #require(try await client.token(form).decode(Client.Tokens.self).refreshToken)

            #expect(try await client.refresh(token).text.contains("invalid_client"))
            let foreign = "&client_id=local-web&client_secret=local-secret"
            #expect(try await client.refresh(token + foreign).text.contains("invalid_grant"))
            #expect(try await client.refresh(token + "&client_id=local-client").status == 200)
        }
    }
}
