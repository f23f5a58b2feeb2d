// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorizationOAuth

/// Assertions instead of a user's sign-in (RFC 7523 §2.1), as Google and Microsoft print them.
@Suite struct JWTBearerTests {
    private let clock = ManualClock(now: Date(timeIntervalSince1970: 1_328_550_785))
    private let transport = ScriptedTokenTransport(
        forever: .response(200, json: #"{"access_token":"a","expires_in":3599,"token_type":"Bearer"}"#))

    /// The parameters of the newest request.
    private var form: [String: String] {
        let pairs = (transport.requests.last?.text ?? "").split(separator: "&").map { pair in
            pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
                String($0).replacing("+", with: " ").removingPercentEncoding ?? ""
            }
        }
        return Dictionary(pairs.map { ($0[0], $0[1]) }) { "\($0) AND \($1)" }
    }

    private func decoded(_ part: Int) throws -> [String: JSONValue] {
        try Self.decoded(try #require(form["assertion"]), part)
    }

    private static func decoded(_ assertion: String, _ part: Int = 1) throws -> [String: JSONValue] {
        let parts = assertion.split(separator: ".").map(String.init)
        return try JSONDecoder().decode(
            [String: JSONValue].self, from: Data(#require(Base64URL.decode(parts[part]))))
    }

    // MARK: - Google

    /// The file of a service account, with the key of RFC 8037 instead of Google's unless an RSA key is given.
    private func file(key: String, change: (inout [String: String]) -> Void = { _ in }) throws -> Data {
        var members = [
            "type": "service_account", "private_key_id": "370ab79b4513eb9bad7c9bd16a95cb76b5b2a56a",
            "private_key": key, "token_uri": "https://oauth2.googleapis.com/token",
            "client_email": "761326798069-r5mljlln1rd4lrbhg75efgigp36m78j5@developer.gserviceaccount.com",
        ]
        change(&members)
        return try JSONEncoder().encode(members)
    }

    private static func rsaPEM() throws -> String {
        guard case .rsa(let numbers) = try PrivateKeyParts(JWKObject(PublishedKey.rsa)) else { return "" }
        let text = Data(numbers.pkcs1).base64EncodedString()
        return "-----BEGIN RSA PRIVATE KEY-----\n\(text)\n-----END RSA PRIVATE KEY-----\n"
    }

    /// "Using OAuth 2.0 for Server to Server Applications": the claims and the request that it prints.
    @Test func `a service account's request is the one that Google prints`() async throws {
        let service = try OAuthTokenService.googleServiceAccount(
            key: file(key: Self.rsaPEM()), scopes: ["https://www.googleapis.com/auth/devstorage.read_only"],
            transport: transport, clock: clock)
        let token = try await service.initialToken()
        let request = try #require(transport.requests.first)
        #expect(request.url.absoluteString == "https://oauth2.googleapis.com/token")
        #expect(
            request.text.hasPrefix("grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=eyJ"))
        #expect(Set(form.keys) == ["grant_type", "assertion"])
        #expect(
            try decoded(0) == [
                "alg": .string("RS256"), "typ": .string("JWT"),
                "kid": .string("370ab79b4513eb9bad7c9bd16a95cb76b5b2a56a"),
            ])
        #expect(
            try decoded(1) == [
                "iss": .string("761326798069-r5mljlln1rd4lrbhg75efgigp36m78j5@developer.gserviceaccount.com"),
                "scope": .string("https://www.googleapis.com/auth/devstorage.read_only"),
                "aud": .string("https://oauth2.googleapis.com/token"), "exp": .integer(1_328_554_385),
                "iat": .integer(1_328_550_785),
            ])
        #expect(token.lifetime == .seconds(3599))
    }

    @Test func `a service account that acts for a user names the user`() async throws {
        _ = try await OAuthTokenService.googleServiceAccount(
            key: file(key: Self.rsaPEM()), subject: "some.user@example.com", scopes: ["s"], transport: transport,
            clock: clock
        ).initialToken()
        #expect(try decoded(1)["sub"] == .string("some.user@example.com"))
    }

    @Test(arguments: ["client_email", "private_key", "private_key_id", "token_uri"])
    func `a file of another kind is a typed error that names what is missing`(name: String) throws {
        let error = try #require(
            throws: SigningKeyError.self,
            performing: {
                try OAuthTokenService.googleServiceAccount(
                    key: file(key: Self.rsaPEM()) { $0[name] = nil }, scopes: ["s"], transport: transport)
            })
        #expect(error.description.contains(name))
    }

