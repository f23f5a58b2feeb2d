// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Dispatch
import Foundation
import LoopbackServer
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorizationOAuth

/// What a sign-out ends, also while requests and sign-ins are under way.
extension ProtectedResourceTests {
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

    @Test func `after a sign-out the program signs in also if only the challenge says who guards the resource`()
        async throws
    {
        try await GuardedServer.run { state in
            (state.resource, state.challenge) = (nil, #"resource_metadata="BASE/custom""#)
            state.answers["/custom"] = {
                let base = "http://127.0.0.1:\($0.port)"
                return .json(#"{"resource":"\#(base)/mcp","authorization_servers":["\#(base)/as"]}"#)
            }
        } body: { (guarded, server) async throws in
            let notes = ProtectedResourceAuthorization.make(server, guarded)
            #expect(try await notes.get(server) == "200 ok")
            await notes.reset()
            try await notes.signIn()
            #expect(try await notes.get(server) == "200 ok")
            #expect(guarded.now.calls == ["", "t1", "", "t2"])  // The third asks for the challenge.
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
            let error = await #expect(throws: TokenEndpointError.self) {
                if signsOut { try await notes.signOut() } else { try await notes.signIn() }
            }
            #expect(error?.status == 503)
            guarded.change { $0.answers = [:] }
            #expect(try await notes.get(server, "PUT") == "200 ok")
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: [true, false])
    func `a sign-out during a sign-in is final, and its token is revoked`(revokes: Bool) async throws {
        let guarded = GuardedServer()
        let (revoked, revoke) = AsyncStream.makeStream(of: String.self)
        guarded.change {
            $0.serverMembers += #","revocation_endpoint":"BASE/as/revoke""#
            $0.answers["/as/revoke"] = { request in
                revoke.yield(GuardedServer.pairs(request.text)["token"] ?? "")
                return .status(200)
            }
        }
        let (exchanges, exchange) = AsyncStream.makeStream(of: Void.self)
        let mayExchange = OneShot<Void>()
        try await withServer { request in
            guard request.target == "/as/token" else { return guarded.answer(request) }
            exchange.finish()
            try await mayExchange.value()
            return guarded.answer(request)
        } body: { (server) async throws in
            let places = ItemResourceRecords(in: SharedPlace())
            let notes = ProtectedResourceAuthorization.make(server, guarded, records: places)
            let request = Task { try await notes.get(server) }
            for await _ in exchanges {}
            if revokes { try await notes.signOut() } else { await notes.reset() }
            let error = await #expect(throws: NotAuthorized.self) { _ = try await request.value }
            #expect(error?.reason == .signedOut)
            mayExchange.fulfill()
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

    @Test func `a refusal that comes after a sign-out says nothing about the next sign-in`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let (begins, begun) = AsyncStream.makeStream(of: Void.self)
            let (refusal, refuse) = AsyncStream.makeStream(of: Void.self)
            let (waits, wait) = AsyncStream.makeStream(of: Void.self)
            let notes = ProtectedResourceAuthorization.make(
                server, guarded, receiver: LateRefusal(tells: begun, waitsFor: refusal),
                records: LockedRecords.telling(wait, ofSignIn: 2))
            let first = Task { try await notes.signIn() }
            for await _ in begins {}
            await notes.reset()
            await #expect(throws: NotAuthorized.self) { try await first.value }
            let second = Task { try await notes.signIn() }
            for await _ in waits {}
            guarded.clock.advance(by: .seconds(1))
            refuse.finish()
            try await second.value
            #expect(try await notes.get(server) == "200 ok")
        }
    }

    @Test func `a sign-in that a sign-out has dropped asks nobody any more`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            var authorization = AuthorizationServer.make(at: "\(server.base)/as")
            authorization.registrationEndpoint = server.url("/as/register")
            let known = ProtectedResource(identifier: "\(server.base)/mcp", server: authorization)
            let (asked, records) = (Asked(), HeldRecords())
            let notes = ProtectedResourceAuthorization.make(
                server, guarded, asked: asked, records: records, known: known)
            let request = Task { try await notes.get(server) }
            for await _ in records.held.stream {}
            await notes.reset()
            let error = await #expect(throws: NotAuthorized.self) { _ = try await request.value }
            #expect(error?.reason == .signedOut)
            // It waits for the lock of the one that was dropped.
            try await notes.signIn()
            #expect(asked.reasons == ["first sign-in"])
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: ["question", "page"])
    func `a dialogue that outlives a sign-out keeps no sign-in waiting, and shows no page`(place: String) async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let (asked, ask) = AsyncStream.makeStream(of: Void.self)
            let (answers, answer) = AsyncStream.makeStream(of: Void.self)
            let isFirst = Lock(true)
            @Sendable func dialogue(_ current: String) async {
                let isLong = isFirst.withLock { isFirst in
                    guard isFirst, current == place else { return false }
                    isFirst = false
                    return true
                }
                guard isLong else { return }
                ask.finish()
                // It pays no attention to cancellation.
                await Task.detached { for await _ in answers {} }.value
            }
            let page = PageOpener()
            // A client that is not registered now.
            let notes = ProtectedResourceAuthorization(
                "\(server.base)/mcp",
                client: ClientIdentity(name: "Tool", registered: ["\(server.base)/as": .public(id: "own")]),
                records: .inMemory, transport: .patient, clock: guarded.clock,
                signIn: .through(page, show: { _ in await dialogue("page") }) { _ in
                    await dialogue("question")
                    return true
                })
            let request = Task { try await notes.get(server) }
            for await _ in asked {}
            await notes.reset()
            let error = await #expect(throws: NotAuthorized.self) { _ = try await request.value }
            #expect(error?.reason == .signedOut)
            try await notes.signIn()
            answer.finish()
            #expect(try await notes.get(server) == "200 ok")
            #expect(page.opened.withLock { $0 } == 1)
        }
    }

    @Test func `a question that blocks its thread holds up no sign-out`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let (asked, ask) = AsyncStream.makeStream(of: Void.self)
            let (answers, answer) = AsyncStream.makeStream(of: Bool.self)
            let end = DispatchSemaphore(value: 0)
            // As readLine() does.
            @Sendable func question() -> Bool {
                ask.finish()
                answer.yield(end.wait(timeout: .now() + 100) == .success)
                return true
            }
            let page = PageOpener()
            let notes = ProtectedResourceAuthorization(
                "\(server.base)/mcp", client: ClientIdentity(name: "Tool"), transport: .patient, clock: guarded.clock,
                signIn: .through(page) { _ in question() })
            let first = Task { try await notes.signIn() }
            for await _ in asked {}
            await notes.reset()
            end.signal()
            let error = await #expect(throws: NotAuthorized.self) { try await first.value }
            #expect(error?.reason == .signedOut && page.opened.withLock { $0 } == 0)
            for await isInTime in answers {
                #expect(isInTime)
                break
            }
        }
    }

    @Test func `a receiver that blocks its thread holds up no sign-out`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let (begins, begin) = AsyncStream.makeStream(of: Void.self)
            let (answers, answer) = AsyncStream.makeStream(of: Bool.self)
            let end = DispatchSemaphore(value: 0)
            let receiver = BlockingReceiver {
                begin.finish()
                answer.yield(end.wait(timeout: .now() + 100) == .success)
            }
            let notes = ProtectedResourceAuthorization.make(server, guarded, receiver: receiver)
            let first = Task { try await notes.signIn() }
            for await _ in begins {}
            await notes.reset()
            end.signal()
            let error = await #expect(throws: NotAuthorized.self) { try await first.value }
            #expect(error?.reason == .signedOut)
            for await isInTime in answers {
                #expect(isInTime)
                break
            }
        }
    }

    /// Records in which the first sign-in reads who asked last until it is cancelled.
    private struct HeldRecords: ChangedRecords {
        let base = InMemoryResourceRecords()
        let isHeld = Lock(false)
        let held = AsyncStream.makeStream(of: Void.self)
        let never = AsyncStream.makeStream(of: Void.self)

        func record(named name: String) async throws -> Data? {
            if name.hasPrefix("sign-in"), !isHeld.withLock({ $0 }) {
                isHeld.withLock { $0 = true }
                held.continuation.finish()
                for await _ in never.stream {}
            }
            return base.record(named: name)
        }
    }
}
#endif
