// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Crypto
import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import StoreFixtures
import Testing

@testable import RequestAuthorizationStorage

@Suite struct KeychainKeyTests {
    private let keychain = FakeKeychain()

    private func key() -> KeychainTokenItem {
        KeychainTokenItem(query: .key("client", "me", "group", isSynchronizable: false), keychain: keychain)
    }

    @Test func `the first key that is kept stays`() async throws {
        #expect(try await key().load() == nil)
        #expect(try await key().load(orAdding: Data([1])) == Data([1]))
        #expect(try await key().load(orAdding: Data([2])) == Data([1]))
        #expect(try await key().load() == Data([1]))
        #expect(keychain.calls.filter { $0 == .update } == [])
    }

    @Test func `two processes that make the key at the same time agree on one`() async throws {
        let keys = try await withThrowingTaskGroup(of: Data.self) { group in
            for number in 0..<16 { group.addTask { try await key().load(orAdding: Data([UInt8(number)])) } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(keys.count == 1)
    }

    @Test func `a key without a group is not the key of a group, and neither replaces the other`() async throws {
        func own() -> KeychainTokenItem {
            KeychainTokenItem(
                query: .key("client", "me", nil, isSynchronizable: false), keychain: FakeKeychain(of: keychain))
        }
        #expect(try await key().load(orAdding: Data([1])) == Data([1]))
        #expect(try await own().load() == nil)
        #expect(try await own().load(orAdding: Data([2])) == Data([2]))
        #expect(try await own().load(orAdding: Data([3])) == Data([2]))
        #expect(try await key().load() == Data([1]))
        #expect(Set(keychain.items.keys.map(\.accessGroup)) == ["group", "TEAM.app"])
    }

    @Test func `the key stays on the device unless it is for iCloud Keychain`() {
        let query = KeychainQuery.key("client", "me", "group", isSynchronizable: false)
        #expect(query.service == "request-authorization.key.client" && query.accessGroup == "group")
        #expect(query.accessibility == .afterFirstUnlockThisDeviceOnly && !query.isSynchronizable)
        let carried = KeychainQuery.key("client", "me", nil, isSynchronizable: true)
        #expect(carried.accessibility == .afterFirstUnlock && carried.isSynchronizable)
    }

    @Test func `a locked Keychain makes no key, and a token sealed with it is not lost`() async throws {
        let items = InMemoryItems()
        let key = TokenKey(.key("client", "me", "group", isSynchronizable: false), in: keychain)
        let make = { @Sendable in
            EncryptedTokenStore<TestToken, _>(around: items, key: key, client: "client", account: "me")
        }
        keychain.isLocked = true
        let early = await #expect(throws: TokenStoreError.self) { try await make().save(.make(1)) }
        #expect(early?.kind == .unavailable && items.item == nil)
        keychain.isLocked = false
        try await make().save(.make(1))
        keychain.isLocked = true
        let locked = await #expect(throws: TokenStoreError.self) { try await make().load() }
        #expect(locked?.kind == .unavailable)
        keychain.isLocked = false
        #expect(try await make().load() == .make(1))
    }
}
#endif
