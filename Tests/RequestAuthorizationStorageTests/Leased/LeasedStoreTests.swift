// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
import Foundation
import RequestAuthorization
import RequestAuthorizationStorage
import RequestAuthorizationTesting
import Testing

/// Two hosts with a lease of 10 s, over a database that a test disturbs.
struct LeasedStoreTests {
    private let clock = ManualClock()
    private let records = MemoryRecords()
    private let session = UUID()

    private func store(
        _ database: (any RecordDatabase)? = nil, account: String = "ada"
    ) async throws -> LeasedTokenStore<TestToken> {
        let database = CutRecords(base: database ?? records, isCut: Lock(false))
        return try await store(over: database, account: account)
    }

    private func store(
        over database: some RecordDatabase, account: String = "ada"
    ) async throws -> LeasedTokenStore<TestToken> {
        try await LeasedTokens(database: database, key: .bytes(Data(repeating: 1, count: 32)), clock: clock)
            .store(client: "web", account: account)
    }

    /// A host's way to the database, which can be cut.
    private struct CutRecords: RecordDatabase {
        let base: any RecordDatabase
        let isCut: Lock<Bool>

        func read(_ key: String) async throws -> DatabaseRecord? {
            if isCut.withLock({ $0 }) { throw MemoryRecords.NoAnswer() }
            return try await base.read(key)
        }

        func replace(_ old: Data?, by new: Data?, at key: String) async throws -> Bool {
            if isCut.withLock({ $0 }) { throw MemoryRecords.NoAnswer() }
            return try await base.replace(old, by: new, at: key)
        }
    }

    /// Waits until a store pauses between two reads.
    private func pause() async -> Duration {
        while true {
            if let pause = clock.sleeping.min(), pause <= .milliseconds(40) { return pause }
            await Task.yield()
        }
    }

    private func token(_ name: String, _ generation: Int) -> StoredToken<TestToken> {
        StoredToken(
            .token(TestToken(name)), version: TokenVersion(session: session, generation: generation),
            obtainedAt: Date(timeIntervalSince1970: 0))
    }

    private func older(_ generation: Int) -> TokenSaveCondition { .older(session: session, generation: generation) }

    private func intent(_ generation: Int) -> RefreshIntent {
        RefreshIntent(session: session, generation: generation, beganAt: Date(timeIntervalSince1970: 5))
    }

    private typealias Hosts = (
        one: LeasedTokenStore<TestToken>, other: LeasedTokenStore<TestToken>, lock: TokenStoreLock, isCut: Lock<Bool>
    )

    /// Two stores, the first of which has the lease and has written its intent for generation 0.
    private func announced() async throws -> Hosts {
        let way = CutRecords(base: records, isCut: Lock(false))
        let (one, other) = (try await store(over: way), try await store())
        try await one.save(token("a", 0))
        _ = try await other.load()
        let lock = try await one.lock(within: .seconds(1))
        _ = try await one.loadWithIntent()
        try await one.setIntent(intent(0))
        return (one, other, lock, way.isCut)
    }

    /// Lets the second host take over the lease of the first, which is cut off meanwhile.
    private func takeOver(_ hosts: Hosts) async throws -> TokenStoreLock {
        await #expect(throws: TokenStoreError.self) { try await hosts.other.lock(within: .zero) }
        hosts.isCut.withLock { $0 = true }
        clock.advance(by: .seconds(11))
        let lock = try await hosts.other.lock(within: .zero)
        hosts.isCut.withLock { $0 = false }
        return lock
    }

    @Test func `absurd durations are for ever, and end no program`() async throws {
        let ever = Duration.seconds(Int64.max)
        let tokens = try await LeasedTokens(
            database: records, key: .bytes(Data(repeating: 1, count: 32)), lease: ever,
            requestDeadline: .seconds(4), callLimit: ever)
        let store: LeasedTokenStore<TestToken> = tokens.store(client: "web", account: "ada")
        try await store.save(token("a", 0))
        let lock = try await store.lock(within: ever)
        #expect(try await store.loadWithIntent().stored == token("a", 0))
        await lock.unlock()
        #expect(try await !tokens.removeEnded(at: tokens.key(client: "web", account: "ada"), olderThan: ever))
    }

