// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationTesting
import TestProviders
import Testing

@testable import RequestAuthorization

/// A widget beside its app: it reads the app's token, and neither refreshes nor writes.
@Suite(.timeLimit(.minutes(5))) struct ReadOnlyStoreTests {
    @Test func `a widget uses the app's token`() async throws {
        let widget = Widget(.make("old", lasts: 10))
        #expect(try await widget.name() == "old")
        #expect(widget.kinds == [.load])
    }

    @Test func `a view of a view tells a lost item from a sign-out`() async throws {
        for absence in [TokenAbsence.setAside, .placeMissing, .gone] {
            let store = InMemorySharedTokenStore<TestToken>()
            store.lose(absence)
            let view = try #require(store.readOnly.readOnly as? any ReadOnlyStore<TestToken>)
            #expect(try await view.loadWithAbsence().absence == absence)
        }
    }

    @Test func `a token that the widget has signed in with stays while the app has none`() async throws {
        let widget = Widget(nil)
        try await widget.auth.signIn { TestToken("mine") }
        #expect(try await widget.auth.refreshNow().name == "mine")
        #expect(try await widget.name() == "mine")
    }

    @Test func `a scripted view is read-only, too`() async throws {
        let clock = ManualClock()
        let service = ScriptedTokenService<TestToken>(clock: clock, .token("mine"))
        let app = InMemorySharedTokenStore<TestToken>(.make("old", lasts: 10), clock: clock)
        let store = ScriptedTokenStore(app.readOnly)
        let auth = RefreshableTokenAuthorization(service: service, store: store, policy: .impatient, clock: clock)
        #expect(try await auth.validToken().name == "old")
        clock.advance(by: .seconds(11))
        let error = await #expect(throws: NotAuthorized.self) { try await auth.validToken() }
        #expect(error?.reason == .refreshedElsewhere)
        #expect(service.calls == 0)
        #expect(Set(store.operations.map(\.kind)) == [.load])
    }

    @Test func `refreshNow reads the store again once`() async throws {
        let widget = Widget(.make("old", lasts: 100))
        #expect(try await widget.name() == "old")
        widget.clock.advance(by: .seconds(1))
        let reads = widget.kinds.count
        #expect(try await widget.auth.refreshNow().name == "old")
        #expect(widget.kinds.count == reads + 1)
    }

    @Test func `an expired token is an error that says to open the app`() async throws {
        let widget = Widget(.make("old", lasts: 10))
        #expect(try await widget.name() == "old")
        widget.clock.advance(by: .seconds(11))
        for _ in 0..<3 {
            let error = await #expect(throws: NotAuthorized.self) { try await widget.name() }
            #expect(error?.reason == .refreshedElsewhere && error?.needsSignIn == false)
            #expect(error?.description.contains("open the app") == true)
            widget.clock.advance(by: .seconds(2))
        }
        #expect(widget.service.calls == 0)
        #expect(Set(widget.kinds) == [.load])
    }

    @Test(arguments: [true, false])
    func `a widget goes on when the app has refreshed`(follows: Bool) async throws {
        let widget = Widget(.make("old", lasts: 10), follows: follows)
        #expect(try await widget.name() == "old")
        widget.clock.advance(by: .seconds(11))
        _ = try? await widget.name()
        let version = try #require(widget.app.stored?.version.next)
        let token = TestToken("new", expiresAt: widget.clock.now + 100)
        try await widget.app.save(StoredToken(.token(token), version: version, obtainedAt: widget.clock.now))
        if follows {
            #expect(await widget.auth.tokenChanges.first { $0.name == "new" } != nil)
        } else {
            widget.clock.advance(by: .seconds(1))
        }
        #expect(try await widget.name() == "new")
        #expect(widget.service.calls == 0)
    }

    @Test func `after a 401 a widget reads again, and sends no refresh`() async throws {
        let widget = Widget(.make("old"), follows: false)
        let request = try await TestRequest("https://api.example.com").authorized(using: widget.auth)
        try await widget.auth.setNeedsRefreshAfterUnauthorizedResponse(for: request)
        let error = await #expect(throws: NotAuthorized.self) { try await widget.name() }
        #expect(error?.reason == .refreshedElsewhere)
        let version = try #require(widget.app.stored?.version.next)
        try await widget.app.save(StoredToken(.token(TestToken("new")), version: version, obtainedAt: widget.clock.now))
        widget.clock.advance(by: .seconds(1))
        #expect(try await widget.name() == "new")
        #expect(widget.service.calls == 0)
    }

    @Test func `ahead of expiry a widget reads once a second, not with each request`() async throws {
        let widget = Widget(.make("old", lasts: 100), follows: false)
        #expect(try await widget.name() == "old")
        widget.clock.advance(by: .seconds(95))
        var events = widget.auth.events.makeAsyncIterator()
        for _ in 0..<10 { #expect(try await widget.name() == "old") }
        while let event = await events.next(), event.kind != .refreshEnded {}
        for _ in 0..<10 { #expect(try await widget.name() == "old") }
        await widget.auth.settleStore()
        #expect(widget.kinds == [.load, .load])
        #expect(widget.service.calls == 0)
    }

    @Test func `without a token a widget throws that, and asks for no first one`() async throws {
        let widget = Widget(nil)
        let error = await #expect(throws: NotAuthorized.self) { try await widget.name() }
        #expect(error?.reason == .noToken)
        #expect(widget.service.calls == 0)
    }

    @Test func `a sign-out of the app ends the widget's session, and a sign-in continues it`() async throws {
        let widget = Widget(.make("old"))
        #expect(try await widget.name() == "old")
        let end = Task { await widget.auth.tokenChanges.first { !$0.isAuthorized } != nil }
        try await widget.app.clear()
        // It is read a second time.
        await widget.clock.sleeper(for: .milliseconds(500))
        widget.clock.advance(by: .milliseconds(500))
        #expect(await end.value)
        let next = Task { await widget.auth.tokenChanges.first { $0.name == "next" } != nil }
        try await widget.app.save(.make("next"))
        #expect(await next.value)
    }

    @Test(.timeLimit(.minutes(5)), arguments: [true, false])
    func `a widget that was signed out goes on when the app signs in`(follows: Bool) async throws {
        let widget = Widget(.make("old"), follows: follows)
        #expect(try await widget.name() == "old")
        await widget.auth.reset()
        try await widget.app.save(.make("next"))
        _ = try? await widget.name()
        #expect(await widget.auth.tokenChanges.first { $0.name == "next" } != nil)
        #expect(try await widget.name() == "next")
        #expect(Set(widget.kinds) == [.load])
    }

    @Test(.timeLimit(.minutes(5)))
    func `a widget that signs out before it has read the store hears of the app's sign-in`() async throws {
        let widget = Widget(.make("old"))
        let read = widget.store.hold(next: .load)
        await widget.auth.reset()
        await read.begins()
        read.fail(DiskFull())
        let next = Task { await widget.auth.tokenChanges.first { $0.name == "next" } != nil }
        try await widget.app.save(.make("next"))
        #expect(await next.value)
    }

    @Test func `signing in and out in a widget is not written`() async throws {
        let widget = Widget(.make("old"))
        #expect(try await widget.name() == "old")
        try await widget.auth.signIn { TestToken("mine") }
        #expect(try await widget.name() == "mine")
        await widget.auth.reset()
        #expect(widget.app.stored?.token?.name == "old")
        #expect(Set(widget.kinds) == [.load])
        let save = await #expect(throws: TokenStoreError.self) { try await widget.store.readOnly.save(.make("x")) }
        let clear = await #expect(throws: TokenStoreError.self) { try await widget.store.readOnly.clear() }
        #expect(save?.kind == .readOnly && clear?.kind == .readOnly)
        #expect(save?.detail == "this view only reads; write to the store itself")
    }
}

/// A provider with a read-only view of an app's store.
private struct Widget {
    let clock = ManualClock()
    let service: ScriptedTokenService<TestToken>
    let app: InMemorySharedTokenStore<TestToken>
    let store: ScriptedTokenStore<InMemorySharedTokenStore<TestToken>>
    let auth: RefreshableTokenAuthorization<TestToken>

    init(_ stored: StoredToken<TestToken>?, follows: Bool = true) {
        service = ScriptedTokenService(clock: clock)
        app = InMemorySharedTokenStore(stored, clock: clock)
        store = ScriptedTokenStore(app.sibling())
        auth =
            follows
            ? RefreshableTokenAuthorization(service: service, store: store.readOnly, policy: .impatient, clock: clock)
            : RefreshableTokenAuthorization(
                service: service, store: Deaf(base: store).readOnly, policy: .impatient, clock: clock)
    }

    var kinds: [TokenStoreOperation<TestToken>.Kind] { store.operations.map(\.kind) }

    func name() async throws -> String { try await auth.validToken().name }
}

/// A store without notices of changes.
private struct Deaf<Base: TokenStore>: TokenStore {
    let base: Base

    func load() async throws -> StoredToken<Base.Token>? { try await base.load() }
    func save(_ stored: StoredToken<Base.Token>) async throws { try await base.save(stored) }
    func clear() async throws { try await base.clear() }
}
