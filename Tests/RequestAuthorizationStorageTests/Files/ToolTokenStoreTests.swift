// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorizationStorage

/// A tool whose earlier version kept its token in the Keychain.
@Suite struct ToolTokenStoreTests {
    private let folder: TemporaryFolder
    private let keychain = FakeKeychain()

    init() throws { folder = try TemporaryFolder() }

    private var former: KeychainTokenStore<TestToken> { KeychainTokenStore("client", "me", calls: keychain) }

    /// The store as each command makes it.
    private func store() -> ToolTokenStore<TestToken> { ToolTokenStore(folder.store(), former: former) }

    @Test func `the store passes the checks of a token store, also for siblings`() async throws {
        try await SharedTokenStoreChecks {
            let (folder, keychain) = (try TemporaryFolder(), FakeKeychain())
            let make = {
                // Each has a file store that keeps the folder.
                ToolTokenStore(
                    RestrictedFileTokenStore(client: "client", account: "me", folder: .at(folder.tokens)),
                    former: KeepingStore(KeychainTokenStore<TestToken>("client", "me", calls: keychain), folder))
            }
            return (make(), make())
        }.run()
    }

    @Test(arguments: 0..<5)
    func `the Keychain's token moves to the file, whichever operation comes first`(operation: Int) async throws {
        try await former.save(.make(1))
        let store = store()
        switch operation {
        case 0: #expect(try await store.load() == .make(1))
        case 1: #expect(try await store.loadWithIntent().stored == .make(1))
        case 2:
            let older = TokenSaveCondition.older(session: TokenVersion.test(2).session, generation: 2)
            #expect(try await store.save(.make(2), replacing: older) == .saved)
        case 3: try await store.save(.make(2))
        default:
            let lock = try await store.lock(within: .seconds(60))
            #expect(try await store.loadWithIntent().stored == .make(1))
            await lock.unlock()
        }
        #expect(try await folder.store().load()?.token != nil)
        // A running earlier version learns where the token is, and cannot spend it.
        #expect(try await former.load()?.content == .moved(to: "RestrictedFileTokenStore"))
        keychain.forgetCalls()
        _ = try await self.store().load()
        #expect(keychain.calls == [])
    }

    @Test func `two first commands agree on the token`() async throws {
        try await former.save(.make(1))
        let stores = (0..<8).map { _ in store() }
        try await withThrowingTaskGroup { group in
            for store in stores { group.addTask { try await store.load() } }
            for try await stored in group { #expect(stored == .make(1)) }
        }
    }

    @Test func `a session that has ended does not come back from the Keychain`() async throws {
        try await former.save(.make(1))
        for end: (RestrictedFileTokenStore<TestToken>) async throws -> Void in [
            { try await $0.save(StoredToken(.signedOut, version: .test(9), obtainedAt: .now)) },
            { try await $0.clear() },
        ] {
            try await folder.store().save(.make(8))
            try await end(folder.store())
            #expect(try await store().load()?.token == nil)
        }
        #expect(keychain.calls == [.accessGroups, .add])
    }

    @Test func `clearing removes both`() async throws {
        try await former.save(.make(1))
        try await store().clear()
        #expect(keychain.items.isEmpty)
        #expect(try await store().load() == nil)
    }

    @Test func `clearing leaves the item that an app shares in a group`() async throws {
        let app = KeychainTokenStore<TestToken>("client", "me", accessGroup: "TEAM.shared", calls: keychain)
        try await app.save(.make(2))
        try await former.save(.make(1))
        try await store().clear()
        #expect(try await app.load() == .make(2))
        #expect(keychain.items.count == 1)
    }

    @Test func `a locked Keychain is unavailable, and its token moves when it is unlocked`() async throws {
        try await former.save(.make(1))
        keychain.isLocked = true
        let store = store()
        for operation in 0..<4 {
            let error = await #expect(throws: TokenStoreError.self, "\(operation)") {
                switch operation {
                case 0: _ = try await store.load()
                case 1: try await store.save(.make(2))
                case 2: try await store.clear()
                default: _ = try await store.lock(within: .seconds(60))
                }
            }
            #expect(error?.kind == .unavailable)
        }
        #expect(folder.names == [])
        keychain.isLocked = false
        #expect(try await store.load() == .make(1))
    }

    @Test func `a tool that is not signed has a file and no Keychain`() async throws {
        keychain.answer(all: .accessGroups, .missingEntitlement)
        keychain.answer(all: .delete, .missingEntitlement)
        #expect(try await store().load() == nil)
        try await store().save(.make(1))
        #expect(try await store().load() == .make(1))
        try await store().clear()
        #expect(try await store().load() == nil)
    }
}

/// A store that keeps a folder while it is in use.
private struct KeepingStore: TokenStore {
    let store: KeychainTokenStore<TestToken>
    let folder: TemporaryFolder

    init(_ store: KeychainTokenStore<TestToken>, _ folder: TemporaryFolder) {
        (self.store, self.folder) = (store, folder)
    }

    func load() async throws -> StoredToken<TestToken>? { try await store.load() }
    func save(_ stored: StoredToken<TestToken>) async throws { try await store.save(stored) }
    func clear() async throws { try await store.clear() }
}
