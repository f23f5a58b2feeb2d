// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorizationOAuth

/// Who signed in, by the ID token of the sign-in (OpenID Connect Core 1.0).
@Suite struct IdentityTests {
    private let clock = ManualClock()
    private let transport = ScriptedTokenTransport()

    private func service(
        _ client: OAuthClient = .public(id: "app"), change: (inout AuthorizationServer) -> Void = { _ in }
    ) -> OAuthTokenService {
        var server = AuthorizationServer.make()
        change(&server)
        return .authorizationCode(
            server: server, client: client, redirectURI: "https://app.example/cb",
            pendingSignIns: InMemoryPendingSignIns(), transport: transport, clock: clock)
    }

    private func nonce(of pending: PendingSignIn) -> String? {
        URLComponents(url: pending.url, resolvingAgainstBaseURL: false)?.queryItems?.first { $0.name == "nonce" }?.value
    }

    /// Signs in; the server's ID token has these claims, or is this text.
    private func signIn(
        _ service: OAuthTokenService? = nil, parameters: [String: String] = [:], text: String? = nil,
        change: (inout [String: JSONValue]) -> Void = { _ in }
    ) async throws -> OAuthToken {
        let service = service ?? self.service()
        let pending = try await service.signIn(scopes: ["read"], parameters: parameters, identity: true)
        var claims = IDToken.claims(nonce: nonce(of: pending), at: clock.now)
        change(&claims)
        transport.append(.response(200, json: IDToken.answer(text ?? IDToken.text(claims))))
        return try await service.finish(callback: try .make("\(pending.redirectURI)?code=c&state=\(pending.state)"))
    }

