// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
import LoopbackServer
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorizationOAuth

/// The server of a session: it moves, its endpoints move, or the program has made it known.
extension ProtectedResourceTests {
    @Test func `a refused token is refreshed at its own server, and the metadata are read once a minute`() async throws
    {
        try await GuardedServer.run { (guarded, server) async throws in
            let notes = ProtectedResourceAuthorization.make(server, guarded)
            _ = try await notes.get(server)
            guarded.change { $0.refused = ["t1"] }
            #expect(try await notes.get(server) == "200 ok")
            // The first time they were read to sign in.
            for (pause, refused, reads) in [(59, ["t1", "t2"], 2), (1, ["t1", "t2", "t3"], 3)] {
                guarded.clock.advance(by: .seconds(pause))
                guarded.change { $0.refused = Set(refused) }
                #expect(try await notes.get(server) == "200 ok")
                #expect(await server.requests.filter { $0.target.contains("oauth-protected-resource") }.count == reads)
            }
            #expect(guarded.now.pages.count == 1 && guarded.now.forms.count == 4)
        }
    }

    @Test(arguments: [("private, max-age=300", 300), ("Max-Age=7200", 3600), ("max-age=0", 60)])
    func `the metadata are read again when their max-age is over, after an hour at most`(
        field: String, seconds: Int
    ) async throws {
        try await GuardedServer.run {
            $0.lifetime = 100_000
        } body: { (guarded, server) async throws in
            let document = #"{"resource":"\#(server.base)/mcp","authorization_servers":["\#(server.base)/as"]}"#
            guarded.change {
                $0.answers["/.well-known/oauth-protected-resource/mcp"] = { _ in
                    .json(document, ("Cache-Control", field))
                }
            }
            let notes = ProtectedResourceAuthorization.make(server, guarded)
            _ = try await notes.get(server)
            // The first time they were read to sign in.
            for (pause, refused, reads) in [(0, 1, 2), (seconds - 1, 2, 2), (1, 3, 3)] {
                guarded.clock.advance(by: .seconds(pause))
                guarded.change { $0.refused = Set((1...refused).map { "t\($0)" }) }
                #expect(try await notes.get(server) == "200 ok")
                #expect(await server.requests.filter { $0.target.contains("oauth-protected-resource") }.count == reads)
            }
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
            let error = await #expect(throws: RefreshFailed.self) { _ = try await notes.get(server) }
            #expect((error?.underlying as? ProtectedResourceError)?.problem == .otherServer)
            #expect(guarded.now.forms.count == 1 && asked.reasons.count == 2)
        }
    }

