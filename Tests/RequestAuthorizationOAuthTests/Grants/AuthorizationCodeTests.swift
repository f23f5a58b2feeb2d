// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
import Foundation
import RequestAuthorization
import RequestAuthorizationOAuth
import RequestAuthorizationTesting
import Testing

/// The authorization code grant, from the address of the page to the token.
@Suite struct AuthorizationCodeTests {
    private let clock = ManualClock()
    private let transport = ScriptedTokenTransport()

    /// The server and the client of RFC 6749's examples.
    private func service(
        page: String = "https://server.example.com/authorize", token: String = "https://server.example.com/token",
        client: OAuthClient = .public(id: "s6BhdRkqt3"), issuer: String? = nil, announcesIssuer: Bool = false,
        store: any PendingSignInStore = InMemoryPendingSignIns()
    ) -> OAuthTokenService {
        let server = AuthorizationServer(
            issuer: issuer, authorizationEndpoint: URL(string: page),
            tokenEndpoint: URL(string: token), announcesIssuer: announcesIssuer)
        return .authorizationCode(
            server: server, client: client, redirectURI: "https://client.example.com/cb", pendingSignIns: store,
            transport: transport, clock: clock)
    }

    private func callback(_ pending: PendingSignIn, _ query: String = "code=SplxlOBeZQQYbYS6WxSbIA") throws -> URL {
        try .make("\(pending.redirectURI)?\(query)&state=\(pending.state)")
    }

    private func query(of pending: PendingSignIn) -> [String] {
        pending.url.absoluteString.split(separator: "?").dropFirst().joined(separator: "?").split(separator: "&")
            .map(String.init)
    }

    private let answer = #"{"access_token":"2YotnFZFEjr1zCsicMWpAA","token_type":"Bearer","expires_in":3600}"#

    // MARK: - The request