    @Test func `a refresh takes four calls`() async throws {
        let (one, _) = (try await store(), try await store())
        try await one.save(token("a", 0))
        _ = records.calls()
        let lock = try await one.lock(within: .seconds(1))
        #expect(try await one.loadWithIntent().stored == token("a", 0))
        try await one.setIntent(intent(0))
        #expect(try await one.save(token("b", 1), replacing: older(1), ending: intent(0)) == .saved)
        await lock.unlock()
        #expect(records.calls() == [.read, .replace, .replace, .replace])
        #expect(try await one.openIntent() == nil)
    }

    @Test func `a valid new token is saved at once while another host has the lease`() async throws {
        let hosts = try await announced()
        let (one, other) = (hosts.one, hosts.other)
        let lock = try await takeOver(hosts)
        _ = try await other.loadWithIntent()
        #expect(try await one.save(token("b", 1), replacing: older(1), ending: intent(0)) == .saved)
        // The other host's intent is for a token that was replaced: it sends nothing.
        await #expect(throws: TokenStoreError.self) { try await other.setIntent(intent(0)) }
        #expect(lock.remaining == .zero)
        #expect(try await other.load() == token("b", 1))
    }

    @Test func `the holder saves a token of an equal generation as the next one`() async throws {
        let hosts = try await announced()
        let (one, other) = (hosts.one, hosts.other)
        let lock = try await takeOver(hosts)
        _ = try await other.loadWithIntent()
        try await other.setIntent(intent(0))
        #expect(try await one.save(token("b", 1), replacing: older(1), ending: intent(0)) == .saved)
        #expect(try await other.save(token("c", 1), replacing: older(1), ending: intent(0)) == .refused(token("c", 2)))
        #expect(try await one.load() == token("c", 2))
        // The answer may have been lost.
        #expect(try await other.save(token("c", 1), replacing: older(1), ending: intent(0)) == .refused(token("c", 2)))
        #expect(try await one.load() == token("c", 2))
        withExtendedLifetime(lock) {}
    }

    @Test func `without the lease a token of an equal generation is discarded and the stored one adopted`() async throws
    {
        let hosts = try await announced()
        let (one, other) = (hosts.one, hosts.other)
        let lock = try await takeOver(hosts)
        _ = try await other.loadWithIntent()
        try await other.setIntent(intent(0))
        #expect(try await other.save(token("c", 1), replacing: older(1), ending: intent(0)) == .saved)
        #expect(try await one.save(token("b", 1), replacing: older(1), ending: intent(0)) == .refused(token("c", 1)))
        withExtendedLifetime(lock) {}
    }

    @Test func `an intent without the lease is refused, and nothing is sent`() async throws {
        let hosts = try await announced()
        let other = hosts.other
        let taken = try await takeOver(hosts)
        await #expect(throws: TokenStoreError.self) { try await hosts.one.setIntent(intent(0)) }
        #expect(hosts.lock.remaining == .zero)
        #expect(taken.remaining == .seconds(10))
        // Nobody has a lease: an intent is refused too.
        await taken.unlock()
        await #expect(throws: TokenStoreError.self) { try await other.setIntent(intent(0)) }
    }

    @Test func `once the record has changed under its lease a provider sends nothing, and adopts`() async throws {
        let (one, other) = (try await store(), try await store())
        try await one.save(
            StoredToken(
                .token(TestToken("a", expiresAt: clock.now - 1)), version: token("a", 0).version,
                obtainedAt: clock.now))
        // The second replacement is the intent.
        records.next(.replace, .none)
        let (newer, condition) = (token("b", 1), older(1))
        records.next(.replace, .after { _ in _ = try? await other.save(newer, replacing: condition) })
        let service = CountedService()
        let provider = RefreshableTokenAuthorization(service: service, store: one, clock: clock)
        #expect(try await provider.validToken() == TestToken("b"))
        #expect(service.calls.withLock { $0 } == 0)
        #expect(try await other.load() == token("b", 1))
    }

