// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationStorage
import RequestAuthorizationTesting
import StoreFixtures
import Testing

@Suite struct MigrationTests {
    @Test func `a token moves from any store to any other`() async throws {
        let folder = try TemporaryFolder()
        let (plain, file, items) = (
            InMemoryTokenStore<TestToken>(.make(3)), folder.store(), InMemoryCodableTokenStore<TestToken>()
        )
        #expect(try await plain.migrate(to: file) == .moved)
        #expect(plain.stored?.content == .moved(to: "RestrictedFileTokenStore"))
        #expect(try await plain.migrate(to: file) == .nothingToMove)
        #expect(try await file.migrate(to: items) == .moved)
        #expect(try await file.load()?.content == .moved(to: "InMemoryCodableTokenStore"))
        #expect(try await items.migrate(to: plain) == .moved)
        #expect(try await items.load()?.token == nil && plain.stored == .make(3))
        #expect(try await items.migrate(to: plain) == .nothingToMove)
    }

    @Test func `a token with a set moves, although its copy has the members in another order`() async throws {
        struct ScopedToken: AuthorizationToken, Codable, Equatable {
            let scopes: Set<String>
            var authorizationHeaderValue: String { "Bearer a" }
        }
        // The capacity alone changes the order too, where `SWIFT_DETERMINISTIC_HASHING` is set.
        let token = ScopedToken(scopes: Set<String>(minimumCapacity: 1_000).union((1...50).map { "scope-\($0)" }))
        let old = InMemoryTokenStore(StoredToken(.token(token), version: .test(2), obtainedAt: .now))
        let new = InMemoryCodableTokenStore<ScopedToken>()
        #expect(try await old.migrate(to: new) == .moved)
        #expect(try await new.load()?.token?.scopes == token.scopes)
        #expect(old.stored?.token == nil)
    }

    @Test func `a token moves away and back`() async throws {
        let folder = try TemporaryFolder()
        let (one, other) = (folder.store(account: "one"), folder.store(account: "other"))
        try await one.save(.make(2))
        #expect(try await one.migrate(to: other) == .moved)
        #expect(try await other.migrate(to: one) == .moved)
        #expect(try await folder.store(account: "one").load() == .make(2))
        let shared = (one: InMemorySharedTokenStore<TestToken>(.make(2)), other: InMemorySharedTokenStore<TestToken>())
        #expect(try await shared.one.migrate(to: shared.other) == .moved)
        #expect(try await shared.other.migrate(to: shared.one) == .moved)
        #expect(shared.one.stored == .make(2))
    }

    @Test func `nothing newer and nothing of another session is overwritten`() async throws {
        let other = StoredToken(
            .token(TestToken("other")), version: TokenVersion(session: UUID(), generation: 9), obtainedAt: .now)
        let tombstone = StoredToken<TestToken>(.signedOut, version: .test(1), obtainedAt: .now)
        let cases: [(there: StoredToken<TestToken>?, outcome: TokenMigration, left: StoredToken<TestToken>?)] = [
            (nil, .moved, nil), (.make(2), .moved, nil), (.make(1), .moved, nil), (.make(3), .newerIsThere, nil),
            (other, .otherIsThere, .make(2)), (tombstone, .otherIsThere, .make(2)),
        ]
        for (there, outcome, left) in cases {
            let plain = (old: InMemoryTokenStore<TestToken>(.make(2)), new: InMemoryTokenStore(there))
            #expect(try await plain.old.migrate(to: plain.new) == outcome)
            #expect(plain.old.stored?.token == left?.token)
            #expect(plain.new.stored == (outcome == .moved ? .make(2) : there))
            let shared = (old: InMemorySharedTokenStore<TestToken>(.make(2)), new: InMemorySharedTokenStore(there))
            #expect(try await shared.old.migrate(to: shared.new) == outcome)
            #expect(shared.old.stored?.token == left?.token)
            #expect(shared.new.stored == (outcome == .moved ? .make(2) : there))
        }
    }

