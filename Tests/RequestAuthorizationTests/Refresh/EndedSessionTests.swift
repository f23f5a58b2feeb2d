// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

/// A session that the server ended is stored as ended before the end is announced.
@Suite(.timeLimit(.minutes(5))) struct EndedSessionTests {
    private static let end = TokenEndpointError(status: 400, code: "invalid_grant")

    @Test func `a plain store is cleared first; meanwhile requests wait, and the token is held`() async throws {
        let store = ScriptedTokenStore(InMemoryTokenStore<TestToken>(.make("stored", lasts: 10)))
        let clear = store.hold(next: .clear)
        let bench = Bench.make(store: store, .failure(Self.end))
        bench.clock.advance(by: .seconds(10))
        let first = await bench.hold(1)[0]
        await clear.begins()
        #expect(bench.auth.currentToken?.name == "stored")
        let second = await bench.hold(1)[0]
        clear.release()
        for request in [first, second] {
            let error = await #expect(throws: NotAuthorized.self) { try await request.value }
            #expect(error?.reason == .rejected)
        }
        #expect(store.base.stored == nil)
        #expect(bench.service.calls == 1)
    }

    @Test func `a shared store holds the sign-out first`() async throws {
        let bench = SharedBench.make(.failure(Self.end))
        let save = bench.store.hold(next: .save)
        bench.clock.advance(by: .seconds(10))
        let request = Task { try await bench.name() }
        await save.begins()
        #expect(bench.auth.currentToken?.name == "old")
        #expect(bench.place.stored?.token?.name == "old")
        save.release()
        let error = await #expect(throws: NotAuthorized.self) { try await request.value }
        #expect(error?.reason == .rejected)
        #expect(bench.place.stored != nil && bench.place.stored?.token == nil)
    }

    @Test func `a store that hangs is given up after ten seconds, and the end is announced`() async throws {
        let store = ScriptedTokenStore(InMemoryTokenStore<TestToken>(.make("stored", lasts: 10)))
        let clear = store.hold(next: .clear)
        let bench = Bench.make(store: store, .failure(Self.end))
        bench.clock.advance(by: .seconds(10))
        let request = await bench.hold(1)[0]
        await clear.begins()
        await bench.clock.sleeper(for: .seconds(10))
        var events = bench.auth.events.makeAsyncIterator()
        bench.clock.advance(by: .seconds(10))
        var told: [AuthorizationEvent] = []
        while told.last?.kind != .sessionEnded, let event = await events.next() { told.append(event) }
        #expect(told.map(\.kind) == [.clearFailed, .sessionEnded])
        #expect(told.first?.error is DeadlineExceeded)
        let error = await #expect(throws: NotAuthorized.self) { try await request.value }
        #expect(error?.reason == .rejected)
        #expect(store.base.stored?.token?.name == "stored")
        clear.release()
    }

    @Test func `a sign-in overtakes an end that is being stored`() async throws {
        let store = ScriptedTokenStore(InMemoryTokenStore<TestToken>(.make("stored", lasts: 10)))
        let clear = store.hold(next: .clear)
        let bench = Bench.make(store: store, .failure(Self.end))
        bench.clock.advance(by: .seconds(10))
        let request = await bench.hold(1)[0]
        await clear.begins()
        var events = bench.auth.events.makeAsyncIterator()
        let signIn = Task { try await bench.auth.signIn { TestToken("mine") } }
        // Its token takes the place of the refresh that has found the end.
        while let event = await events.next(), event.outcome != .superseded {}
        clear.release()
        try await signIn.value
        #expect(try await request.value == "mine")
        #expect(try await bench.name() == "mine")
        #expect(store.base.stored?.token?.name == "mine")
    }
}
