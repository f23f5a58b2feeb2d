// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(FoundationNetworking) && Full
import Foundation
import FoundationNetworking
import LoopbackServer
import RequestAuthorizationTesting
import TestProviders
import Testing

@testable import RequestAuthorizationURLSession

/// A queued request gets its credential when its turn comes, in the session in which it began.
@Suite(.timeLimit(.minutes(5))) struct QueuedCredentialTests {
    typealias Auth = RefreshableTokenAuthorization<TestToken>

    private let queue = HostQueue()

    private static func holdingA() -> Auth { Auth(service: ScriptedTokenService(), token: TestToken("a")) }

    @Test func `the credential is set when there is a slot`() async throws {
        try await withServer { _ in
            .text("hello")
        } body: { server in
            let auth = Auth(service: ScriptedTokenService(.token("b")), token: TestToken("a"))
            let (slots, url) = (try queue.occupy(server), server.url("/"))
            let call = Task { try await queue.post(url, auth) }
            await queue.waits.reaches(1)
            #expect(try await auth.refreshNow().name == "b")
            slots.give(at: try queue.host(server))
            #expect(try await call.value == 200)
            #expect(await server.requests.map { $0["Authorization"] } == ["Bearer b"])
        }
    }

    @Test func `nobody waits for the answer to a proof whose request is queued`() async throws {
        let book = ProofBook()
        let auth = Auth(service: ProvingTokenService(ScriptedTokenService(), book: book), token: TestToken("a"))
        try await withServer { _ in
            .text("hello")
        } body: { server in
            let (slots, url) = (try queue.occupy(server), server.url("/"))
            let call = Task { try await queue.post(url, auth) }
            await queue.waits.reaches(1)
            #expect(book.withdrawn == ["1 POST \(url) -"])
            slots.give(at: try queue.host(server))
            #expect(try await call.value == 200)
            #expect(await server.requests.map { $0["DPoP"] } == ["2 POST \(url) -"])
            #expect(book.withdrawn.count == 1)
        }
    }

    @Test func `a request that was queued as one person is not sent as the next one`() async throws {
        try await withServer { _ in
            .text("hello")
        } body: { server in
            let (auth, slots, url) = (Self.holdingA(), try queue.occupy(server), server.url("/"))
            let call = Task { try await queue.post(url, auth) }
            await queue.waits.reaches(1)
            try await auth.setToken(TestToken("b"))
            slots.give(at: try queue.host(server))
            let error = await #expect(throws: NotAuthorized.self) { try await call.value }
            #expect(error?.reason == .sessionReplaced)
            #expect(await server.requests.isEmpty)
        }
    }

    @Test func `a sign-out while a request is queued sends nothing, and the slot is free again`() async throws {
        try await withServer { _ in
            .text("hello")
        } body: { server in
            let (auth, slots, url) = (Self.holdingA(), try queue.occupy(server), server.url("/"))
            let call = Task { try await queue.post(url, auth) }
            await queue.waits.reaches(1)
            await auth.reset()
            slots.give(at: try queue.host(server))
            let error = await #expect(throws: NotAuthorized.self) { try await call.value }
            #expect(error?.reason == .signedOut)
            #expect(await server.requests.isEmpty)
            let isFree = slots.takeAtOnce(at: try queue.host(server), limit: 1)
            #expect(isFree)
        }
    }

    @Test func `a session that a sibling replaces while a request is queued sends nothing`() async throws {
        let place = InMemorySharedTokenStore<TestToken>()
        let auth = Auth(service: ScriptedTokenService(), store: place)
        let sibling = Auth(service: ScriptedTokenService(), store: place.sibling())
        try await auth.signIn { TestToken("a") }
        try await withServer { _ in
            .text("hello")
        } body: { server in
            let (slots, url) = (try queue.occupy(server), server.url("/"))
            let call = Task { try await queue.post(url, auth) }
            await queue.waits.reaches(1)
            try await sibling.signIn { TestToken("b") }
            _ = await auth.tokenChanges.first { _ in auth.currentToken?.name == "b" }
            slots.give(at: try queue.host(server))
            let error = await #expect(throws: NotAuthorized.self) { try await call.value }
            #expect(error?.reason == .sessionReplaced)
            #expect(await server.requests.isEmpty)
            let isFree = slots.takeAtOnce(at: try queue.host(server), limit: 1)
            #expect(isFree)
        }
    }

    @Test func `the slot is released before the wait for a refresh`() async throws {
        let service = ScriptedTokenService<TestToken>(.held)
        let auth = Auth(service: service, token: TestToken("a"), clock: ManualClock())
        try await withServer { request in
            request["Authorization"] == "Bearer a" ? .unauthorized("Bearer") : .text("hello")
        } body: { server in
            let url = server.url("/")
            let call = Task { try await queue.post(url, auth) }
            let refresh = try await service.nextCall()
            // The only slot is free.
            try queue.occupy(server).give(at: try queue.host(server))
            #expect(try await queue.post(url, .bearer("other")) == 200)
            refresh.succeed(TestToken("b"))
            #expect(try await call.value == 200)
            #expect(
                await server.requests.map { $0["Authorization"] } == ["Bearer a", "Bearer other", "Bearer b"])
        }
    }

    @Test func `a request whose token expires in the queue releases its slot, and then goes first`() async throws {
        let clock = ManualClock()
        let service = ScriptedTokenService<TestToken>(clock: clock, .held)
        let token = TestToken("a", expiresAt: clock.now.addingTimeInterval(1_000))
        let book = ProofBook()
        let auth = Auth(service: ProvingTokenService(service, book: book), token: token, clock: clock)
        try await withServer { _ in
            .text("hello")
        } body: { server in
            let (slots, url, host) = (try queue.occupy(server), server.url("/"), try queue.host(server))
            let call = Task { try await queue.post(url, auth) }
            await queue.waits.reaches(1)
            clock.advance(by: .seconds(1_000))
            slots.give(at: host)
            let refresh = try await service.nextCall()
            // It waits for the refresh without a slot.
            #expect(slots.takeAtOnce(at: host, limit: 1))
            let later = Task { try await queue.post(url, .bearer("later")) }
            await queue.waits.reaches(2)
            refresh.succeed(TestToken("b"))
            await queue.waits.reaches(3)
            slots.give(at: host)
            #expect(try await call.value == 200)
            #expect(try await later.value == 200)
            #expect(await server.requests.map { $0["Authorization"] } == ["Bearer b", "Bearer later"])
            #expect(await server.requests.map { $0["DPoP"] } == ["3 POST \(url) -", nil])
            #expect(book.withdrawn == ["1 POST \(url) -", "2 POST \(url) -"])
        }
    }

    @Test(arguments: [false, true])
    func `a request is sent with a token that has expired on arrival, queued or not`(isQueued: Bool) async throws {
        let clock = ManualClock()
        let service = ScriptedTokenService<TestToken>(clock: clock, .token("b", lasts: .zero))
        let token = TestToken("a", expiresAt: clock.now.addingTimeInterval(1_000))
        let auth = Auth(service: service, token: token, clock: clock)
        try await withServer { _ in
            .text("hello")
        } body: { server in
            let (slots, url) = (try queue.occupy(server), server.url("/"))
            if !isQueued {
                clock.advance(by: .seconds(1_000))
                slots.give(at: try queue.host(server))
            }
            let call = Task { try await queue.post(url, auth) }
            if isQueued {
                await queue.waits.reaches(1)
                clock.advance(by: .seconds(1_000))
                slots.give(at: try queue.host(server))
            }
            #expect(try await call.value == 200)
            #expect(await server.requests.map { $0["Authorization"] } == ["Bearer b"])
            #expect(service.calls == 1)
        }
    }

    @Test func `a session that a sibling replaces instead of a refresh sends nothing`() async throws {
        let clock = ManualClock()
        let place = InMemorySharedTokenStore<TestToken>()
        let auth = Auth(service: ScriptedTokenService(), store: place, clock: clock)
        let sibling = Auth(service: ScriptedTokenService(), store: place.sibling(), clock: clock)
        try await auth.signIn { TestToken("a", expiresAt: clock.now.addingTimeInterval(1_000)) }
        let provider = Hooked(base: auth) {
            try await sibling.signIn { TestToken("b") }
            _ = await auth.tokenChanges.first { _ in auth.currentToken?.name == "b" }
        }
        try await withServer { _ in
            .text("hello")
        } body: { server in
            let (slots, url) = (try queue.occupy(server), server.url("/"))
            let call = Task { try await queue.post(url, provider) }
            await queue.waits.reaches(1)
            clock.advance(by: .seconds(1_000))
            slots.give(at: try queue.host(server))
            let error = await #expect(throws: NotAuthorized.self) { try await call.value }
            #expect(error?.reason == .sessionReplaced)
            #expect(await server.requests.isEmpty)
            let isFree = slots.takeAtOnce(at: try queue.host(server), limit: 1)
            #expect(isFree)
        }
    }

    /// Otherwise it would wait for the only slot, which is held for its own answer.
    @Test(arguments: [false, true])
    func `a provider that is asked while a slot is held may send such a request itself`(isQueued: Bool) async throws {
        try await withServer { request in
            request.target == "/a" ? .redirect(307, to: "/b") : .text("hello")
        } body: { server in
            let (url, key) = (server.url(isQueued ? "/b" : "/a"), server.url("/key"))
            let provider = Hooked(base: Signing()) { [queue] in _ = try await queue.post(key, .bearer("inner")) }
            let slots = try isQueued ? queue.occupy(server) : nil
            let call = Task { try await queue.post(url, provider) }
            if isQueued { await queue.waits.reaches(1) }
            slots?.give(at: try queue.host(server))
            #expect(try await call.value == 200)
            #expect(await server.requests.map(\.target) == (isQueued ? ["/key", "/b"] : ["/a", "/key", "/b"]))
            #expect(queue.waits.count == (isQueued ? 1 : 0))
        }
    }
}

