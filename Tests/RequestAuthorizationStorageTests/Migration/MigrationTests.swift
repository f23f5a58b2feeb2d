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
