// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationTesting
import TestProviders
import Testing

@testable import RequestAuthorization

/// What outlives a request inherits none of its task-local values, such as its trace or its user's context.
@Suite(.timeLimit(.minutes(5))) struct InheritedContextTests {
    @TaskLocal static var request: String?

    private let clock = ManualClock()

    @Test func `the writer and the watch of a store inherit nothing, and the service sees the request that it serves`()
        async throws
    {
        let (store, service) = (ContextStore(), ContextService())
        let auth = RefreshableTokenAuthorization(service: service, store: store, clock: clock)
        try await Self.$request.withValue("a") { _ = try await auth.validToken() }
        try await Self.$request.withValue("b") { try await auth.setToken(TestToken("set")) }
        try await auth.settle(within: .seconds(60))
        #expect(await store.saves == ["none", "none"])
        #expect(service.calls.withLock { $0 } == ["a"])
        var watches = store.watches.makeAsyncIterator()
        #expect(await watches.next() == "none")
    }

    @Test func `what a store begins when it is asked for its changes inherits nothing of the request`() async throws {
        let store = ListeningStore()
        let auth = RefreshableTokenAuthorization(service: ContextService(), store: store, clock: clock)
        try await Self.$request.withValue("a") { _ = try await auth.validToken() }
        var listeners = store.listeners.stream.makeAsyncIterator()
        #expect(await listeners.next() == "none")
    }

    @Test func `a store is asked for its changes once, also by many at the same time`() async {
        let store = ListeningStore()
        let auth = RefreshableTokenAuthorization(service: ContextService(), store: store, clock: clock)
        await withTaskGroup(of: Void.self) { group in
            for _ in 1...100 { group.addTask { await auth.watchStore() } }
        }
        #expect(store.asked.count == 1)
    }

    @Test func `a refresh that follows a failed sign-in inherits nothing of that`() async throws {
        let service = ContextService()
        let held = Tally()
        let auth = RefreshableTokenAuthorization(
            service: service, token: TestToken("old", expiresAt: clock.now - 1), store: nil, clock: clock,
            onHold: { held.add() })
        let (begun, failing) = (OneShot<Void>(), OneShot<Void>())
        let signIn = Task {
            try await Self.$request.withValue("a") {
                try await auth.signIn {
                    begun.fulfill()
                    try await failing.value()
                    throw TokenEndpointError(status: 400)
                }
            }
        }
        try await begun.value()
        let request = Task { try await Self.$request.withValue("b") { try await auth.validToken() } }
        await held.reaches(1)
        failing.fulfill()
        await #expect(throws: TokenEndpointError.self) { try await signIn.value }
        #expect(try await request.value == TestToken("new"))
        #expect(service.calls.withLock { $0 } == ["none"])
    }

    @Test func `a handler inherits nothing of the task that made it`() async throws {
        let auth = RefreshableTokenAuthorization(service: ContextService(), token: TestToken("a"), clock: clock)
        let (seen, seer) = AsyncStream.makeStream(of: String.self)
        let observation = Self.$request.withValue("a") {
            auth.onTokenChange { _ in seer.yield(Self.request ?? "none") }
        }
        var all = seen.makeAsyncIterator()
        #expect(await all.next() == "none")
        observation.cancel()
    }

    @Test func `a revocation that never returns keeps its provider neither busy nor alive`() async throws {
        let service = StuckService()
        var auth: RefreshableTokenAuthorization? = RefreshableTokenAuthorization(
            service: service, token: TestToken("a"), clock: clock)
        var events = try #require(auth?.events.makeAsyncIterator())
        let refresh = Task { [auth] in try await auth?.refreshNow() }
        var calls = service.refreshes.makeAsyncIterator()
        let call = try #require(await calls.next())
        await auth?.reset()
        call.resume(returning: TestToken("late"))
        var discards = service.discards.makeAsyncIterator()
        let discard = try #require(await discards.next())
        _ = await refresh.result
        clock.advance(by: .seconds(31))
        try await auth?.settle(within: .seconds(3_600))
        auth = nil
        while await events.next() != nil {}  // They end with the provider.
        discard.resume()
    }

    @Test func `a revocation inherits nothing of the sign-out that it follows`() async throws {
        let service = DiscardingContextService()
        let store = ScriptedTokenStore(InMemoryTokenStore<TestToken>(.make("old", lasts: -1)))
        let auth = RefreshableTokenAuthorization(service: service, store: store, clock: clock)
        let save = store.hold(next: .save)
        let request = Task { try await auth.validToken() }
        await save.begins()
        let out = Task { await Self.$request.withValue("b") { await auth.reset() } }
        var discards = service.discards.stream.makeAsyncIterator()
        #expect(await discards.next() == "none")
        save.release()
        await out.value
        await #expect(throws: NotAuthorized.self) { try await request.value }
    }

    @Test func `a stored token of the future counts as stored, not as new`() async throws {
        for asks in [
            { @Sendable in try await $0.validToken(lasting: .seconds(300)) },
            { @Sendable in try await $0.refreshNow() },
        ] as [@Sendable (RefreshableTokenAuthorization<TestToken>) async throws -> TestToken] {
            let service = ContextService()
            let store = InMemoryTokenStore<TestToken>()
            // Saved by a host whose clock is two seconds ahead.
            try await store.save(
                StoredToken(
                    .token(TestToken("stored", expiresAt: clock.now + 60)),
                    version: TokenVersion(session: UUID(), generation: 0), obtainedAt: clock.now + 2))
            let auth = RefreshableTokenAuthorization(service: service, store: store, clock: clock)
            #expect(try await asks(auth) == TestToken("new"))
            #expect(service.calls.withLock { $0.count } == 1)
        }
    }

    @Test func `a policy of absurd durations ends no program`() async throws {
        let ever = Duration.seconds(Int64.max)
        let policy = RefreshPolicy(
            leeway: .init(maximum: ever), aheadOfExpiry: .inForeground(atMost: ever), deadline: ever,
            backOff: .init(initial: ever, maximum: ever, maximumRetryAfter: ever, patience: .seconds(Int64.min)),
            storm: .init(window: ever),
            storeDeadline: ever, lockDeadline: ever, signInNotice: ever)
        let service = ContextService()
        let auth = RefreshableTokenAuthorization(
            service: service, store: InMemoryTokenStore<TestToken>(), policy: policy)
        #expect(try await auth.validToken() == TestToken("first"))
        #expect(try await auth.refreshNow() == TestToken("new"))
        service.failures.withLock { $0 = 1 }
        _ = try? await auth.refreshNow()
        _ = try? await auth.validToken(lasting: ever)
        try await auth.settle(within: ever)
        try await auth.signOut()
        try await auth.shutdown(within: ever)
    }
}