    private struct CountedService: RefreshableTokenService {
        let calls = Lock(0)

        func refresh(_ token: TestToken) async throws -> TestToken {
            calls.withLock { $0 += 1 }
            return TestToken("sent")
        }
    }

    @Test func `a full database lets the request go on without an intent`() async throws {
        let (one, _, lock, _) = try await announced()
        records.next(.replace, .full)
        await #expect(throws: TokenStoreError.self) { try await one.setIntent(intent(0)) }
        #expect(lock.remaining == .seconds(10))
        records.next(.replace, .lost)
        records.next(.replace, .lost)
        await #expect(throws: TokenStoreError.self) { try await one.setIntent(intent(0)) }
        #expect(lock.remaining == .zero)
    }

    @Test(arguments: [false, true])
    func `a full database lets no request go on if a read does not confirm the lease and the token`(
        isChanged: Bool
    ) async throws {
        let (one, other, lock, _) = try await announced()
        let (newer, condition) = (token("b", 1), older(1))
        records.next(.replace, .full)
        records.next(
            .read, isChanged ? .after { _ in _ = try? await other.save(newer, replacing: condition) } : .lost)
        await #expect(throws: TokenStoreError.self) { try await one.setIntent(intent(0)) }
        #expect(lock.remaining == .zero)
    }

    @Test func `a full database lets no request go on by a stale read`() async throws {
        let (one, other, lock, _) = try await announced()
        _ = try await other.save(token("b", 1), replacing: older(1))
        records.next(.replace, .full)
        records.next(.read, .stale)
        await #expect(throws: TokenStoreError.self) { try await one.setIntent(intent(0)) }
        #expect(lock.remaining == .zero)
    }

    @Test func `a database that is too full to confirm a read lets the request go on`() async throws {
        let (one, _, lock, _) = try await announced()
        records.next(.replace, .full)
        records.next(.confirm, .full)
        await #expect(throws: TokenStoreError.self) { try await one.setIntent(intent(0)) }
        #expect(lock.remaining == .seconds(10))
    }

    @Test func `a host that slept after its intent sends nothing`() async throws {
        let (_, _, lock, _) = try await announced()
        #expect(lock.remaining == .seconds(10))
        clock.advance(by: .milliseconds(4_900))
        #expect(try #require(lock.remaining) > .zero)
        clock.advance(by: .milliseconds(100))
        #expect(lock.remaining == .zero)
    }

    @Test(arguments: [false, true])
    func `a replacement without an answer is asked again`(isMade: Bool) async throws {
        let store = try await store()
        try await store.save(token("a", 0))
        _ = records.calls()
        records.next(.replace, isMade ? .answerLost : .lost)
        #expect(try await store.save(token("b", 1), replacing: older(1)) == .saved)
        // What is read need not be durable, so it is confirmed.
        let calls: [MemoryRecords.Call] = isMade ? [.read, .replace, .replace, .confirm] : [.read, .replace, .replace]
        #expect(records.calls() == calls)
        #expect(try await store.load() == token("b", 1))
    }

    @Test(arguments: [false, true])
    func `who waits reads without a lease and adopts`(hasRead: Bool) async throws {
        let (one, reader, held, _) = try await announced()
        let other = hasRead ? reader : try await store()
        let waiting = Task { try await other.lock(within: .seconds(20)) }
        _ = await pause()
        #expect(try await one.save(token("b", 1), replacing: older(1), ending: intent(0)) == .saved)
        _ = records.calls()
        clock.advance(by: .milliseconds(5))
        let lock = try await waiting.value
        #expect(lock.remaining == .zero)
        #expect(try await other.loadWithIntent().stored == token("b", 1))
        await lock.unlock()
        #expect(records.calls() == [.read])
        withExtendedLifetime(held) {}
    }

