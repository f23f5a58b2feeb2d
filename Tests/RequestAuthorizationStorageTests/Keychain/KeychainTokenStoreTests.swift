// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorizationStorage

@Suite struct KeychainTokenStoreTests {
    private let keychain = FakeKeychain()

    private func store() -> KeychainTokenStore<TestToken> {
        KeychainTokenStore("client", "me", calls: keychain)
    }

    @Test func `the store passes the checks of a token store, also at the next launch`() async throws {
        let keychain = keychain
        try await TokenStoreChecks(reopened: { _ in KeychainTokenStore("client", "me", calls: keychain) }) {
            KeychainTokenStore<TestToken>("client", "me", calls: keychain)
        }.run()
    }

    @Test func `an item belongs to its client and account, and says when it is readable`() async throws {
        try await store().save(.make(1))
        try await KeychainTokenStore<TestToken>("client", "you", calls: keychain).save(.make(2))
        try await KeychainTokenStore<TestToken>("other", "me", accessGroup: "TEAM.shared", calls: keychain).save(
            .make(3))
        try await KeychainTokenStore<TestToken>("client", "me", kind: .file, calls: keychain).save(.make(4))
        #expect(try await store().load() == .make(1))
        let first = KeychainQuery(
            service: "request-authorization.token.client", account: "me", accessGroup: "TEAM.app",
            accessibility: .afterFirstUnlockThisDeviceOnly, isSynchronizable: false, keychain: .dataProtection)
        var (second, third, fourth) = (first, first, first)
        second.account = "you"
        (third.service, third.accessGroup) = ("request-authorization.token.other", "TEAM.shared")
        (fourth.accessGroup, fourth.keychain) = (nil, .file)
        #expect(Set(keychain.items.keys) == [first, second, third, fourth])
    }

    // MARK: - Add, update, add

    @Test func `the first save adds, the next save updates`() async throws {
        try await store().save(.make(1))
        try await store().save(.make(2))
        #expect(keychain.calls == [.accessGroups, .add, .accessGroups, .update])
        #expect(try await store().load() == .make(2))
        for other in [
            KeychainTokenStore<TestToken>("client", "me", accessGroup: "TEAM.shared", calls: keychain),
            KeychainTokenStore<TestToken>("client", "me", kind: .file, calls: keychain),
        ] {
            keychain.forgetCalls()
            for generation in 1...2 { try await other.save(.make(generation)) }
            #expect(keychain.calls == [.add, .add, .update])
        }
    }

    @Test func `an item that is deleted between add and update is added again`() async throws {
        let store = KeychainTokenStore<TestToken>("client", "me", accessGroup: "TEAM.shared", calls: keychain)
        keychain.answer(.add, .duplicateItem)
        keychain.answer(.update, .itemNotFound)
        try await store.save(.make(1))
        #expect(keychain.calls == [.add, .update, .add])
        #expect(try await store.load() == .make(1))
    }

    @Test func `an item without a named group that is deleted before its update is added again`() async throws {
        let store = store()
        keychain.answer(.add, .duplicateItem)
        try await store.save(.make(1))
        #expect(keychain.calls == [.accessGroups, .add, .accessGroups, .add])
        try await self.store().clear()
        #expect(try await store.load() == nil)
        try await store.save(.make(2))
        try await self.store().clear()
        keychain.forgetCalls()
        try await store.save(.make(3))
        #expect(keychain.calls == [.update, .accessGroups, .add])
        #expect(try await self.store().load() == .make(3))
    }

    @Test func `an item that is added and deleted without end does not keep the store busy without end`() async throws {
        keychain.answer(all: .add, .duplicateItem)
        keychain.answer(all: .update, .itemNotFound)
        for group in [nil, "TEAM.shared"] {
            keychain.forgetCalls()
            let store = KeychainTokenStore<TestToken>("client", "me", accessGroup: group, calls: keychain)
            let error = await #expect(throws: TokenStoreError.self) { try await store.save(.make(1)) }
            #expect(error?.kind == .unavailable)
            #expect(keychain.calls.count == 2 * KeychainTokenItem.attempts)
        }
    }

    @Test func `a value that is added only if there is none is that of the first caller`() async throws {
        let query = KeychainQuery(service: "s", account: "a", accessibility: .default)
        let item = KeychainTokenItem(query: query, keychain: keychain)
        keychain.answer(.accessGroups, .itemNotFound)
        #expect(keychain.add(query, value: Data([1])).status == .success)
        keychain.forgetCalls()
        #expect(try await item.load(orAdding: Data([2])) == Data([1]))
        #expect(keychain.calls == [.accessGroups, .add, .accessGroups, .copyMatching])
        try await item.clear()
        #expect(try await item.load(orAdding: Data([2])) == Data([2]))
    }

    @Test func `adding only if there is none ends too, and adds nothing to a locked Keychain`() async throws {
        let item = KeychainTokenItem(
            query: KeychainQuery(service: "s", account: "a", accessibility: .default), keychain: keychain)
        keychain.answer(all: .add, .duplicateItem)
        let busy = await #expect(throws: TokenStoreError.self) { try await item.load(orAdding: Data([2])) }
        #expect(busy?.kind == .unavailable)
        #expect(keychain.calls.count == 2 * KeychainTokenItem.attempts)
        keychain.forgetCalls()
        keychain.isLocked = true
        let locked = await #expect(throws: TokenStoreError.self) { try await item.load(orAdding: Data([2])) }
        #expect(locked?.kind == .unavailable)
        #expect(keychain.calls == [.accessGroups])
    }

    // MARK: - Locked is not empty

    @Test func `a locked Keychain signs no user out, and is read when it is unlocked`() async throws {
        try await store().save(.make(1))
        keychain.isLocked = true
        let clock = ManualClock()
        let auth = RefreshableTokenAuthorization(
            service: ScriptedTokenService<TestToken>(), store: store(),
            policy: .init(backOff: .init(patience: .zero)), clock: clock)
        let error = await #expect(throws: RefreshFailed.self) { try await auth.validToken() }
        #expect((error?.underlying as? TokenStoreError)?.kind == .unavailable)
        keychain.isLocked = false
        clock.advance(by: .seconds(2))
        #expect(try await auth.validToken().name == "test-credential-1")
    }

    @Test func `a token that a locked Keychain refuses is used, and saved when it is unlocked`() async throws {
        let clock = ManualClock()
        try await store().save(.make(1, expiresAt: clock.now))
        keychain.answer(all: .update, .interactionNotAllowed)
        let service = ScriptedTokenService<TestToken>(clock: clock, .token("new"))
        let auth = RefreshableTokenAuthorization(service: service, store: store(), clock: clock)
        var events = auth.events.makeAsyncIterator()
        #expect(try await auth.validToken().name == "new")
        while let event = await events.next(), event.kind != .saveFailed {}
        #expect(try await store().load() == .make(1, expiresAt: clock.now))
        #expect(try await auth.validToken().name == "new")

        keychain.answer(all: .update, nil)
        clock.advance(by: .seconds(2))
        #expect(try await auth.validToken().name == "new")
        var saves = keychain.saves.dropFirst().makeAsyncIterator()
        #expect(String(decoding: await saves.next() ?? Data(), as: UTF8.self).contains(#""name":"new""#))
        #expect(try await store().load()?.version.generation == 2)
    }
}
