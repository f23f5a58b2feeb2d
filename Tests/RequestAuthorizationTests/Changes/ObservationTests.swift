// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization
import RequestAuthorizationTesting
import Testing

/// Changes reach each observer in order, exactly once each, beginning with the present state.
@Suite(.timeLimit(.minutes(5))) struct ObservationTests {
    @Test func `an observer gets the present token, then each change in order, once`() async throws {
        let bench = Bench.make()
        let (journal, observation) = observe(bench)
        try await bench.auth.setToken(TestToken("a"))
        try await bench.auth.signIn { TestToken("b") }
        await bench.auth.reset()
        try await bench.auth.setToken(TestToken("c"))
        #expect(await journal.reaches(5) == ["old", "a", "b", "signed out", "c"])
        observation.cancel()
    }

    @Test func `an observer that begins after the end of a session gets that end first`() async throws {
        let bench = Bench.make()
        await bench.auth.reset()
        let (journal, observation) = observe(bench)
        try await bench.auth.setToken(TestToken("a"))
        #expect(await journal.reaches(2) == ["signed out", "a"])
        observation.cancel()
    }

    @Test
    func `a second observer begins with the present state, without a backlog, and then gets the same as the first`()
        async throws
    {
        let bench = Bench.make()
        let (first, firstObservation) = observe(bench)
        try await bench.auth.setToken(TestToken("a"))
        let (second, secondObservation) = observe(bench)
        await bench.auth.reset()
        try await bench.auth.setToken(TestToken("b"))
        #expect(await first.reaches(4) == ["old", "a", "signed out", "b"])
        #expect(await second.reaches(3) == ["a", "signed out", "b"])
        firstObservation.cancel()
        secondObservation.cancel()
    }

    @Test func `an observer gets nothing before the store has been read, then its contents`() async throws {
        let bench = Bench.make(store: InMemoryTokenStore(.keeping(.token(TestToken("kept")))))
        let (journal, observation) = observe(bench)
        #expect(try await bench.name() == "kept")
        try await bench.auth.setToken(TestToken("a"))
        #expect(await journal.reaches(2) == ["kept", "a"])
        observation.cancel()
    }

    @Test func `an observer gets nothing for an empty store, or for a service without a first token`() async throws {
        let bench = Bench.make(store: InMemoryTokenStore(), .failure(NotAuthorized(.noToken)), .token("first"))
        let (journal, observation) = observe(bench)
        await #expect(throws: NotAuthorized.self) { try await bench.name() }
        let (late, lateObservation) = observe(bench)
        #expect(try await bench.name() == "first")
        #expect(await journal.reaches(1) == ["first"])
        #expect(await late.reaches(1) == ["first"])
        observation.cancel()
        lateObservation.cancel()
    }

    @Test func `a session whose end is in the store is reported once, when the store has been read`() async throws {
        let bench = Bench.make(store: InMemoryTokenStore(.keeping(.signedOut)))
        let (journal, observation) = observe(bench)
        for _ in 0..<2 { await #expect(throws: NotAuthorized.self) { try await bench.name() } }
        try await bench.auth.setToken(TestToken("a"))
        #expect(await journal.reaches(2) == ["signed out", "a"])
        observation.cancel()
    }

    @Test func `a session that ends is reported once, for any number of failing requests and later resets`()
        async throws
    {
        let bench = Bench.make(.failure(TokenEndpointError(status: 400, code: "invalid_grant")))
        let (journal, observation) = observe(bench)
        bench.clock.advance(by: .seconds(100))
        for _ in 0..<3 { await #expect(throws: NotAuthorized.self) { try await bench.name() } }
        await bench.auth.reset()
        await bench.auth.reset()
        try await bench.auth.setToken(TestToken("a"))
        #expect(await journal.reaches(3) == ["old", "rejected by the token endpoint", "a"])
        observation.cancel()
    }

    @Test func `a transient failure is no change`() async throws {
        let bench = Bench.make(.failure(Offline()), .token("new"))
        let (journal, observation) = observe(bench)
        bench.clock.advance(by: .seconds(100))
        await #expect(throws: RefreshFailed.self) { try await bench.name() }
        bench.clock.advance(by: .seconds(1))
        #expect(try await bench.name() == "new")
        #expect(await journal.reaches(2) == ["old", "new"])
        observation.cancel()
    }

    @Test func `a 401 is no change, but the token that replaces the refused one is`() async throws {
        let bench = Bench.make(.held)
        let (journal, observation) = observe(bench)
        try await bench.auth.setNeedsRefreshAfterUnauthorizedResponse(for: bench.sent(with: "old"))
        let (late, lateObservation) = observe(bench)
        try await bench.service.nextCall().succeed(TestToken("new"))
        #expect(await journal.reaches(2) == ["old", "new"])
        #expect(await late.reaches(2) == ["old", "new"])
        observation.cancel()
        lateObservation.cancel()
    }

    @Test func `a handler is called for one change at a time`() async throws {
        let bench = Bench.make()
        let journal = Journal<String>()
        let observation = bench.auth.onTokenChange { change in
            journal.add("begin \(change.label)")
            await Task.yield()
            journal.add("end \(change.label)")
        }
        try await bench.auth.setToken(TestToken("a"))
        await bench.auth.reset()
        let all = ["old", "a", "signed out"].flatMap { ["begin \($0)", "end \($0)"] }
        #expect(await journal.reaches(6) == all)
        observation.cancel()
    }

    @Test func `a slow handler delays neither requests nor other handlers`() async throws {
        let bench = Bench.make()
        let (slow, gate) = (Journal<String>(), OneShot<Void>())
        let slowObservation = bench.auth.onTokenChange { change in
            slow.add(change.label)
            try? await gate.value()
        }
        #expect(await slow.reaches(1) == ["old"])
        let (quick, observation) = observe(bench)
        try await bench.auth.setToken(TestToken("a"))
        #expect(try await bench.name() == "a")
        await bench.auth.reset()
        #expect(await quick.reaches(3) == ["old", "a", "signed out"])
        #expect(slow.all == ["old"])
        gate.fulfill()
        #expect(await slow.reaches(3) == ["old", "a", "signed out"])
        observation.cancel()
        slowObservation.cancel()
    }

    // MARK: Sequences

    @Test func `tokenChanges delivers the same as a sequence, for each iteration anew`() async throws {
        let bench = Bench.make()
        let changes = bench.auth.tokenChanges
        var first = changes.makeAsyncIterator()
        try await bench.auth.setToken(TestToken("a"))
        var second = changes.makeAsyncIterator()
        await bench.auth.reset()
        for label in ["old", "a", "signed out"] { #expect(await first.next()?.label == label) }
        for label in ["a", "signed out"] { #expect(await second.next()?.label == label) }
    }

    @Test func `events are delivered from the beginning of the iteration, not from earlier`() async throws {
        let bench = Bench.make()
        let events = bench.auth.events
        try await bench.auth.setToken(TestToken("a"))
        var iterator = events.makeAsyncIterator()
        await bench.auth.refresh { throw Offline() }
        #expect(await iterator.next()?.kind == .refreshFailed)
    }

    @Test func `cancelling the task ends an iteration`() async throws {
        let bench = Bench.make()
        let journal = Journal<String>()
        let changes = Task { for await change in bench.auth.tokenChanges { journal.add(change.label) } }
        let events = Task { for await event in bench.auth.events { journal.add("\(event)") } }
        #expect(await journal.reaches(1) == ["old"])
        changes.cancel()
        events.cancel()
        await changes.value
        await events.value
    }

    // MARK: -

    private func observe(_ bench: Bench) -> (Journal<String>, TokenObservation) {
        let journal = Journal<String>()
        return (journal, bench.auth.onTokenChange { journal.add($0.label) })
    }
}