    private func error(
        parameters: [String: String] = [:], text: String? = nil,
        change: (inout [String: JSONValue]) -> Void = { _ in }
    ) async -> IdentityTokenError? {
        await #expect(throws: IdentityTokenError.self) {
            try await signIn(parameters: parameters, text: text, change: change)
        }
    }

    @Test func `a sign-in with identity asks for openid and a nonce, and its token says who signed in`() async throws {
        let service = service()
        let pending = try await service.signIn(scopes: ["read"], identity: true)
        #expect(pending.scopes == ["read", "openid"] && pending.url.absoluteString.contains("scope=openid%20read"))
        let nonce = try #require(self.nonce(of: pending))
        #expect(Base64URL.decode(nonce)?.count == 32 && nonce != pending.state)
        #expect(try await self.nonce(of: service.signIn(scopes: [], identity: true)) != nonce)
        // Encoded as JSON, as in a store of pending sign-ins.
        let kept = try JSONDecoder().decode(PendingSignIn.self, from: JSONEncoder().encode(pending))
        transport.append(
            .response(200, json: IDToken.answer(IDToken.text(IDToken.claims(nonce: nonce, at: clock.now)))))
        let token = try await service.finish(
            kept, callback: .make("\(pending.redirectURI)?code=c&state=\(pending.state)"))
        let identity = try #require(token.identity)
        #expect(identity.subject == "alice" && identity.issuer == "https://as.example")
        #expect(identity.claims["email"] == .string("alice@as.example"))
        let stored = try JSONDecoder().decode(OAuthToken.self, from: JSONEncoder().encode(token))
        #expect(stored == token && stored.identity == identity)
        let auth = RefreshableTokenAuthorization(service: service, token: token, clock: clock)
        #expect(await auth.identity() == identity)
        // The stored session of another server says nothing about who is signed in here.
        var foreign = token
        foreign.issuer = TokenIssuer(of: .make(at: "https://other.example"))
        let other = RefreshableTokenAuthorization(service: service, token: foreign, clock: clock)
        #expect(await other.identity() == nil)
        #expect("\(identity)" == "SignedInIdentity([redacted])")
    }

    @Test func `without it nothing is asked for, and an ID token says nothing`() async throws {
        let service = service()
        let pending = try await service.signIn(scopes: ["read"])
        #expect(nonce(of: pending) == nil && pending.scopes == ["read"])
        let token = IDToken.text(IDToken.claims(nonce: nil, at: clock.now))
        transport.append(.response(200, json: IDToken.answer(token)))
        let signedIn = try await service.finish(
            callback: .make("\(pending.redirectURI)?code=c&state=\(pending.state)"))
        #expect(signedIn.identity == nil && signedIn.idToken == token)
    }

    // MARK: - §3.1.3.7

    private static let wrong: [(claim: String, value: JSONValue?)] = [
        ("iss", nil), ("iss", .string("https://as.example/")), ("iss", .string("https://AS.example")),
        ("iss", .string("https://evil.example")), ("iss", .array([.string("https://as.example")])),
        ("aud", nil), ("aud", .string("other")), ("aud", .array([])), ("aud", .array([.string("other")])),
        ("aud", .array([.string("app"), .string("other")])), ("aud", .string("APP")),
        ("azp", .string("other")), ("azp", .string("")), ("azp", .null), ("azp", .integer(1)),
        ("exp", nil), ("exp", .integer(0)), ("exp", .string("soon")), ("iat", nil), ("iat", .integer(99_999_999_999)),
        ("nonce", nil), ("nonce", .string("other")), ("nonce", .string("")), ("nonce", .integer(1)),
        ("sub", nil), ("sub", .string("")), ("sub", .integer(1)), ("sub", .string(String(repeating: "a", count: 256))),
    ]

    @Test(arguments: wrong.indices)
    func `OpenID Connect Core §3.1.3.7: a wrong claim is an error that names it`(index: Int) async throws {
        let (claim, value) = Self.wrong[index]
        let error = await error { $0[claim] = value }
        #expect(error == IdentityTokenError(.claim, claim: claim))
        #expect(error?.description.contains("(\(claim))") == true && error?.kind == .transient)
    }

    @Test func `§3.1.3.7: the clocks may differ by five minutes`() async throws {
        let now = Int64(clock.now.timeIntervalSince1970)
        for (exp, iat, claim) in [(-299, 299, nil), (-301, 0, "exp"), (0, 301, "iat")] as [(Int64, Int64, String?)] {
            let change = { (claims: inout [String: JSONValue]) in
                claims["exp"] = .integer(now + exp)
                claims["iat"] = .integer(now + iat)
            }
            guard let claim else {
                #expect(try await signIn(change: change).identity?.subject == "alice")
                continue
            }
            #expect(await error(change: change)?.claim == claim)
        }
    }

    @Test func `§3.1.3.7: a further audience that the program trusts is accepted, if azp is this client`()
        async throws
    {
        var client = OAuthClient.public(id: "app")
        client.trustedAudiences = ["api"]
        let coded = try JSONDecoder().decode(OAuthClient.self, from: JSONEncoder().encode(client))
        let both: JSONValue = .array([.string("app"), .string("api")])
        let token = try await signIn(service(coded)) {
            $0["aud"] = both
            $0["azp"] = .string("app")
        }
        #expect(token.identity?.subject == "alice")
        let error = await #expect(throws: IdentityTokenError.self) {
            try await signIn(service(client)) { $0["aud"] = both }
        }
        #expect(error?.claim == "azp")
    }

    @Test func `§3.1.3.7: auth_time and acr are checked if the sign-in asked for them`() async throws {
        let now = Int64(clock.now.timeIntervalSince1970)
        let asked = ["max_age": "60", "acr_values": "gold silver"]
        let good = try await signIn(parameters: asked) {
            $0["auth_time"] = .integer(now - 60)
            $0["acr"] = .string("silver")
        }
        #expect(good.identity != nil)
        for (time, acr, claim) in [
            (nil, "gold", "auth_time"), (now - 361, "gold", "auth_time"), (now, "bronze", "acr"), (now, nil, "acr"),
        ] as [(Int64?, String?, String)] {
            let error = await error(parameters: asked) {
                $0["auth_time"] = time.map { .integer($0) }
                $0["acr"] = acr.map { .string($0) }
            }
            #expect(error?.claim == claim)
        }
        // Not asked for, not checked.
        #expect(try await signIn { $0["acr"] = .string("bronze") }.identity != nil)
    }

    private static let twice =
        #"{"iss":"https://as.example","sub":"alice","sub":"bob","aud":"app","exp":9999999999,"iat":1}"#
    private static let deep = String(repeating: "[", count: 500) + String(repeating: "]", count: 500)
    private static let unusable: [(String, IdentityTokenError.Problem)] = [
        ("a.b.c.d.e", .encrypted), ("a.b.c", .malformed), ("a.b", .malformed), ("x", .malformed),
        (IDToken.text("[]"), .malformed), (IDToken.text(#"{"sub":"alice""#), .malformed),
        (IDToken.text(twice), .malformed), (IDToken.text(#"{"aud":[1],"sub":"alice"}"#), .malformed),
        (IDToken.text(#"{"sub":1e400}"#), .malformed),
        (IDToken.text(#"{"sub":"\#(String(repeating: "a", count: 1 << 16))"}"#), .tooLong),
        (IDToken.text(#"{"x":\#(deep)}"#), .malformed),
        (IDToken.text(#"{"sub":"alice"}"#, header: #"{"alg":"RS256","crit":["b64"],"b64":false}"#), .malformed),
    ]

    @Test(arguments: unusable.indices)
    func `an ID token that is encrypted, damaged, ambiguous or huge signs nobody in`(index: Int) async throws {
        let (text, problem) = Self.unusable[index]
        #expect(await error(text: text) == IdentityTokenError(problem))
    }

    @Test func `a sign-in that is refused leaves the session before it as it was`() async throws {
        let before = OAuthToken.make(accessToken: "before")
        let auth = RefreshableTokenAuthorization(service: service(), token: before, clock: clock)
        await #expect(throws: IdentityTokenError(.claim, claim: "nonce")) {
            try await auth.signIn { try await signIn { $0["nonce"] = .string("another sign-in's") } }
        }
        #expect(try await auth.validToken() == before)
        transport.append(.response(200, json: IDToken.answer(nil)))
        let service = service()
        let pending = try await service.signIn(scopes: [], identity: true)
        await #expect(throws: IdentityTokenError(.missing)) {
            try await service.finish(callback: .make("\(pending.redirectURI)?code=c&state=\(pending.state)"))
        }
    }

    @Test func `the tokens that came with an ID token that is not valid are revoked`() async throws {
        let service = service()
        let pending = try await service.signIn(scopes: [], identity: true)
        transport.append(
            .response(200, json: IDToken.answer(nil)), .response(200, json: ""), .response(200, json: ""))
        await #expect(throws: IdentityTokenError(.missing)) {
            try await service.finish(callback: .make("\(pending.redirectURI)?code=c&state=\(pending.state)"))
        }
        try #require(transport.requests.map(\.url.lastPathComponent) == ["token", "revoke", "revoke"])
        #expect(transport.requests[1].text.contains("token=r1&"))
    }

    @Test func `the server has an issuer, and another machine's names no endpoint on this one`() async throws {
        let nameless = service { $0.issuer = nil }
        let error = await #expect(throws: AuthorizationServerError.self) {
            try await nameless.signIn(scopes: [], identity: true)
        }
        #expect(error?.member == "issuer" && error?.description.contains("set the issuer") == true)
        let local = service { $0.tokenEndpoint = URL(string: "http://127.0.0.1:1/token") }
        let pending = try await local.signIn(scopes: [], identity: true)
        let insecure = await #expect(throws: AuthorizationServerError.self) {
            try await local.finish(callback: .make("\(pending.redirectURI)?code=c&state=\(pending.state)"))
        }
        #expect(insecure?.problem == .insecure && transport.calls == 0)
    }

    @Test func `an exchange and a program's own grant bring no identity`() async throws {
        let claims = IDToken.text(IDToken.claims(nonce: nil, at: clock.now))
        let type = #"{"issued_token_type":"urn:ietf:params:oauth:token-type:access_token","#
        let client = OAuthClient.secretBasic(id: "app", secret: "s")
        let services = [
            OAuthTokenService.clientCredentials(server: .make(), client: client, transport: transport, clock: clock),
            .tokenExchange(server: .make(), client: client, transport: transport, clock: clock) {
                TokenExchange(subject: .idToken("s"))
            },
            .custom(server: .make(), client: client, transport: transport, clock: clock) { endpoint in
                try await endpoint.token(grantType: "urn:example:grant")
            },
        ]
        for service in services {
            transport.append(.response(200, json: IDToken.answer(claims).replacing("{", with: type)))
            let token = try await service.initialToken()
            #expect(token.idToken == claims && token.identity == nil)
        }
    }

    @Test func `a sign-in on another device has no nonce, and is validated all the same`() async throws {
        let device = OAuthTokenService.device(
            server: .make(), client: .public(id: "app"), transport: transport, clock: clock)
        for (subject, isGood) in [(JSONValue.string("alice"), true), (.integer(1), false)] {
            var claims = IDToken.claims(nonce: nil, at: clock.now)
            claims["sub"] = subject
            transport.append(
                .response(
                    200,
                    json: """
                        {"device_code":"d","user_code":"u","verification_uri":"https://as.example/d","expires_in":600,
                        "interval":5}
                        """), .response(200, json: IDToken.answer(IDToken.text(claims))))
            let signIn = try await device.deviceSignIn(scopes: [], identity: true)
            #expect(transport.requests.last?.text.contains("scope=openid") == true)
            let outcome = Task { try await signIn.token() }
            await clock.sleeper(for: .seconds(5))
            clock.advance(by: .seconds(5))
            if isGood {
                #expect(try await outcome.value.identity?.subject == "alice")
            } else {
                await #expect(throws: IdentityTokenError(.claim, claim: "sub")) { try await outcome.value }
            }
        }
    }

    // MARK: - §12.2

    /// Refreshes a session once; the answer's ID token has these claims.
    private func refreshed(
        by change: (inout [String: JSONValue]) -> Void
    ) async throws -> (before: OAuthToken, auth: RefreshableTokenAuthorization<OAuthToken>) {
        let now = Int64(clock.now.timeIntervalSince1970)
        let before = try await signIn { $0["auth_time"] = .integer(now) }
        let auth = RefreshableTokenAuthorization(service: service(), token: before, clock: clock)
        clock.advance(by: .seconds(120))
        var claims = IDToken.claims(nonce: nil, at: clock.now)
        change(&claims)
        transport.append(.response(200, json: IDToken.answer(IDToken.text(claims), refreshToken: "r2")))
        return (before, auth)
    }

    @Test func `§12.2: a refresh brings another ID token, and the identity stays`() async throws {
        let (before, auth) = try await refreshed {
            $0["auth_time"] = .integer(Int64(clock.now.timeIntervalSince1970) - 120)
            $0["email"] = .string("new@as.example")
        }
        let after = try await auth.validToken()
        #expect(after.refreshToken == "r2" && after.identity == before.identity && after.idToken != before.idToken)
        transport.append(.response(200, json: IDToken.answer(nil, refreshToken: "r3")))
        let later = try await auth.refreshNow()
        #expect(later.identity == before.identity && later.idToken == after.idToken && later.refreshToken == "r3")
    }

    @Test(arguments: [
        ("sub", JSONValue.string("bob")), ("sub", .string("Alice")), ("iss", .string("https://evil.example")),
        ("aud", .string("other")), ("aud", .array([.string("app"), .string("other")])),
    ])
    func `§12.2: another person, server or audience ends the session`(claim: String, value: JSONValue) async throws {
        let (_, auth) = try await refreshed { $0[claim] = value }
        for _ in 0..<2 {
            let end = await #expect(throws: NotAuthorized.self) { try await auth.validToken() }
            #expect(end?.reason == .rejected && end?.needsSignIn == true)
            #expect((end?.underlying as? IdentityTokenError) == IdentityTokenError(.otherPerson, claim: claim))
        }
        #expect(transport.calls == 2 && auth.currentToken == nil)
    }

    @Test(arguments: [("https://new.example", true), ("https://as.example", true), ("https://evil.example", false)])
    func `§12.2: an ID token may have the new name of a server whose former one is listed`(
        issuer: String, goesOn: Bool
    ) async throws {
        let before = try await signIn()
        let renamed = service {
            $0.issuer = "https://new.example"
            $0.formerIssuers = ["https://as.example"]
        }
        var claims = IDToken.claims(nonce: nil, at: clock.now)
        claims["iss"] = .string(issuer)
        transport.append(.response(200, json: IDToken.answer(IDToken.text(claims), refreshToken: "r2")))
        let after = try? await renamed.refresh(before)
        #expect(after?.refreshToken == (goesOn ? "r2" : nil))
        #expect(after?.identity == (goesOn ? before.identity : nil))
    }

    @Test(arguments: [
        ("auth_time", JSONValue.integer(1)), ("nonce", .string("other")), ("azp", .string("app")), ("exp", .integer(1)),
        ("iat", .integer(99_999_999_999)), ("sub", .integer(1)), ("aud", .array([.integer(1)])),
    ])
    func `§12.2: an ID token that does not fit, or is damaged, is dropped, and the session goes on`(
        claim: String, value: JSONValue
    ) async throws {
        let (before, auth) = try await refreshed { $0[claim] = value }
        let after = try await auth.validToken()
        #expect(after.refreshToken == "r2" && after.idToken == before.idToken && after.identity == before.identity)
    }

    @Test func `§3.1.3.7 and §12.2: an audience with another spelling of an accented letter is another one`()
        async throws
    {
        let client = OAuthClient.public(id: "caf\u{E9}")
        let (own, other) = (JSONValue.string("caf\u{E9}"), JSONValue.string("cafe\u{301}"))
        let token = try await signIn(service(client)) { $0["aud"] = own }
        #expect(token.identity?.subject == "alice")
        for audience in [other, .array([own, other])] {
            await #expect(throws: IdentityTokenError(.claim, claim: "aud")) {
                try await signIn(service(client)) { $0["aud"] = audience }
            }
        }
        await #expect(throws: IdentityTokenError(.claim, claim: "azp")) {
            try await signIn(service(client)) {
                $0["aud"] = own
                $0["azp"] = other
            }
        }
        let auth = RefreshableTokenAuthorization(service: service(client), token: token, clock: clock)
        clock.advance(by: .seconds(120))
        var claims = IDToken.claims(nonce: nil, at: clock.now)
        claims["aud"] = other
        transport.append(.response(200, json: IDToken.answer(IDToken.text(claims), refreshToken: "r2")))
        let end = await #expect(throws: NotAuthorized.self) { try await auth.validToken() }
        #expect((end?.underlying as? IdentityTokenError) == IdentityTokenError(.otherPerson, claim: "aud"))
    }

    // MARK: - The end

    @Test func `the page that ends the session gets the ID token as a hint, or else the client's id`() throws {
        let service = service {
            $0.additionalMetadata["end_session_endpoint"] = .string("https://as.example/end?a=b")
        }
        let token = OAuthToken(accessToken: "a", idToken: "i.d.t")
        #expect(
            try service.endSessionURL(for: token, redirectURI: "https://app.example/bye now", state: "s&t")
                .absoluteString
                == "https://as.example/end?a=b&id_token_hint=i.d.t&"
                + "post_logout_redirect_uri=https%3A%2F%2Fapp.example%2Fbye%20now&state=s%26t")
        let foreign = OAuthToken(
            accessToken: "a", idToken: "i.d.t", issuer: TokenIssuer(of: .make(at: "https://other.example")))
        for token in [nil, foreign] {
            #expect(
                try service.endSessionURL(for: token).absoluteString == "https://as.example/end?a=b&client_id=app")
        }
        for value in [nil, "http://as.example/end", "https://as.example/end#x", "http://127.0.0.1/end"] {
            let unsafe = self.service {
                $0.additionalMetadata["end_session_endpoint"] = value.map { .string($0) }
            }
            #expect(throws: AuthorizationServerError.self) { try unsafe.endSessionURL(for: token) }
        }
    }
}
#endif
