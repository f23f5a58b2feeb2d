// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorization

/// An observation ends when it is cancelled or dropped, or when the provider goes, and leaves nothing behind.
@Suite(.timeLimit(.minutes(5))) struct ObservationEndTests {
    /// The event that ends an observation while its handler runs.
    enum End: CaseIterable { case cancel, cancelInside, drop }

    @Test(arguments: End.allCases)
    func `after the end of an observation its handler gets nothing more, and is freed`(end: End) async throws {
        let bench = Bench.make()
        let (journal, gate, freed) = (Journal<String>(), OneShot<Void>(), OneShot<Void>())
        let box = Lock<TokenObservation?>(nil)
        box.withLock {
            $0 = bench.auth.onTokenChange { [canary = Canary(freed)] change in
                journal.add(change.label)
                try? await gate.value()
                if end == .cancelInside { box.withLock { $0 }?.cancel() }
                withExtendedLifetime(canary) {}
            }
        }
        #expect(await journal.reaches(1) == ["old"])
        try await bench.auth.setToken(TestToken("a"))
        switch end {
        case .cancel: box.withLock { $0 }?.cancel()
        case .cancelInside: break
        case .drop: box.withLock { $0 = nil }
        }
        gate.fulfill()
        try await freed.value()
        #expect(journal.all == ["old"])
        #expect(try await bench.name() == "a")
    }

    @Test func `an observation without a reference ends at once`() async throws {
        let bench = Bench.make()
        let (journal, freed) = (Journal<String>(), OneShot<Void>())
        _ = bench.auth.onTokenChange { [canary = Canary(freed)] change in
            journal.add(change.label)
            withExtendedLifetime(canary) {}
        }
        try await freed.value()
        try await bench.auth.setToken(TestToken("a"))
        #expect(!journal.all.contains("a"))
    }

    @Test func `an observation that ends frees a handler that waits for the next change`() async throws {
        let bench = Bench.make()
        let (journal, freed) = (Journal<String>(), OneShot<Void>())
        var observation: TokenObservation? = bench.auth.onTokenChange { [auth = bench.auth, canary = Canary(freed)] _ in
            journal.add(auth.description)
            withExtendedLifetime(canary) {}
        }
        _ = await journal.reaches(1)
        withExtendedLifetime(observation) {}
        observation = nil
        try await freed.value()
    }

    @Test func `when the provider goes, iterations deliver the pending changes and end`() async throws {
        var bench: Bench? = .make()
        let provider = Weak(bench?.auth)
        var changes = try #require(bench).auth.tokenChanges.makeAsyncIterator()
        var events = try #require(bench).auth.events.makeAsyncIterator()
        try await bench?.auth.setToken(TestToken("a"))
        bench = nil
        #expect(provider.object == nil)
        #expect(await changes.next()?.label == "old")
        #expect(await changes.next()?.label == "a")
        #expect(await changes.next() == nil)
        #expect(await events.next()?.kind == .tokenInstalled)
        #expect(await events.next() == nil)
    }

    @Test func `an iteration that begins after the provider has gone ends at once`() async throws {
        var bench: Bench? = .make()
        let (changes, events) = try (#require(bench).auth.tokenChanges, #require(bench).auth.events)
        bench = nil
        for await change in changes { Issue.record("got \(change)") }
        for await event in events { Issue.record("got \(event)") }
    }

    @Test func `when the provider goes, handlers are freed although their observations live`() async throws {
        var bench: Bench? = .make()
        let provider = Weak(bench?.auth)
        let (journal, freed) = (Journal<String>(), OneShot<Void>())
        let observation = bench?.auth.onTokenChange { [canary = Canary(freed)] change in
            journal.add(change.label)
            withExtendedLifetime(canary) {}
        }
        #expect(await journal.reaches(1) == ["old"])
        bench = nil
        #expect(provider.object == nil)
        try await freed.value()
        observation?.cancel()
    }

    @Test func `the provider keeps nothing of an observation that has ended`() async throws {
        let bench = Bench.make()
        var changes: Subscription? = bench.auth.core.observe()
        var events: Subscription? = bench.auth.core.listen()
        let mailboxes = (Weak(changes?.mailbox), Weak(events?.mailbox))
        #expect(mailboxes.0.object != nil && mailboxes.1.object != nil)
        (changes, events) = (nil, nil)
        #expect(mailboxes.0.object == nil && mailboxes.1.object == nil)
    }
}