    @Test(arguments: [false, true])
    func `a lease that got no answer is the host's own, also in a record that another host has changed`(
        isCleared: Bool
    ) async throws {
        let (one, other) = (try await store(), try await store())
        try await one.save(token("a", 0))
        let newer = token("b", 1)
        records.next(.replace, .answerLost)
        records.next(
            .replace,
            .after { _ in
                if isCleared { _ = try? await other.clear() } else { _ = try? await other.save(newer) }
            })
        let locking = Task { try await one.lock(within: .milliseconds(5)) }
        _ = await pause()
        clock.advance(by: .milliseconds(5))
        let lock = try await locking.value
        #expect(lock.remaining == .seconds(10))
        #expect(try await one.load() == (isCleared ? nil : newer))
        await lock.unlock()
        #expect(try await other.lock(within: .zero).remaining == .seconds(10))
    }

    @Test func `a lease that got no answer is given back if the token was changed meanwhile`() async throws {
        let (one, other) = (try await store(), try await store())
        try await one.save(token("a", 0))
        try await other.save(token("b", 1))
        let lock = try await one.lock(within: .zero)
        #expect(lock.remaining == .zero)
        #expect(try await one.load() == token("b", 1))
        let (newer, open) = (token("c", 2), intent(1))
        records.next(.replace, .answerLost)
        records.next(.replace, .after { _ in _ = try? await other.save(newer) })
        let announcing = Task { try await one.setIntent(open) }
        _ = await pause()
        clock.advance(by: .milliseconds(5))
        await #expect(throws: TokenStoreError.self) { try await announcing.value }
        #expect(try await other.lock(within: .zero).remaining == .seconds(10))
        await lock.unlock()
    }

    @Test func `an access without a lease acquires it with the intent, in one call`() async throws {
        let (one, other, held, _) = try await announced()
        let waiting = Task { try await other.lock(within: .seconds(20)) }
        _ = await pause()
        _ = try await one.save(token("b", 1), replacing: older(1), ending: intent(0))
        clock.advance(by: .milliseconds(5))
        let lock = try await waiting.value
        _ = try await other.loadWithIntent()
        _ = records.calls()
        try await other.setIntent(intent(1))
        #expect(lock.remaining == .seconds(10))
        #expect(records.calls() == [.read, .replace])
        await #expect(throws: TokenStoreError.self) { try await one.lock(within: .zero) }
        #expect(try await one.openIntent() == intent(1))
        // The intent counts from here, as any other.
        clock.advance(by: .seconds(5))
        #expect(lock.remaining == .zero)
        withExtendedLifetime(held) {}
    }

    @Test func `the first pauses are at most 5, 10, 20 and 40 ms`() async throws {
        let (_, other, held, _) = try await announced()
        let waiting = Task { try await other.lock(within: .seconds(20)) }
        for longest in [5, 10, 20, 40] {
            let pause = await pause()
            #expect(pause > .zero && pause <= .milliseconds(longest))
            clock.advance(by: pause)
        }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        withExtendedLifetime(held) {}
    }

    @Test func `the next refresh waits for the host's own release, and no longer`() async throws {
        let store = try await store()
        try await store.save(token("a", 0))
        let lock = try await store.lock(within: .seconds(1))
        let next = Task { try await store.lock(within: .seconds(1)) }
        await clock.sleepers(2)
        await lock.unlock()
        #expect(try await next.value.remaining == .seconds(10))
    }

