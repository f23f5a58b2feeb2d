// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization
import RequestAuthorizationTesting
import TestProviders
import Testing

/// How a provider reads its store after a change, and what it does if it cannot.
@Suite(.timeLimit(.minutes(1))) struct ChangedStoreTests {
    @Test func `a change that cannot be read is read again within 16 seconds, after longer and longer pauses`()
        async throws
    {
        let bench = SharedBench.make(lasts: 1_000)
        #expect(try await bench.name() == "old")
        bench.store.fail(all: .load, with: DiskFull())
        let stored = try #require(bench.place.stored)
        try await bench.place.sibling().save(
            StoredToken(.token(TestToken("new")), version: stored.version.next, obtainedAt: bench.clock.now))
        for pause in [Duration.milliseconds(500), .seconds(1), .seconds(2), .seconds(4)] {
            await bench.clock.sleeper(for: pause)
            bench.clock.advance(by: pause)
        }
        await bench.clock.sleeper(for: .seconds(8))
        bench.store.fail(all: .load, with: nil)
        let adopted = await bench.event(.tokenAdopted) { bench.clock.advance(by: .seconds(8)) }
        #expect(adopted != nil)
        #expect(try await bench.name() == "new")
        #expect(bench.service.calls == 0)
    }

    @Test func `a change that could not be read for 16 seconds delays no later one`() async throws {
        let bench = SharedBench.make(lasts: 1_000)
        #expect(try await bench.name() == "old")
        bench.store.fail(all: .load, with: DiskFull())
        let sibling = bench.place.sibling()
        let version = try #require(bench.place.stored).version.next
        try await sibling.save(StoredToken(.token(TestToken("new")), version: version, obtainedAt: bench.clock.now))
        for pause in [Duration.milliseconds(500), .seconds(1), .seconds(2), .seconds(4)] {
            await bench.clock.sleeper(for: pause)
            bench.clock.advance(by: pause)
        }
        await bench.clock.sleeper(for: .seconds(8))
        let last = bench.store.hold(next: .load)
        bench.clock.advance(by: .seconds(8))
        await last.begins()
        last.fail(DiskFull())
        bench.store.fail(all: .load, with: nil)
        let adopted = await bench.event(.tokenAdopted) {
            try? await sibling.save(
                StoredToken(.token(TestToken("newer")), version: version.next, obtainedAt: bench.clock.now))
        }
        #expect(adopted != nil)
        #expect(try await bench.name() == "newer")
    }

    @Test func `after a change that was read at the second try, the next one is read at once`() async throws {
        let bench = SharedBench.make(lasts: 1_000)
        #expect(try await bench.name() == "old")
        bench.store.fail(next: .load, with: DiskFull())
        let sibling = bench.place.sibling()
        let version = try #require(bench.place.stored).version.next
        try await sibling.save(StoredToken(.token(TestToken("new")), version: version, obtainedAt: bench.clock.now))
        await bench.clock.sleeper(for: .milliseconds(500))
        #expect(await bench.event(.tokenAdopted) { bench.clock.advance(by: .milliseconds(500)) } != nil)
        let next = await bench.event(.tokenAdopted) {
            try? await sibling.save(
                StoredToken(.token(TestToken("newer")), version: version.next, obtainedAt: bench.clock.now))
        }
        #expect(next != nil)
    }

    @Test func `a store that was read while the session ended here is read again`() async throws {
        let bench = SharedBench.make(lasts: 1_000)
        #expect(try await bench.name() == "old")
        let (early, again) = (bench.store.hold(next: .load), bench.store.hold(next: .load))
        let stored = try #require(bench.place.stored)
        try await bench.place.sibling().save(
            StoredToken(.token(TestToken("new")), version: stored.version.next, obtainedAt: bench.clock.now))
        await early.begins()
        var reset: Task<Void, Never>?
        #expect(await bench.event(.sessionEnded) { reset = Task { await bench.auth.reset() } } != nil)
        early.release()
        await again.begins()
        again.release()
        await reset?.value
        await #expect(throws: NotAuthorized.self) { try await bench.name() }
    }

    @Test func `after a save that was given up and is made all the same, siblings' changes are looked for`()
        async throws
    {
        let bench = SharedBench.make(follows: false)
        let save = bench.store.hold(next: .save)
        let signIn = Task { try await bench.auth.signIn { TestToken("signed-in") } }
        await save.begins()
        await bench.clock.sleeper(for: .seconds(10))
        bench.clock.advance(by: .seconds(10))
        try await signIn.value
        let read = bench.store.hold(next: .load)
        save.release()
        await read.begins()
        let stored = try #require(bench.place.stored)
        try await bench.place.sibling().save(
            StoredToken(.token(TestToken("newer")), version: stored.version.next, obtainedAt: bench.clock.now))
        #expect(await bench.event(.tokenAdopted) { read.release() } != nil)
        #expect(try await bench.name() == "newer")
    }
}
