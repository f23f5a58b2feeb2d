// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
import LoopbackServer
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorizationOAuth

/// Providers with the same records, as in several processes.
extension ProtectedResourceTests {
    /// Two providers with the same records; who is asked by the second one is noted.
    private static func siblings(
        _ server: RawServer, _ guarded: GuardedServer, _ asked: Asked = Asked()
    ) -> (ProtectedResourceAuthorization, ProtectedResourceAuthorization) {
        let records = ItemResourceRecords(in: SharedPlace())
        return (
            .make(server, guarded, records: records), .make(server, guarded, asked: asked, records: records)
        )
    }

    /// Siblings that both have the session for which the first one has asked.
    private static func siblingsWithSession(
        _ server: RawServer, _ guarded: GuardedServer, _ asked: Asked = Asked(),
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> (ProtectedResourceAuthorization, ProtectedResourceAuthorization) {
        let (first, second) = siblings(server, guarded, asked)
        #expect(try await first.get(server) == "200 ok", sourceLocation: sourceLocation)
        #expect(try await second.get(server) == "200 ok", sourceLocation: sourceLocation)
        return (first, second)
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
            let (first, second) = try await Self.siblingsWithSession(server, guarded, none)
            #expect(try await first.get(server, "PUT") == "200 ok")
            #expect(try await second.get(server, "PUT") == "200 ok")
            guarded.change { ($0.issuers, $0.refused) = (["BASE/as2"], ["t1", "t2"]) }
            #expect(try await first.get(server) == "200 ok")
            #expect(try await second.get(server) == "200 ok")
            #expect(none.reasons.isEmpty && guarded.now.pages.count == 3)
        }
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

    @Test func `a credential is not current any more when a sibling's session at another server takes its place`()
        async throws
    {
        try await GuardedServer.run { (guarded, server) async throws in
            let (first, second) = try await Self.siblingsWithSession(server, guarded)
            let sent = try await second.credential(for: TestRequest("\(server.base)/mcp"))
            // A token that could not be saved would keep it alive, too.
            let former = second.sessions.session?.provider
            #expect(sent.isCurrent)
            guarded.change { $0.issuers = ["BASE/as2"] }
            try await first.signIn()
            let refusal = UnauthorizedResponse(fields: ["WWW-Authenticate": [#"Bearer error="invalid_token""#]])
            #expect(try await sent.judge(refusal) == .newProof)
            withExtendedLifetime(former) { #expect(!sent.isCurrent) }
        }
    }

    @Test func `a request that began without a session is not sent a third time as who signs in at a sibling`()
        async throws
    {
        try await GuardedServer.run { (guarded, server) async throws in
            let asked = Asked()
            let (first, second) = Self.siblings(server, guarded, asked)
            let sent = Lock(0)
            let error = await #expect(throws: NotAuthorized.self) {
                _ = try await second.send(TestRequest("\(server.base)/mcp")) { _ in
                    let isFirst = sent.withLock { count in
                        count += 1
                        return count == 1
                    }
                    if !isFirst { try await first.signIn(scopes: ["write"]) }
                    let challenge = isFirst ? "Bearer" : #"Bearer error="insufficient_scope", scope="write""#
                    return UnauthorizedResponse(
                        statusCode: isFirst ? 401 : 403, fields: ["WWW-Authenticate": [challenge]])
                }
            }
            #expect(error?.reason == .sessionReplaced)
            #expect(sent.withLock { $0 } == 2 && asked.reasons == ["first sign-in"])
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
            let (first, second) = try await Self.siblingsWithSession(server, guarded, asked)
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

    @Test func `a request whose refresh fails is not sent as the person who has signed in at a sibling after a move`()
        async throws
    {
        try await GuardedServer.run { (guarded, server) async throws in
            // A sibling's changes to these stores are not announced.
            let (asked, records) = (Asked(), InMemoryResourceRecords())
            let first = ProtectedResourceAuthorization.make(server, guarded, records: records)
            let second = ProtectedResourceAuthorization.make(server, guarded, asked: asked, records: records)
            try await first.signIn()
            #expect(try await second.get(server) == "200 ok")
            guarded.change { state in
                state.issuers = ["BASE/as2"]
                state.answers["/as/token"] = { _ in .status(503) }
            }
            try await first.signIn()
            guarded.clock.advance(by: .seconds(4000))
            let error = await #expect(throws: NotAuthorized.self) { _ = try await second.get(server) }
            #expect(error?.reason == .sessionReplaced)
            #expect(try await second.get(server) == "200 ok")
            #expect(guarded.now.calls == ["t1", "", "t3"] && asked.reasons.isEmpty)  // HEAD asks for the challenge.
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
            let (first, second) = try await Self.siblingsWithSession(server, guarded, asked)
            #expect(try await first.get(server, "PUT") == "200 ok")
            #expect(try await second.get(server, "DELETE") == "200 ok")
            #expect(guarded.now.pages.map { $0["scope"] } == [nil, "write", "admin write"])
            #expect(asked.requests.withLock { $0.map(\.newScopes) } == [["admin"]])
        }
    }

    @Test func `who waits for a sibling's step-up is not asked again, also if the resource demands offline_access`()
        async throws
    {
        try await GuardedServer.run { (guarded, server) async throws in
            let (shown, show) = AsyncStream.makeStream(of: Void.self)
            let (answers, answer) = AsyncStream.makeStream(of: Void.self)
            let (waits, wait) = AsyncStream.makeStream(of: Void.self)
            let records = LockedRecords.telling(wait, ofSignIn: 3)
            let asked = Asked()
            let first = ProtectedResourceAuthorization.make(
                server, guarded, tells: show, waitsFor: answers, records: records)
            let second = ProtectedResourceAuthorization.make(server, guarded, asked: asked, records: records)
            try await second.signIn()
            let demand = #"Bearer error="insufficient_scope", scope="write offline_access""#
            @Sendable func status(_ notes: ProtectedResourceAuthorization) async throws -> Int {
                try await notes.send(TestRequest("\(server.base)/mcp")) { request async throws -> TestResponse in
                    let isRefused = request.credential(in: "Authorization") == "Bearer t1"
                    return isRefused ? TestResponse(403, ["WWW-Authenticate": demand]) : TestResponse(200)
                }.statusCode
            }
            async let one = status(first)
            for await _ in shown {}
            async let two = status(second)
            for await _ in waits {}
            answer.finish()
            #expect(try await [one, two] == [200, 200])
            #expect(asked.reasons == ["first sign-in"])
            #expect(guarded.now.pages.map { $0["scope"] } == [nil, "write"])
        }
    }

    @Test func `an older sign-in of a sibling does not count as a stronger log-in`() async throws {
        try await GuardedServer.run {
            $0.required = ["PUT": ["write"]]
        } body: { (guarded, server) async throws in
            let asked = Asked()
            let (first, second) = try await Self.siblingsWithSession(server, guarded, asked)
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

    @Test func `a sign-in counts only if the sibling that was first has not signed out again`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let (base, asked, isFirst) = (InMemoryResourceRecords(), Asked(), Lock(true))
            let sibling = ProtectedResourceAuthorization.make(server, guarded, records: base)
            let records = LockedRecords(base: base) { name, _ in
                guard name.hasPrefix("sign-in"),
                    isFirst.withLock({ isFirst in
                        defer { isFirst = false }
                        return isFirst
                    })
                else { return }
                try await sibling.signIn()
                await sibling.reset()
            }
            let notes = ProtectedResourceAuthorization.make(server, guarded, asked: asked, records: records)
            try await notes.signIn()
            #expect(asked.reasons == ["first sign-in"])
            #expect(try await notes.validToken().accessToken == "t2")
        }
    }

    @Test func `a sign-out ends the session of a sibling that has moved to another server`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let (first, second) = try await Self.siblingsWithSession(server, guarded)
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
            let (first, second) = try await Self.siblingsWithSession(server, guarded, asked)
            guarded.change { ($0.issuers, $0.refused) = (["BASE/as2"], ["t1"]) }
            #expect(try await first.get(server) == "200 ok")
            await second.reset()
            #expect(try await second.get(server) == "200 ok")
            #expect(guarded.now.calls.last == "t2" && asked.reasons.isEmpty)
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

    /// Providers with the same records. The last one is a client of its own.
    private static func twoClients(
        _ server: RawServer, _ guarded: GuardedServer
    ) -> (ProtectedResourceAuthorization, ProtectedResourceAuthorization, ProtectedResourceAuthorization) {
        let records = ItemResourceRecords(in: SharedPlace())
        let own = ClientIdentity(name: "Tool", registered: ["\(server.base)/as": .public(id: "own")])
        return (
            .make(server, guarded, records: records), .make(server, guarded, records: records),
            .make(server, guarded, client: own, records: records)
        )
    }

    @Test func `a sign-in as another client ends the session of the former client, also of a sibling`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let (first, second, other) = Self.twoClients(server, guarded)
            try await other.signIn()
            await other.reset()
            try await first.signIn()
            #expect(try await second.get(server) == "200 ok")
            try await other.signIn()
            await second.readStore()
            #expect(try await second.get(server) == "200 ok")
            #expect(guarded.now.calls == ["t2", "t3"])
            try await other.signOut()
            await second.readStore()
            let error = await #expect(throws: NotAuthorized.self) { _ = try await second.get(server) }
            #expect(error?.reason == .signedOut)
        }
    }

    @Test func `who has signed out goes on with the sign-in of a sibling that is another client`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let (first, _, other) = Self.twoClients(server, guarded)
            try await other.signIn()
            try await other.signOut()
            try await first.signIn()
            #expect(try await other.get(server) == "200 ok")
            #expect(guarded.now.calls == ["t2"])
        }
    }
}
#endif
