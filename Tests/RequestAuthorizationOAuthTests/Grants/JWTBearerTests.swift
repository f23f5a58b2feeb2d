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
        let parts = try #require(form["assertion"]).split(separator: ".").map(String.init)
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