    @Test func `a process that lives for two seconds takes over where the database tells the time`() async throws {
        let records = MemoryRecords(clock: clock)
        let way = CutRecords(base: records, isCut: Lock(false))
        let dead = try await store(over: way)
        try await dead.save(token("a", 0))
        let lock = try await dead.lock(within: .zero)
        way.isCut.withLock { $0 = true }
        clock.advance(by: .seconds(11))
        let short = try await store(records)
        #expect(try await short.lock(within: .zero).remaining == .seconds(10))
        withExtendedLifetime(lock) {}
    }

    @Test func `a stale answer ends no session`() async throws {
        let (one, other) = (try await store(), try await store())
        try await one.save(token("a", 0))
        _ = try await other.load()
        records.next(.read, .stale)
        #expect(try await other.load() == token("a", 0))
    }

    @Test(arguments: [false, true])
    func `a stale token brings back no session that has ended or was replaced`(isOver: Bool) async throws {
        let store = try await store()
        try await store.save(token("a", 0))
        let next = StoredToken<TestToken>(
            isOver ? .signedOut : .token(TestToken("b")),
            version: TokenVersion(session: isOver ? session : UUID(), generation: 1),
            obtainedAt: Date(timeIntervalSince1970: 0))
        try await store.save(next)
        records.next(.read, .stale)
        #expect(try await store.load() == next)
    }

    @Test func `a stale token brings back no session whose end has refused a save`() async throws {
        let (one, other) = (try await store(), try await store())
        try await one.save(token("a", 0))
        let ended = StoredToken<TestToken>(
            .signedOut, version: token("", 1).version, obtainedAt: Date(timeIntervalSince1970: 0))
        try await other.save(ended)
        #expect(try await one.save(token("b", 1), replacing: older(1), ending: nil) == .refused(ended))
        records.next(.read, .stale)
        #expect(try await one.load() == ended)
    }

    @Test func `a first token is saved also if the database is emptied just before`() async throws {
        let store = try await store(over: EmptiedRecords(base: records, reads: Lock(0)))
        try await store.save(token("a", 0))
        #expect(try await store.load() == token("a", 0))
    }

    /// It loses everything before its identity is read for the third time: to write the first record.
    private struct EmptiedRecords: RecordDatabase {
        let base: MemoryRecords
        let reads: Lock<Int>

        func read(_ key: String) async throws -> DatabaseRecord? {
            if key == "request-authorization.place" {
                let isThird = reads.withLock { reads in
                    reads += 1
                    return reads == 3
                }
                if isThird { base.dropAll() }
            }
            return try await base.read(key)
        }

        func replace(_ old: Data?, by new: Data?, at key: String) async throws -> Bool {
            try await base.replace(old, by: new, at: key)
        }
    }

    @Test func `a stale end refuses no save`() async throws {
        let (one, other) = (try await store(), try await store())
        let version = TokenVersion(session: UUID(), generation: 0)
        try await one.save(StoredToken(.signedOut, version: version, obtainedAt: clock.now))
        try await one.save(token("a", 0))
        records.next(.read, .stale)
        #expect(try await other.save(token("b", 1), replacing: older(1)) == .saved)
    }

    @Test func `a save that is repeated ends the intent that the first one has left`() async throws {
        let (one, other, lock, _) = try await announced()
        #expect(try await one.save(token("b", 1), replacing: older(1)) == .saved)
        #expect(try await other.openIntent() == intent(0))
        #expect(try await one.save(token("b", 1), replacing: older(1), ending: intent(0)) == .saved)
        #expect(try await other.openIntent() == nil)
        withExtendedLifetime(lock) {}
    }

    @Test(arguments: [false, true])
    func `a host saves a newer token again that the database has lost`(hasLoaded: Bool) async throws {
        let (one, other) = (try await store(), try await store())
        try await one.save(token("a", 0))
        let key = try #require(records.keys.first { $0.count == 64 })
        let copy = records[key]
        _ = try await (hasLoaded ? other : one).save(token("b", 1), replacing: older(1))
        if hasLoaded { _ = try await one.load() }
        records[key] = copy
        #expect(try await store().load() == token("a", 0))
        let lock = try await one.lock(within: .seconds(1))
        #expect(try await one.loadWithIntent().stored == token("b", 1))
        await lock.unlock()
        #expect(try await store().load() == token("b", 1))
    }

