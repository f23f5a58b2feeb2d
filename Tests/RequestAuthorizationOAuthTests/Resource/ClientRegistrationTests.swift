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
import StoreFixtures
import Testing

@testable import RequestAuthorizationOAuth

/// How a program introduces itself.
@Suite struct ClientRegistrationTests {
    /// Registers at a server that answers with these answers, and returns what it was sent.
    private func register(
        as identity: ClientIdentity = ClientIdentity(name: "Tool"), redirectURI: String = "http://127.0.0.1:7/callback",
        records: any ResourceRecords = .inMemory, metadata: [String: JSONValue] = [:], _ answers: Answer...
    ) async throws -> (registration: Result<ClientRegistration, any Error>, sent: [[String: JSONValue]]) {
        let next = Lock(answers)
        return try await withServer { _ in
            next.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? .status(500) }
        } body: { server in
            var known = AuthorizationServer.make(at: server.base)
            known.additionalMetadata = metadata
            if !answers.isEmpty { known.registrationEndpoint = server.url("/register") }
            let registration: Result<ClientRegistration, any Error>
            do {
                registration = .success(
                    try await known.register(identity, redirectURI: redirectURI, records: records, transport: .patient))
            } catch {
                registration = .failure(error)
            }
            let sent = try await server.requests.map {
                try JSONDecoder().decode([String: JSONValue].self, from: Data($0.body))
            }
            return (registration, sent)
        }
    }

    private static let created = Answer.json(#"{"client_id":"c"}"#, status: 201)

    @Test func `RFC 7591 §3.1: a native program registers its redirect URI, both grants and no method`() async throws {
        let (registration, sent) = try await register(
            as: ClientIdentity(name: "Tool", softwareStatement: "statement"), Self.created)
        #expect(try registration.get().client == .public(id: "c"))
        #expect(try registration.get().redirectURI == "http://127.0.0.1:7/callback")
        #expect(
            sent == [
                [
                    "client_name": .string("Tool"), "redirect_uris": .array([.string("http://127.0.0.1:7/callback")]),
                    "grant_types": .array([.string("authorization_code"), .string("refresh_token")]),
                    "response_types": .array([.string("code")]), "application_type": .string("native"),
                    "token_endpoint_auth_method": .string("none"), "software_statement": .string("statement"),
                ]
            ])
    }

    @Test(arguments: [
        (["none", "client_secret_basic"], "none"),
        (["client_secret_basic", "client_secret_post"], "client_secret_post"),
        (["client_secret_basic"], "client_secret_basic"),
        (["private_key_jwt", "client_secret_post"], "client_secret_post"),
        ([], "none"),
    ])
    func `the first method that the server lists and that needs no key`(listed: [String], method: String) async throws {
        let (_, sent) = try await register(
            metadata: ["token_endpoint_auth_methods_supported": .array(listed.map { .string($0) })], Self.created)
        #expect(sent.first?["token_endpoint_auth_method"] == .string(method))
    }

    @Test(arguments: [
        (
            #""token_endpoint_auth_method":"client_secret_post","client_secret":"s""#,
            ClientAuthentication.secretPost("s")
        ),
        (#""token_endpoint_auth_method":"client_secret_basic","client_secret":"s""#, .secretBasic("s")),
        (#""token_endpoint_auth_method":"none","client_secret":"s""#, .none),
        (#""client_secret":"s""#, .secretBasic("s")),
    ])
    func `RFC 7591 §3.2.1: the method of the answer counts`(members: String, expected: ClientAuthentication)
        async throws
    {
        let (registration, _) = try await register(.json(#"{"client_id":"c",\#(members)}"#, status: 201))
        #expect(try registration.get().client.authentication == expected)
    }

    @Test func `a method without a secret, one that is unknown, and no client are errors that name the member`()
        async throws
    {
        for (body, member) in [
            (#"{"client_id":"c","token_endpoint_auth_method":"client_secret_post"}"#, "token_endpoint_auth_method"),
            (#"{"client_id":"c","token_endpoint_auth_method":"private_key_jwt"}"#, "token_endpoint_auth_method"),
            ("{}", "client_id"),
        ] {
            let (registration, _) = try await register(.json(body, status: 201))
            let error = #expect(throws: ProtectedResourceError.self) { try registration.get() }
            #expect(error?.problem == .unusable && error?.member == member)
        }
    }

    @Test func `a secret expires, and 0 is never`() async throws {
        let far: [(String, Date?)] = [("0", nil), ("2000000000", Date(timeIntervalSince1970: 2_000_000_000))]
        for (text, expected) in far {
            let answer = Answer.json(
                #"{"client_id":"c","client_secret":"s","client_secret_expires_at":\#(text)}"#, status: 201)
            #expect(try await register(answer).registration.get().secretExpiresAt == expected)
        }
    }

    @Test(arguments: ["invalid_redirect_uri", "invalid_client_metadata"])
    func `after a refusal the other kind of application is tried, once`(code: String) async throws {
        let refused = Answer.json(#"{"error":"\#(code)"}"#, status: 400)
        let (registration, sent) = try await register(refused, Self.created)
        #expect(try registration.get().client.id == "c")
        #expect(sent.map { $0["application_type"] } == [.string("native"), .string("web")])
        let (again, all) = try await register(redirectURI: "https://app.example/cb", refused)
        let error = #expect(throws: ProtectedResourceError.self) { try again.get() }
        #expect(error?.problem == .registrationRefused && error?.code == code && "\(error as Any)".contains(code))
        #expect(all.map { $0["application_type"] } == [.string("web"), .string("native")])
    }

    @Test func `another refusal is not repeated, and a busy server is asked later`() async throws {
        let (refused, sent) = try await register(.json(#"{"error":"unapproved_software_statement"}"#, status: 403))
        #expect(throws: ProtectedResourceError.self) { try refused.get() }
        #expect(sent.count == 1)
        let (busy, _) = try await register(.status(503, ("Retry-After", "9")))
        let error = #expect(throws: ProtectedResourceError.self) { try busy.get() }
        #expect(error?.problem == .unavailable && error?.retryAfter == .seconds(9))
    }

    @Test func `a client of the issuer, then the document, then a registration`() async throws {
        let supports: [String: JSONValue] = ["client_id_metadata_document_supported": .bool(true)]
        var identity = ClientIdentity(name: "App", document: "https://app.example/client.json")
        let (document, none) = try await register(as: identity, metadata: supports, Self.created)
        #expect(try document.get().client == .public(id: "https://app.example/client.json") && none.isEmpty)
        #expect(try document.get().issuer == nil)
        #expect(try await register(as: identity, Self.created).registration.get().client.id == "c")
        identity.registered = ["https://other.example": .public(id: "other")]
        #expect(try await register(as: identity, Self.created).registration.get().client.id == "c")
        var server = AuthorizationServer(issuer: "https://as.example", additionalMetadata: supports)
        identity.registered["https://as.example"] = .public(id: "own")
        func client() async throws -> String {
            try await server.register(
                identity, redirectURI: "x:/y", records: .inMemory, transport: ScriptedTokenTransport()
            ).client.id
        }
        #expect(try await client() == "own")
        server.issuer = "https://as.example/"
        #expect(try await client() == "https://app.example/client.json")
    }

    @Test func `without a way the error says what to pass, and never tries a client of another issuer`() async throws {
        let own = ClientIdentity(
            name: "App", registered: ["https://other.example": .secretPost(id: "o", secret: "s3cret")])
        for (identity, problem) in [
            (ClientIdentity(name: "App"), ProtectedResourceError.Problem.noClient), (own, .otherServer),
        ] {
            let (registration, sent) = try await register(as: identity)
            let error = #expect(throws: ProtectedResourceError.self) { try registration.get() }
            #expect(error?.problem == problem && sent.isEmpty && !"\(error as Any)".contains("s3cret"))
        }
    }

    @Test(arguments: [
        "http://app.example/client.json", "https://app.example", "https://app.example/", "https://app.example/c#x",
        "https://user@app.example/c", "https://app.example/a/../c", "app", "https:///c",
    ])
    func `the URL of a document is checked before it is used`(document: String) async throws {
        let (registration, _) = try await register(
            as: ClientIdentity(name: "App", document: document),
            metadata: ["client_id_metadata_document_supported": .bool(true)], Self.created)
        let error = #expect(throws: ProtectedResourceError.self) { try registration.get() }
        #expect(error?.problem == .invalidDocument)
    }

    @Test(arguments: ["https://app.example/.well-known/client.json", "https://app.example/..a/.b"])
    func `a document may be at a path with names that begin with a dot`(document: String) async throws {
        let (registration, sent) = try await register(
            as: ClientIdentity(name: "App", document: document),
            metadata: ["client_id_metadata_document_supported": .bool(true)], Self.created)
        #expect(try registration.get().client == .public(id: document) && sent.isEmpty)
    }

    @Test(arguments: [true, false]) func `20 at a time register once, and each redirect URI once`(isShared: Bool)
        async throws
    {
        let records: any ResourceRecords = isShared ? ItemResourceRecords(in: SharedPlace()) : InMemoryResourceRecords()
        try await GuardedServer.run { guarded, server in
            var known = AuthorizationServer.make(at: "\(server.base)/as")
            known.registrationEndpoint = server.url("/as/register")
            let clients = try await withThrowingTaskGroup { [known] group in
                for number in 0..<20 {
                    group.addTask {
                        try await known.register(
                            ClientIdentity(name: "Tool"), redirectURI: "http://127.0.0.1:\(number % 2 + 1)/cb",
                            records: records, transport: .patient, clock: guarded.clock
                        ).client.id
                    }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(clients == ["client-1", "client-2"])
            #expect(guarded.now.registrations.count == 2)
            await records.forget(.public(id: "client-1"), at: known.issuer ?? "")
            #expect(try await records.registrations(at: known.issuer ?? "").map(\.client.id) == ["client-2"])
        }
    }

    @Test func `another machine's metadata lead no registration to a server on this machine`() async throws {
        let transport = ScriptedTokenTransport()
        func registered(at host: String) async throws -> ClientRegistration {
            var server = AuthorizationServer.make()
            server.registrationEndpoint = URL(string: "http://\(host)/register")
            return try await server.register(
                ClientIdentity(name: "Tool"), redirectURI: "x.y:/z", records: .inMemory, transport: transport)
        }
        for host in ["127.0.0.1:1", "[::1]", "localhost"] {
            await #expect(throws: AuthorizationServerError(.insecure, member: "registration_endpoint")) {
                try await registered(at: host)
            }
        }
        #expect(transport.calls == 0)
    }

    @Test func `a registration at an issuer that only looks the same is not used`() async throws {
        let records = InMemoryResourceRecords()
        for (issuer, id) in [("https://as.example/\u{e9}", "one"), ("https://as.example/e\u{301}", "two")] {
            var server = AuthorizationServer.make()
            server.issuer = issuer
            server.registrationEndpoint = URL(string: "https://as.example/register")
            let registration = try await server.register(
                ClientIdentity(name: "Tool"), redirectURI: "x.y:/z", records: records,
                transport: ScriptedTokenTransport(.response(201, json: #"{"client_id":"\#(id)"}"#)))
            #expect(registration.client.id == id)
        }
    }

    @Test func `a stored registration is used also at a server that registers nobody any more`() async throws {
        let records = InMemoryResourceRecords()
        let transport = ScriptedTokenTransport(.response(201, json: #"{"client_id":"c"}"#))
        var server = AuthorizationServer.make()
        for endpoint in ["https://as.example/register", nil] {
            (server.issuer, server.registrationEndpoint) = ("https://as.example", endpoint.flatMap { URL(string: $0) })
            let registration = try await server.register(
                ClientIdentity(name: "Tool"), redirectURI: "x.y:/z", records: records, transport: transport)
            #expect(registration.client == .public(id: "c") && transport.calls == 1)
        }
    }

    @Test func `a registration whose secret has expired is not used again`() async throws {
        let records = InMemoryResourceRecords()
        let old = Answer.json(#"{"client_id":"old","client_secret":"s","client_secret_expires_at":1}"#, status: 201)
        try await withServer { _ in
            old
        } body: { server in
            var known = AuthorizationServer.make(at: server.base)
            known.registrationEndpoint = server.url("/register")
            for count in 1...2 {
                _ = try await known.register(
                    ClientIdentity(name: "Tool"), redirectURI: "x.y:/z", records: records, transport: .patient)
                #expect(await server.requests.count == count)
            }
        }
    }
}

/// What is kept for programs that share it.
@Suite struct ResourceRecordsTests {
    private static let kinds: [any ResourceRecords] = [
        InMemoryResourceRecords(), ItemResourceRecords(in: SharedPlace()),
    ]

    @Test(arguments: 0..<2) func `a record is what was saved last, by its name`(kind: Int) async throws {
        let records = Self.kinds[kind]
        #expect(try await records.record(named: "a") == nil)
        try await records.save(Data([1]), named: "a")
        try await records.save(Data([2]), named: "A")
        #expect(try await records.record(named: "a") == Data([1]))
    }

    @Test(arguments: 0..<2) func `a session is found again by its name`(kind: Int) async throws {
        let records = Self.kinds[kind]
        let stored = StoredToken<OAuthToken>(
            .token(.make(refreshToken: "r")), version: TokenVersion(session: UUID(), generation: 0),
            obtainedAt: Date(timeIntervalSince1970: 1))
        try await records.tokens(named: "s").save(stored)
        #expect(try await records.tokens(named: "s").load() == stored)
        #expect(try await records.tokens(named: "t").load() == nil)
    }

    @Test(arguments: 0..<2) func `one has the lock, and who waits may leave`(kind: Int) async throws {
        let records = Self.kinds[kind]
        let first = try await records.lock(named: "l", within: .seconds(60))
        let other = try await records.lock(named: "other", within: .seconds(60))
        let waiting = Task { try await records.lock(named: "l", within: .seconds(60)) }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { _ = try await waiting.value }
        let next = Task { try await records.lock(named: "l", within: .seconds(60)) }
        await first.unlock()
        await other.unlock()
        await (try next.value).unlock()
    }

    @Test(arguments: [#"{"status":"paused"}"#, #"{"status":"token","token":{"other":1}}"#])
    func `a session of a later version stays where it is, and a sign-in sets it aside`(text: String) async throws {
        let items = InMemoryItems(Data(text.utf8))
        let store = ItemTokens(items: items)
        let stored = StoredToken<OAuthToken>(
            .token(.make(refreshToken: "r")), version: TokenVersion(session: UUID(), generation: 1), obtainedAt: .now)
        for use in [
            { _ = try await store.load() }, { _ = try await store.loadWithIntent() },
            { _ = try await store.save(stored, replacing: .session(stored.version.session), ending: nil) },
        ] {
            let error = await #expect(throws: TokenStoreError.self) { try await use() }
            #expect(error?.kind == .unreadable && error?.detail.contains("update this program") == true)
            #expect(items.item == Data(text.utf8) && items.aside.isEmpty)
        }
        #expect(try await store.save(stored, replacing: .anything, ending: nil) == .saved)
        #expect(try await store.load()?.version == stored.version)
        #expect(items.aside == [Data(text.utf8)])
    }

    @Test func `stored tokens in items pass the checks of shared stores`() async throws {
        try await SharedTokenStoreChecks(token: { OAuthToken.make(accessToken: "token-\($0)") }) {
            let items = InMemoryItems()
            return (ItemTokens(items: items), ItemTokens(items: items.sibling()))
        }.run()
    }
}
#endif
