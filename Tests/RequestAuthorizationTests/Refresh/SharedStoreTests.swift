// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import TestProviders
import Testing

/// Several providers share a rotating token, as several processes do: there is one refresh, and no session ends.
@Suite struct SharedStoreTests {
    typealias Store = ScriptedTokenStore<InMemorySharedTokenStore<TestToken>>

    @Test func `a refresh locks, reads, leaves an intent, saves, clears it and unlocks`() async throws {
        let bench = SharedBench.make(.token("new"))
        bench.clock.advance(by: .seconds(10))
        #expect(try await bench.name() == "new")
        await bench.unlocked()
        let kinds = bench.store.operations.map(\.kind)
        #expect(kinds == [.load, .lock, .load, .setIntent, .save, .unlock])
        #expect(bench.place.intent == nil)
        #expect(bench.place.stored?.token?.name == "new")
        #expect(bench.place.stored?.version.generation == 1)
    }

    @Test func `siblings refresh once, and the second adopts the token of the first`() async throws {
        let bench = SharedBench.make(.held)
        let sibling = bench.sibling()
        bench.clock.advance(by: .seconds(10))
        let first = Task { try await bench.name() }
        let call = try await bench.service.nextCall()
        let second = Task { try await sibling.name() }
        await sibling.held.reaches(1)
        call.succeed(TestToken("new"))
        #expect(try await first.value == "new")
        #expect(try await second.value == "new")
        #expect(bench.service.calls == 1)
        #expect(sibling.service.calls == 0)
    }

    @Test func `a provider that gets the lock reads again, and adopts a token without a notice`() async throws {
        let bench = SharedBench.make(.held)
        let sibling = bench.sibling(follows: false)
        bench.clock.advance(by: .seconds(10))
        let first = Task { try await bench.name() }
        let call = try await bench.service.nextCall()
        let second = Task { try await sibling.name() }
        await bench.clock.sleeper(for: .seconds(20))
        call.succeed(TestToken("new"))
        #expect(try await first.value == "new")
        #expect(try await second.value == "new")
        #expect(sibling.service.calls == 0)
    }

    @Test func `past the lock's deadline there is a transient error, never a refresh`() async throws {
        let bench = SharedBench.make()
        let holder = bench.place.sibling()
        let lock = try await holder.lock(within: .seconds(1))
        bench.clock.advance(by: .seconds(10))
        let request = Task { try await bench.name() }
        await bench.held.reaches(1)
        await bench.clock.sleeper(for: .seconds(20))
        bench.clock.advance(by: .seconds(20))
        let error = await #expect(throws: RefreshFailed.self) { try await request.value }
        #expect((error?.underlying as? TokenStoreError)?.kind == .timedOut)
        #expect(bench.service.calls == 0)
        await lock.unlock()
    }

    @Test func `a provider that loads a token with an open intent refreshes at once`() async throws {
        let bench = SharedBench.make(lasts: 1000, .token("new"))
        let stored = try #require(bench.place.stored)
        let intent = RefreshIntent(
            session: stored.version.session, generation: stored.version.generation, beganAt: bench.clock.now)
        try await bench.place.setIntent(intent)
        #expect(try await bench.name() == "new")
        #expect(bench.service.calls == 1)
        #expect(bench.place.intent == nil)
    }

    @Test func `an intent for an older token is ignored`() async throws {
        let bench = SharedBench.make(lasts: 1000)
        let stored = try #require(bench.place.stored)
        try await bench.place.setIntent(
            RefreshIntent(session: stored.version.session, generation: -1, beganAt: bench.clock.now))
        #expect(try await bench.name() == "old")
        #expect(bench.service.calls == 0)
    }

    @Test func `a lost answer leaves the intent, an answered refusal does not`() async throws {
        let lost = SharedBench.make(.failure(TokenTransportError(.connectionLost, delivery: .mayHaveBeenProcessed)))
        lost.clock.advance(by: .seconds(10))
        await #expect(throws: RefreshFailed.self) { try await lost.name() }
        await lost.unlocked()
        #expect(lost.place.intent != nil)

        let refused = SharedBench.make(.failure(TokenEndpointError(status: 503)))
        refused.clock.advance(by: .seconds(10))
        await #expect(throws: RefreshFailed.self) { try await refused.name() }
        await refused.unlocked()
        #expect(refused.place.intent == nil)
    }

    @Test func `if the save fails the lock and the intent are kept, and siblings do not spend the old token`()
        async throws
    {
        let bench = SharedBench.make(.token("new"))
        let sibling = bench.sibling()
        bench.store.fail(next: .save, with: DiskFull())
        bench.clock.advance(by: .seconds(10))
        #expect(try await bench.name() == "new")
        #expect(bench.place.intent != nil)
        #expect(!bench.store.operations.map(\.kind).contains(.unlock))

        let waiting = Task { try await sibling.name() }
        await bench.clock.sleeper(for: .seconds(20))
        bench.clock.advance(by: .seconds(1))
        #expect(try await bench.name() == "new")
        #expect(try await waiting.value == "new")
        #expect(sibling.service.calls == 0)
        await bench.unlocked()
        #expect(bench.place.intent == nil)
    }

    @Test func `a sign-in whose save seemed to fail adopts what a sibling has made of it`() async throws {
        let bench = SharedBench.make(follows: false)
        bench.store.fail(next: .save, with: DiskFull())
        try await bench.auth.signIn { TestToken("signed-in") }
        let saves = bench.store.operations.compactMap { operation in
            if case .conditionalSave(let stored, _, _) = operation { stored } else { nil }
        }
        let session = try #require(saves.last?.version.session)
        // The save was made all the same, and its answer was late.
        let version = TokenVersion(session: session, generation: 1)
        let newer = StoredToken(.token(TestToken("newer")), version: version, obtainedAt: bench.clock.now)
        try await bench.place.sibling().save(newer)
        #expect(try await bench.auth.refreshNow().name == "newer")
        #expect(bench.service.calls == 0)
    }