    @Test func `a host saves a lost token again, too, if its first save got no answer`() async throws {
        let one = try await store()
        try await one.save(token("a", 0))
        let key = try #require(records.keys.first { $0.count == 64 })
        let copy = records[key]
        records.next(.replace, .answerLost)
        records.next(.replace, .lost)
        await #expect(throws: TokenStoreError.self) { try await one.save(token("b", 1), replacing: older(1)) }
        #expect(try await one.save(token("b", 1), replacing: older(1)) == .saved)
        records[key] = copy
        let lock = try await one.lock(within: .seconds(1))
        #expect(try await one.loadWithIntent().stored == token("b", 1))
        await lock.unlock()
        #expect(try await store().load() == token("b", 1))
    }

    @Test func `a sign-out that comes before a lost token is saved again is loaded in its place`() async throws {
        let (one, other) = (try await store(), try await store())
        try await one.save(token("a", 0))
        let key = try #require(records.keys.first { $0.count == 64 })
        let copy = records[key]
        _ = try await one.save(token("b", 1), replacing: older(1))
        records[key] = copy
        let lock = try await one.lock(within: .seconds(1))
        let ended = StoredToken<TestToken>(
            .signedOut, version: token("", 1).version, obtainedAt: Date(timeIntervalSince1970: 0))
        try await other.save(ended)
        #expect(try await one.loadWithIntent().stored == ended)
        await lock.unlock()
        #expect(try await store().load() == ended)
    }

    @Test func `a sign-in that is saved again replaces nothing that came after it`() async throws {
        let (one, other) = (try await store(), try await store())
        try await one.save(token("a", 0))
        #expect(try await other.save(token("b", 1), replacing: older(1), ending: nil) == .saved)
        // The answer to the first try was lost.
        #expect(try await one.save(token("a", 0), replacing: .anything, ending: nil) == .refused(token("b", 1)))
        #expect(try await one.load() == token("b", 1))

        for generation in [0, 1] {
            let version = TokenVersion(session: session, generation: generation)
            let tombstone = StoredToken<TestToken>(
                .signedOut, version: version, obtainedAt: Date(timeIntervalSince1970: 0))
            #expect(try await other.save(tombstone, replacing: .anything, ending: nil) == .saved)
            #expect(try await one.save(token("a", 0), replacing: .anything, ending: nil) == .refused(tombstone))
        }
    }