    @Test func `RFC 6749 §4.1.1: the page gets the client, the redirect URI, the scope and the state, once each`()
        async throws
    {
        let pending = try await service().signIn(scopes: ["b", "a"])
        #expect(
            query(of: pending) == [
                "response_type=code", "client_id=s6BhdRkqt3",
                "redirect_uri=https%3A%2F%2Fclient.example.com%2Fcb", "state=\(pending.state)",
                "code_challenge=\(PKCE.challenge(for: pending.codeVerifier))", "code_challenge_method=S256",
                "scope=a%20b",
            ])
        #expect(pending.url.absoluteString.hasPrefix("https://server.example.com/authorize?"))
    }

    @Test func `RFC 9700 §2.1.1: state and verifier are made anew for each sign-in`() async throws {
        let service = service()
        var states: Set<String> = []
        for _ in 0..<50 {
            let pending = try await service.signIn(scopes: [])
            states.formUnion([pending.state, pending.codeVerifier])
            #expect(PKCE.isVerifier(pending.codeVerifier))
            #expect(!query(of: pending).contains { $0.hasPrefix("scope=") })
        }
        #expect(states.count == 100)
    }

    @Test func `a given generator makes the same sign-in again`() async throws {
        var (one, other) = (Generator(), Generator())
        let first = try await service().signIn(scopes: ["a"], using: &one)
        #expect(try await service().signIn(scopes: ["a"], using: &other) == first)
    }

    @Test func `RFC 6749 §3.1: the endpoint's own query stays, and no parameter is sent twice`() async throws {
        var client = OAuthClient.public(id: "s6BhdRkqt3")
        client.authorizationParameters = ["audience": "https://api.example.com", "prompt": "none", "tenant": "9"]
        let page = "https://server.example.com/authorize?tenant=1&state=theirs&client%5Fid=theirs"
        let pending = try await service(page: page, client: client)
            .signIn(scopes: ["a"], parameters: ["prompt": "login"])
        let query = query(of: pending)
        #expect(query.first == "tenant=1")
        #expect(query.suffix(3) == ["scope=a", "prompt=login", "audience=https%3A%2F%2Fapi.example.com"])
        let names = query.compactMap { $0.split(separator: "=").first }
        #expect(Set(names).count == names.count)
        #expect(!query.contains { $0.contains("theirs") })
    }

    @Test func `the client's extra parameters never replace those of the library`() async throws {
        var client = OAuthClient.public(id: "s6BhdRkqt3")
        let forged = [
            "state": "forged", "code_challenge": "forged", "code_challenge_method": "plain", "redirect_uri": "forged",
            "response_type": "token", "client_id": "forged", "scope": "forged", "client_secret": "forged",
        ]
        client.authorizationParameters = forged
        let pending = try await service(client: client).signIn(scopes: [], parameters: forged)
        #expect(!pending.url.absoluteString.contains("forged"))
        #expect(!pending.url.absoluteString.contains("plain"))
        #expect(query(of: pending).filter { $0.hasPrefix("response_type=") } == ["response_type=code"])
    }

    @Test func `RFC 6749 App. B: plus, percent, ampersand and umlauts survive`() async throws {
        let pending = try await service().signIn(scopes: [], parameters: ["login_hint": "jürgen+x&y=%z@a.example"])
        #expect(query(of: pending).last == "login_hint=j%C3%BCrgen%2Bx%26y%3D%25z%40a.example")
    }

    @Test(arguments: [
        ("http://server.example.com/authorize", AuthorizationServerError.Problem.insecure),
        ("https://server.example.com/authorize#x", .fragment), ("/authorize", .notAURL),
    ])
    func `RFC 6749 §3.1: a page without TLS or with a fragment is refused`(
        page: String, problem: AuthorizationServerError.Problem
    ) async throws {
        let error = await #expect(throws: AuthorizationServerError.self) {
            try await service(page: page).signIn(scopes: [])
        }
        #expect(error?.problem == problem)
    }

    @Test func `a page on this machine may be plain http`() async throws {
        for page in ["http://127.0.0.1:8080/authorize", "http://[::1]:8080/authorize", "http://localhost/authorize"] {
            #expect(try await service(page: page).signIn(scopes: []).url.absoluteString.hasPrefix(page))
        }
    }

    @Test func `the error of a sign-in names a missing redirect URI, and the replacement for localhost`()
        async throws
    {
        let bare = OAuthTokenService.authorizationCode(
            server: service().endpoint.server, client: .public(id: "a"), transport: transport)
        let missing = await #expect(throws: SignInError.self) { try await bare.signIn(scopes: []) }
        #expect(missing?.kind == .redirectURI && missing?.detail?.contains("pass a redirectURI") == true)
        let local = await #expect(throws: SignInError.self) {
            try await bare.signIn(scopes: [], redirectURI: "http://localhost/cb")
        }
        #expect(local?.kind == .redirectURI && local?.detail?.contains("http://127.0.0.1/") == true)
    }

    // MARK: - The answer

    @Test
    func `RFC 6749 §4.1.3: the code is exchanged with the same redirect URI, and RFC 7636 §4.5 with the verifier`()
        async throws
    {
        transport.append(.response(200, json: answer))
        let service = service()
        let pending = try await service.signIn(scopes: ["a"])
        let token = try await service.finish(callback: callback(pending))
        #expect(token.accessToken == "2YotnFZFEjr1zCsicMWpAA")
        // RFC 6749 §3.3: the answer has no scope, so it is the requested one.
        #expect(token.scopes == ["a"])
        let request = try #require(transport.requests.first)
        #expect(request.url.absoluteString == "https://server.example.com/token")
        #expect(
            String(decoding: request.body, as: UTF8.self)
                == "client_id=s6BhdRkqt3&grant_type=authorization_code&code=SplxlOBeZQQYbYS6WxSbIA"
                + "&redirect_uri=https%3A%2F%2Fclient.example.com%2Fcb&code_verifier=\(pending.codeVerifier)")
    }

    @Test func `RFC 6749 §4.1.3 and §4.1.4: the examples of a token request and its answer`() async throws {
        transport.append(
            .response(
                200,
                json: """
                    {"access_token":"2YotnFZFEjr1zCsicMWpAA","token_type":"example","expires_in":3600,
                     "refresh_token":"tGzv3JOkF0XG5Qx2TlKWIA","example_parameter":"example_value"}
                    """),
            .response(
                200,
                json: """
                    {"access_token":"2YotnFZFEjr1zCsicMWpAA","token_type":"Bearer","expires_in":3600,
                     "refresh_token":"tGzv3JOkF0XG5Qx2TlKWIA","example_parameter":"example_value"}
                    """))
        let service = service(client: .secretBasic(id: "s6BhdRkqt3", secret: "gX1fBat3bV"))
        // §7.1: the type "example" of the published answer is unknown.
        let refused = await #expect(throws: InvalidTokenResponse.self) {
            try await service.finish(callback: callback(service.signIn(scopes: ["a"])))
        }
        #expect(refused?.field == "token_type")
        let sentAt = clock.now
        let token = try await service.finish(callback: callback(service.signIn(scopes: ["a"])))
        #expect(
            token
                == OAuthToken(
                    accessToken: "2YotnFZFEjr1zCsicMWpAA", refreshToken: "tGzv3JOkF0XG5Qx2TlKWIA", scopes: ["a"],
                    lifetime: .seconds(3600), expiresAt: sentAt.addingTimeInterval(3600), authorizedAt: sentAt,
                    additionalMembers: ["example_parameter": .string("example_value")],
                    issuer: TokenIssuer(of: service.endpoint.server)))
        let request = try #require(transport.requests.first)
        #expect(
            request.fields.first { $0.name == "Authorization" }?.value == "Basic czZCaGRSa3F0MzpnWDFmQmF0M2JW")
        #expect(!String(decoding: request.body, as: UTF8.self).contains("client_id"))
    }

    @Test func `a code with plus, percent, ampersand and umlauts is sent unchanged`() async throws {
        transport.append(.response(200, json: answer))
        let service = service()
        let pending = try await service.signIn(scopes: [])
        _ = try await service.finish(callback: callback(pending, "code=a%2Bb%25c%26d%C3%BC%20e"))
        let body = transport.requests.map { String(decoding: $0.body, as: UTF8.self) }
        #expect(body.first?.contains("&code=a%2Bb%25c%26d%C3%BC+e&") == true)
    }

    @Test func `RFC 6749 §4.1.2 and §10.5: a callback that comes twice is exchanged once`()
        async throws
    {
        transport.append(.response(200, json: answer))
        let service = service()
        let pending = try await service.signIn(scopes: [])
        _ = try await service.finish(callback: callback(pending))
        await #expect(throws: SignInError(.alreadyUsed)) { try await service.finish(callback: callback(pending)) }
        await #expect(throws: SignInError(.alreadyUsed)) {
            try await service.finish(pending, callback: callback(pending))
        }
        #expect(transport.calls == 1)
    }

    @Test func `a task that was cancelled before sends no code, and leaves the sign-in as it is`() async throws {
        transport.append(.response(200, json: answer))
        let service = service()
        let pending = try await service.signIn(scopes: [])
        let callback = try callback(pending)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await service.finish(callback: callback)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await service.finish(callback: callback).accessToken == "2YotnFZFEjr1zCsicMWpAA")
        #expect(transport.calls == 1)
    }

    @Test func `of 20 concurrent callers with one callback exactly one gets the token`() async throws {
        transport.append(.response(200, json: answer))
        let service = service()
        let pending = try await service.signIn(scopes: [])
        let callback = try callback(pending)
        let tokens = await withTaskGroup { group in
            for index in 0..<20 {
                group.addTask {
                    index.isMultiple(of: 2)
                        ? try? await service.finish(callback: callback)
                        : try? await service.finish(pending, callback: callback)
                }
            }
            return await group.reduce(into: 0) { $0 += $1 == nil ? 0 : 1 }
        }
        #expect(tokens == 1)
        #expect(transport.calls == 1)
    }

    @Test func `a sign-in that the program has stored works after a restart, once`() async throws {
        transport.append(.response(200, json: answer))
        let kept = try JSONEncoder().encode(try await service().signIn(scopes: ["a"]))
        let restarted = service()
        let pending = try JSONDecoder().decode(PendingSignIn.self, from: kept)
        #expect(try await restarted.finish(pending, callback: callback(pending)).scopes == ["a"])
        await #expect(throws: SignInError(.alreadyUsed)) {
            try await restarted.finish(pending, callback: callback(pending))
        }
    }

    @Test func `a stored sign-in works at an endpoint that is relative to a base`() async throws {
        transport.append(.response(200, json: answer))
        let base = try URL.make("https://server.example.com")
        let service = OAuthTokenService.authorizationCode(
            server: AuthorizationServer(
                authorizationEndpoint: URL(string: "/authorize", relativeTo: base),
                tokenEndpoint: URL(string: "/token", relativeTo: base)),
            client: .public(id: "s6BhdRkqt3"), redirectURI: "https://client.example.com/cb",
            pendingSignIns: InMemoryPendingSignIns(), transport: transport, clock: clock)
        let kept = try JSONEncoder().encode(try await service.signIn(scopes: ["a"]))
        let pending = try JSONDecoder().decode(PendingSignIn.self, from: kept)
        #expect(try await service.finish(pending, callback: callback(pending)).scopes == ["a"])
    }

    @Test func `a forged callback changes nothing, whether success or denial`() async throws {
        transport.append(.response(200, json: answer))
        let service = service()
        let pending = try await service.signIn(scopes: [])
        for query in ["code=1&state=forged", "error=access_denied&state=forged", "code=1", "error=access_denied"] {
            let forged = try URL.make("\(pending.redirectURI)?\(query)")
            await #expect(throws: SignInError(.foreign)) { try await service.finish(callback: forged) }
            await #expect(throws: SignInError(.foreign)) { try await service.finish(pending, callback: forged) }
        }
        let elsewhere = try URL.make("https://client.example.com/other?code=1&state=\(pending.state)")
        await #expect(throws: SignInError(.foreign)) { try await service.finish(callback: elsewhere) }
        #expect(transport.calls == 0)
        #expect(try await service.finish(callback: callback(pending)).accessToken == "2YotnFZFEjr1zCsicMWpAA")
    }

    @Test func `RFC 9700 §4.4: the code of another server's sign-in is not sent to this one`() async throws {
        let store = InMemoryPendingSignIns()
        let honest = service(issuer: "https://honest.example", store: store)
        let pending = try await honest.signIn(scopes: [])
        for other in [
            service(issuer: "https://evil.example", store: store), service(store: store),
            service(client: .public(id: "other"), issuer: "https://honest.example", store: store),
            service(token: "https://evil.example/token", issuer: "https://honest.example", store: store),
        ] {
            await #expect(throws: SignInError(.foreign)) { try await other.finish(callback: callback(pending)) }
        }
        #expect(transport.calls == 0)
        #expect(try await store.find(state: pending.state) == pending)
    }

    @Test(arguments: ["code=1", "error=access_denied"])
    func `RFC 9207 §2.4: an answer of another issuer ends the sign-in, and no code is sent`(query: String) async throws
    {
        let service = service(issuer: "https://honest.example", announcesIssuer: true)
        let pending = try await service.signIn(scopes: [])
        let error = await #expect(throws: SignInError.self) {
            try await service.finish(callback: callback(pending, "\(query)&iss=https%3A%2F%2Fevil.example"))
        }
        #expect(error?.kind == .otherIssuer)
        await #expect(throws: SignInError(.alreadyUsed)) {
            try await service.finish(callback: callback(pending, "\(query)&iss=https%3A%2F%2Fhonest.example"))
        }
        #expect(transport.calls == 0)
    }

    @Test func `a denial has its own error and ends the sign-in`() async throws {
        let service = service()
        let pending = try await service.signIn(scopes: [])
        let error = await #expect(throws: SignInError.self) {
            try await service.finish(callback: callback(pending, "error=access_denied"))
        }
        #expect(error?.accessWasDenied == true)
        await #expect(throws: SignInError(.alreadyUsed)) { try await service.finish(callback: callback(pending)) }
        #expect(transport.calls == 0)
    }

    @Test func `a sign-in expires after 10 minutes`() async throws {
        let service = service()
        let pending = try await service.signIn(scopes: [])
        clock.advance(by: .seconds(600))
        await #expect(throws: SignInError(.expired)) { try await service.finish(callback: callback(pending)) }
        #expect(transport.calls == 0)
    }

    @Test func `an expired sign-in that a caller kept is reported at once, and no callback can be used twice`()
        async throws
    {
        transport.append(.response(200, json: answer), .response(200, json: answer))
        let service = service()
        let old = try await service.signIn(scopes: [])
        clock.advance(by: .seconds(86_400))
        let (one, other) = (try await service.signIn(scopes: []), try await service.signIn(scopes: []))
        _ = try await service.finish(callback: callback(one))
        for _ in 0..<2 {
            await #expect(throws: SignInError(.expired)) { try await service.finish(old, callback: callback(old)) }
        }
        _ = try await service.finish(callback: callback(other))
        await #expect(throws: SignInError(.alreadyUsed)) { try await service.finish(one, callback: callback(one)) }
        #expect(transport.calls == 2)
    }

    @Test func `a failed sign-in keeps the former session`() async throws {
        let service = service()
        let auth = RefreshableTokenAuthorization(service: service, clock: clock)
        try await auth.setToken(OAuthToken(accessToken: "before"))
        let pending = try await service.signIn(scopes: [])
        let denied = try callback(pending, "error=access_denied")
        let error = await #expect(throws: SignInError.self) {
            try await auth.signIn { try await service.finish(callback: denied) }
        }
        #expect(error?.kind == .denied)
        #expect(try await auth.validToken().accessToken == "before")
    }

    @Test func `a code that the server refuses is a typed error`() async throws {
        transport.append(.response(400, json: #"{"error":"invalid_grant"}"#))
        let service = service()
        let pending = try await service.signIn(scopes: [])
        let error = await #expect(throws: TokenEndpointError.self) {
            try await service.finish(callback: callback(pending))
        }
        #expect(error?.code == "invalid_grant")
    }

    // MARK: - Through a receiver

    @Test func `a receiver gives the redirect URI, and gets the page to show`() async throws {
        transport.append(.response(200, json: answer))
        let shown = Lock<[URL]>([])
        let receiver = FixedReceiver(redirectURI: "http://127.0.0.1:51004/callback")
        let token = try await service().signIn(scopes: ["a"], parameters: ["prompt": "login"], through: receiver) {
            url in shown.withLock { $0.append(url) }
        }
        #expect(token.scopes == ["a"])
        let page = try #require(shown.withLock { $0 }.first?.absoluteString)
        #expect(page.contains("redirect_uri=http%3A%2F%2F127.0.0.1%3A51004%2Fcallback&"))
        #expect(page.hasSuffix("prompt=login"))
        let body = transport.requests.map { String(decoding: $0.body, as: UTF8.self) }.first
        #expect(body?.contains("redirect_uri=http%3A%2F%2F127.0.0.1%3A51004%2Fcallback&") == true)
    }
}

/// Gets its callback at once.
private struct FixedReceiver: CallbackReceiver {
    let redirectURI: String

    func callback(
        for start: @Sendable (String) async throws -> PendingSignIn,
        show: @Sendable (URL) async throws -> Void
    ) async throws -> URL {
        let pending = try await start(redirectURI)
        try await show(pending.url)
        let callback = try URL.make("\(redirectURI)?code=1&state=\(pending.state)")
        #expect(pending.accepts(callback))
        return callback
    }
}

/// Always the same.
private struct Generator: RandomNumberGenerator {
    private var state: UInt64 = 0

    mutating func next() -> UInt64 {
        state += 1
        return state
    }
}
#endif
