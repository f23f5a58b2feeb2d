// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

/// A token is loaded once, is durable before any request gets it, and is not lost by a failure of its store.
@Suite struct StoreTests {
    typealias Store = ScriptedTokenStore<InMemoryTokenStore<TestToken>>

    @Test func `the token is loaded on first use, once, for any number of requests`() async throws {
        let store = Store(InMemoryTokenStore(.make("stored")))
        let load = store.hold(next: .load)
        let bench = Bench.make(store: store)
        #expect(store.operations.isEmpty)
        let requests = await bench.hold(5)
        await load.begins()
        load.release()
        for request in requests { #expect(try await request.value == "stored") }
        #expect(try await bench.name() == "stored")
        #expect(store.operations.map(\.kind) == [.load])
        #expect(bench.service.calls == 0)
    }

    @Test func `a stored token that has expired is refreshed`() async throws {
        let store = Store(InMemoryTokenStore(.make("stored", lasts: 10)))
        let bench = Bench.make(store: store, .token("new"))
        bench.clock.advance(by: .seconds(10))
        #expect(try await bench.name() == "new")
        #expect(store.base.stored?.token?.name == "new")
        #expect(store.base.stored?.version.generation == 1)
    }

    @Test func `an empty store asks for a first token`() async throws {
        let store = Store(InMemoryTokenStore())
        let bench = Bench.make(store: store, .token("first"))
        #expect(try await bench.name() == "first")
        #expect(store.base.stored?.token?.name == "first")
    }

    @Test func `a store that is unavailable does not count as empty, and signs no user out`() async throws {
        let store = Store(InMemoryTokenStore(.make("stored")))
        store.fail(next: .load, with: StoreLocked())
        let bench = Bench.make(store: store)
        var changes = bench.auth.tokenChanges.makeAsyncIterator()
        for _ in 0..<3 {
            let error = await #expect(throws: RefreshFailed.self) { try await bench.name() }
            #expect(error?.underlying is StoreLocked)
        }
        #expect(bench.service.calls == 0)
        #expect(store.operations.map(\.kind) == [.load])
        bench.clock.advance(by: .seconds(1))
        #expect(try await bench.name() == "stored")
        guard case .tokenUpdated = await changes.next() else { Issue.record("announced an end"); return }
    }

    @Test func `a store whose error looks like a sign-out signs no user out either`() async throws {
        let store = Store(InMemoryTokenStore(.make("stored")))
        store.fail(next: .load, with: NotAuthorized(.rejected))
        let bench = Bench.make(store: store)
        _ = try? await bench.name()
        bench.clock.advance(by: .seconds(1))
        #expect(try await bench.name() == "stored")
    }

    @Test func `a refreshed token is durable before any request gets it`() async throws {
        let store = Store(InMemoryTokenStore(.make("stored", lasts: 10)))
        let save = store.hold(next: .save)
        let bench = Bench.make(store: store, .token("new"))
        bench.clock.advance(by: .seconds(10))
        let requests = await bench.hold(3)
        await save.begins()
        #expect(store.base.stored?.token?.name == "stored")
        var changes = bench.auth.tokenChanges.makeAsyncIterator()
        guard case .tokenUpdated(let old) = await changes.next() else { Issue.record("nothing held"); return }
        #expect(old.name == "stored")
        save.release()
        for request in requests { #expect(try await request.value == "new") }
        #expect(store.base.stored?.token?.name == "new")
    }

    @Test func `the token of a sign-in is durable before any request gets it`() async throws {
        let store = Store(InMemoryTokenStore())
        let save = store.hold(next: .save)
        let bench = Bench.make(store: store)
        let signIn = Task { try await bench.auth.signIn { TestToken("signed-in") } }
        await save.begins()
        let request = await bench.hold(1)[0]
        #expect(store.base.stored == nil)
        save.release()
        #expect(try await request.value == "signed-in")
        try await signIn.value
        #expect(store.base.stored?.token?.name == "signed-in")
    }

    @Test func `if a save fails the requests go on, there is an event, and the next slot saves`() async throws {
        let store = Store(InMemoryTokenStore(.make("stored", lasts: 10)))
        store.fail(next: .save, with: DiskFull())
        let bench = Bench.make(store: store, .token("new"))
        bench.clock.advance(by: .seconds(10))
        let event = try await bench.event(.saveFailed) { _ = try await bench.name() }
        #expect(event?.error is DiskFull)
        #expect(store.base.stored?.token?.name == "stored")
        #expect(try await bench.name() == "new")
        #expect(store.operations.filter { $0.kind == .save }.count == 1)
        let save = store.hold(next: .save)
        await bench.clock.sleeper(for: .seconds(1))
        bench.clock.advance(by: .seconds(1))
        await save.begins()
        save.release()
        await bench.auth.reset()
        #expect(store.operations.filter { $0.kind == .save }.count == 2)
    }

    @Test func `a save that hangs is given up after ten seconds, and the token is used`() async throws {
        let store = Store(InMemoryTokenStore(.make("stored", lasts: 10)))
        let save = store.hold(next: .save)
        let bench = Bench.make(store: store, .token("new"), .token("newer"))
        bench.clock.advance(by: .seconds(10))
        let request = await bench.hold(1)[0]
        await save.begins()
        await bench.clock.sleeper(for: .seconds(10))
        let event = await bench.event(.saveFailed) { bench.clock.advance(by: .seconds(10)) }
        #expect(event?.kind == .saveFailed)
        #expect(try await request.value == "new")
    }

    @Test func `a token that could not be saved is not overwritten by an older one later`() async throws {
        let store = Store(InMemoryTokenStore(.make("stored", lasts: 10)))
        store.fail(next: .save, with: DiskFull())
        let bench = Bench.make(store: store, .token("new", lasts: .seconds(100)), .token("newer"))
        bench.clock.advance(by: .seconds(10))
        #expect(try await bench.name() == "new")
        try await bench.auth.setNeedsRefreshAfterUnauthorizedResponse(for: bench.sent(with: "new"))
        #expect(try await bench.name() == "newer")
        bench.clock.advance(by: .seconds(60))
        #expect(try await bench.name() == "newer")
        try await bench.auth.signIn { TestToken("signed-in") }
        #expect(store.base.stored?.token?.name == "signed-in")
        let saved = store.operations.compactMap { if case .save(let stored) = $0 { stored.token?.name } else { nil } }
        #expect(saved == ["new", "newer", "signed-in"])
    }

    @Test func `signing out clears the store, also while a refresh is about to save`() async throws {
        let store = Store(InMemoryTokenStore(.make("stored", lasts: 10)))
        let save = store.hold(next: .save)
        let bench = Bench.make(store: store, .token("new"))
        bench.clock.advance(by: .seconds(10))
        let request = await bench.hold(1)[0]
        await save.begins()
        let signOut = Task { await bench.auth.reset() }
        await #expect(throws: NotAuthorized.self) { try await request.value }
        save.release()
        await signOut.value
        #expect(store.base.stored == nil)
        #expect(store.operations.map(\.kind) == [.load, .save, .clear])
    }

    @Test func `a refresh whose session has ended before its save does not save`() async throws {
        let store = Store(InMemoryTokenStore(.make("stored", lasts: 10)))
        let bench = Bench.make(store: store, .heldIgnoringCancellation)
        bench.clock.advance(by: .seconds(10))
        _ = await bench.hold(1)
        let call = try await bench.service.nextCall()
        await bench.auth.reset()
        _ = await bench.event(.tokenDiscarded) { call.succeed(TestToken("late")) }
        #expect(store.base.stored == nil)
        #expect(store.operations.map(\.kind) == [.load, .clear])
    }

    @Test func `a clear that fails is reported and tried again`() async throws {
        let store = Store(InMemoryTokenStore(.make("stored")))
        store.fail(next: .clear, with: DiskFull())
        let bench = Bench.make(store: store)
        #expect(try await bench.name() == "stored")
        let event = await bench.event(.clearFailed) { await bench.auth.reset() }
        #expect(event?.error is DiskFull)
        #expect(store.base.stored != nil)
        let clear = store.hold(next: .clear)
        await bench.clock.sleeper(for: .seconds(1))
        bench.clock.advance(by: .seconds(1))
        await clear.begins()
        clear.release()
        try await bench.auth.setToken(TestToken("next"))
        #expect(store.operations.map(\.kind) == [.load, .clear, .clear, .save])
    }

    @Test func `calls of the store never overlap`() async throws {
        let store = Store(InMemoryTokenStore())
        let bench = Bench.make(store: store)
        let save = store.hold(next: .save)
        let first = Task { try await bench.auth.setToken(TestToken("a")) }
        await save.begins()
        let second = Task { await bench.auth.reset() }
        #expect(await bench.auth.tokenChanges.first { !$0.isAuthorized } != nil)
        #expect(store.operations.map(\.kind) == [.save])
        save.release()
        try await first.value
        await second.value
        #expect(store.operations.map(\.kind) == [.save, .clear])
        #expect(store.base.stored == nil)
    }

    @Test func `before a refusal is accepted the store is read again`() async throws {
        let memory = InMemoryTokenStore<TestToken>(.make("stored", lasts: 10))
        let store = Store(memory)
        let bench = Bench.make(store: store, .held)
        bench.clock.advance(by: .seconds(10))
        let request = await bench.hold(1)[0]
        let call = try await bench.service.nextCall()
        let stored = try #require(memory.stored)
        try await memory.save(
            StoredToken(
                .token(TestToken("sibling's")), version: stored.version.next, obtainedAt: stored.obtainedAt))
        call.fail(TokenEndpointError(status: 400, code: "invalid_grant"))
        #expect(try await request.value == "sibling's")
        #expect(bench.service.calls == 1)
    }

    @Test func `the end of a session clears the store`() async throws {
        let store = Store(InMemoryTokenStore(.make("stored", lasts: 10)))
        let bench = Bench.make(store: store, .failure(TokenEndpointError(status: 400, code: "invalid_grant")))
        bench.clock.advance(by: .seconds(10))
        let clear = store.hold(next: .clear)
        let request = Task { try await bench.name() }
        await clear.begins()
        clear.release()
        await #expect(throws: NotAuthorized.self) { try await request.value }
        try await bench.auth.setToken(TestToken("next"))
        #expect(store.operations.map(\.kind) == [.load, .load, .clear, .save])
    }

    @Test func `refusals without a verdict leave the store unchanged, and a new launch goes on with it`()
        async throws
    {
        let store = Store(InMemoryTokenStore(.make("stored", lasts: 10)))
        let bench = Bench.make(store: store)
        for _ in 0..<20 {
            bench.service.append(.failure(TokenEndpointError(status: 403)))
            bench.clock.advance(by: .seconds(60))
            await #expect(throws: RefreshFailed.self) { try await bench.name() }
        }
        #expect(bench.service.calls == 20)
        #expect(store.operations.allSatisfy { $0.kind == .load })
        let later = Bench.make(store: store.base, .token("new"))
        later.clock.advance(by: .seconds(2000))
        #expect(try await later.name() == "new")
    }

    @Test func `a session that was signed out stays so after a restart`() async throws {
        let version = TokenVersion(session: UUID(), generation: 3)
        let store = Store(InMemoryTokenStore(StoredToken(.signedOut, version: version, obtainedAt: ManualClock().now)))
        let bench = Bench.make(store: store)
        let error = await #expect(throws: NotAuthorized.self) { try await bench.name() }
        #expect(error?.needsSignIn == true)
        #expect(bench.service.calls == 0)
    }
}

struct StoreLocked: Error {}
struct DiskFull: Error {}

extension StoredToken<TestToken> {
    /// A token that was saved when a ``ManualClock`` began.
    static func make(_ name: String, lasts lifetime: Double = 100, generation: Int = 0) -> StoredToken {
        let now = ManualClock().now
        return StoredToken(
            .token(TestToken(name, expiresAt: now.addingTimeInterval(lifetime))),
            version: TokenVersion(session: UUID(), generation: generation), obtainedAt: now)
    }
}

extension TokenVersion {
    var next: TokenVersion { TokenVersion(session: session, generation: generation + 1) }
}
