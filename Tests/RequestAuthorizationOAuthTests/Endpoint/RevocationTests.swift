// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
import LoopbackServer
import RequestAuthorization
import RequestAuthorizationOAuth
import RequestAuthorizationTesting
import Testing

@Suite struct RevocationTests {
    private let token = OAuthToken.make(accessToken: "a+", refreshToken: "r&")

    @Test func `RFC 7009 §2.1: a POST with a hint, authenticated, the refresh token first`() async throws {
        try await TokenServer.run(.status(200)) { run in
            try await run.service(.secretBasic(id: "web", secret: "s")).revoke(token)
            #expect(
                await run.bodies == [
                    "token=r%26&token_type_hint=refresh_token", "token=a%2B&token_type_hint=access_token",
                ])
            let requests = await run.server.requests
            #expect(requests.map(\.target) == ["/revoke", "/revoke"])
            #expect(requests.map(\.method) == ["POST", "POST"])
            #expect(requests.allSatisfy { $0["Authorization"] == "Basic d2ViOnM=" })
        }
    }

    @Test func `an access token that has ended needs no revocation`() async throws {
        try await TokenServer.run(.status(200)) { run in
            var token = token
            token.expiresAt = run.clock.now
            try await run.service().revoke(token)
            #expect(await run.bodies == ["client_id=tool&token=r%26&token_type_hint=refresh_token"])
        }
    }

    @Test(arguments: [400, 401])
    func `RFC 7009 §2.2: a token that the server calls invalid is revoked`(status: Int) async throws {
        try await TokenServer.run(.json(#"{"error":"invalid_token"}"#, status: status)) { run in
            try await run.service().revoke(token)
            #expect(await run.server.requests.count == 2)
        }
    }

    @Test func `RFC 7009 §2.2.1: after a 503 the token still exists, and Retry-After is reported`() async throws {
        try await TokenServer.run(.status(503, ("Retry-After", "9"))) { run in
            let expected = TokenEndpointError(status: 503, retryAfter: .seconds(9), kind: .transient)
            await #expect(throws: expected) { try await run.service().revoke(token) }
            #expect(await run.server.requests.count == 1)
            let auth = RefreshableTokenAuthorization(service: run.service(), token: token, clock: run.clock)
            await #expect(throws: expected) { try await auth.signOut() }
            let kept = try await auth.validToken()
            #expect(kept == token)
        }
    }

    @Test(arguments: [
        (408, ""), (429, ""), (500, ""), (502, ""), (504, ""), (400, #"{"error":"temporarily_unavailable"}"#),
        (400, #"{"error":"server_error"}"#),
    ])
    func `a server that is unavailable is not asked to revoke the second token`(status: Int, body: String) async throws
    {
        try await TokenServer.run(.json(body, status: status)) { run in
            let error = await #expect(throws: TokenEndpointError.self) { try await run.service().revoke(token) }
            #expect(error?.kind == .transient)
            #expect(await run.server.requests.count == 1)
        }
    }

    @Test(arguments: [
        (400, #"{"error":"unsupported_token_type"}"#), (401, #"{"error":"invalid_client"}"#),
        (403, #"{"error":"x"}"#), (501, #"{"error":"unsupported"}"#), (200, #"{"error":"invalid_client"}"#),
    ])
    func `RFC 7009 §2.2.1: a refusal, of a public client for instance, stops no sign-out`(
        status: Int, body: String
    ) async throws {
        try await TokenServer.run(.json(body, status: status)) { run in
            let error = await #expect(throws: TokenEndpointError.self) { try await run.service().revoke(token) }
            #expect(error?.kind == .client)
            let auth = RefreshableTokenAuthorization(service: run.service(), token: token, clock: run.clock)
            try await auth.signOut()
            await #expect(throws: NotAuthorized.self) { try await auth.validToken() }
        }
    }

    /// RFC 7009 §2.2 and §2.2.1: the server answers with 2xx, or with an OAuth error. The page of a hotel's network is
    /// neither, nor is what a proxy says.
    @Test(arguments: [
        Answer.redirect(302, to: "http://portal.example/login"), .redirect(307, to: "/login", body: "<html>"),
        .page(200, "<!doctype html><title>Log in</title>"), .page(200, "Please log in"), .page(226, " \n<p>"),
        .status(200, body: "\u{FEFF}\n<HTML>"), .page(403, "<html>Blocked"), .page(404, "Not Found"),
        .status(400, body: "<html>"), .status(403), .status(404), .status(405), .status(501), .status(511),
        .json(#"{"message":"blocked"}"#, status: 403), .json(#"["error"]"#, status: 400),
    ])
    func `an answer that is not the server's signs nobody out`(answer: Answer) async throws {
        try await TokenServer.run(answer, answer, .status(200)) { run in
            let error = await #expect(throws: (any Error).self) { try await run.service().revoke(token) }
            #expect((error as? any TokenServiceFailure)?.kind == .transient)
            #expect(await run.server.requests.count == 1)
            let auth = RefreshableTokenAuthorization(service: run.service(), token: token, clock: run.clock)
            let failure = await #expect(throws: (any Error).self) { try await auth.signOut() }
            #expect((failure as? any TokenServiceFailure)?.kind == .transient)
            #expect(await run.server.requests.count == 2)
            #expect(try await auth.validToken() == token)
            // Later the server itself answers.
            try await auth.signOut()
            await #expect(throws: NotAuthorized.self) { try await auth.validToken() }
        }
    }

    @Test(arguments: [
        Answer.page(200, ""), .page(200, "\r\n"), .status(204), .page(200, "{}"), .json("{}"), .text("OK"),
        .text("null"),
    ])
    func `RFC 7009 §2.2: what a 2xx brings does not count, unless it is a page`(answer: Answer) async throws {
        try await TokenServer.run(answer) { run in
            try await run.service().revoke(token)
            #expect(await run.server.requests.count == 2)
        }
    }

    @Test func `a refusal for one token does not stop the revocation of the other`() async throws {
        let refused = Answer.json(#"{"error":"unsupported_token_type"}"#, status: 400)
        try await TokenServer.run(refused, .status(200)) { run in
            await #expect(throws: TokenEndpointError.self) { try await run.service().revoke(token) }
            #expect(await run.server.requests.count == 2)
        }
    }

    @Test func `a server without revocation gets no request, and that is no error`() async throws {
        let transport = ScriptedTokenTransport()
        let service = OAuthTokenService.authorizationCode(
            server: AuthorizationServer(), client: .public(id: "t"), transport: transport)
        try await service.revoke(token)
        var server = AuthorizationServer.make()
        server.quirks.refusesPublicRevocation = true
        try await OAuthTokenService.authorizationCode(server: server, client: .public(id: "t"), transport: transport)
            .revoke(token)
        #expect(transport.calls == 0)
    }

    @Test func `a token that comes after the sign-out is revoked`() async throws {
        let gate = ScriptedTransport<Void, Void>(.held)
        try await withServer { request in
            guard request.target == "/token" else { return .status(200) }
            try await gate.send(())
            return .json(#"{"access_token":"late","refresh_token":"late-r"}"#)
        } body: { server in
            let run = TokenServer(server: server)
            var old = token
            old.expiresAt = run.clock.now
            var auth: RefreshableTokenAuthorization? = .init(service: run.service(), token: old, clock: run.clock)
            var events = try #require(auth).events.makeAsyncIterator()
            let waiting = Task { [auth] in try await auth?.validToken() }
            let call = try await gate.nextCall()
            try await auth?.signOut()
            await #expect(throws: NotAuthorized.self) { try await waiting.value }
            call.succeed(())
            // The provider goes once nothing is under way, and its events end, whatever the outcome for the token.
            auth = nil
            while let event = await events.next() { #expect(event.kind != .tokenInstalled) }
            #expect(
                await run.bodies.sorted() == [
                    "client_id=tool&grant_type=refresh_token&refresh_token=r%26",
                    "client_id=tool&token=late&token_type_hint=access_token",
                    "client_id=tool&token=late-r&token_type_hint=refresh_token",
                    "client_id=tool&token=r%26&token_type_hint=refresh_token",
                ])
        }
    }
}

extension Answer {
    fileprivate static func page(_ status: Int, _ body: String) -> Answer {
        self.status(status, ("Content-Type", "text/html; charset=utf-8"), body: body)
    }
}
#endif
