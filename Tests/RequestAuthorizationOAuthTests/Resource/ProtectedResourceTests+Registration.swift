// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
import LoopbackServer
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorizationOAuth

/// The client at a server: when it is registered, kept and dropped.
extension ProtectedResourceTests {
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
            let error = await #expect(throws: NotAuthorized.self) { _ = try await notes.get(server) }
            #expect(error?.reason == .clientRefused && guarded.now.pages.count == 1)
            #expect(try await notes.storedSession()?.clientID == "client-1")
            guarded.change { $0.answers = [:] }
            try await notes.signIn()
            #expect(try await notes.get(server) == "200 ok")
            #expect(guarded.now.registrations.count == 2)
        }
    }

    @Test func `who is refused for its client goes on with the sign-in for which a sibling has registered again`()
        async throws
    {
        try await GuardedServer.run { (guarded, server) async throws in
            // A sibling's changes to these stores are not announced.
            let (asked, records) = (Asked(), InMemoryResourceRecords())
            let first = ProtectedResourceAuthorization.make(server, guarded, records: records)
            let second = ProtectedResourceAuthorization.make(server, guarded, asked: asked, records: records)
            _ = try await first.get(server)
            _ = try await second.get(server)
            guarded.change { $0.answers["/as/token"] = { _ in .json(#"{"error":"invalid_client"}"#, status: 401) } }
            guarded.clock.advance(by: .seconds(4000))
            let error = await #expect(throws: NotAuthorized.self) { _ = try await second.get(server) }
            #expect(error?.reason == .clientRefused)
            guarded.change { $0.answers = [:] }
            try await first.signIn()
            // The next request does not go on as the person who has signed in, and the one after it does.
            await #expect(throws: NotAuthorized.self) { _ = try await second.get(server) }
            #expect(try await second.get(server) == "200 ok")
            #expect(guarded.now.calls.last == "t2" && asked.reasons.isEmpty)
            #expect(guarded.now.pages.map { $0["client_id"] } == ["client-1", "client-2"])
        }
    }

    @Test func `a later start proves a client that was registered by hand with the secret that it has now`()
        async throws
    {
        try await GuardedServer.run { (guarded, server) async throws in
            let records = ItemResourceRecords(in: SharedPlace())
            func tool(secret: String) -> ProtectedResourceAuthorization {
                let own = OAuthClient.secretPost(id: "app", secret: secret)
                let identity = ClientIdentity(name: "App", registered: ["\(server.base)/as": own])
                return .make(server, guarded, client: identity, records: records)
            }
            #expect(try await tool(secret: "old").get(server) == "200 ok")
            guarded.clock.advance(by: .seconds(4000))
            #expect(try await tool(secret: "new").get(server) == "200 ok")
            #expect(guarded.now.forms.map { $0.form["grant_type"] } == ["authorization_code", "refresh_token"])
            #expect(guarded.now.forms.map { $0.form["client_secret"] } == ["old", "new"])
        }
    }

    @Test func `a sign-in counts although a refresh before it was told to come later`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let notes = ProtectedResourceAuthorization.make(server, guarded)
            _ = try await notes.get(server)
            guarded.change { $0.answers["/as/token"] = { _ in .status(503, ("Retry-After", "600")) } }
            guarded.clock.advance(by: .seconds(4000))
            await #expect(throws: RefreshFailed.self) { _ = try await notes.get(server) }
            guarded.change { $0.answers = [:] }
            // The server's time counts.
            guarded.clock.advance(by: .seconds(200))
            await #expect(throws: RefreshFailed.self) { _ = try await notes.get(server) }
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

    @Test func `a sign-in that never comes back leaves the registration at a server that registers nobody any more`()
        async throws
    {
        try await GuardedServer.run { (guarded, server) async throws in
            let records = InMemoryResourceRecords()
            try await ProtectedResourceAuthorization.make(server, guarded, records: records).signIn()
            let known = ProtectedResource(identifier: "\(server.base)/mcp", server: .make(at: "\(server.base)/as"))
            let notes = ProtectedResourceAuthorization.make(server, guarded, records: records, known: known)
            guarded.change { $0.answers["/as/authorize"] = { _ in .text("busy") } }
            let error = await #expect(throws: SignInError.self) { try await notes.signIn() }
            #expect(error?.kind == .expired)
            guarded.change { $0.answers = [:] }
            try await notes.signIn()
            #expect(guarded.now.pages.map { $0["client_id"] } == ["client-1", "client-1"])
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

    @Test func `a refused registration says nothing about the server to which the resource moves`() async throws {
        try await GuardedServer.run {
            $0.answers["/as/register"] = { _ in .json(#"{"error":"access_denied"}"#, status: 403) }
        } body: { (guarded, server) async throws in
            let notes = ProtectedResourceAuthorization.make(server, guarded)
            let error = await #expect(throws: ProtectedResourceError.self) { _ = try await notes.get(server) }
            #expect(error?.problem == .registrationRefused)
            guarded.change { $0.issuers = ["BASE/as2"] }
            #expect(try await notes.get(server) == "200 ok")
            #expect(guarded.now.forms.map(\.path) == ["/as2/token"])
        }
    }

    @Test func `a refused registration is tried once a minute, also if the resource comes back to its server`()
        async throws
    {
        try await GuardedServer.run { state in
            for path in ["/as/register", "/as2/register"] {
                state.answers[path] = { _ in .json(#"{"error":"access_denied"}"#, status: 403) }
            }
        } body: { (guarded, server) async throws in
            let asked = Asked()
            let notes = ProtectedResourceAuthorization.make(server, guarded, asked: asked)
            for issuer in ["BASE/as", "BASE/as2", "BASE/as"] {
                guarded.change { $0.issuers = [issuer] }
                let error = await #expect(throws: ProtectedResourceError.self) { try await notes.signIn() }
                #expect(error?.problem == .registrationRefused)
            }
            #expect(asked.requests.withLock { $0.map(\.issuer) } == ["\(server.base)/as", "\(server.base)/as2"])
        }
    }

    @Test func `a sign-in that fails before the person is asked counts for a minute`() async throws {
        try await GuardedServer.run {
            $0.answers["/.well-known/oauth-protected-resource/mcp"] = { _ in .status(503) }
        } body: { (guarded, server) async throws in
            let asked = Asked()
            let notes = ProtectedResourceAuthorization.make(server, guarded, asked: asked)
            for _ in 0..<3 {
                let error = await #expect(throws: ProtectedResourceError.self) { _ = try await notes.get(server) }
                #expect(error?.problem == .unavailable)
            }
            guarded.change { $0.answers = [:] }
            #expect(try await notes.get(server).hasPrefix("401"))
            guarded.clock.advance(by: .seconds(61))
            #expect(try await notes.get(server) == "200 ok")
            #expect(asked.reasons == ["first sign-in"])
        }
    }
}
#endif