    // MARK: - Microsoft

    /// "Microsoft identity platform and OAuth 2.0 On-Behalf-Of flow": the request with a shared secret.
    @Test func `acting for the user whose token was received is the request that Microsoft prints`() async throws {
        let base = "https://login.microsoftonline.com/contoso/oauth2/v2.0"
        let service = OAuthTokenService.onBehalfOf(
            server: AuthorizationServer(tokenEndpoint: URL(string: "\(base)/token")),
            client: .secretPost(id: "535fb089-9ff3-47b6-9bfb-4f1264799865", secret: "sampleCredentials"),
            incoming: "eyJ0eXAi", scopes: ["https://graph.microsoft.com/user.read", "offline_access"],
            transport: transport, clock: clock)
        _ = try await service.initialToken()
        #expect(transport.requests.first?.url.absoluteString == "\(base)/token")
        #expect(
            form == [
                "grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer",
                "client_id": "535fb089-9ff3-47b6-9bfb-4f1264799865", "client_secret": "sampleCredentials",
                "assertion": "eyJ0eXAi", "scope": "https://graph.microsoft.com/user.read offline_access",
                "requested_token_use": "on_behalf_of",
            ])
    }

    @Test func `the refresh token of the answer is used, and the received token is not sent again`() async throws {
        transport.append(.response(200, json: #"{"access_token":"a","refresh_token":"r","expires_in":60}"#))
        let auth = RefreshableTokenAuthorization(
            service: OAuthTokenService.onBehalfOf(
                server: .make(), client: .secretPost(id: "api", secret: "s"), incoming: "t", scopes: ["x"],
                transport: transport, clock: clock), clock: clock)
        _ = try await auth.validToken()
        clock.advance(by: .seconds(61))
        _ = try await auth.validToken()
        #expect(form["grant_type"] == "refresh_token")
        #expect(form["assertion"] == nil)
    }

    @Test func `after a dead refresh token the received token is sent again, and its refusal ends the session`()
        async throws
    {
        let refused = ScriptStep<TokenRequest, TokenResponse>.response(400, json: #"{"error":"invalid_grant"}"#)
        let transport = ScriptedTokenTransport(
            .response(200, json: #"{"access_token":"a","refresh_token":"r","expires_in":60}"#), refused, refused)
        let auth = RefreshableTokenAuthorization(
            service: OAuthTokenService.onBehalfOf(
                server: .make(), client: .secretPost(id: "api", secret: "s"), incoming: "t", scopes: ["x"],
                transport: transport, clock: clock), clock: clock)
        _ = try await auth.validToken()
        clock.advance(by: .seconds(61))
        let error = await #expect(throws: NotAuthorized.self) { try await auth.validToken() }
        #expect(error?.reason == .rejected)
        #expect(transport.requests.map { $0.text.contains("&assertion=t") } == [true, false, true])
    }

    // MARK: - Any server

    @Test
    func `RFC 7523 §2.1 and §3: an assertion names issuer, subject, audience and expiry, and is new for each token`()
        async throws
    {
        let signer = try PrivateKeySigner(jwk: PublishedKey.p256)
        let service = OAuthTokenService.jwtBearer(
            server: .make(),
            assertion: .signed(by: signer, issuer: "robot", claims: ["iss": .string("evil"), "jti": .string("1")]),
            scopes: ["b", "a"], parameters: ["assertion": "evil", "x": "y"], transport: transport, clock: clock)
        let first = try await service.initialToken()
        let jwt = try SignedClaims(#require(form["assertion"]), key: signer.publicKey)
        #expect(
            jwt.claims == [
                "iss": .string("robot"), "sub": .string("robot"), "aud": .string("https://as.example"),
                "iat": .integer(1_328_550_785), "exp": .integer(1_328_551_085), "jti": .string("1"),
            ])
        #expect(form["scope"] == "a b" && form["x"] == "y" && form["client_id"] == nil)
        clock.advance(by: .seconds(3600))
        _ = try await service.refresh(first)
        #expect(try decoded(1)["iat"] == .integer(1_328_554_385))
    }

    /// The values of a parameter in all requests.
    private static func values(of name: String, in requests: [TokenRequest]) throws -> [String] {
        try requests.map { request in
            let found = request.text.split(separator: "&").filter { $0.hasPrefix("\(name)=") }
            try #require(found.count == 1)
            return String(found[0].dropFirst(name.count + 1))
        }
    }

    /// Their signatures are equal for equal messages, so a server would see one assertion five times.
    @Test(arguments: [PublishedKey.rsa, PublishedKey.ed25519, PublishedKey.p256])
    func `RFC 7523 §3: assertions of one second differ, and each has a jti of its own`(key: Data) async throws {
        let service = OAuthTokenService.jwtBearer(
            server: .make(), assertion: .signed(by: try PrivateKeySigner(jwk: key), issuer: "robot"),
            transport: transport, clock: clock)
        for _ in 0..<5 { _ = try await service.initialToken() }
        let assertions = try Self.values(of: "assertion", in: transport.requests)
        #expect(Set(assertions).count == 5)
        let claims = try assertions.map { try Self.decoded($0) }
        #expect(Set(claims.map { $0["iat"] }).count == 1)
        let identifiers = claims.compactMap { $0["jti"]?.text }
        #expect(Set(identifiers).count == 5 && identifiers.allSatisfy { $0.utf8.count >= 22 })
    }

    @Test(arguments: [Int64.max, .min]) func `an absurd lifetime ends no program`(seconds: Int64) async throws {
        let signer = try PrivateKeySigner(jwk: PublishedKey.p256)
        let service = OAuthTokenService.jwtBearer(
            server: .make(), assertion: .signed(by: signer, issuer: "robot", lifetime: .seconds(seconds)),
            transport: transport, clock: clock)
        _ = try await service.initialToken()
        #expect(try Self.values(of: "assertion", in: transport.requests).count == 1)
    }

    @Test func `the claims of a caller can drop the jti, and no other claim`() async throws {
        let signer = try PrivateKeySigner(jwk: PublishedKey.p256)
        let service = OAuthTokenService.jwtBearer(
            server: .make(),
            assertion: .signed(
                by: signer, issuer: "robot",
                claims: [
                    "jti": .null, "iat": .null, "exp": .null, "aud": .null, "iss": .null, "sub": .null, "x": .null,
                ]),
            transport: transport, clock: clock)
        _ = try await service.initialToken()
        #expect(
            try decoded(1) == [
                "iss": .string("robot"), "sub": .string("robot"), "aud": .string("https://as.example"), "x": .null,
                "iat": .integer(1_328_550_785), "exp": .integer(1_328_551_085),
            ])
    }

    /// The first of the two requests may count as seen, so its assertions may be refused in the second.
    @Test func `RFC 9449 §8: a request that is sent again with a nonce has new assertions of both kinds`() async throws
    {
        transport.append(
            .response(400, json: #"{"error":"use_dpop_nonce"}"#, fields: ["DPoP-Nonce": "n1"]),
            .response(200, json: #"{"access_token":"a","token_type":"DPoP"}"#))
        let signer = try PrivateKeySigner(jwk: PublishedKey.p256)
        let service = OAuthTokenService.jwtBearer(
            server: .make(), client: .public(id: "bank"), authentication: .privateKeyJWT(signer), proof: .dpop,
            assertion: .signed(by: signer, issuer: "robot"), transport: transport, clock: clock)
        _ = try await service.initialToken()
        #expect(transport.calls == 2)
        for name in ["assertion", "client_assertion"] {
            let assertions = try Self.values(of: name, in: transport.requests)
            #expect(Set(try assertions.map { try Self.decoded($0)["jti"] }).count == 2, "\(name)")
        }
    }

    @Test func `only requests for the grant have an assertion, and the client's authenticator sees it`() async throws {
        let authenticator = CountingAuthenticator()
        let counter = Lock(0)
        let service = OAuthTokenService.jwtBearer(
            server: .make(), client: .public(id: "api"), authentication: authenticator,
            assertion: .fetched {
                counter.withLock {
                    $0 += 1; return "t\($0)"
                }
            }, transport: transport, clock: clock)
        _ = try await service.initialToken()
        _ = try await service.refresh(.make(refreshToken: "r"))
        try await service.revoke(.make(accessToken: "a"))
        _ = try await service.initialToken()
        #expect(
            authenticator.requests.map { $0.parameters.first { $0.name == "assertion" }?.value }
                == ["t1", nil, nil, "t2"])
        #expect(transport.requests.map { $0.text.contains("&assertion=") } == [true, false, false, true])
        #expect(
            transport.requests.first?.text.contains(
                "client_assertion=proof-1&grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=t1"
            )
                == true)
    }

    @Test func `an assertion that is made anew needs no refresh token, so that of an answer is dropped`() async throws {
        transport.append(.response(200, json: #"{"access_token":"a","refresh_token":"r","expires_in":60}"#))
        let auth = RefreshableTokenAuthorization(
            service: OAuthTokenService.jwtBearer(
                server: .make(), assertion: .fetched { "t" }, transport: transport, clock: clock), clock: clock)
        #expect(try await auth.validToken().refreshToken == nil)
        clock.advance(by: .seconds(61))
        _ = try await auth.validToken()
        #expect(transport.requests.map { $0.text.contains("&assertion=t") } == [true, true])
    }

    @Test func `an assertion that is refused ends no session if the next one is another`() async throws {
        let refusal = ScriptedTokenTransport(forever: .response(400, json: #"{"error":"invalid_grant"}"#))
        func error(_ assertion: GrantAssertion) async -> (any Error)? {
            let auth = RefreshableTokenAuthorization(
                service: OAuthTokenService.jwtBearer(
                    server: .make(), assertion: assertion, transport: refusal, clock: clock), clock: clock)
            do {
                _ = try await auth.validToken()
                return nil
            } catch { return error }
        }
        #expect((await error(.fetched { "t" }) as? NotAuthorized)?.reason == .clientRefused)
        #expect((await error(.token("t")) as? NotAuthorized)?.reason == .rejected)
    }

    @Test func `a client's secret that the server repeats as its code is not printed`() async throws {
        let secret = "correct_horse_battery"
        for client in [OAuthClient.secretPost(id: "app", secret: secret), .secretBasic(id: "app", secret: secret)] {
            for service in [
                OAuthTokenService.onBehalfOf(
                    server: .make(), client: client, incoming: "t", scopes: ["x"], transport: transport, clock: clock),
                .jwtBearer(
                    server: .make(), client: client, assertion: .token("t"), transport: transport, clock: clock),
            ] {
                transport.append(.response(400, json: #"{"error":"\#(secret)"}"#))
                let error = await #expect(throws: TokenEndpointError.self) { try await service.initialToken() }
                #expect(error?.code == secret && error?.description.contains(secret) == false)
            }
        }
    }

    @Test func `without an assertion nothing is sent`() async throws {
        struct Gone: Error {}
        let failing = OAuthTokenService.jwtBearer(
            server: .make(), assertion: .fetched { throw Gone() }, transport: transport)
        let error = await #expect(throws: ClientAuthenticationFailed.self) { try await failing.initialToken() }
        #expect(error?.underlying is Gone)
        let empty = OAuthTokenService.jwtBearer(server: .make(), assertion: .token(""), transport: transport)
        await #expect(throws: InvalidTokenRequest.self) { try await empty.initialToken() }
        #expect(transport.calls == 0)
    }
}
#endif