    @Test(.timeLimit(.minutes(5)))
    func `a sign-in whose save was given up and is made all the same is not saved again`() async throws {
        let bench = SharedBench.make()
        let save = try await bench.signInWithoutSave()
        save.release()
        // No time passes, so nothing is tried again.
        try await bench.auth.settle(within: .seconds(60))
        #expect(bench.store.operations.filter { $0.kind == .save }.count == 1)
        #expect(bench.place.stored?.token?.name == "signed-in")
    }

    @Test func `a sibling that signed out is noticed, and its tombstone is not overwritten`() async throws {
        let bench = SharedBench.make(.heldIgnoringCancellation)
        let sibling = bench.sibling()
        #expect(try await sibling.name() == "old")
        bench.clock.advance(by: .seconds(10))
        let request = Task { try await bench.name() }
        let call = try await bench.service.nextCall()
        let end = Task { await bench.auth.tokenChanges.first { !$0.isAuthorized } != nil }
        await sibling.auth.reset()
        let error = await #expect(throws: NotAuthorized.self) { try await request.value }
        #expect(error?.reason == .signedOut)
        #expect(await end.value)
        _ = await bench.event(.tokenDiscarded) { call.succeed(TestToken("late")) }
        guard case .signedOut = bench.place.stored?.content else { Issue.record("no tombstone"); return }
        await bench.service.discards.reaches(1)
        #expect(bench.service.discarded == ["late"])
    }

    @Test(.timeLimit(.minutes(5)))
    func `no request gets access before the end of the session is in the store`() async throws {
        let bench = SharedBench.make(.failure(TokenEndpointError(status: 400, code: "invalid_grant")))
        let sibling = bench.sibling(follows: false)
        bench.clock.advance(by: .seconds(10))
        let tombstone = bench.store.hold(next: .save)
        let first = Task { try await bench.name() }
        await tombstone.begins()
        let second = Task { try await sibling.name() }
        await bench.clock.sleeper(for: .seconds(20))
        tombstone.release()
        await #expect(throws: NotAuthorized.self) { try await first.value }
        await #expect(throws: NotAuthorized.self) { try await second.value }
        #expect(sibling.service.calls == 0)
    }

    @Test func `a holder that finds a tombstone at its save drops and discards its result`() async throws {
        let bench = SharedBench.make(follows: false, .held)
        bench.clock.advance(by: .seconds(10))
        let request = Task { try await bench.name() }
        let call = try await bench.service.nextCall()
        let stored = try #require(bench.place.stored)
        try await bench.place.save(StoredToken(.signedOut, version: stored.version.next, obtainedAt: stored.obtainedAt))
        call.succeed(TestToken("late"))
        await #expect(throws: NotAuthorized.self) { try await request.value }
        guard case .signedOut = bench.place.stored?.content else { Issue.record("no tombstone"); return }
        await bench.service.discards.reaches(1)
        #expect(bench.service.discarded == ["late"])
    }

    @Test func `a sign-out does not wait for a sibling's refresh, and leaves a newer session alone`() async throws {
        let bench = SharedBench.make()
        #expect(try await bench.name() == "old")
        let holder = bench.place.sibling()
        let lock = try await holder.lock(within: .seconds(1))
        await bench.auth.reset()
        guard case .signedOut = bench.place.stored?.content else { Issue.record("no tombstone"); return }
        await lock.unlock()

        let other = SharedBench.make(follows: false)
        #expect(try await other.name() == "old")
        try await other.place.save(.make("another user's"))
        await other.auth.reset()
        #expect(other.place.stored?.token?.name == "another user's")
        await #expect(throws: NotAuthorized.self) { try await other.name() }
    }

    @Test(.timeLimit(.minutes(5)))
    func `after a sign-out a provider without notices sees the sign-in of a sibling`() async throws {
        let bench = SharedBench.make(follows: false)
        let sibling = bench.sibling(follows: false)
        #expect(try await bench.name() == "old")
        await sibling.auth.reset()
        bench.clock.advance(by: .seconds(10))
        let error = await #expect(throws: NotAuthorized.self) { try await bench.name() }
        #expect(error?.reason == .signedOut)
        try await sibling.auth.signIn { TestToken("next") }
        // The store is read for this request, but it does not wait for that.
        let adopted = await bench.event(.tokenAdopted) {
            await #expect(throws: NotAuthorized.self) { try await bench.name() }
        }
        #expect(adopted != nil)
        #expect(try await bench.name() == "next")
        #expect(bench.service.calls == 0)
    }

    @Test func `a sibling's newer token is adopted as soon as it is stored`() async throws {
        let bench = SharedBench.make()
        let sibling = bench.sibling(.token("new"))
        #expect(try await bench.name() == "old")
        let adopted = await bench.event(.tokenAdopted) {
            bench.clock.advance(by: .seconds(10))
            _ = try? await sibling.name()
        }
        #expect(adopted != nil)
        #expect(try await bench.name() == "new")
        #expect(bench.service.calls == 0)
    }

    @Test func `after a crash between the service's answer and the save the successor is fetched again`() async throws {
        let bench = SharedBench.make(.heldIgnoringCancellation)
        let sibling = bench.sibling(.token("recovered"))
        bench.clock.advance(by: .seconds(10))
        _ = Task { try await bench.name() }
        _ = try await bench.service.nextCall()
        bench.place.crash()
        #expect(try await sibling.name() == "recovered")
        #expect(bench.place.intent == nil)
    }
}