    /// Each call of either store fails in turn, before or after it has done its work.
    @Test(arguments: [false, true])
    func `after an interruption at any point the token is in a store, and the next call goes on`(afterwards: Bool)
        async throws
    {
        // Access whose answer was lost cannot be released.
        let kinds: [TokenStoreOperation<TestToken>.Kind] =
            afterwards ? [.load, .save, .clear] : [.load, .save, .clear, .lock]
        for kind in kinds {
            for failsOld in [true, false] {
                for skipped in 0..<4 {
                    let old = ScriptedTokenStore(InMemorySharedTokenStore<TestToken>(.make(2)))
                    let new = ScriptedTokenStore(InMemorySharedTokenStore<TestToken>())
                    let failing = failsOld ? old : new
                    for _ in 0..<skipped { failing.hold(next: kind).release() }
                    failing.fail(next: kind, with: TokenStoreError(.failed, "interrupted"), afterwards: afterwards)
                    _ = try? await old.migrate(to: new)
                    #expect(old.base.stored == .make(2) || new.base.stored == .make(2))
                    for _ in 0..<4 { _ = try? await old.migrate(to: new) }
                    #expect(old.base.stored?.token == nil && new.base.stored == .make(2))
                }
            }
        }
    }

    @Test func `a move onto itself changes nothing`() async throws {
        let (folder, place) = (try TemporaryFolder(), Place())
        let plain = InMemoryTokenStore<TestToken>(.make(2))
        #expect(try await plain.migrate(to: plain) == .nothingToMove && plain.stored == .make(2))
        let shared = InMemorySharedTokenStore<TestToken>(.make(2))
        #expect(try await shared.migrate(to: shared) == .nothingToMove && shared.stored == .make(2))
        try await folder.store().save(.make(2))
        #expect(try await folder.store().migrate(to: folder.store()) == .nothingToMove)
        #expect(try await folder.store().load() == .make(2))
        // Two paths of one folder.
        let link = folder.path + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.path)
        let linked = RestrictedFileTokenStore<TestToken>(client: "client", account: "me", folder: .at(link + "/tokens"))
        #expect(try await folder.store().migrate(to: linked, waitingAtMost: .zero) == .nothingToMove)
        #expect(try await folder.store().load() == .make(2))
        // Two spellings of an account are two files.
        try await folder.store(account: "é").save(.make(2))
        #expect(try await folder.store(account: "é").migrate(to: folder.store(account: "e\u{301}")) == .moved)
        // Two stores of a program of which nothing is known but that they are token stores.
        try await Placed(place: place).save(.make(2))
        #expect(try await Placed(place: place).migrate(to: Placed(place: place)) == .nothingToMove)
        #expect(place.stored.withLock { $0 } == .make(2))
        // A copy of an interrupted move is another place.
        try await Placed(place: place).save(.make(2))
        #expect(try await Placed(place: place).migrate(to: plain) == .moved && plain.stored == .make(2))
        #expect(place.stored.withLock { $0 }?.token == nil)
    }

    /// A step of the check fails, or the process dies in it.
    @Test func `a move onto itself that is interrupted loses nothing`() async throws {
        for kind in [TokenStoreOperation<TestToken>.Kind.load, .save] {
            for skipped in 0..<4 {
                for afterwards in [false, true] {
                    let place = Place()
                    place.stored.withLock { $0 = .make(2) }
                    let (old, new) = (
                        ScriptedTokenStore(Placed(place: place)), ScriptedTokenStore(Placed(place: place))
                    )
                    for store in [old, new] {
                        for _ in 0..<skipped { store.hold(next: kind).release() }
                        store.fail(next: kind, with: TokenStoreError(.failed, "interrupted"), afterwards: afterwards)
                    }
                    _ = try? await old.migrate(to: new)
                    #expect(place.stored.withLock { $0 }?.token == StoredToken.make(2).token)
                    for _ in 0..<4 { _ = try? await old.migrate(to: new) }
                    #expect(try await old.migrate(to: new) == .nothingToMove)
                    #expect(place.stored.withLock { $0 }?.token == StoredToken.make(2).token)
                }
            }
        }
    }

    #if Crypto
    @Test func `an encrypted token moves away and back`() async throws {
        let folder = try TemporaryFolder()
        let key = try TokenKey.bytes(Data(repeating: 7, count: 32))
        let (one, other) = (
            EncryptedTokenStore<TestToken, _>(around: folder.store(account: "one").items, key: key),
            EncryptedTokenStore<TestToken, _>(around: folder.store(account: "other").items, key: key)
        )
        try await one.save(.make(2))
        #expect(try await one.migrate(to: other) == .moved)
        #expect(try await other.migrate(to: one) == .moved)
        #expect(try await one.load() == .make(2))
    }

    @Test func `a file that would be encrypted in its own place is refused at once`() async throws {
        let folder = try TemporaryFolder()
        try await folder.store().save(.make(2))
        let items = RestrictedFileItems(client: "client", account: "me", folder: .at(folder.tokens))
        let sealed = EncryptedTokenStore<TestToken, _>(
            around: items, key: try .bytes(Data(repeating: 7, count: 32)))
        let error = await #expect(throws: TokenStoreError.self) { try await folder.store().migrate(to: sealed) }
        #expect(error?.kind == .unsuitable)
        #expect(try await folder.store().load() == .make(2))
    }
    #endif

    private final class Place: Sendable {
        let stored = Lock<StoredToken<TestToken>?>(nil)
    }

    private struct Placed: TokenStore {
        let place: Place

        func load() async throws -> StoredToken<TestToken>? { place.stored.withLock { $0 } }
        func save(_ stored: StoredToken<TestToken>) async throws { place.stored.withLock { $0 = stored } }
        func clear() async throws { place.stored.withLock { $0 = nil } }
    }

    /// It runs a body before each save.
    private struct Watched: TokenStore {
        let place = Place()
        let beforeSave: @Sendable () async -> Void

        func load() async throws -> StoredToken<TestToken>? { place.stored.withLock { $0 } }
        func save(_ stored: StoredToken<TestToken>) async throws {
            await beforeSave()
            place.stored.withLock { $0 = stored }
        }
        func clear() async throws { place.stored.withLock { $0 = nil } }
    }

    @Test(.timeLimit(.minutes(5)))
    func `a leased token is moved under a lease, also if another host has saved meanwhile`() async throws {
        let (clock, records) = (ManualClock(), MemoryRecords())
        let stores = try (1...3).map { _ in
            try LeasedTokenStore<TestToken>(unencryptedIn: records, key: "ada", clock: clock)
        }
        let (one, old, third) = (stores[0], stores[1], stores[2])
        try await one.save(.make(1))
        let lock = try await one.lock(within: .zero)
        let kinds = Lock<[TokenStoreError.Kind?]>([])
        let new = Watched {
            let error = await #expect(throws: TokenStoreError.self) { try await third.lock(within: .zero) }
            kinds.withLock { $0.append(error?.kind) }
        }
        let moving = Task { try await old.migrate(to: new) }
        // Until the store pauses between two reads.
        while clock.sleeping.min() ?? .seconds(1) > .milliseconds(5) { await Task.yield() }
        try await one.save(.make(2))
        await lock.unlock()
        clock.advance(by: .milliseconds(5))
        #expect(try await moving.value == .moved)
        #expect(kinds.withLock { $0 } == [.timedOut])
        #expect(new.place.stored.withLock { $0 } == .make(2))
        #expect(try await third.load()?.token == nil)
    }

    private func leasedStores() throws -> (LeasedTokenStore<TestToken>, LeasedTokenStore<TestToken>, MemoryRecords) {
        let (clock, records) = (ManualClock(), MemoryRecords())
        let stores = try (1...2).map { _ in
            try LeasedTokenStore<TestToken>(unencryptedIn: records, key: "ada", clock: clock)
        }
        return (stores[0], stores[1], records)
    }

    @Test func `a marker replaces no token that a host without the lease has saved just before`() async throws {
        let (old, late, records) = try leasedStores()
        let new = InMemoryTokenStore<TestToken>()
        try await old.save(.make(1))
        // The first replacement is the lease, the second one the marker.
        records.next(.replace, .none)
        records.next(.replace, .after { _ in _ = try? await late.save(.make(2), replacing: .older(of: 2)) })
        let error = await #expect(throws: TokenStoreError.self) { try await old.migrate(to: new) }
        #expect(error?.kind == .failed)
        #expect(try await late.load() == .make(2))
        #expect(try await old.migrate(to: new) == .moved)
        #expect(new.stored == .make(2))
    }

    /// An interrupted move left the token in both stores. The next one changes its time for a moment.
    @Test(arguments: [1, 2])
    func `the check for one place replaces no token that a host without the lease has saved just before`(
        write: Int
    ) async throws {
        let (new, late, records) = try leasedStores()
        let old = InMemoryTokenStore<TestToken>(.make(1))
        try await new.save(.make(1))
        // After the lease come the changed time and the former one.
        for _ in 1...write { records.next(.replace, .none) }
        records.next(.replace, .after { _ in _ = try? await late.save(.make(2), replacing: .older(of: 2)) })
        #expect(try await old.migrate(to: new) == .otherIsThere)
        #expect(try await late.load() == .make(2))
        #expect(try await old.migrate(to: new) == .newerIsThere)
        #expect(try await new.load() == .make(2))
    }

    /// A sign-in takes the place of a tombstone or a marker right before a migration removes that.
    private func signIn(
        over mark: StoredToken<TestToken>.Content
    ) async throws -> (LeasedTokenStore<TestToken>, late: LeasedTokenStore<TestToken>, StoredToken<TestToken>) {
        let (store, late, records) = try leasedStores()
        let signedIn = StoredToken(
            .token(TestToken("other")), version: TokenVersion(session: UUID(), generation: 0),
            obtainedAt: Date(timeIntervalSince1970: 0))
        try await store.save(StoredToken(mark, version: .test(2), obtainedAt: signedIn.obtainedAt))
        // The first replacement is the lease.
        records.next(.replace, .none)
        records.next(.replace, .after { _ in _ = try? await late.save(signedIn) })
        return (store, late, signedIn)
    }

    @Test func `a sign-in is not removed in place of a tombstone that was moved`() async throws {
        let (old, late, signedIn) = try await signIn(over: .signedOut)
        let new = InMemoryTokenStore<TestToken>()
        let error = await #expect(throws: TokenStoreError.self) { try await old.migrate(to: new) }
        #expect(error?.kind == .failed)
        #expect(try await late.load() == signedIn)
    }

    @Test func `a token that moves back replaces no sign-in in place of its marker`() async throws {
        let (new, late, signedIn) = try await signIn(over: .moved(to: "elsewhere"))
        let old = InMemoryTokenStore<TestToken>(.make(2))
        #expect(try await old.migrate(to: new) == .otherIsThere)
        #expect(try await late.load() == signedIn)
        #expect(old.stored == .make(2))
    }

    @Test func `a store that returns a different token does not get it`() async throws {
        struct Forgetful: TokenStore {
            func load() async throws -> StoredToken<TestToken>? { nil }
            func save(_ stored: StoredToken<TestToken>) async throws {}
            func clear() async throws {}
        }
        let old = InMemoryTokenStore<TestToken>(.make(2))
        let error = await #expect(throws: TokenStoreError.self) { try await old.migrate(to: Forgetful()) }
        #expect(error?.kind == .failed && old.stored == .make(2))
    }

    @Test func `an open intent is moved too`() async throws {
        let (old, new) = (InMemorySharedTokenStore<TestToken>(.make(2)), InMemorySharedTokenStore<TestToken>())
        let intent = RefreshIntent(session: TokenVersion.test(2).session, generation: 2, beganAt: .now)
        try await old.setIntent(intent)
        #expect(try await old.migrate(to: new) == .moved)
        #expect(new.intent == intent)
    }
}

extension TokenSaveCondition {
    /// A refresh has brought this generation of the one session that tests share.
    fileprivate static func older(of generation: Int) -> Self {
        .older(session: TokenVersion.test(generation).session, generation: generation)
    }
}
