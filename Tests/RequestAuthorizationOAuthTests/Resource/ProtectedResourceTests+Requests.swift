// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
import LoopbackServer
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorizationOAuth

/// Where the token goes, and which refusals are answered.
extension ProtectedResourceTests {
    @Test(arguments: [
        ("/other", false), ("/mcp2", false), ("/mcp/../other", false), ("/mcp/%2e%2e/other", false), ("/mcp/sub", true),
        ("/mcp?x=1", true), ("/MCP", false), ("/\u{338}/mcp/x", false), ("/mcp/../\u{338}x", false),
        ("/mcp/\u{338}x", true), ("/mcp/..%2Fother", false), ("/mcp/%2e%2e%2f\u{338}other", false),
        ("/mcp/..%5cother", false), ("/mcp//../other", false), ("/mcp/..;a=b/other", false), ("/mcp/a/..%2Fb", true),
        ("/mcp/..other/..", true), ("/mcp?next=/..%2F..%2Fother", true),
    ])
    func `the token goes below the URL only`(path: String, isAllowed: Bool) async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let notes = ProtectedResourceAuthorization.make(server, guarded)
            _ = try await notes.get(server)
            do {
                _ = try await notes.credential(for: TestRequest("\(server.base)\(path)"))
                #expect(isAllowed)
            } catch let error as NotAuthorized {
                #expect(!isAllowed && error.reason == .originNotAllowed)
            }
            await #expect(throws: NotAuthorized.self) {
                _ = try await notes.credential(for: TestRequest("http://127.0.0.1:1/mcp"))
            }
        }
    }

    @Test func `a redirect that leaves the URL is followed without the token, and its 401 asks for nothing`()
        async throws
    {
        try await GuardedServer.run {
            $0.answers["/mcp/away"] = { _ in .redirect(302, to: "/other") }
            $0.answers["/mcp/within"] = { _ in .redirect(302, to: "/mcp") }
            $0.answers["/other"] = { $0["Authorization"] == nil ? .unauthorized("Bearer") : .text("token") }
        } body: { (guarded, server) async throws in
            let asked = Asked()
            let notes = ProtectedResourceAuthorization.make(server, guarded, asked: asked)
            #expect(try await notes.get(server, path: "/mcp/away") == "401 ")
            #expect(asked.reasons.isEmpty)
            #expect(try await notes.get(server, path: "/mcp/within") == "200 ok")
            #expect(try await notes.get(server, path: "/mcp/away") == "401 ")
            #expect(asked.reasons == ["first sign-in"])
        }
    }

    @Test func `a body that cannot be sent again starts no sign-in`() async throws {
        try await GuardedServer.run {
            $0.resource = nil
        } body: { (guarded, server) async throws in
            let asked = Asked()
            let notes = ProtectedResourceAuthorization.make(server, guarded, asked: asked)
            let response = try await notes.send(
                TestRequest("\(server.base)/mcp", method: "POST", isReplayable: false), isReplayable: false
            ) { _ in UnauthorizedResponse() }
            #expect(response.statusCode == 401 && asked.reasons.isEmpty)
        }
    }

    @Test func `a loop of one's own tells the provider of the refusal`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let notes = ProtectedResourceAuthorization.make(server, guarded)
            let request = TestRequest("\(server.base)/mcp")
            let sent = try await notes.authorize(request)
            #expect(sent.credential(in: "Authorization") == nil)
            let refusal = UnauthorizedResponse(
                fields: [
                    "WWW-Authenticate": [
                        #"Bearer resource_metadata="\#(server.base)/.well-known/oauth-protected-resource/mcp""#
                    ]
                ])
            try await notes.setNeedsRefreshAfterUnauthorizedResponse(refusal, for: sent)
            let second = try await notes.authorize(request)
            #expect(second.credential(in: "Authorization") == "Bearer t1")
            try await notes.setNeedsRefreshAfterUnauthorizedResponse(refusal, for: second)
            #expect(try await notes.authorize(request).credential(in: "Authorization") == "Bearer t2")
        }
    }

    @Test func `a loop of one's own: the late refusal of a former token asks nobody`() async throws {
        try await GuardedServer.run {
            $0.givesRefreshTokens = false
        } body: { (guarded, server) async throws in
            let asked = Asked()
            let notes = ProtectedResourceAuthorization.make(server, guarded, asked: asked)
            let request = TestRequest("\(server.base)/mcp")
            try await notes.signIn()
            let former = try await notes.authorize(request)
            try await notes.signIn()
            let error = await #expect(throws: NotAuthorized.self) {
                try await notes.setNeedsRefreshAfterUnauthorizedResponse(UnauthorizedResponse(), for: former)
            }
            #expect(error?.reason == .sessionReplaced && asked.reasons.count == 2)
            #expect(try await notes.authorize(request).credential(in: "Authorization") == "Bearer t2")
        }
    }

    @Test func `a loop of one's own: a late refusal is answered by the sign-in that another request needed`()
        async throws
    {
        try await GuardedServer.run {
            $0.required = ["PUT": ["write"]]
        } body: { (guarded, server) async throws in
            let asked = Asked()
            let notes = ProtectedResourceAuthorization.make(server, guarded, asked: asked)
            let request = TestRequest("\(server.base)/mcp")
            try await notes.signIn()
            let former = try await notes.authorize(request)
            #expect(try await notes.get(server, "PUT") == "200 ok")
            let demand = #"Bearer error="insufficient_scope", scope="write""#
            let refusal = UnauthorizedResponse(statusCode: 403, fields: ["WWW-Authenticate": [demand]])
            try await notes.setNeedsRefreshAfterUnauthorizedResponse(refusal, for: former)
            #expect(try await notes.authorize(request).credential(in: "Authorization") == "Bearer t2")
            #expect(asked.reasons == ["first sign-in", "further scopes"])
        }
    }

    @Test func `a call that goes on with a later token of its session is no retry`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let notes = ProtectedResourceAuthorization.make(server, guarded)
            try await notes.signIn()
            let request = TestRequest("\(server.base)/mcp")
            let first = try await notes.credential(for: request)
            guarded.clock.advance(by: .seconds(4000))
            let next = try await notes.credential(for: request)
            #expect(first.fields.map(\.value) == ["Bearer t1"] && next.fields.map(\.value) == ["Bearer t2"])
            let provider = try #require(notes.sessions.session?.provider)
            var events = provider.events.makeAsyncIterator()
            try first.allowsToGoOn(with: next)
            // The refusal of the former token ends the list.
            _ = try await first.judge(TestResponse(401, ["WWW-Authenticate": #"Bearer error="invalid_token""#]))
            var kinds: [AuthorizationEvent.Kind] = []
            while kinds.last != .unauthorized, let event = await events.next() { kinds.append(event.kind) }
            #expect(kinds.last == .unauthorized && !kinds.contains(.requestRetried))
            try await notes.signOut()
            try await notes.signIn()
            let other = try await notes.credential(for: request)
            #expect(throws: NotAuthorized.self) { try next.allowsToGoOn(with: other) }
        }
    }

    @Test func `the error of a request elsewhere names the origin, and neither path nor query of the URL`() async {
        let notes = ProtectedResourceAuthorization(
            "https://api.example/p4th/mcp?key=s3cret", client: ClientIdentity(name: "Tool"), transport: .patient)
        let error = await #expect(throws: NotAuthorized.self) {
            _ = try await notes.credential(for: TestRequest("https://api.example/other"))
        }
        #expect(error?.reason == .originNotAllowed)
        let text = "\(error as Any)"
        #expect(text.contains("https://api.example") && !text.contains("p4th") && !text.contains("s3cret"))
    }
}
#endif