private actor ContextStore: TokenStore {
    nonisolated let (watches, watch) = AsyncStream.makeStream(of: String.self)
    private(set) var saves: [String] = []
    private var stored: StoredToken<TestToken>?

    nonisolated var changes: AsyncStream<Void>? {
        AsyncStream { [watch] in
            watch.yield(InheritedContextTests.request ?? "none")
            return nil
        }
    }

    func load() -> StoredToken<TestToken>? { stored }
    func save(_ stored: StoredToken<TestToken>) {
        saves.append(InheritedContextTests.request ?? "none")
        self.stored = stored
    }
    func clear() { stored = nil }
}

/// Listens for changes in a task, which keeps the task-local values of whoever asked for the changes.
private final class ListeningStore: TokenStore {
    let listeners = AsyncStream.makeStream(of: String.self)
    let asked = Tally()

    var changes: AsyncStream<Void>? {
        asked.add()
        let listener = listeners.continuation
        Task { _ = listener.yield(InheritedContextTests.request ?? "none") }
        return AsyncStream<Void> { nil }
    }

    func load() async throws -> StoredToken<TestToken>? { nil }
    func save(_ stored: StoredToken<TestToken>) async throws {}
    func clear() async throws {}
}

private final class ContextService: RefreshableTokenService {
    let calls = Lock<[String]>([])
    let failures = Lock(0)

    func initialToken() async throws -> TestToken {
        note()
        return TestToken("first")
    }
    func refresh(_ token: TestToken) async throws -> TestToken {
        note()
        if failures.withLock({
            $0 -= 1; return $0 >= 0
        }) {
            throw TokenEndpointError(status: 503)
        }
        return TestToken("new")
    }
    private func note() { calls.withLock { $0.append(InheritedContextTests.request ?? "none") } }
}

private final class StuckService: RefreshableTokenService {
    let (refreshes, refresh) = AsyncStream.makeStream(of: CheckedContinuation<TestToken, Never>.self)
    let (discards, discarded) = AsyncStream.makeStream(of: CheckedContinuation<Void, Never>.self)

    func refresh(_ token: TestToken) async throws -> TestToken {
        await withCheckedContinuation { _ = refresh.yield($0) }
    }
    func discard(_ token: TestToken) async { await withCheckedContinuation { _ = discarded.yield($0) } }
}

/// Tells whose task-local value it sees when it revokes a token.
private final class DiscardingContextService: RefreshableTokenService {
    let discards = AsyncStream.makeStream(of: String.self)

    func refresh(_ token: TestToken) async throws -> TestToken { TestToken("new") }
    func discard(_ token: TestToken) async {
        discards.continuation.yield(InheritedContextTests.request ?? "none")
    }
}