extension QueuedCredentialTests {
    @Test func `what a provider leaves running waits for a slot again when the request has gone`() async throws {
        try await withServer { _ in
            .text("hello")
        } body: { server in
            let (goOn, later) = (OneShot<Void>(), Lock<Task<Int, any Error>?>(nil))
            let provider = Hooked(base: Signing()) { [queue] in
                let task = Task {
                    try await goOn.value()
                    return try await queue.post(server.url("/later"), .bearer("later"))
                }
                later.withLock { $0 = task }
            }
            let (slots, url) = (try queue.occupy(server), server.url("/"))
            let call = Task { try await queue.post(url, provider) }
            await queue.waits.reaches(1)
            slots.give(at: try queue.host(server))
            #expect(try await call.value == 200)
            _ = try queue.occupy(server)
            goOn.fulfill()
            await queue.waits.reaches(2)
            slots.give(at: try queue.host(server))
            #expect(try await later.withLock { $0 }?.value == 200)
        }
    }

    /// Otherwise it would wait for the only slot, which is held for its own answer.
    @Test func `a receipt that sees a redirect while a slot is held may send such a request itself`() async throws {
        try await withServer { request in
            request.target == "/a" ? .redirect(307, to: "/b") : .text("hello")
        } body: { server in
            let report = server.url("/report")
            let receipt = Reporting { [queue] in _ = try await queue.post(report, .bearer("inner")) }
            let provider = Receipted(receipt: receipt)
            let status = try await queue.post(server.url("/a"), provider)
            #expect(status == 200)
            #expect(await server.requests.map(\.target) == ["/a", "/report", "/b", "/report"])
        }
    }
}