    @Test(arguments: [false, true])
    func `a sign-in that was found in the record replaces an older copy, and no session that has followed`(
        isOlderCopy: Bool
    ) async throws {
        let (one, other) = (try await store(), try await store())
        let another = StoredToken(
            .token(TestToken("another")), version: TokenVersion(session: UUID(), generation: 0),
            obtainedAt: Date(timeIntervalSince1970: 0))
        try await other.save(another)
        let key = try #require(records.keys.first { $0.count == 64 })
        let copy = records[key]
        clock.advance(by: .seconds(1))
        records.next(.replace, .answerLost)
        records.next(.replace, .lost)
        records.next(.confirm, .lost)
        for _ in 1...2 {
            await #expect(throws: TokenStoreError.self) {
                try await one.save(token("a", 0), replacing: .anything, ending: nil)
            }
        }
        #expect(try await other.load() == token("a", 0))
        clock.advance(by: .seconds(1))
        if isOlderCopy { records[key] = copy } else { try await other.save(another) }
        let result = try await one.save(token("a", 0), replacing: .anything, ending: nil)
        let expected: SaveResult<StoredToken<TestToken>> = isOlderCopy ? .saved : .refused(another)
        #expect(result == expected)
        #expect(try await other.load() == (isOlderCopy ? token("a", 0) : another))
    }

    @Test func `a sign-in that was read after a lost answer replaces no session that has followed`() async throws {
        let (one, other) = (try await store(), try await store())
        records.next(.replace, .answerLost)
        records.next(.replace, .lost)
        await #expect(throws: TokenStoreError.self) {
            try await one.save(token("a", 0), replacing: .anything, ending: nil)
        }
        #expect(try await one.load() == token("a", 0))
        clock.advance(by: .seconds(1))
        let another = StoredToken(
            .token(TestToken("another")), version: TokenVersion(session: UUID(), generation: 0),
            obtainedAt: Date(timeIntervalSince1970: 0))
        try await other.save(another)
        #expect(try await one.save(token("a", 0), replacing: .anything, ending: nil) == .refused(another))
        #expect(try await other.load() == another)
    }

    @Test(arguments: [false, true])
    func `a sign-out during a sign-in replaces that, although the session before was found`(isOver: Bool) async throws {
        let store = try await store()
        let ended = StoredToken<TestToken>(
            .signedOut, version: token("", 2).version, obtainedAt: Date(timeIntervalSince1970: 0))
        try await store.save(isOver ? ended : token("a", 0))
        let expected: SaveResult<StoredToken<TestToken>> = isOver ? .refused(ended) : .saved
        #expect(try await store.save(token("b", 1), replacing: older(1), ending: nil) == expected)
        clock.advance(by: .seconds(1))
        let signIn = StoredToken(
            .token(TestToken("c")), version: TokenVersion(session: UUID(), generation: 0),
            obtainedAt: Date(timeIntervalSince1970: 0))
        #expect(try await store.save(signIn, replacing: .anything, ending: nil) == .saved)
        #expect(try await store.save(ended, replacing: .anything, ending: nil) == .saved)
        #expect(try await store.load() == ended)
    }

    @Test func `a sign-in whose answer was lost is confirmed and announced when it is read`() async throws {
        let store = try await store(over: records)
        records.next(.replace, .answerLost)
        records.next(.replace, .lost)
        await #expect(throws: TokenStoreError.self) {
            try await store.save(token("a", 0), replacing: .anything, ending: nil)
        }
        _ = records.calls()
        records.next(.confirm, .lost)
        await #expect(throws: TokenStoreError.self) { try await store.load() }
        #expect(records.calls() == [.read, .read, .confirm])
        for calls: [MemoryRecords.Call] in [[.read, .read, .confirm, .announce], [.read]] {
            #expect(try await store.load() == token("a", 0))
            #expect(records.calls() == calls)
        }
    }

    @Test func `a sign-in whose first answer was lost is announced when it is saved again`() async throws {
        let one = try await store(over: records)
        try await one.save(token("a", 0))
        _ = records.calls()
        #expect(try await one.save(token("a", 0), replacing: .anything, ending: nil) == .saved)
        // What is read need not be durable, so it is confirmed.
        #expect(records.calls() == [.read, .confirm, .announce])
    }

    @Test func `the end of a session whose first answer was lost is announced when it is saved again`() async throws {
        let one = try await store(over: records)
        let ended = StoredToken<TestToken>(
            .signedOut, version: token("", 1).version, obtainedAt: Date(timeIntervalSince1970: 0))
        try await one.save(token("a", 0))
        #expect(try await one.save(ended, replacing: .session(session), ending: nil) == .saved)
        _ = records.calls()
        #expect(try await one.save(ended, replacing: .session(session), ending: nil) == .saved)
        // What is read need not be durable, so it is confirmed.
        #expect(records.calls() == [.read, .confirm, .announce])
        #expect(try await one.save(token("b", 1), replacing: older(1), ending: nil) == .refused(ended))
        #expect(!records.calls().contains(.announce))
    }

    @Test func `a session whose first save got no answer does not end with the database`() async throws {
        let store = try await store()
        records.next(.replace, .answerLost)
        records.next(.replace, .lost)
        await #expect(throws: TokenStoreError.self) { try await store.save(token("a", 0)) }
        #expect(try await store.save(token("a", 0), replacing: .anything, ending: nil) == .saved)
        records.dropAll()
        #expect(try await store.loadWithIntent().absence == .placeMissing)
    }

    @Test func `only old tombstones without a lease and an intent are removed`() async throws {
        let fleet = try await LeasedTokens(
            database: records, key: .bytes(Data(repeating: 1, count: 32)), clock: clock)
        let store: LeasedTokenStore<TestToken> = fleet.store(client: "web", account: "ada")
        let key = fleet.key(client: "web", account: "ada")
        try await store.save(token("a", 0))
        clock.advance(by: .seconds(40 * 86_400))
        #expect(try await !fleet.removeEnded(at: key))
        try await store.save(StoredToken(.signedOut, version: token("a", 0).version, obtainedAt: clock.now))
        #expect(try await !fleet.removeEnded(at: key))
        clock.advance(by: .seconds(30 * 86_400 - 1))
        #expect(try await !fleet.removeEnded(at: key))
        clock.advance(by: .seconds(1))
        let lock = try await store.lock(within: .zero)
        #expect(try await !fleet.removeEnded(at: key))
        await lock.unlock()
        // The identity of the database is no session.
        #expect(try await !fleet.removeEnded(at: "request-authorization.place", olderThan: .zero))
        #expect(try await fleet.removeEnded(at: key))
        #expect(records[key] == nil)
    }

    @Test(arguments: [false, true])
    func `the lease of a host that died keeps an old tombstone only where the database does not tell the time`(
        hasClock: Bool
    ) async throws {
        let records = MemoryRecords(clock: hasClock ? clock : nil)
        let way = CutRecords(base: records, isCut: Lock(false))
        let dead = try await store(over: way)
        try await dead.save(StoredToken(.signedOut, version: token("a", 0).version, obtainedAt: clock.now))
        let lock = try await dead.lock(within: .zero)
        way.isCut.withLock { $0 = true }
        let fleet = try await LeasedTokens(
            database: records, key: .bytes(Data(repeating: 1, count: 32)), clock: clock)
        let key = fleet.key(client: "web", account: "ada")
        clock.advance(by: .seconds(86_399))
        #expect(try await !fleet.removeEnded(at: key, olderThan: .seconds(1)))
        clock.advance(by: .seconds(1))
        #expect(try await !fleet.removeEnded(at: key, olderThan: .seconds(86_401)))
        #expect(try await fleet.removeEnded(at: key, olderThan: .seconds(1)) == hasClock)
        withExtendedLifetime(lock) {}
    }

    @Test func `keys and records have limits, and larger ones are errors`() async throws {
        for key in ["", String(repeating: "é", count: 256) + "e", "request-authorization.place"] {
            let error = #expect(throws: TokenStoreError.self) { try LeasedByteStore(database: records, key: key) }
            #expect(error?.kind == .unsuitable)
        }
        let items = try LeasedByteStore(database: records, key: String(repeating: "é", count: 256), clock: clock)
        try await items.save(Data(repeating: 1, count: 60_000))
        let error = await #expect(throws: TokenStoreError.self) {
            try await items.save(Data(repeating: 2, count: 65_536))
        }
        #expect(error?.kind == .unsuitable)
        #expect(try await items.load() == Data(repeating: 1, count: 60_000))
    }

    @Test func `the database sees neither tokens nor names`() async throws {
        try await store(account: "ada lovelace").save(token("secret", 0))
        let keys = records.keys
        #expect(!keys.isEmpty)
        for key in keys {
            let text = key + String(decoding: records[key] ?? Data(), as: UTF8.self)
            // Not "ada": the key has 64 hexadecimal digits, and three of them may be that.
            for secret in ["secret", "lovelace", "web"] { #expect(!text.contains(secret)) }
        }
    }
}
#endif
