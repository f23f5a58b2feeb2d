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
import RequestAuthorizationURLSession
import Testing

@testable import RequestAuthorizationOAuth

/// The life of requests to a resource that introduces itself.
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
            await #expect(throws: (any Error).self) { _ = try await first.value }
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

    @Test func `a refusal counts while the records cannot be read, and a sign-in that cannot begin does not`()
        async throws
    {
        try await GuardedServer.run {
            $0.required = ["PUT": ["write"]]
        } body: { (guarded, server) async throws in
            let (records, asked) = (FillingRecords(), Asked())
            let notes = ProtectedResourceAuthorization.make(server, guarded, asked: asked, records: records)
            #expect(try await notes.get(server) == "200 ok")
            records.isUnreadable.withLock { $0 = true }
            await #expect(throws: TokenStoreError.self) { _ = try await notes.get(server, "PUT") }
            records.isUnreadable.withLock { $0 = false }
            asked.answers.withLock { $0 = false }
            #expect(try await notes.get(server, "PUT").hasPrefix("403"))
            #expect(asked.reasons == ["first sign-in", "further scopes"])
            records.isUnreadable.withLock { $0 = true }
            #expect(try await notes.get(server, "PUT").hasPrefix("403"))
            #expect(asked.reasons.count == 2 && guarded.now.pages.count == 1)
        }
    }

    @Test func `a refusal on the page is told once, and then silences the resource`() async throws {
        try await GuardedServer.run {
            $0.deniesPage = true
        } body: { (guarded, server) async throws in
            let notes = ProtectedResourceAuthorization.make(server, guarded)
            let error = await #expect(throws: SignInError.self) { _ = try await notes.get(server) }
            #expect(error?.accessWasDenied == true)
            #expect(try await notes.get(server).hasPrefix("401"))
            #expect(guarded.now.pages.count == 1)
        }
    }

    @Test func `RFC 6750 §3.1: further scopes are asked for with those that were granted`() async throws {
        try await GuardedServer.run { state in
            state.challenge += #", scope="basic""#
            state.required = ["POST": ["write"]]
        } body: { (guarded, server) async throws in
            let asked = Asked()
            let notes = ProtectedResourceAuthorization.make(server, guarded, asked: asked)
            #expect(try await notes.get(server) == "200 ok")
            #expect(try await notes.get(server, "POST") == "200 ok")
            #expect(guarded.now.pages.map { $0["scope"] } == ["basic", "basic write"])
            let last = try #require(asked.requests.withLock { $0 }.last)
            #expect(last.newScopes == ["write"] && last.scopes == ["basic", "write"] && last.reason == .scopes)
            #expect(guarded.now.registrations.count == 1)
            #expect(!guarded.now.forms.contains { $0.form["grant_type"] == "refresh_token" })
        }
    }

    @Test func `first contact and one step-up are possible for one request`() async throws {
        try await GuardedServer.run {
            $0.required = ["GET": ["read"]]
        } body: { (guarded, server) async throws in
            #expect(try await ProtectedResourceAuthorization.make(server, guarded).get(server) == "200 ok")
            #expect(guarded.now.pages.count == 2)
        }
    }

    @Test(arguments: [#"scope="x""#, "VARIES"])
    func `a server that refuses for ever, also with another demand each time, gets two sign-ins`(demand: String)
        async throws
    {
        try await GuardedServer.run { state in
            state.demand = { demand == "VARIES" ? "scope=\"x\($0)\"" : demand }
        } body: { (guarded, server) async throws in
            let notes = ProtectedResourceAuthorization.make(server, guarded)
            for _ in 0..<5 { #expect(try await notes.get(server).hasPrefix("403")) }
            #expect(guarded.now.pages.count == 2)
        }
    }

    @Test func `RFC 9470 §4: a stronger log-in is asked for with what the resource names`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let asked = Asked()
            let notes = ProtectedResourceAuthorization.make(server, guarded, asked: asked)
            #expect(try await notes.get(server) == "200 ok")
            guarded.change {
                $0.demand = { _ in #"acr_values="gold silver", max_age="60""# }
                $0.demandError = ("insufficient_user_authentication", 401)
            }
            #expect(try await notes.get(server).hasPrefix("401"))
            #expect(
                guarded.now.pages.last?["acr_values"] == "gold silver" && guarded.now.pages.last?["max_age"] == "60")
            #expect(asked.reasons == ["first sign-in", "stronger log-in"])
            #expect(!guarded.now.forms.contains { $0.form["grant_type"] == "refresh_token" })
        }
    }

    @Test func `claims that a resource demands are asked for, if the server takes them`() async throws {
        try await GuardedServer.run {
            $0.givesRefreshTokens = false
            $0.serverMembers += #","claims_parameter_supported":true"#
        } body: { (guarded, server) async throws in
            let notes = ProtectedResourceAuthorization.make(server, guarded)
            let claims = #"{"access_token":{"acrs":{"value":"c1"}}}"#
            guarded.change {
                $0.demand = { _ in "claims=\"\(Data(claims.utf8).base64EncodedString())\"" }
                $0.demandError = ("insufficient_claims", 401)
            }
            #expect(try await notes.get(server).hasPrefix("401"))
            #expect(guarded.now.pages.map { $0["claims"] } == [nil, claims])
        }
    }

    @Test func `a challenge without measure counts as none`() async throws {
        for scope in [(0...50).map { "s\($0)" }.joined(separator: " "), String(repeating: "x", count: 4097)] {
            try await GuardedServer.run { (guarded, server) async throws in
                let notes = ProtectedResourceAuthorization.make(server, guarded)
                #expect(try await notes.get(server) == "200 ok")
                guarded.change { $0.demand = { _ in "scope=\"\(scope)\"" } }
                #expect(try await notes.get(server).hasPrefix("403"))
                #expect(guarded.now.pages.count == 1)
            }
        }
    }

    @Test func `a refused token is refreshed at its own server, and the metadata are read once a minute`() async throws
    {
        try await GuardedServer.run { (guarded, server) async throws in
            let notes = ProtectedResourceAuthorization.make(server, guarded)
            _ = try await notes.get(server)
            guarded.change { $0.refused = ["t1"] }
            #expect(try await notes.get(server) == "200 ok")
            guarded.change { $0.refused = ["t1", "t2"] }
            #expect(try await notes.get(server) == "200 ok")
            #expect(guarded.now.pages.count == 1 && guarded.now.forms.count == 3)
            #expect(await server.requests.filter { $0.target.contains("oauth-protected-resource") }.count == 2)
        }
    }

    @Test func `the resource moves to another server: the old token and client are not shown to it`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let (asked, records) = (Asked(), ItemResourceRecords(in: SharedPlace()))
            let notes = ProtectedResourceAuthorization.make(server, guarded, asked: asked, records: records)
            _ = try await notes.get(server)
            guarded.change { ($0.issuers, $0.refused) = (["BASE/as2"], ["t1"]) }
            #expect(try await notes.get(server) == "200 ok")
            #expect(asked.reasons == ["first sign-in", "other server"])
            #expect(asked.requests.withLock { $0 }.last?.issuer == "\(server.base)/as2")
            let forms = guarded.now.forms
            #expect(forms.map(\.path) == ["/as/token", "/as2/token"])
            #expect(!forms.contains { $0.form["grant_type"] == "refresh_token" })
            #expect(forms.last?.form["client_id"] == "client-2" && guarded.now.pages.last?["client_id"] == "client-2")
            // What is kept is the new session, and nothing of the old one.
            let later = ProtectedResourceAuthorization.make(server, guarded, asked: Asked(false), records: records)
            #expect(try await later.validToken().accessToken == "t2")
            #expect(
                try await records.tokens(named: "\(server.base)/mcp \(server.base)/as client-1").load()?.token == nil)
        }
    }

    @Test func `a move that the person refuses keeps the session, and refreshes nothing any more`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let asked = Asked()
            let notes = ProtectedResourceAuthorization.make(server, guarded, asked: asked)
            _ = try await notes.get(server)
            asked.answers.withLock { $0 = false }
            guarded.change { ($0.issuers, $0.refused) = (["BASE/as2"], ["t1"]) }
            for _ in 0..<2 { #expect(try await notes.get(server).hasPrefix("401")) }
            guarded.change { $0.refused = [] }
            #expect(try await notes.get(server) == "200 ok")
            guarded.clock.advance(by: .seconds(4000))
            await #expect(throws: RefreshFailed.self) { _ = try await notes.get(server) }
            #expect(guarded.now.forms.count == 1 && asked.reasons.count == 2)
        }
    }

    @Test func `a server that is listed again refreshes the session`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let asked = Asked()
            let notes = ProtectedResourceAuthorization.make(server, guarded, asked: asked)
            _ = try await notes.get(server)
            asked.answers.withLock { $0 = false }
            guarded.change { ($0.issuers, $0.refused) = (["BASE/as2"], ["t1"]) }
            #expect(try await notes.get(server).hasPrefix("401"))
            guarded.change { $0.issuers = ["BASE/as"] }
            guarded.clock.advance(by: .seconds(4000))
            #expect(try await notes.get(server) == "200 ok")
            #expect(guarded.now.forms.map { $0.form["grant_type"] } == ["authorization_code", "refresh_token"])
            #expect(asked.reasons.count == 2)
        }
    }

    @Test func `a resource whose metadata cannot be read goes on with the server that is known`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let notes = ProtectedResourceAuthorization.make(server, guarded)
            _ = try await notes.get(server)
            guarded.change { state in
                state.refused = ["t1"]
                state.answers["/.well-known/oauth-protected-resource/mcp"] = { _ in .status(503) }
            }
            #expect(try await notes.get(server) == "200 ok")
            #expect(guarded.now.forms.last?.form["grant_type"] == "refresh_token")
        }
    }

    @Test func `a token that is refused and cannot be refreshed gives one more sign-in, then the answer`() async throws
    {
        try await GuardedServer.run {
            ($0.refusesAll, $0.givesRefreshTokens) = (true, false)
        } body: { (guarded, server) async throws in
            let notes = ProtectedResourceAuthorization.make(server, guarded)
            for _ in 0..<3 { #expect(try await notes.get(server).hasPrefix("401")) }
            #expect(guarded.now.pages.count == 2)
        }
    }

    @Test func `a token endpoint that has moved is looked for, and the session lives`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let notes = ProtectedResourceAuthorization.make(server, guarded)
            _ = try await notes.get(server)
            guarded.moveTokenEndpoint()
            guarded.clock.advance(by: .seconds(4000))
            #expect(try await notes.get(server) == "200 ok")
            #expect(guarded.now.forms.map(\.path) == ["/as/token", "/as2/token"])
        }
    }

    @Test func `a step-up exchanges its code at the token endpoint that was found last`() async throws {
        try await GuardedServer.run {
            $0.required = ["POST": ["write"]]
        } body: { (guarded, server) async throws in
            let notes = ProtectedResourceAuthorization.make(server, guarded)
            _ = try await notes.get(server)
            guarded.moveTokenEndpoint()
            guarded.clock.advance(by: .seconds(4000))
            #expect(try await notes.get(server) == "200 ok")
            #expect(try await notes.get(server, "POST") == "200 ok")
            #expect(guarded.now.forms.map(\.path) == ["/as/token", "/as2/token", "/as2/token"])
        }
    }

    @Test func `a token endpoint that has moved is called as the program has described its server`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let own = ProtectedResourceAuthorization("\(server.base)/mcp", transport: .patient, clock: guarded.clock) {
                found in
                var server = found.server
                server.quirks.sendsClientIDBesideBasic = true
                return .clientCredentials(
                    server: server, client: found.client(.secretBasic(id: "b", secret: "s")), transport: .patient,
                    clock: guarded.clock)
            }
            #expect(try await own.get(server) == "200 ok")
            guarded.moveTokenEndpoint()
            guarded.clock.advance(by: .seconds(4000))
            #expect(try await own.get(server) == "200 ok")
            #expect(guarded.now.forms.map(\.path) == ["/as/token", "/as2/token"])
            #expect(guarded.now.forms.map { $0.form["client_id"] } == ["b", "b"])
        }
    }

    @Test func `a registration dies with invalid_client, and the next sign-in registers once`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let notes = ProtectedResourceAuthorization.make(server, guarded)
            guarded.change { $0.answers["/as/token"] = { _ in .json(#"{"error":"invalid_client"}"#, status: 401) } }
            await #expect(throws: TokenEndpointError.self) { _ = try await notes.get(server) }
            guarded.change { $0.answers = [:] }
            #expect(try await notes.get(server) == "200 ok")
            #expect(guarded.now.registrations.count == 2 && guarded.now.pages.last?["client_id"] == "client-2")
        }
    }

    @Test func `a refresh that is refused for its client leaves the session, and the next sign-in registers`()
        async throws
    {
        try await GuardedServer.run { (guarded, server) async throws in
            let notes = ProtectedResourceAuthorization.make(server, guarded)
            _ = try await notes.get(server)
            guarded.change { $0.answers["/as/token"] = { _ in .json(#"{"error":"invalid_client"}"#, status: 401) } }
            guarded.clock.advance(by: .seconds(4000))
            await #expect(throws: (any Error).self) { _ = try await notes.get(server) }
            guarded.change { $0.answers = [:] }
            try await notes.signIn()
            #expect(try await notes.get(server) == "200 ok")
            #expect(guarded.now.registrations.count == 2)
        }
    }

    @Test func `a sign-in counts although a refresh before it was told to come later`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let notes = ProtectedResourceAuthorization.make(server, guarded)
            _ = try await notes.get(server)
            guarded.change { $0.answers["/as/token"] = { _ in .status(503, ("Retry-After", "600")) } }
            guarded.clock.advance(by: .seconds(4000))
            await #expect(throws: (any Error).self) { _ = try await notes.get(server) }
            guarded.change { $0.answers = [:] }
            try await notes.signIn()
            #expect(try await notes.get(server) == "200 ok")
            #expect(guarded.now.pages.count == 2 && guarded.now.calls.last == "t2")
        }
    }

    @Test func `a sign-in that never comes back drops the registration: the server may not know it any more`()
        async throws
    {
        try await GuardedServer.run { (guarded, server) async throws in
            let notes = ProtectedResourceAuthorization.make(server, guarded)
            guarded.change { $0.answers["/as/authorize"] = { _ in .text("unknown client") } }
            let error = await #expect(throws: SignInError.self) { _ = try await notes.get(server) }
            #expect(error?.kind == .expired)
            guarded.change { $0.answers = [:] }
            #expect(try await notes.get(server) == "200 ok")
            #expect(guarded.now.registrations.count == 2)
        }
    }

    @Test func `another port is another registration, and the same port is the same`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let records = ItemResourceRecords(in: SharedPlace())
            for port in [1, 1, 2, 1] {
                let receiver = PageOpener(redirectURI: "http://127.0.0.1:\(port)/callback")
                let notes = ProtectedResourceAuthorization.make(server, guarded, receiver: receiver, records: records)
                try await notes.signIn()
            }
            #expect(guarded.now.pages.map { $0["client_id"] } == ["client-1", "client-1", "client-2", "client-1"])
        }
    }

    @Test func `a sign-in of a later start leaves no former token, and its scopes are not new`() async throws {
        try await GuardedServer.run {
            $0.resourceMembers = #","scopes_supported":["a"]"#
        } body: { (guarded, server) async throws in
            let (asked, records) = (Asked(), ItemResourceRecords(in: SharedPlace()))
            for port in 1...2 {
                let receiver = PageOpener(redirectURI: "http://127.0.0.1:\(port)/callback")
                try await ProtectedResourceAuthorization.make(
                    server, guarded, asked: asked, receiver: receiver, records: records
                ).signIn()
            }
            #expect(asked.requests.withLock { $0.map(\.newScopes) } == [["a"], []])
            #expect(guarded.now.pages.map { $0["client_id"] } == ["client-1", "client-2"])
            #expect(
                try await records.tokens(named: "\(server.base)/mcp \(server.base)/as client-1").load()?.token == nil)
        }
    }

    @Test func `a receiver is prepared for the URI that is registered, and for a server that does not name itself`()
        async throws
    {
        try await GuardedServer.run { (guarded, server) async throws in
            let receiver = PreparedReceiver()
            let notes = ProtectedResourceAuthorization.make(server, guarded, receiver: receiver)
            try await notes.signIn()
            guarded.change { $0.serverMembers += #","authorization_response_iss_parameter_supported":true"# }
            await #expect(throws: SignInError.self) { try await notes.signIn() }  // it announces iss, and sends none
            #expect(
                receiver.calls.withLock { $0 } == [
                    "dedicated \(server.base)/as", "preferring http://127.0.0.1:1/callback",
                ])
            #expect(try await notes.get(server) == "200 ok")  // the session from before lives
        }
    }

    @Test func `a receiver keeps the redirect URI of a client that does not register itself`() async throws {
        try await GuardedServer.run {
            $0.serverMembers += #","client_id_metadata_document_supported":true"#
        } body: { (guarded, server) async throws in
            for client in [
                ClientIdentity(name: "Tool", registered: ["\(server.base)/as": .public(id: "own")]),
                ClientIdentity(name: "Tool", document: "https://app.example/client.json"),
            ] {
                let receiver = PreparedReceiver()
                let notes = ProtectedResourceAuthorization.make(server, guarded, receiver: receiver, client: client)
                try await notes.signIn()
                #expect(receiver.calls.withLock { $0 }.isEmpty)
            }
            #expect(guarded.now.pages.map { $0["client_id"] } == ["own", "https://app.example/client.json"])
            #expect(guarded.now.registrations.isEmpty)
        }
    }

    @Test func `a refused registration is tried once a minute`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let count = Lock(0)
            guarded.change { state in
                state.answers["/as/register"] = { _ in
                    count.withLock { $0 += 1 }
                    return .json(#"{"error":"access_denied"}"#, status: 403)
                }
            }
            let notes = ProtectedResourceAuthorization.make(server, guarded)
            for _ in 0..<2 {
                let error = await #expect(throws: ProtectedResourceError.self) { _ = try await notes.get(server) }
                #expect(error?.problem == .registrationRefused && error?.code == "access_denied")
            }
            #expect(count.withLock { $0 } == 1)
            guarded.change { $0.answers = [:] }
            guarded.clock.advance(by: .seconds(61))
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

    @Test func `a resource that does not introduce itself is made known, and nothing is discovered`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            var authorization = AuthorizationServer.make(at: "\(server.base)/as")
            authorization.registrationEndpoint = server.url("/as/register")
            let known = ProtectedResource(identifier: "urn:api", server: authorization, scopesSupported: ["k"])
            let notes = ProtectedResourceAuthorization.make(server, guarded, known: known)
            #expect(try await notes.get(server, "POST") == "200 ok")
            #expect(guarded.now.pages.first?["resource"] == "urn:api" && guarded.now.pages.first?["scope"] == "k")
            #expect(await server.requests.allSatisfy { !$0.target.contains("well-known") })
        }
    }

    @Test func `a later start keeps to the server that was made known, whatever the resource lists`() async throws {
        try await GuardedServer.run {
            ($0.issuers, $0.required) = (["BASE/as/"], ["PUT": ["write"]])
        } body: { (guarded, server) async throws in
            let (records, asked) = (ItemResourceRecords(in: SharedPlace()), Asked())
            var authorization = AuthorizationServer.make(at: "\(server.base)/as")
            authorization.registrationEndpoint = server.url("/as/register")
            let known = ProtectedResource(identifier: "\(server.base)/mcp", server: authorization)
            try await ProtectedResourceAuthorization.make(server, guarded, records: records, known: known).signIn()
            let later = ProtectedResourceAuthorization.make(server, guarded, asked: asked, records: records)
            guarded.change { $0.refused = ["t1"] }
            #expect(try await later.get(server) == "200 ok")
            #expect(asked.reasons.isEmpty)
            // Also after a sign-in for more scopes.
            #expect(try await later.get(server, "PUT") == "200 ok")
            guarded.change { $0.refused = ["t1", "t2", "t3"] }
            #expect(try await later.get(server) == "200 ok")
            #expect(asked.reasons == ["further scopes"])
            guarded.moveTokenEndpoint()
            guarded.clock.advance(by: .seconds(4000))
            await #expect(throws: RefreshFailed.self) { _ = try await later.get(server) }
            #expect(
                guarded.now.forms.map { $0.form["grant_type"] } == [
                    "authorization_code", "refresh_token", "authorization_code", "refresh_token",
                ])
            #expect(await server.requests.allSatisfy { !$0.target.contains("well-known") })
        }
    }

    @Test func `a stored session goes on at the server that is made known, and another server's does not`()
        async throws
    {
        try await GuardedServer.run { (guarded, server) async throws in
            let records = ItemResourceRecords(in: SharedPlace())
            func later(_ issuer: String) -> ProtectedResourceAuthorization {
                var authorization = AuthorizationServer.make(at: "\(server.base)/as2")
                authorization.issuer = issuer
                authorization.registrationEndpoint = server.url("/as2/register")
                let known = ProtectedResource(identifier: "\(server.base)/mcp", server: authorization)
                return .make(server, guarded, records: records, known: known)
            }
            try await ProtectedResourceAuthorization.make(server, guarded, records: records).signIn()
            guarded.clock.advance(by: .seconds(4000))
            #expect(try await later("\(server.base)/as").get(server) == "200 ok")
            #expect(guarded.now.forms.map(\.path) == ["/as/token", "/as2/token"])
            let other = later("\(server.base)/as2")
            let error = await #expect(throws: NotAuthorized.self) { _ = try await other.get(server) }
            #expect(error?.reason == .needsInteraction && error?.underlying is TokenOfOtherIssuer)
            #expect(guarded.now.forms.count == 2 && guarded.now.calls == ["t2"])
            try await other.signIn()
            #expect(try await other.get(server) == "200 ok")
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

    @Test func `a resource cannot get another server's client`() async throws {
        try await GuardedServer.run { state in
            // The resource names a server of its own, which registers nobody.
            state.answers["/.well-known/oauth-authorization-server/as"] = {
                let own = "http://127.0.0.1:\($0.port)/as"
                return .json(
                    #"{"issuer":"\#(own)","authorization_endpoint":"\#(own)/authorize","token_endpoint":"\#(own)/token","code_challenge_methods_supported":["S256"]}"#
                )
            }
        } body: { (guarded, server) async throws in
            let identity = ClientIdentity(
                name: "App", registered: ["https://bank.example": .secretPost(id: "bank", secret: "s3cret")])
            let notes = ProtectedResourceAuthorization.make(server, guarded, client: identity)
            let error = await #expect(throws: ProtectedResourceError.self) { _ = try await notes.get(server) }
            #expect(error?.problem == .otherServer)
            let sent = await server.requests.map { $0.head + $0.text }.joined()
            #expect(!sent.contains("bank") && !sent.contains("s3cret"))
        }
    }

    @Test(arguments: [
        ("/other", false), ("/mcp2", false), ("/mcp/../other", false), ("/mcp/%2e%2e/other", false), ("/mcp/sub", true),
        ("/mcp?x=1", true), ("/MCP", false), ("/\u{338}/mcp/x", false), ("/mcp/../\u{338}x", false),
        ("/mcp/\u{338}x", true),
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

    @Test func `clients are told that a credential has a proof`() async throws {
        try await GuardedServer.run {
            $0.tokenType = "DPoP"
        } body: { (guarded, server) async throws in
            let notes = ProtectedResourceAuthorization.make(server, guarded, proof: .dpop)
            let request = TestRequest("\(server.base)/mcp")
            #expect(try await !notes.credential(for: request).isProven)
            try await notes.signIn()
            let credential = try await notes.credential(for: request)
            #expect(credential.isProven && credential.isForOneRequest)
        }
    }

    @Test func `RFC 9449 §8.2: the nonce of a refusal that only a person could help is in the next proof`() async throws
    {
        let nonces = Lock<[String?]>([])
        try await GuardedServer.run {
            $0.tokenType = "DPoP"
            $0.answers["/mcp"] = { request in
                nonces.withLock { $0.append(Self.nonce(of: request)) }
                return .status(
                    403, ("WWW-Authenticate", #"DPoP error="insufficient_scope", scope="write""#),
                    ("DPoP-Nonce", "n2"))
            }
        } body: { (guarded, server) async throws in
            let asked = Asked()
            let notes = ProtectedResourceAuthorization.make(server, guarded, asked: asked, proof: .dpop)
            try await notes.signIn()
            asked.answers.withLock { $0 = false }
            for _ in 0..<2 { #expect(try await notes.get(server).hasPrefix("403")) }
            #expect(nonces.withLock { $0 } == [nil, "n2"])
            #expect(asked.reasons == ["first sign-in", "further scopes"])
        }
    }

    @Test func `RFC 9449 §8.2: the nonce of the resource is in the first proof after another sign-in`() async throws {
        let nonces = Lock<[String?]>([])
        try await GuardedServer.run {
            $0.tokenType = "DPoP"
            $0.answers["/mcp"] = { request in
                nonces.withLock { $0.append(Self.nonce(of: request)) }
                return .status(200, ("DPoP-Nonce", "n2"))
            }
        } body: { (guarded, server) async throws in
            let notes = ProtectedResourceAuthorization.make(server, guarded, proof: .dpop)
            // The second one is at another server.
            for issuer in ["BASE/as", "BASE/as2"] {
                guarded.change { $0.issuers = [issuer] }
                try await notes.signIn()
                _ = try await notes.get(server)
            }
            #expect(nonces.withLock { $0 } == [nil, "n2"])
            #expect(guarded.now.forms.map(\.path) == ["/as/token", "/as2/token"])
        }
    }

    /// The nonce in the proof of a request.
    private static func nonce(of request: RawRequest) -> String? {
        struct Claims: Decodable { let nonce: String? }
        let payload = request["DPoP"]?.split(separator: ".").dropFirst().first
        let claims = payload.flatMap { Base64URL.decode(String($0)) }
        return claims.flatMap { try? JSONDecoder().decode(Claims.self, from: Data($0)) }?.nonce
    }

    @Test func `a program that acts for itself names the issuer that may see its secret`() async throws {
        try await GuardedServer.run {
            $0.resourceMembers = #","scopes_supported":["s"]"#
        } body: { (guarded, server) async throws in
            func provider(_ issuer: String) -> ProtectedResourceAuthorization {
                ProtectedResourceAuthorization("\(server.base)/mcp", transport: .patient, clock: guarded.clock) {
                    found in
                    .clientCredentials(
                        server: try found.server(of: issuer),
                        client: found.client(.secretPost(id: "b", secret: "s3cret")),
                        scopes: found.scopes, transport: .patient, clock: guarded.clock)
                }
            }
            let error = await #expect(throws: ProtectedResourceError.self) {
                _ = try await provider("https://bank.example").get(server)
            }
            #expect(error?.problem == .otherServer && guarded.now.forms.isEmpty)
            let own = provider("\(server.base)/as")
            #expect(try await own.get(server, "POST") == "200 ok")
            #expect(guarded.now.forms.first?.form["scope"] == "s")
            #expect(guarded.now.forms.first?.form["resource"] == "\(server.base)/mcp")
            guarded.change { $0.refused = ["t1"] }
            #expect(try await own.get(server) == "200 ok")
            #expect(guarded.now.pages.isEmpty)
        }
    }

    @Test func `a program that acts for itself tries again after a minute`() async throws {
        try await GuardedServer.run {
            $0.answers["/.well-known/oauth-protected-resource/mcp"] = { _ in .status(503) }
        } body: { (guarded, server) async throws in
            let own = ProtectedResourceAuthorization("\(server.base)/mcp", transport: .patient, clock: guarded.clock) {
                found in
                .clientCredentials(
                    server: found.server, client: found.client(.secretPost(id: "b", secret: "s")),
                    transport: .patient, clock: guarded.clock)
            }
            for _ in 0..<3 {
                let error = await #expect(throws: ProtectedResourceError.self) { _ = try await own.get(server) }
                #expect(error?.problem == .unavailable)
            }
            guarded.change { $0.answers = [:] }
            #expect(try await own.get(server).hasPrefix("401"))
            guarded.clock.advance(by: .seconds(61))
            #expect(try await own.get(server) == "200 ok")
        }
    }

    @Test func `a sign-out is final, until somebody signs in`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let records = ItemResourceRecords(in: SharedPlace())
            let (notes, asked) = (ProtectedResourceAuthorization.make(server, guarded, records: records), Asked())
            _ = try await notes.get(server)
            try await notes.signOut()
            for provider in [notes, .make(server, guarded, asked: asked, records: records)] {
                let count = guarded.now.calls.count
                let error = await #expect(throws: NotAuthorized.self) { _ = try await provider.get(server) }
                #expect(error?.needsSignIn == true && guarded.now.calls.count == count)
            }
            #expect(asked.reasons.isEmpty)
            try await notes.signIn()
            #expect(try await notes.get(server) == "200 ok")
        }
    }

    @Test func `a refused request is not sent again as the person who signs in next`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let notes = ProtectedResourceAuthorization.make(server, guarded)
            #expect(try await notes.get(server) == "200 ok")
            let sent = Lock(0)
            let error = await #expect(throws: NotAuthorized.self) {
                _ = try await notes.send(TestRequest("\(server.base)/mcp")) { _ in
                    sent.withLock { $0 += 1 }
                    try await notes.signOut()
                    try await notes.signIn()
                    return UnauthorizedResponse(fields: ["WWW-Authenticate": [#"Bearer error="invalid_token""#]])
                }
            }
            #expect(error?.reason == .sessionReplaced)
            #expect(sent.withLock { $0 } == 1)
            #expect(try await notes.get(server) == "200 ok")
        }
    }

    @Test(arguments: [false, true])
    func `a request that was sent before a sign-out asks nobody, also if the resource moves`(moves: Bool) async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let asked = Asked()
            let notes = ProtectedResourceAuthorization.make(server, guarded, asked: asked)
            try await notes.signIn()
            let challenge = moves ? #"error="invalid_token""# : #"error="insufficient_scope", scope="write""#
            let error = await #expect(throws: NotAuthorized.self) {
                _ = try await notes.send(TestRequest("\(server.base)/mcp")) { _ in
                    try await notes.signOut()
                    if moves { guarded.change { $0.issuers = ["BASE/as2"] } }
                    return UnauthorizedResponse(
                        statusCode: moves ? 401 : 403, fields: ["WWW-Authenticate": ["Bearer \(challenge)"]])
                }
            }
            #expect(error?.reason == .signedOut && asked.reasons == ["first sign-in"])
        }
    }

    @Test func `a request for more asks nobody while a sign-out revokes the token`() async throws {
        let guarded = GuardedServer()
        guarded.change {
            $0.serverMembers += #","revocation_endpoint":"BASE/as/revoke""#
            $0.required = ["PUT": ["write"]]
        }
        let (revokes, revoke) = AsyncStream.makeStream(of: Void.self)
        let mayRevoke = OneShot<Void>()
        try await withServer { request in
            guard request.target == "/as/revoke" else { return guarded.answer(request) }
            revoke.finish()
            try await mayRevoke.value()
            return .status(200)
        } body: { (server) async throws in
            let asked = Asked()
            let notes = ProtectedResourceAuthorization.make(server, guarded, asked: asked)
            try await notes.signIn()
            async let signOut: Void = notes.signOut()
            for await _ in revokes {}
            let error = await #expect(throws: NotAuthorized.self) { _ = try await notes.get(server, "PUT") }
            #expect(error?.reason == .signedOut && asked.reasons == ["first sign-in"])
            mayRevoke.fulfill()
            try await signOut
            await #expect(throws: NotAuthorized.self) { _ = try await notes.validToken() }
        }
    }

    @Test(arguments: [false, true])
    func `a sign-in or a sign-out that fails leaves the session to its requests`(signsOut: Bool) async throws {
        try await GuardedServer.run {
            $0.serverMembers += #","revocation_endpoint":"BASE/as/revoke""#
            $0.required = ["PUT": ["write"]]
        } body: { (guarded, server) async throws in
            let notes = ProtectedResourceAuthorization.make(server, guarded)
            try await notes.signIn()
            guarded.change { $0.answers[signsOut ? "/as/revoke" : "/as/token"] = { _ in .status(503) } }
            await #expect(throws: (any Error).self) {
                if signsOut { try await notes.signOut() } else { try await notes.signIn() }
            }
            guarded.change { $0.answers = [:] }
            #expect(try await notes.get(server, "PUT") == "200 ok")
        }
    }

    @Test func `a handler is told of each token, also of another server's`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let notes = ProtectedResourceAuthorization.make(server, guarded)
            let (told, tell) = AsyncStream.makeStream(of: String.self)
            let observation = notes.onTokenChange { change in
                if case .tokenUpdated(let token) = change { tell.yield(token.accessToken) } else { tell.yield("ended") }
            }
            var next = told.makeAsyncIterator()
            _ = try await notes.get(server)
            #expect(await next.next() == "t1")
            guarded.change { ($0.issuers, $0.refused) = (["BASE/as2"], ["t1"]) }
            _ = try await notes.get(server)
            #expect(await next.next() == "t2")
            observation.cancel()
        }
    }

    @Test func `an observation that is released ends, and frees its handler`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let notes = ProtectedResourceAuthorization.make(server, guarded)
            let isFreed = Lock(false)
            var observation: TokenObservation? = notes.onTokenChange { [canary = Canary(isFreed)] _ in
                withExtendedLifetime(canary) {}
            }
            #expect(observation != nil && !isFreed.withLock { $0 })
            observation = nil
            #expect(isFreed.withLock { $0 })
        }
    }

    /// Tells of its deallocation.
    private final class Canary: Sendable {
        private let isFreed: Lock<Bool>

        init(_ isFreed: Lock<Bool>) { self.isFreed = isFreed }

        deinit { isFreed.withLock { $0 = true } }
    }

    // MARK: - Together

    @Test func `1 000 refused tasks cause one discovery and one page`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let asked = Asked()
            let notes = ProtectedResourceAuthorization.make(server, guarded, asked: asked)
            let refusal = TestResponse(401, ["WWW-Authenticate": "Bearer"])
            try await withThrowingTaskGroup { group in
                for _ in 0..<1000 {
                    group.addTask {
                        let response = try await notes.send(TestRequest("\(server.base)/mcp")) { request in
                            request.credential(in: "Authorization") == nil
                                ? refusal : TestResponse(200)
                        }
                        #expect(response.statusCode == 200)
                    }
                }
                try await group.waitForAll()
            }
            let targets = await server.requests.map { $0.target.prefix { $0 != "?" } }
            #expect(
                targets == [
                    "/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-authorization-server/as",
                    "/as/register", "/as/authorize", "/as/token",
                ])
            #expect(asked.reasons.count == 1)
        }
    }

    @Test func `who waits may leave at once, and the sign-in goes on`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let (asked, ask) = AsyncStream.makeStream(of: Void.self)
            let (answers, answer) = AsyncStream.makeStream(of: Void.self)
            let notes = ProtectedResourceAuthorization.make(server, guarded, tells: ask, waitsFor: answers)
            let first = Task { try await notes.get(server) }
            for await _ in asked {}
            first.cancel()
            await #expect(throws: (any Error).self) { _ = try await first.value }
            #expect(guarded.now.pages.isEmpty)
            async let second = notes.get(server)
            answer.finish()
            #expect(try await second == "200 ok")
            #expect(guarded.now.pages.count == 1)
        }
    }

    @Test func `a sign-in that is asked for during another one gets its scopes after it`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let (asked, ask) = AsyncStream.makeStream(of: Void.self)
            let (answers, answer) = AsyncStream.makeStream(of: Void.self)
            let notes = ProtectedResourceAuthorization.make(server, guarded, tells: ask, waitsFor: answers)
            async let first: Void = notes.signIn(scopes: ["a"])
            for await _ in asked {}
            async let second: Void = notes.signIn(scopes: ["b"])
            answer.finish()
            try await first
            try await second
            #expect(guarded.now.pages.map { $0["scope"] } == ["a", "b"])
        }
    }

    @Test(.timeLimit(.minutes(2)), arguments: [true, false])
    func `a sign-out during a sign-in is final, and its token is revoked`(revokes: Bool) async throws {
        try await GuardedServer.run {
            $0.serverMembers += #","revocation_endpoint":"BASE/as/revoke""#
        } body: { (guarded, server) async throws in
            let (shown, show) = AsyncStream.makeStream(of: Void.self)
            let (answers, answer) = AsyncStream.makeStream(of: Void.self)
            let (revoked, revoke) = AsyncStream.makeStream(of: String.self)
            guarded.change {
                $0.answers["/as/revoke"] = { request in
                    revoke.yield(GuardedServer.pairs(request.text)["token"] ?? "")
                    return .status(200)
                }
            }
            let places = ItemResourceRecords(in: SharedPlace())
            let notes = ProtectedResourceAuthorization.make(
                server, guarded, receiver: SlowPage(shown: show, answers: answers), records: places)
            let request = Task { try await notes.get(server) }
            for await _ in shown {}
            if revokes { try await notes.signOut() } else { await notes.reset() }
            let error = await #expect(throws: NotAuthorized.self) { _ = try await request.value }
            #expect(error?.reason == .signedOut)
            answer.finish()
            for await token in revoked {
                #expect(["t1", "r1"].contains(token))
                break
            }
            #expect(try await notes.storedSession() == nil)
            await #expect(throws: NotAuthorized.self) { _ = try await notes.validToken() }
            try await notes.signIn()
            #expect(try await notes.get(server) == "200 ok")
        }
    }

    @Test func `a second demand during a sign-in is not lost`() async throws {
        try await GuardedServer.run {
            $0.required = ["GET": ["read"]]
        } body: { (guarded, server) async throws in
            guarded.change { $0.challenge += #", scope="basic""# }
            let notes = ProtectedResourceAuthorization.make(server, guarded)
            async let one = notes.get(server)
            async let two = notes.get(server)
            #expect(try await [one, two] == ["200 ok", "200 ok"])
            #expect(guarded.now.pages.map { $0["scope"] } == ["basic", "basic read"])
        }
    }

    @Test func `two providers with the same records share session, registration and page`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let place = SharedPlace()
            try await withThrowingTaskGroup { group in
                for _ in 0..<10 {
                    group.addTask {
                        let notes = ProtectedResourceAuthorization.make(
                            server, guarded, records: ItemResourceRecords(in: place))
                        let answer = try await notes.get(server)
                        #expect(answer == "200 ok")
                    }
                }
                try await group.waitForAll()
            }
            #expect(
                guarded.now.pages.count == 1 && guarded.now.registrations.count == 1 && guarded.now.forms.count == 1)
        }
    }

    @Test func `a sibling's step-up and change of server are taken over, without asking`() async throws {
        try await GuardedServer.run {
            $0.required = ["PUT": ["write"]]
        } body: { (guarded, server) async throws in
            let none = Asked(false)
            let (first, second) = Self.siblings(server, guarded, none)
            #expect(try await first.get(server) == "200 ok")
            #expect(try await second.get(server) == "200 ok")
            #expect(try await first.get(server, "PUT") == "200 ok")
            #expect(try await second.get(server, "PUT") == "200 ok")
            guarded.change { ($0.issuers, $0.refused) = (["BASE/as2"], ["t1", "t2"]) }
            #expect(try await first.get(server) == "200 ok")
            #expect(try await second.get(server) == "200 ok")
            #expect(none.reasons.isEmpty && guarded.now.pages.count == 3)
        }
    }

    /// Two providers with the same records; who is asked by the second one is noted.
    private static func siblings(
        _ server: RawServer, _ guarded: GuardedServer, _ asked: Asked = Asked()
    ) -> (ProtectedResourceAuthorization, ProtectedResourceAuthorization) {
        let records = ItemResourceRecords(in: SharedPlace())
        return (
            .make(server, guarded, records: records), .make(server, guarded, asked: asked, records: records)
        )
    }

    @Test(arguments: [false, true])
    func `a refused request is not sent again as the person who signs in at a sibling`(moves: Bool) async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let asked = Asked()
            let (first, second) = Self.siblings(server, guarded, asked)
            try await first.signIn()
            #expect(try await second.get(server) == "200 ok")
            let challenge = moves ? #"error="invalid_token""# : #"error="insufficient_scope", scope="write""#
            let sent = Lock(0)
            let error = await #expect(throws: NotAuthorized.self) {
                _ = try await second.send(TestRequest("\(server.base)/mcp")) { _ in
                    sent.withLock { $0 += 1 }
                    if moves { guarded.change { $0.issuers = ["BASE/as2"] } }
                    try await first.signIn(scopes: ["write"])
                    return UnauthorizedResponse(
                        statusCode: moves ? 401 : 403, fields: ["WWW-Authenticate": ["Bearer \(challenge)"]])
                }
            }
            #expect(error?.reason == .sessionReplaced && asked.reasons.isEmpty)
            #expect(sent.withLock { $0 } == 1)
            #expect(try await second.get(server) == "200 ok")
            #expect(guarded.now.calls.last == "t2")
        }
    }

    @Test func `a request that waits behind a sign-in at a sibling is not sent again as that person, who is not asked`()
        async throws
    {
        try await GuardedServer.run {
            $0.required = ["PUT": ["write"]]
        } body: { (guarded, server) async throws in
            let (shown, show) = AsyncStream.makeStream(of: Void.self)
            let (answers, answer) = AsyncStream.makeStream(of: Void.self)
            let (waits, wait) = AsyncStream.makeStream(of: Void.self)
            let records = LockedRecords.telling(wait, ofSignIn: 3)
            let asked = Asked()
            let first = ProtectedResourceAuthorization.make(
                server, guarded, tells: show, waitsFor: answers, records: records)
            let second = ProtectedResourceAuthorization.make(server, guarded, asked: asked, records: records)
            try await second.signIn()
            async let other: Void = first.signIn()
            for await _ in shown {}
            let request = Task { try await second.get(server, "PUT") }
            for await _ in waits {}
            answer.finish()
            try await other
            let error = await #expect(throws: NotAuthorized.self) { _ = try await request.value }
            #expect(error?.reason == .sessionReplaced)
            #expect(guarded.now.calls == ["t1"] && asked.reasons == ["first sign-in"])
            // The person may be asked for the next request.
            #expect(try await second.get(server, "PUT") == "200 ok")
            #expect(asked.reasons == ["first sign-in", "further scopes"])
        }
    }

    @Test(arguments: [false, true])
    func `a request that waits for a refresh goes on with a sibling's step-up, and not with its sign-in`(signsIn: Bool)
        async throws
    {
        try await GuardedServer.run {
            $0.required = ["PUT": ["write"]]
        } body: { (guarded, server) async throws in
            let asked = Asked()
            let (first, second) = Self.siblings(server, guarded, asked)
            #expect(try await first.get(server) == "200 ok")
            #expect(try await second.get(server) == "200 ok")
            if signsIn { try await first.signIn() } else { #expect(try await first.get(server, "PUT") == "200 ok") }
            guarded.clock.advance(by: .seconds(4000))
            if signsIn {
                let error = await #expect(throws: NotAuthorized.self) { _ = try await second.get(server) }
                #expect(error?.reason == .sessionReplaced)
            }
            #expect(try await second.get(server) == "200 ok")
            #expect(asked.reasons.isEmpty)
        }
    }

    @Test func `a refused request is sent again after a sibling's step-up that its provider has found by itself`()
        async throws
    {
        try await GuardedServer.run {
            $0.required = ["PUT": ["write"]]
        } body: { (guarded, server) async throws in
            let asked = Asked()
            let (first, second) = Self.siblings(server, guarded, asked)
            try await first.signIn()
            let tokens = Lock<[String?]>([])
            let response = try await second.send(TestRequest("\(server.base)/mcp")) {
                request async throws -> TestResponse in
                let isFirst = tokens.withLock { tokens in
                    tokens.append(request.credential(in: "Authorization"))
                    return tokens.count == 1
                }
                guard isFirst else { return TestResponse(200) }
                #expect(try await first.get(server, "PUT") == "200 ok")
                await second.readStore()
                return TestResponse(401, ["WWW-Authenticate": #"Bearer error="invalid_token""#])
            }
            #expect(response.statusCode == 200 && asked.reasons.isEmpty)
            #expect(tokens.withLock { $0 } == ["Bearer t1", "Bearer t2"])
        }
    }

    @Test func `a request with the token of a sibling's sign-in belongs to that`() async throws {
        try await GuardedServer.run {
            $0.required = ["PUT": ["write"]]
        } body: { (guarded, server) async throws in
            let asked = Asked()
            let (first, second) = Self.siblings(server, guarded, asked)
            try await first.signIn()
            #expect(try await second.get(server) == "200 ok")
            try await first.signIn()
            await second.readStore()
            #expect(try await second.get(server) == "200 ok")
            #expect(try await second.get(server, "PUT") == "200 ok")
            #expect(guarded.now.calls == ["t1", "t2", "t2", "t3"] && asked.reasons == ["further scopes"])
        }
    }

    @Test func `a request that finds the token of a sibling's sign-in at the first load belongs to that`() async throws
    {
        try await GuardedServer.run {
            $0.required = ["PUT": ["write"]]
        } body: { (guarded, server) async throws in
            let (records, asked) = (SlowlyReadRecords(name: "client-1"), Asked())
            let sibling = ProtectedResourceAuthorization.make(server, guarded, records: records.base)
            try await sibling.signIn()
            let notes = ProtectedResourceAuthorization.make(server, guarded, asked: asked, records: records)
            let request = Task { try await notes.get(server, "PUT") }
            for await _ in records.store.begins.stream {}
            try await sibling.signIn()
            records.store.goesOn.continuation.finish()
            #expect(try await request.value == "200 ok")
            #expect(guarded.now.calls == ["t2", "t3"] && asked.reasons == ["further scopes"])
        }
    }

    @Test func `a loop of one's own: a refusal is not answered by a sign-in at a sibling`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let (first, second) = Self.siblings(server, guarded, Asked(false))
            let request = TestRequest("\(server.base)/mcp")
            try await first.signIn()
            let sent = try await second.authorize(request)
            guarded.change { $0.issuers = ["BASE/as2"] }
            try await first.signIn()
            let error = await #expect(throws: NotAuthorized.self) {
                try await second.setNeedsRefreshAfterUnauthorizedResponse(UnauthorizedResponse(), for: sent)
            }
            #expect(error?.reason == .sessionReplaced)
            #expect(try await second.authorize(request).credential(in: "Authorization") == "Bearer t2")
        }
    }

    @Test func `a step-up after a sibling's asks for the sibling's scopes too`() async throws {
        try await GuardedServer.run {
            $0.required = ["PUT": ["write"], "DELETE": ["admin"]]
        } body: { (guarded, server) async throws in
            let asked = Asked()
            let (first, second) = Self.siblings(server, guarded, asked)
            #expect(try await first.get(server) == "200 ok")
            #expect(try await second.get(server) == "200 ok")
            #expect(try await first.get(server, "PUT") == "200 ok")
            #expect(try await second.get(server, "DELETE") == "200 ok")
            #expect(guarded.now.pages.map { $0["scope"] } == [nil, "write", "admin write"])
            #expect(asked.requests.withLock { $0.map(\.newScopes) } == [["admin"]])
        }
    }

    @Test func `an older sign-in of a sibling does not count as a stronger log-in`() async throws {
        try await GuardedServer.run {
            $0.required = ["PUT": ["write"]]
        } body: { (guarded, server) async throws in
            let asked = Asked()
            let (first, second) = Self.siblings(server, guarded, asked)
            #expect(try await first.get(server) == "200 ok")
            #expect(try await second.get(server) == "200 ok")
            #expect(try await first.get(server, "PUT") == "200 ok")
            guarded.change {
                $0.demand = { _ in #"acr_values="gold""# }
                $0.demandError = ("insufficient_user_authentication", 401)
            }
            #expect(try await second.get(server).hasPrefix("401"))
            #expect(asked.reasons == ["stronger log-in"])
            #expect(guarded.now.pages.map { $0["acr_values"] } == [nil, nil, "gold"])
        }
    }

    @Test func `a process that found no session sees the first sign-in of a sibling`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let records = ItemResourceRecords(in: SharedPlace())
            let (first, second, third) = (
                ProtectedResourceAuthorization.make(server, guarded, records: records),
                ProtectedResourceAuthorization.make(server, guarded, records: records),
                ProtectedResourceAuthorization.make(server, guarded, records: records)
            )
            for provider in [second, third] {
                let error = await #expect(throws: NotAuthorized.self) { _ = try await provider.validToken() }
                #expect(error?.reason == .noToken)
            }
            try await first.signIn()
            #expect(try await second.validToken().accessToken == "t1")
            try await third.signOut()
            #expect(try await first.storedSession() == nil)
        }
    }

    @Test func `a sign-out ends the session of a sibling that has moved to another server`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let (first, second) = Self.siblings(server, guarded)
            #expect(try await first.get(server) == "200 ok")
            #expect(try await second.get(server) == "200 ok")
            guarded.change { ($0.issuers, $0.refused) = (["BASE/as2"], ["t1"]) }
            #expect(try await first.get(server) == "200 ok")
            #expect(try await first.storedSession()?.issuer == "\(server.base)/as2")
            try await second.signOut()
            #expect(try await first.storedSession() == nil)
        }
    }

    @Test func `a reset leaves the session of a sibling that has moved to another server, and uses it`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let asked = Asked()
            let (first, second) = Self.siblings(server, guarded, asked)
            #expect(try await first.get(server) == "200 ok")
            #expect(try await second.get(server) == "200 ok")
            guarded.change { ($0.issuers, $0.refused) = (["BASE/as2"], ["t1"]) }
            #expect(try await first.get(server) == "200 ok")
            await second.reset()
            #expect(try await second.get(server) == "200 ok")
            #expect(guarded.now.calls.last == "t2" && asked.reasons.isEmpty)
        }
    }

    @Test func `a sign-out revokes the token of a sign-in that could not be saved`() async throws {
        let revoked = Lock<[String]>([])
        try await GuardedServer.run {
            $0.serverMembers += #","revocation_endpoint":"BASE/as/revoke""#
            $0.answers["/as/revoke"] = { request in
                revoked.withLock { $0.append(GuardedServer.pairs(request.text)["token"] ?? "") }
                return .status(200)
            }
        } body: { (guarded, server) async throws in
            let records = FillingRecords()
            let notes = ProtectedResourceAuthorization.make(server, guarded, records: records)
            try await notes.signIn()
            records.isFull.withLock { $0 = true }
            try await notes.signIn()
            try await notes.signOut()
            #expect(revoked.withLock { $0 } == ["r2", "t2"])
        }
    }

    @Test func `a sibling's sign-in is taken over, and kept, by a process that could not save an earlier one`()
        async throws
    {
        try await GuardedServer.run {
            $0.required = ["PUT": ["write"]]
        } body: { (guarded, server) async throws in
            let records = FillingRecords()
            let notes = ProtectedResourceAuthorization.make(server, guarded, records: records)
            let receiver = PageOpener(redirectURI: "http://127.0.0.1:2/callback")
            let second = ProtectedResourceAuthorization.make(server, guarded, receiver: receiver, records: records)
            try await notes.signIn()
            records.isFull.withLock { $0 = true }
            try await notes.signIn()
            records.isFull.withLock { $0 = false }
            try await second.signIn(scopes: ["write"])
            let error = await #expect(throws: NotAuthorized.self) { _ = try await notes.get(server, "PUT") }
            #expect(error?.reason == .sessionReplaced)
            #expect(try await notes.get(server, "PUT") == "200 ok")
            #expect(guarded.now.calls.last == "t3" && guarded.now.pages.count == 3)
            try await notes.settle(within: .seconds(60))
            #expect(try await second.storedSession()?.clientID == "client-2")
            #expect(try await second.storedSession()?.scopes == ["write"])
        }
    }

    /// Records on a disk that is full, or cannot be read, from a moment on.
    private struct FillingRecords: ResourceRecords {
        let base = InMemoryResourceRecords()
        let isFull = Lock(false)
        let isUnreadable = Lock(false)

        func record(named name: String) async throws -> Data? {
            if isUnreadable.withLock({ $0 }) { throw TokenStoreError(.unavailable, "away") }
            return base.record(named: name)
        }
        func save(_ record: Data, named name: String) async throws {
            try check()
            base.save(record, named: name)
        }
        func tokens(named name: String) -> any TokenStore<OAuthToken> {
            FillingTokens(base: base.tokens(named: name), records: self)
        }
        func lock(named name: String, within limit: Duration) async throws -> TokenStoreLock {
            try await base.lock(named: name, within: limit)
        }
        func check() throws { if isFull.withLock({ $0 }) { throw TokenStoreError(.noSpace, "full") } }
    }

    private struct FillingTokens: TokenStore {
        let base: any TokenStore<OAuthToken>
        let records: FillingRecords

        func load() async throws -> StoredToken<OAuthToken>? { try await base.load() }
        func save(_ stored: StoredToken<OAuthToken>) async throws {
            try records.check()
            try await base.save(stored)
        }
        func clear() async throws {
            try records.check()
            try await base.clear()
        }
    }

    @Test func `a token to pass on comes from the server that a sibling has moved to`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let (first, second) = Self.siblings(server, guarded)
            #expect(try await first.get(server) == "200 ok")
            #expect(try await second.validToken().accessToken == "t1")
            guarded.change { ($0.issuers, $0.refused) = (["BASE/as2"], ["t1"]) }
            #expect(try await first.get(server) == "200 ok")
            guarded.clock.advance(by: .seconds(4000))
            #expect(try await second.validToken().accessToken == "t3")
            #expect(guarded.now.forms.map(\.path) == ["/as/token", "/as2/token", "/as2/token"])
        }
    }

    @Test func `a sibling's sign-in that is read slowly does not replace a later one of this program`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let records = SlowlyReadRecords(name: "client-2")
            let notes = ProtectedResourceAuthorization.make(server, guarded, records: records)
            #expect(try await notes.get(server) == "200 ok")
            let receiver = PageOpener(redirectURI: "http://127.0.0.1:2/callback")
            let sibling = ProtectedResourceAuthorization.make(
                server, guarded, receiver: receiver, records: records.base)
            try await sibling.signIn()
            await notes.reset()
            let request = Task { try await notes.get(server) }
            for await _ in records.store.begins.stream {}
            try await notes.signIn()
            records.store.goesOn.continuation.finish()
            #expect(try await request.value == "200 ok")
            #expect(try await notes.validToken().accessToken == "t3")
            #expect(guarded.now.pages.map { $0["client_id"] } == ["client-1", "client-2", "client-1"])
        }
    }

    /// Records in which the store of one client is read slowly.
    private struct SlowlyReadRecords: ResourceRecords {
        let base = InMemoryResourceRecords()
        let name: String
        let store = (begins: AsyncStream.makeStream(of: Void.self), goesOn: AsyncStream.makeStream(of: Void.self))

        func record(named name: String) async throws -> Data? { base.record(named: name) }
        func save(_ record: Data, named name: String) async throws { base.save(record, named: name) }
        func tokens(named name: String) -> any TokenStore<OAuthToken> {
            guard name.hasSuffix(self.name) else { return base.tokens(named: name) }
            return SlowTokens(base: base.tokens(named: name), records: self)
        }
        func lock(named name: String, within limit: Duration) async throws -> TokenStoreLock {
            try await base.lock(named: name, within: limit)
        }
    }

    private struct SlowTokens: TokenStore {
        let base: any TokenStore<OAuthToken>
        let records: SlowlyReadRecords

        func load() async throws -> StoredToken<OAuthToken>? {
            records.store.begins.continuation.finish()
            for await _ in records.store.goesOn.stream {}
            return try await base.load()
        }
        func save(_ stored: StoredToken<OAuthToken>) async throws { try await base.save(stored) }
        func clear() async throws { try await base.clear() }
    }

    @Test func `after ten minutes who waits is told who asks, and since when`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let limits = Lock<[Duration]>([])
            let records = LockedRecords { _, limit in
                limits.withLock { $0.append(limit) }
                throw TokenStoreError(.timedOut, "held")
            }
            try await records.save(
                value: ResourceAsker(process: 4711, since: guarded.clock.now), named: "sign-in \(server.base)/mcp")
            let notes = ProtectedResourceAuthorization.make(server, guarded, records: records)
            let error = await #expect(throws: NotAuthorized.self) { try await notes.signIn() }
            #expect(error?.reason == .needsInteraction && "\(error as Any)".contains("process 4711"))
            #expect(limits.withLock { $0 } == [.seconds(600)])
        }
    }

    @Test func `a registration that waits in vain is not taken for another process that asks`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let records = LockedRecords { name, _ in
                if name.hasPrefix("registration") { throw TokenStoreError(.timedOut, "held") }
            }
            let notes = ProtectedResourceAuthorization.make(server, guarded, records: records)
            let error = await #expect(throws: TokenStoreError.self) { try await notes.signIn() }
            #expect(error?.kind == .timedOut)
        }
    }

    @Test func `a refusal that comes after a sign-out says nothing about the next sign-in`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let (asked, ask) = AsyncStream.makeStream(of: Void.self)
            let (answers, answer) = AsyncStream.makeStream(of: Bool.self)
            let (waits, wait) = AsyncStream.makeStream(of: Void.self)
            let records = LockedRecords.telling(wait, ofSignIn: 2)
            let isFirst = Lock(true)
            let notes = ProtectedResourceAuthorization(
                "\(server.base)/mcp", client: ClientIdentity(name: "Tool"), records: records, transport: .patient,
                clock: guarded.clock,
                signIn: .through(PageOpener()) { _ in
                    guard
                        isFirst.withLock({
                            let was = $0; $0 = false; return was
                        })
                    else { return true }
                    ask.finish()
                    // A dialogue that pays no attention to cancellation.
                    return await Task.detached { await answers.first { _ in true } ?? true }.value
                })
            let first = Task { try await notes.signIn() }
            for await _ in asked {}
            await notes.reset()
            await #expect(throws: NotAuthorized.self) { try await first.value }
            let second = Task { try await notes.signIn() }
            for await _ in waits {}
            guarded.clock.advance(by: .seconds(1))
            answer.yield(false)
            try await second.value
            #expect(try await notes.get(server) == "200 ok")
        }
    }

    /// Records that call a function before each lock.
    private struct LockedRecords: ResourceRecords {
        let base = InMemoryResourceRecords()
        let willLock: @Sendable (String, Duration) throws -> Void

        /// Ends a stream when the sign-in of this number is about to lock.
        static func telling(_ stream: AsyncStream<Void>.Continuation, ofSignIn number: Int) -> LockedRecords {
            let count = Lock(0)
            return LockedRecords { name, _ in
                guard name.hasPrefix("sign-in") else { return }
                count.withLock { count in
                    count += 1
                    if count == number { stream.finish() }
                }
            }
        }

        func record(named name: String) async throws -> Data? { base.record(named: name) }
        func save(_ record: Data, named name: String) async throws { base.save(record, named: name) }
        func tokens(named name: String) -> any TokenStore<OAuthToken> { base.tokens(named: name) }
        func lock(named name: String, within limit: Duration) async throws -> TokenStoreLock {
            try willLock(name, limit)
            return try await base.lock(named: name, within: limit)
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

extension ProtectedResourceAuthorization {
    /// The session's provider reads its store, as after a notice that it has changed.
    fileprivate func readStore() async { _ = try? await sessions.session?.provider.refreshNow() }
}

/// Opens the page itself, and notes how it was prepared.
private struct PreparedReceiver: CallbackReceiver {
    let calls = Lock<[String]>([])

    func preferring(_ redirectURI: String) -> PreparedReceiver {
        calls.withLock { $0.append("preferring \(redirectURI)") }
        return self
    }

    func dedicated(to issuer: String) -> PreparedReceiver {
        calls.withLock { $0.append("dedicated \(issuer)") }
        return self
    }

    func callback(
        for start: nonisolated(nonsending) @escaping @Sendable (_ redirectURI: String) async throws -> PendingSignIn,
        show: nonisolated(nonsending) @escaping @Sendable (URL) async throws -> Void
    ) async throws -> URL { try await PageOpener().callback(for: start, show: show) }
}

/// A page that is shown, and answered later. The browser pays no attention to cancellation.
private struct SlowPage: CallbackReceiver {
    let shown: AsyncStream<Void>.Continuation
    let answers: AsyncStream<Void>

    func callback(
        for start: nonisolated(nonsending) @escaping @Sendable (_ redirectURI: String) async throws -> PendingSignIn,
        show: nonisolated(nonsending) @escaping @Sendable (URL) async throws -> Void
    ) async throws -> URL {
        let pending = try await start("http://127.0.0.1:1/callback")
        shown.finish()
        return try await Task.detached {
            for await _ in answers {}
            return try await PageOpener().callback(for: { _ in pending }, show: { _ in })
        }.value
    }
}

extension GuardedServer {
    /// From now on the metadata name another token endpoint, and the former one is gone.
    fileprivate func moveTokenEndpoint() {
        change { state in
            state.answers["/as/token"] = { _ in .status(404) }
            state.answers["/.well-known/oauth-authorization-server/as"] = {
                let base = "http://127.0.0.1:\($0.port)"
                return .json(
                    """
                    {"issuer":"\(base)/as","authorization_endpoint":"\(base)/as/authorize",\
                    "token_endpoint":"\(base)/as2/token","registration_endpoint":"\(base)/as/register",\
                    "code_challenge_methods_supported":["S256"]}
                    """)
            }
        }
    }
}
#endif