private struct Receipted: AuthorizationProvider {
    let receipt: Reporting

    func credential(for request: some AuthorizableRequest) async throws -> Credential {
        try Credential("Signature", receipt: receipt)
    }
}

/// Sends a report about each answer.
private struct Reporting: CredentialReceipt {
    let report: @Sendable () async throws -> Void

    var wantsEveryAnswer: Bool { true }

    func judge(_ answer: some AuthorizableResponse, afterRefresh: Bool) async throws -> Verdict {
        try await report()
        return .accept
    }
}

/// Makes a credential for one request.
private struct Signing: AuthorizationProvider {
    func credential(for request: some AuthorizableRequest) async throws -> Credential {
        try Credential("Signature", isForOneRequest: true)
    }
}

/// Runs a closure before a provider is awaited for the second time.
private struct Hooked: AuthorizationProvider {
    let base: any AuthorizationProvider
    let beforeSecond: @Sendable () async throws -> Void
    private let asked = Tally()

    init(base: any AuthorizationProvider, beforeSecond: @escaping @Sendable () async throws -> Void) {
        self.base = base
        self.beforeSecond = beforeSecond
    }

    func credential(for request: some AuthorizableRequest) async throws -> Credential {
        asked.add()
        if asked.count == 2 { try await beforeSecond() }
        return try await base.credential(for: request)
    }
}
#endif
