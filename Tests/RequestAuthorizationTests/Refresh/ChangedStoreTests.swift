// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization
import RequestAuthorizationTesting
import TestProviders
import Testing

/// How a provider reads its store after a change, and what it does if it cannot.
@Suite(.timeLimit(.minutes(5))) struct ChangedStoreTests {
    /// A provider that could not read a sibling's change, the token `new`, at five tries. The last pause, of 8 s, has begun.
    private func unread() async throws -> SharedBench {
        let bench = SharedBench.make(lasts: 1_000)
        #expect(try await bench.name() == "old")
        bench.store.fail(all: .load, with: DiskFull())
        try await change(bench, to: "new")
        for pause in [Duration.milliseconds(500), .seconds(1), .seconds(2), .seconds(4)] {
            await bench.clock.sleeper(for: pause)
            bench.clock.advance(by: pause)
        }
        await bench.clock.sleeper(for: .seconds(8))
        return bench
    }

    /// A sibling saves the next token of the session.
    private func change(_ bench: SharedBench, to name: String) async throws {
        let version = try #require(bench.place.stored).version.next
        try await bench.place.sibling().save(
            StoredToken(.token(TestToken(name)), version: version, obtainedAt: bench.clock.now))
    }

    @Test func `a change that cannot be read is read again within 16 seconds, after longer and longer pauses`()
        async throws
    {
        let bench = try await unread()
        bench.store.fail(all: .load, with: nil)
        #expect(await bench.event(.tokenAdopted) { bench.clock.advance(by: .seconds(8)) } != nil)
        #expect(try await bench.name() == "new")
        #expect(bench.service.calls == 0)
    }

    @Test func `a change that could not be read for 16 seconds delays no later one`() async throws {
        let bench = try await unread()
        let last = bench.store.hold(next: .load)
        bench.clock.advance(by: .seconds(8))
        await last.begins()
        last.fail(DiskFull())
        bench.store.fail(all: .load, with: nil)
        #expect(await bench.event(.tokenAdopted) { try? await change(bench, to: "newer") } != nil)
        #expect(try await bench.name() == "newer")
    }

    @Test func `after a change that was read at the second try, the next one is read at once`() async throws {
        let bench = SharedBench.make(lasts: 1_000)
        #expect(try await bench.name() == "old")
        bench.store.fail(next: .load, with: DiskFull())
        try await change(bench, to: "new")
        await bench.clock.sleeper(for: .milliseconds(500))
        #expect(await bench.event(.tokenAdopted) { bench.clock.advance(by: .milliseconds(500)) } != nil)
        #expect(await bench.event(.tokenAdopted) { try? await change(bench, to: "newer") } != nil)
    }

    @Test func `a store that was read while the session ended here is read again`() async throws {
        let bench = SharedBench.make(lasts: 1_000)
        #expect(try await bench.name() == "old")
        let (early, again) = (bench.store.hold(next: .load), bench.store.hold(next: .load))
        try await change(bench, to: "new")
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
        let save = try await bench.signInWithoutSave()
        let read = bench.store.hold(next: .load)
        save.release()
        await read.begins()
        try await change(bench, to: "newer")
        #expect(await bench.event(.tokenAdopted) { read.release() } != nil)
        #expect(try await bench.name() == "newer")
    }
}
