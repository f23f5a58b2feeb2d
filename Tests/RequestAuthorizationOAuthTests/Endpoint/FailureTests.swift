// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
import LoopbackServer
import RequestAuthorization
import RequestAuthorizationOAuth
import RequestAuthorizationTesting
import RequestAuthorizationURLSession
import Testing

/// How answers without a token are sorted: only an explicit verdict ends the session.
@Suite struct FailureTests {
    private func failure(
        _ answer: Answer, quirks: ServerQuirks = ServerQuirks()
    ) async throws -> TokenEndpointError? {
        try await TokenServer.run(answer) { run in
            await #expect(throws: TokenEndpointError.self) {
                try await run.service(quirks: quirks).refresh(.make(refreshToken: "r"))
            }
        }
    }

    private static let answers: [(Int, String, String?, TokenFailureKind)] = [
        (400, #"{"error":"invalid_grant","error_description":"gone"}"#, "invalid_grant", .terminal),
        (401, #"{"error":"invalid_client"}"#, "invalid_client", .client),
        (400, #"{"error":"unauthorized_client"}"#, "unauthorized_client", .client),
        (400, #"{"error":"unsupported_grant_type"}"#, "unsupported_grant_type", .client),
        (400, #"{"error":"invalid_scope"}"#, "invalid_scope", .client),
        (400, #"{"error":"login_required"}"#, "login_required", .interaction),
        (400, #"{"error":"invalid_request"}"#, "invalid_request", .transient),
        (400, #"{"error":"urn:example:new"}"#, "urn:example:new", .transient),
        (400, "", nil, .transient), (401, "", nil, .transient), (403, "", nil, .transient),
        (400, "<html>no</html>", nil, .transient), (400, #"{"error":{"status":400}}"#, nil, .transient),
        (400, #"["invalid_grant"]"#, nil, .transient), (400, "invalid_grant", nil, .transient),
        (400, "error=invalid_grant", nil, .transient), (400, #"{"error":["invalid_grant"]}"#, nil, .transient),
        (400, #"{"error":"temporarily_unavailable"}"#, "temporarily_unavailable", .transient),
        (404, "", nil, .transient), (408, "", nil, .transient), (429, "", nil, .transient),
        (500, "<html>", nil, .transient), (503, "", nil, .transient), (302, "", nil, .transient),
        (500, #"{"error":"invalid_grant"}"#, "invalid_grant", .transient),
        (429, #"{"error":"invalid_grant"}"#, "invalid_grant", .transient),
    ]

    @Test(arguments: answers)
    func `RFC 6749 §5.2 and §8.5: status and code are sorted`(
        status: Int, body: String, code: String?, kind: TokenFailureKind
    ) async throws {
        let failure = try await failure(.json(body, status: status))
        #expect(failure == TokenEndpointError(status: status, code: code, kind: kind))
        #expect(failure?.delivery == .answered)
    }

    @Test(arguments: [
        (#"{"error":"invalid_grant"}"#, "invalid_grant", TokenFailureKind.terminal),
        (#"{"error":"something"}"#, "something", .transient),
        (#"{"error":"slow_down"}"#, "slow_down", .transient),
    ])
    func `an error inside a 200 is an error`(body: String, code: String, kind: TokenFailureKind) async throws {
        let expected = TokenEndpointError(status: 200, code: code, retryAfter: .seconds(17), kind: kind)
        #expect(try await failure(.json(body, ("Retry-After", "17"))) == expected)
    }

    @Test func `a preset says what a server's own codes mean`() async throws {
        let body = #"{"error":"bad_refresh_token"}"#
        #expect(try await failure(.json(body))?.kind == .transient)
        #expect(try await failure(.json(body), quirks: AuthorizationServer.gitHub.quirks)?.kind == .terminal)
        let odd = ServerQuirks(errorKinds: ["invalid_grant": .transient])
        #expect(try await failure(.json(#"{"error":"invalid_grant"}"#, status: 400), quirks: odd)?.kind == .transient)
    }

    @Test(arguments: [(400, TokenFailureKind.transient), (429, .transient), (503, .transient)])
    func `a preset's codes are ignored in an answer that asks for a later retry`(status: Int, kind: TokenFailureKind)
        async throws
    {
        let quirks = ServerQuirks(
            errorKinds: status == 400 ? [:] : ["gone": .terminal], sessionEndingStatuses: [429, 503])
        #expect(try await failure(.json(#"{"error":"gone"}"#, status: status), quirks: quirks)?.kind == kind)
        #expect(try await failure(.json("", status: status), quirks: quirks)?.kind == kind)
    }

    @Test func `an empty body ends a session only where the preset says so, and only with its statuses`() async throws {
        let quirks = ServerQuirks(sessionEndingStatuses: [400])
        #expect(try await failure(.json("", status: 400), quirks: quirks)?.kind == .terminal)
        #expect(try await failure(.json("", status: 401), quirks: quirks)?.kind == .transient)
        #expect(try await failure(.json(" ", status: 400), quirks: quirks)?.kind == .transient)
        #expect(try await failure(.json("<html>", status: 400), quirks: quirks)?.kind == .transient)
        let stored = try JSONDecoder().decode(ServerQuirks.self, from: JSONEncoder().encode(quirks))
        #expect(stored == quirks)
    }

    @Test(arguments: [404, 405, 410])
    func `an endpoint that is not there ends no session, and the error says so`(status: Int) async throws {
        for body in ["", "<html>Not Found</html>", #"{"error":"not_found"}"#, #"{"detail":"Method Not Allowed"}"#] {
            try await TokenServer.run(.json(body, status: status)) { run in
                let store = InMemoryTokenStore<OAuthToken>()
                let auth = RefreshableTokenAuthorization(
                    service: run.service(), store: store, policy: .init(backOff: .init(patience: .zero)),
                    clock: run.clock)
                var token = OAuthToken.make(refreshToken: "r")
                token.expiresAt = run.clock.now
                try await auth.setToken(token)
                for _ in 0..<8 {
                    let failure = await #expect(throws: RefreshFailed.self) { try await auth.validToken() }
                    let error = try #require(failure?.underlying as? TokenEndpointError)
                    #expect(error.kind == .transient && error.isEndpointMissing)
                    #expect("\(error)".contains("discover the server again; the session is kept"))
                    run.clock.advance(by: .seconds(600))
                }
                #expect(store.stored?.token?.refreshToken == "r")
            }
        }
        // An explicit verdict counts with any of these statuses.
        let dead = TokenEndpointError(status: status, code: "invalid_grant")
        #expect(dead.kind == .terminal && !dead.isEndpointMissing)
        #expect(
            !TokenEndpointError(status: 400).isEndpointMissing && !TokenEndpointError(status: 503).isEndpointMissing)
        let text = "\(TokenEndpointError(status: status, purpose: .code))"
        #expect(text.contains("the address seems to be wrong") && !text.contains("session"))
        #expect("\(TokenEndpointError(status: status, purpose: .revocation))".contains("not revoked"))
    }

    @Test func `RFC 9110 §10.2.3: Retry-After in seconds and as a date`() async throws {
        #expect(try await failure(.json("", status: 503, ("Retry-After", "17")))?.retryAfter == .seconds(17))
        let date = ("Retry-After", "Fri, 31 Dec 2100 12:00:00 GMT")
        #expect(try await failure(.json("", status: 429, date))?.retryAfter == .seconds(366 * 86_400))
    }

    @Test func `of an answer only a well-formed code is printed`() async throws {
        let body = #"{"error":"S3CRETmarker r","error_description":"S3CRETmarker"}"#
        let failure = try await failure(.json(body, status: 400))
        #expect(failure.map { "\($0)" }?.contains("S3CRET") == false)
    }

    @Test func `RFC 9700 §4.12: no redirect is followed`() async throws {
        try await TokenServer.run(.redirect(307, to: "/elsewhere")) { run in
            await #expect(throws: TokenEndpointError(status: 307)) {
                try await run.service(.secretPost(id: "web", secret: "s")).refresh(.make(refreshToken: "r"))
            }
            #expect(await run.server.requests.map(\.target) == ["/token"])
        }
    }

    @Test func `a connection that drops after the request may have been processed`() async throws {
        try await TokenServer.run(.drop) { run in
            let error = await #expect(throws: TokenTransportError.self) {
                try await run.service().refresh(.make(refreshToken: "r"))
            }
            #expect(error?.delivery == .mayHaveBeenProcessed)
            #expect(await run.server.requests.count == 1)
        }
    }

    @Test func `a server that is down has not seen the request`() async throws {
        try await withHeldPort { port in
            let service = OAuthTokenService.authorizationCode(
                server: .make(at: port.url("").absoluteString), client: .public(id: "t"), transport: URLSession.shared)
            let error = await #expect(throws: TokenTransportError.self) {
                try await service.refresh(.make(refreshToken: "r"))
            }
            #expect(error?.delivery == .notSent)
        }
    }

    @Test func `an answer over 1 MiB is refused`() async throws {
        let padding = String(repeating: "x", count: 1 << 20)
        try await TokenServer.run(.json(#"{"access_token":"\#(padding)"}"#)) { run in
            let error = await #expect(throws: TokenTransportError.self) {
                try await run.service().refresh(.make(refreshToken: "r"))
            }
            #expect(error?.code == .responseTooLong)
        }
    }

    @Test(arguments: [
        ("http://as.example/token", AuthorizationServerError.Problem.insecure),
        ("http://127.0.0.1.example/token", .insecure), ("http://127.1/token", .insecure),
        ("https://as.example/token#part", .fragment), ("https://as.example/token#", .fragment),
        ("ftp://127.0.0.1/token", .insecure), ("token", .notAURL), ("https://192.0.2.1:65536/token", .notAURL),
    ])
    func `RFC 6749 §3.2 and §10.3: nothing is sent without TLS, or to an address with a fragment`(
        address: String, problem: AuthorizationServerError.Problem
    ) async throws {
        let transport = ScriptedTokenTransport()
        let service = OAuthTokenService.authorizationCode(
            server: AuthorizationServer(tokenEndpoint: URL(string: address)), client: .public(id: "t"),
            transport: transport)
        let error = await #expect(throws: AuthorizationServerError.self) {
            try await service.refresh(.make(refreshToken: "r"))
        }
        #expect(error?.problem == problem)
        #expect(error?.kind == .transient && error?.delivery == .notSent)
        #expect(transport.calls == 0)
    }

    @Test(arguments: ["http://127.0.0.1:1/t", "http://127.9.8.7/t", "http://[::1]:8/t", "http://localhost/t"])
    func `this machine may be called without TLS`(address: String) async throws {
        let transport = ScriptedTokenTransport(.response(200, json: #"{"access_token":"a"}"#))
        let service = OAuthTokenService.authorizationCode(
            server: AuthorizationServer(tokenEndpoint: URL(string: address)), client: .public(id: "t"),
            transport: transport)
        _ = try await service.refresh(.make(refreshToken: "r"))
    }

    @Test func `an error names the endpoint that is missing`() async throws {
        let service = OAuthTokenService.authorizationCode(
            server: AuthorizationServer(), client: .public(id: "t"), transport: ScriptedTokenTransport())
        await #expect(throws: AuthorizationServerError(.missingEndpoint, member: "token_endpoint")) {
            try await service.refresh(.make(refreshToken: "r"))
        }
    }

    @Test func `a proxy may renew tokens at another address`() async throws {
        try await TokenServer.run(.json(#"{"access_token":"a"}"#)) { run in
            let service = run.service { $0.refreshEndpoint = URL(string: "\(run.base)/proxy/refresh") }
            _ = try await service.refresh(.make(refreshToken: "r"))
            #expect(await run.server.requests.map(\.target) == ["/proxy/refresh"])
        }
    }

    @Test func `without a refresh token nothing is sent, and the provider decides what it means`() async throws {
        let transport = ScriptedTokenTransport()
        let service = OAuthTokenService.authorizationCode(
            server: .make(), client: .public(id: "t"), transport: transport)
        let error = await #expect(throws: NoRefreshToken.self) { try await service.refresh(.make()) }
        #expect(error?.kind == .noRefreshToken)
        #expect(error?.delivery == .notSent)
        #expect(transport.calls == 0)
    }

    @Test(arguments: [RefreshPolicy.Leeway(), .init(maximum: .seconds(300), fraction: 1)])
    func `a token without a refresh token is used to its last second, whatever the leeway`(
        leeway: RefreshPolicy.Leeway
    ) async throws {
        let clock = ManualClock()
        let service = OAuthTokenService.authorizationCode(
            server: .make(), client: .public(id: "t"), transport: ScriptedTokenTransport(), clock: clock)
        let token = OAuthToken(
            accessToken: "a", lifetime: .seconds(400), expiresAt: clock.now.addingTimeInterval(400))
        let auth = RefreshableTokenAuthorization(
            service: service, token: token, policy: RefreshPolicy(leeway: leeway), clock: clock)
        var events = auth.events.makeAsyncIterator()
        clock.advance(by: .seconds(399))
        #expect(try await auth.validToken().accessToken == "a")
        while let event = await events.next(), event.kind != .refreshEnded {}
        #expect(try await auth.validToken().accessToken == "a")
        clock.advance(by: .seconds(70))
        await #expect { try await auth.validToken() } throws: { ($0 as? NotAuthorized)?.needsSignIn == true }
    }
}
#endif
