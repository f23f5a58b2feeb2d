// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
import LoopbackServer
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorizationOAuth

/// Requests to a resource that introduces itself, up to the first answer. The extensions have the other themes.
@Suite struct ProtectedResourceTests {
    @Test func `from nothing but a URL to an answer, with one page, one registration and one code`() async throws {
        try await GuardedServer.run {
            $0.resourceMembers = #","scopes_supported":["a","b"]"#
        } body: { (guarded, server) async throws in
            let asked = Asked()
            let notes = ProtectedResourceAuthorization.make(server, guarded, asked: asked)
            #expect(try await notes.get(server) == "200 ok")
            #expect(try await notes.get(server, "POST") == "200 ok")
            let now = guarded.now
            #expect(now.calls == ["", "t1", "t1"])
            #expect(now.pages.count == 1 && now.registrations.count == 1 && now.forms.count == 1)
            let page = try #require(now.pages.first)
            #expect(
                page["scope"] == "a b" && page["code_challenge_method"] == "S256" && page["client_id"] == "client-1")
            #expect(page["resource"] == "\(server.base)/mcp" && page["prompt"] == nil)
            #expect(now.forms.first?.form["resource"] == "\(server.base)/mcp")
            let request = try #require(asked.requests.withLock { $0 }.first)
            #expect(request.resource == "\(server.base)/mcp" && request.issuer == "\(server.base)/as")
            #expect(request.scopes == ["a", "b"] && request.newScopes == ["a", "b"] && request.reason == .first)
            #expect(try await notes.validToken().accessToken == "t1")
            #expect(await server.requests.filter { $0.target.hasPrefix("/.well-known/oauth-protected") }.count == 1)
        }
    }

    @Test func `a public part needs nobody, and an unsafe request is not carried out anonymously elsewhere`()
        async throws
    {
        try await GuardedServer.run {
            $0.isPublic = true
        } body: { (guarded, server) async throws in
            let asked = Asked()
            let notes = ProtectedResourceAuthorization.make(server, guarded, asked: asked)
            #expect(try await notes.get(server) == "200 public")
            #expect(asked.reasons.isEmpty)
            guarded.change { $0.isPublic = false }
            #expect(try await notes.get(server, "POST", path: "/mcp/sub") == "200 ok")
            #expect(guarded.now.calls == ["", "", "t1"])  // GET, HEAD for the challenge, POST
            #expect(await server.requests.map(\.method).filter { $0 == "POST" }.count == 3)  // client, code, request
        }
        try await GuardedServer.run {
            ($0.isPublic, $0.resource) = (true, nil)
        } body: { (guarded, server) async throws in
            let notes = ProtectedResourceAuthorization.make(server, guarded)
            #expect(try await notes.get(server, "POST", path: "/mcp/sub") == "200 public")
            #expect(try await notes.get(server, "POST", path: "/mcp/sub") == "200 public")
            #expect(await server.requests.filter { $0.method == "GET" }.count == 2)  // looked for once a minute
        }
    }

    @Test func `an unsafe request that leaves does not end the discovery that others share`() async throws {
        let guarded = GuardedServer()
        guarded.change { ($0.isPublic, $0.resource) = (true, nil) }
        let mayAnswer = OneShot<Void>()
        try await withServer { request in
            if request.method == "GET" { try await mayAnswer.value() }
            return guarded.answer(request)
        } body: { (server) async throws in
            let notes = ProtectedResourceAuthorization.make(server, guarded)
            let first = Task { try await notes.get(server, "POST", path: "/mcp/sub") }
            await server.waitForRequests(1)
            first.cancel()
            await #expect(throws: CancellationError.self) { _ = try await first.value }
            async let second = notes.get(server, "POST", path: "/mcp/sub")
            mayAnswer.fulfill()
            #expect(try await second == "200 public")
            #expect(await server.requests.filter { $0.method == "GET" }.count == 2)
        }
    }

    @Test func `the challenge of an unsafe request is asked for first, so that its scopes count`() async throws {
        try await GuardedServer.run { state in
            state.challenge = #"resource_metadata="BASE/.well-known/oauth-protected-resource/mcp", scope="only""#
            state.resourceMembers = #","scopes_supported":["a","b"]"#
        } body: { (guarded, server) async throws in
            #expect(
                try await ProtectedResourceAuthorization.make(server, guarded).get(server, "POST", path: "/mcp/sub")
                    == "200 ok")
            #expect(guarded.now.pages.first?["scope"] == "only")
        }
    }

    @Test func `an unsafe request finds metadata that only a challenge names`() async throws {
        try await GuardedServer.run { state in
            state.challenge = #"resource_metadata="BASE/custom""#
            for place in ["", "/mcp"] {
                state.answers["/.well-known/oauth-protected-resource\(place)"] = { _ in .redirect(302, to: "/log-in") }
            }
            state.answers["/custom"] = {
                let base = "http://127.0.0.1:\($0.port)"
                return .json(#"{"resource":"\#(base)/mcp","authorization_servers":["\#(base)/as"]}"#)
            }
        } body: { (guarded, server) async throws in
            let notes = ProtectedResourceAuthorization.make(server, guarded)
            #expect(try await notes.get(server, "POST", path: "/mcp/sub") == "200 ok")
            #expect(guarded.now.calls.last == "t1" && guarded.now.pages.count == 1)
        }
    }

    @Test func `a later start needs no discovery, and neither does a refresh`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let records = ItemResourceRecords(in: SharedPlace())
            _ = try await ProtectedResourceAuthorization.make(server, guarded, records: records).get(server)
            let before = await server.requests.count
            let later = ProtectedResourceAuthorization.make(server, guarded, asked: Asked(false), records: records)
            #expect(try await later.get(server, "POST") == "200 ok")
            guarded.clock.advance(by: .seconds(4000))
            #expect(try await later.get(server) == "200 ok")
            #expect(await server.requests.dropFirst(before).map(\.target) == ["/mcp", "/as/token", "/mcp"])
            #expect(guarded.now.forms.last?.form["client_id"] == "client-1")
            #expect(guarded.now.forms.last?.form["resource"] == "\(server.base)/mcp")
        }
    }

    @Test func `the stored session is told without a call and without a secret, until it ends`() async throws {
        try await GuardedServer.run {
            $0.resourceMembers = #","scopes_supported":["a","b"]"#
        } body: { (guarded, server) async throws in
            let records = ItemResourceRecords(in: SharedPlace())
            let notes = ProtectedResourceAuthorization.make(server, guarded, records: records)
            #expect(try await notes.storedSession() == nil)
            try await notes.signIn()
            let before = await server.requests.count
            let later = ProtectedResourceAuthorization.make(server, guarded, records: records)
            let session = try #require(try await later.storedSession())
            #expect(session.resource == "\(server.base)/mcp" && session.issuer == "\(server.base)/as")
            #expect(session.clientID == "client-1" && session.scopes == ["a", "b"])
            #expect(session.expiresAt == guarded.clock.now + 3600)
            #expect(session.isRefreshable && !session.isBound)
            #expect(!"\(session)".contains("t1"))
            #expect(try await records.record(named: "resource \(server.base)/mcp") != nil)
            #expect(await server.requests.count == before)
            await notes.reset()
            #expect(try await later.storedSession() == nil)
        }
    }

    @Test func `nobody to ask throws at once, with the challenge, and shows nothing`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let notes = ProtectedResourceAuthorization(
                "\(server.base)/mcp", client: ClientIdentity(name: "Tool"), transport: .patient, clock: guarded.clock)
            for method in ["GET", "POST"] {
                let error = await #expect(throws: NotAuthorized.self) { _ = try await notes.get(server, method) }
                #expect(error?.reason == .noToken && error?.needsSignIn == true)
                #expect(error?.challenge?.resourceMetadata != nil)
            }
            await #expect(throws: NotAuthorized.self) { try await notes.signIn() }
            #expect(guarded.now.pages.isEmpty && guarded.now.registrations.isEmpty)
        }
    }

    @Test func `one refusal counts for all requests, until the program asks`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let asked = Asked(false)
            let notes = ProtectedResourceAuthorization.make(server, guarded, asked: asked)
            let error = await #expect(throws: (any Error).self) {
                _ = try await notes.get(server, "POST", path: "/mcp/sub")
            }
            #expect((error as? NotAuthorized)?.reason == .needsInteraction)
            #expect(try await notes.get(server).hasPrefix("401"))
            #expect(try await notes.get(server).hasPrefix("401"))
            #expect(asked.reasons.count == 1 && guarded.now.pages.isEmpty && guarded.now.registrations.isEmpty)
            asked.answers.withLock { $0 = true }
            try await notes.signIn(scopes: ["mine"])
            #expect(try await notes.get(server) == "200 ok")
            #expect(guarded.now.pages.first?["scope"] == "mine")
        }
    }

    @Test func `a refusal on the page is told once, and then silences the resource`() async throws {
        try await GuardedServer.run {
            $0.pageError = "access_denied"
        } body: { (guarded, server) async throws in
            let notes = ProtectedResourceAuthorization.make(server, guarded)
            let error = await #expect(throws: SignInError.self) { _ = try await notes.get(server) }
            #expect(error?.accessWasDenied == true)
            #expect(try await notes.get(server).hasPrefix("401"))
            #expect(guarded.now.pages.count == 1)
        }
    }

    @Test func `a refusal before the clock was set back says nothing about later sign-ins`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let asked = Asked(false)
            let notes = ProtectedResourceAuthorization.make(server, guarded, asked: asked)
            await #expect(throws: NotAuthorized.self) { try await notes.signIn() }
            guarded.clock.setWallClock(to: guarded.clock.now - 86_400)
            asked.answers.withLock { $0 = true }
            try await notes.signIn()
            #expect(try await notes.get(server) == "200 ok")
        }
    }

    @Test func `without metadata the call that got the 401 says so`() async throws {
        try await GuardedServer.run {
            ($0.resource, $0.challenge) = (nil, #"realm="x""#)
        } body: { (guarded, server) async throws in
            let asked = Asked()
            let notes = ProtectedResourceAuthorization.make(server, guarded, asked: asked)
            let error = await #expect(throws: ProtectedResourceError.self) { _ = try await notes.get(server) }
            #expect(error?.problem == .noMetadata)
            #expect(asked.reasons.isEmpty)
        }
    }

    @Test func `servers that refuse the parameter get no resource`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let notes = ProtectedResourceAuthorization.make(server, guarded, namesResource: false)
            #expect(try await notes.get(server) == "200 ok")
            #expect(guarded.now.pages.first?["resource"] == nil && guarded.now.forms.first?.form["resource"] == nil)
        }
    }

    @Test func `offline access is asked for with consent, where the server lists it`() async throws {
        try await GuardedServer.run { state in
            state.serverMembers += #","scopes_supported":["offline_access"]"#
            state.resourceMembers = #","scopes_supported":["a"]"#
        } body: { (guarded, server) async throws in
            _ = try await ProtectedResourceAuthorization.make(server, guarded).get(server)
            let page = try #require(guarded.now.pages.first)
            #expect(page["scope"] == "a offline_access" && page["prompt"] == "consent")
        }
    }

    #if LoopbackReceiver
    @Test func `a page whose program never ends holds up no sign-in`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let (stops, stop) = AsyncStream.makeStream(of: Void.self)
            let notes = ProtectedResourceAuthorization(
                "\(server.base)/mcp", client: ClientIdentity(name: "Tool"), transport: .patient, clock: guarded.clock,
                signIn: .through(
                    .loopback,
                    show: { page in
                        _ = try await URLSession.patient.data(from: page)
                        for await _ in stops {}
                    }, ask: { _ in true }))
            #expect(try await notes.get(server) == "200 ok")
            stop.finish()
        }
    }
    #endif
}
#endif