    @Test func `a move is asked for again when the former token has expired`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let asked = Asked()
            let notes = ProtectedResourceAuthorization.make(server, guarded, asked: asked)
            _ = try await notes.get(server)
            guarded.change { state in
                (state.issuers, state.refused) = (["BASE/as2"], ["t1"])
                state.answers["/.well-known/oauth-authorization-server/as2"] = { _ in .status(503) }
            }
            let error = await #expect(throws: ProtectedResourceError.self) { _ = try await notes.get(server) }
            #expect(error?.problem == .unavailable)
            guarded.change { $0.answers = [:] }
            guarded.clock.advance(by: .seconds(4000))
            #expect(try await notes.get(server) == "200 ok")
            #expect(asked.reasons == ["first sign-in", "other server"])
            #expect(guarded.now.forms.map(\.path) == ["/as/token", "/as2/token"])
        }
    }

    @Test func `a move is noticed also if the former server has gone and its token has expired`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let asked = Asked()
            let notes = ProtectedResourceAuthorization.make(server, guarded, asked: asked)
            _ = try await notes.get(server)
            guarded.change { state in
                state.issuers = ["BASE/as2"]
                state.answers["/as/token"] = { _ in .status(503) }
            }
            guarded.clock.advance(by: .seconds(4000))
            #expect(try await notes.get(server) == "200 ok")
            #expect(asked.reasons == ["first sign-in", "other server"])
            #expect(guarded.now.forms.map(\.path) == ["/as/token", "/as2/token"])
        }
    }

    @Test(arguments: [false, true])
    func `a refresh that fails is no move to the server of a parent of the resource`(isAway: Bool) async throws {
        try await GuardedServer.run { state in
            (state.resource, state.challenge) = (nil, #"resource_metadata="BASE/custom""#)
            Self.list(["/custom": ("/mcp", "/as"), "/.well-known/oauth-protected-resource": ("", "/as2")], &state)
        } body: { (guarded, server) async throws in
            let asked = Asked()
            let notes = ProtectedResourceAuthorization.make(server, guarded, asked: asked)
            #expect(try await notes.get(server) == "200 ok")
            let away = isAway ? ["/as/token", "/mcp"] : ["/as/token"]
            guarded.change { state in
                for path in away { state.answers[path] = { _ in .status(503) } }
            }
            guarded.clock.advance(by: .seconds(4000))
            await #expect(throws: RefreshFailed.self) { _ = try await notes.get(server) }
            guarded.change { state in
                for path in away { state.answers[path] = nil }
            }
            guarded.clock.advance(by: .seconds(400))
            #expect(try await notes.get(server) == "200 ok")
            #expect(asked.reasons == ["first sign-in"])
            #expect(guarded.now.forms.map { $0.form["grant_type"] } == ["authorization_code", "refresh_token"])
        }
    }

    @Test func `a token that is refused without a word of the metadata is no move to the server of a parent`()
        async throws
    {
        try await GuardedServer.run { state in
            (state.resource, state.challenge) = (nil, #"resource_metadata="BASE/custom""#)
            Self.list(["/custom": ("/mcp", "/as"), "/.well-known/oauth-protected-resource": ("", "/as2")], &state)
        } body: { (guarded, server) async throws in
            let asked = Asked()
            let notes = ProtectedResourceAuthorization.make(server, guarded, asked: asked)
            #expect(try await notes.get(server) == "200 ok")
            let challenge = #"Bearer resource_metadata="\#(server.base)/custom""#
            guarded.change { state in
                state.answers["/mcp"] = { request in
                    switch request["Authorization"] ?? "" {
                    case "": .unauthorized(challenge)
                    case "Bearer t1": .unauthorized(#"Bearer error="invalid_token""#)
                    default: .text("ok")
                    }
                }
            }
            #expect(try await notes.get(server) == "200 ok")
            #expect(asked.reasons == ["first sign-in"])
            #expect(guarded.now.forms.map { $0.form["grant_type"] } == ["authorization_code", "refresh_token"])
        }
    }

    @Test func `a move that only a challenge tells leads to the new server, not to that of a parent`() async throws {
        try await GuardedServer.run { state in
            (state.resource, state.challenge) = (nil, #"resource_metadata="BASE/custom""#)
            Self.list(["/custom": ("/mcp", "/as"), "/.well-known/oauth-protected-resource": ("", "/as")], &state)
        } body: { (guarded, server) async throws in
            let asked = Asked()
            let notes = ProtectedResourceAuthorization.make(server, guarded, asked: asked)
            #expect(try await notes.get(server) == "200 ok")
            guarded.change { state in
                Self.list(["/custom": ("/mcp", "/as2")], &state)
                state.answers["/as/token"] = { _ in .status(503) }
            }
            guarded.clock.advance(by: .seconds(4000))
            #expect(try await notes.get(server) == "200 ok")
            let last = try #require(asked.requests.withLock { $0 }.last)
            #expect(last.issuer == "\(server.base)/as2" && last.resource == "\(server.base)/mcp")
        }
    }

    /// Lists a resource and its server, each by its path, at some places.
    private static func list(_ places: [String: (resource: String, issuer: String)], _ state: inout GuardedServer.State)
    {
        for (place, (resource, issuer)) in places {
            state.answers[place] = {
                let base = "http://127.0.0.1:\($0.port)"
                return .json(#"{"resource":"\#(base)\#(resource)","authorization_servers":["\#(base)\#(issuer)"]}"#)
            }
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
            #expect(await server.requests.filter { $0.target.contains("oauth-protected-resource") }.count == 2)
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

    @Test(arguments: [false, true])
    func `a sign-in for a token that cannot be refreshed asks for what was allowed, unless the server is another one`(
        moves: Bool
    ) async throws {
        try await GuardedServer.run { state in
            state.resourceMembers = #","scopes_supported":["basic"]"#
            state.required = ["PUT": ["write"]]
            state.givesRefreshTokens = false
        } body: { (guarded, server) async throws in
            let asked = Asked()
            let notes = ProtectedResourceAuthorization.make(server, guarded, asked: asked)
            #expect(try await notes.get(server) == "200 ok")
            #expect(try await notes.get(server, "PUT") == "200 ok")
            guarded.change { state in
                state.refused = ["t2"]
                if moves { state.issuers = ["BASE/as2"] }
            }
            #expect(try await notes.get(server) == "200 ok")
            #expect(
                guarded.now.pages.map { $0["scope"] } == ["basic", "basic write", moves ? "basic" : "basic write"])
            let last = try #require(asked.requests.withLock { $0 }.last)
            let reason: ResourceSignIn.Reason = moves ? .otherServer : .refusedToken
            #expect(last.reason == reason && last.newScopes.isEmpty)
        }
    }

    @Test func `a server that the resource names again is asked for what was allowed`() async throws {
        try await GuardedServer.run { state in
            state.resourceMembers = #","scopes_supported":["basic"]"#
            state.required = ["PUT": ["write"]]
        } body: { (guarded, server) async throws in
            let (asked, reads) = (Asked(), Lock(0))
            let notes = ProtectedResourceAuthorization.make(server, guarded, asked: asked)
            #expect(try await notes.get(server) == "200 ok")
            #expect(try await notes.get(server, "PUT") == "200 ok")
            guarded.change { state in
                state.refused = ["t2"]
                // Only the list that is read after the 401 names another server.
                state.answers["/.well-known/oauth-protected-resource/mcp"] = { request in
                    let base = "http://127.0.0.1:\(request.port)"
                    let number = reads.withLock { reads in
                        reads += 1
                        return reads
                    }
                    let issuer = number == 1 ? "as2" : "as"
                    return .json(
                        """
                        {"resource":"\(base)/mcp","authorization_servers":["\(base)/\(issuer)"],\
                        "scopes_supported":["basic"]}
                        """)
                }
            }
            #expect(try await notes.get(server) == "200 ok")
            #expect(guarded.now.pages.map { $0["scope"] } == ["basic", "basic write", "basic write"])
            #expect(asked.reasons.last == "other server")
        }
    }

    @Test(arguments: [404, 405, 410])
    func `a token endpoint that has moved is looked for, and the session lives`(status: Int) async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let notes = ProtectedResourceAuthorization.make(server, guarded)
            _ = try await notes.get(server)
            guarded.moveTokenEndpoint(status)
            guarded.clock.advance(by: .seconds(4000))
            #expect(try await notes.get(server) == "200 ok")
            #expect(guarded.now.forms.map(\.path) == ["/as/token", "/as2/token"])
            #expect(guarded.now.forms.map { $0.form["grant_type"] } == ["authorization_code", "refresh_token"])
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
            let error = await #expect(throws: RefreshFailed.self) { _ = try await later.get(server) }
            #expect((error?.underlying as? TokenEndpointError)?.status == 404)
            #expect(
                guarded.now.forms.map { $0.form["grant_type"] } == [
                    "authorization_code", "refresh_token", "authorization_code", "refresh_token",
                ])
            #expect(await server.requests.allSatisfy { !$0.target.contains("well-known") })
        }
    }

    @Test func `a later start signs in at the server that was made known if the token cannot be refreshed`()
        async throws
    {
        try await GuardedServer.run {
            ($0.issuers, $0.givesRefreshTokens) = (["BASE/as2"], false)
        } body: { (guarded, server) async throws in
            let (records, asked) = (ItemResourceRecords(in: SharedPlace()), Asked())
            var authorization = AuthorizationServer.make(at: "\(server.base)/as")
            authorization.registrationEndpoint = server.url("/as/register")
            let known = ProtectedResource(identifier: "\(server.base)/mcp", server: authorization)
            try await ProtectedResourceAuthorization.make(server, guarded, records: records, known: known).signIn()
            for (refused, reasons) in [(["t1"], 1), (["t1", "t2"], 2)] {
                // The second start finds a record that a request's sign-in has made.
                let later = ProtectedResourceAuthorization.make(server, guarded, asked: asked, records: records)
                guarded.change { $0.refused = Set(refused) }
                #expect(try await later.get(server) == "200 ok")
                #expect(asked.reasons == Array(repeating: "refused token", count: reasons))
            }
            #expect(guarded.now.forms.map(\.path) == ["/as/token", "/as/token", "/as/token"])
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
            #expect(guarded.now.forms.map { $0.form["grant_type"] } == ["authorization_code", "refresh_token"])
            let other = later("\(server.base)/as2")
            let error = await #expect(throws: NotAuthorized.self) { _ = try await other.get(server) }
            #expect(error?.reason == .needsInteraction && error?.underlying is TokenOfOtherIssuer)
            #expect(guarded.now.forms.count == 2 && guarded.now.calls == ["t2"])
            try await other.signIn()
            #expect(try await other.get(server) == "200 ok")
        }
    }

    @Test func `a server that is made known by a new name is asked for what was allowed`() async throws {
        try await GuardedServer.run { state in
            state.challenge += #", scope="basic""#
            state.required = ["PUT": ["write"]]
        } body: { (guarded, server) async throws in
            let records = ItemResourceRecords(in: SharedPlace())
            let first = ProtectedResourceAuthorization.make(server, guarded, records: records)
            #expect(try await first.get(server) == "200 ok")
            var authorization = AuthorizationServer.make(at: "\(server.base)/as2")
            authorization.issuer = "\(server.base)/as2"
            authorization.formerIssuers = ["\(server.base)/as"]
            authorization.registrationEndpoint = server.url("/as2/register")
            let known = ProtectedResource(identifier: "\(server.base)/mcp", server: authorization)
            let later = ProtectedResourceAuthorization.make(server, guarded, records: records, known: known)
            #expect(try await later.get(server, "PUT") == "200 ok")
            #expect(guarded.now.pages.map { $0["scope"] } == ["basic", "basic write"])
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

    @Test func `an answer that comes after a sign-in at another server does not count against that server`()
        async throws
    {
        try await GuardedServer.run { (guarded, server) async throws in
            let (asked, transport) = (Asked(), HeldMetadata())
            let notes = ProtectedResourceAuthorization(
                "\(server.base)/mcp", client: ClientIdentity(name: "Tool"),
                policy: .init(backOff: .init(patience: .zero)), transport: transport, clock: guarded.clock,
                signIn: asked.signIn())
            #expect(try await notes.get(server) == "200 ok")
            guarded.change { $0.refused = ["t1"] }
            transport.isArmed.withLock { $0 = true }
            let request = Task { try await notes.get(server) }
            for await _ in transport.held.stream {}
            guarded.change { $0.issuers = ["BASE/as2"] }
            try await notes.signIn()
            transport.goesOn.continuation.finish()
            _ = try? await request.value
            guarded.change { $0.refused = ["t1", "t2"] }
            #expect(try await notes.get(server) == "200 ok")
            #expect(guarded.now.forms.map(\.path) == ["/as/token", "/as2/token", "/as2/token"])
            #expect(guarded.now.forms.last?.form["grant_type"] == "refresh_token")
            #expect(asked.reasons == ["first sign-in", "first sign-in"])
        }
    }

    /// Holds back one answer with the resource's metadata, once it is armed.
    private struct HeldMetadata: TokenTransport {
        let isArmed = Lock(false)
        let held = AsyncStream.makeStream(of: Void.self)
        let goesOn = AsyncStream.makeStream(of: Void.self)

        func send(_ request: TokenRequest) async throws -> TokenResponse {
            let response = try await PatientTransport.patient.send(request)
            let isMetadata = request.url.path().contains("oauth-protected-resource")
            let isHeld = isArmed.withLock { isArmed in
                defer { isArmed = isArmed && !isMetadata }
                return isArmed && isMetadata
            }
            guard isHeld else { return response }
            held.continuation.finish()
            for await _ in goesOn.stream {}
            return response
        }
    }
}
#endif
