// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationStorage
import RequestAuthorizationTesting
import StoreFixtures
import Testing

@Suite struct CodableTokenStoreTests {
    @Test func `a typed store on items is a token store, also for siblings`() async throws {
        try await SharedTokenStoreChecks {
            let items = InMemoryItems()
            return (InMemoryCodableTokenStore<TestToken>(items), InMemoryCodableTokenStore(items.sibling()))
        }.run()
    }

    @Test(arguments: ["", "{", "not json", #"{"status":1}"#, #"{"token":{}}"#, "\0\0\0"])
    func `a damaged item is set aside and reported, and then there is nothing`(text: String) async throws {
        let items = InMemoryItems(Data(text.utf8))
        let store = InMemoryCodableTokenStore<TestToken>(items)
        let error = await #expect(throws: TokenStoreError.self) { try await store.load() }
        #expect(error?.kind == .corrupt)
        #expect(error?.description.contains("aside-1") == true)
        #expect(items.aside == [Data(text.utf8)])
        #expect(try await store.load() == nil)
    }

    @Test(arguments: [#"{"status":"paused"}"#, #"{"status":"token","token":{"other":1}}"#])
    func `an item of a later version is reported and stays`(text: String) async throws {
        let items = InMemoryItems(Data(text.utf8))
        let store = InMemoryCodableTokenStore<TestToken>(items)
        let error = await #expect(throws: TokenStoreError.self) { try await store.load() }
        #expect(error?.kind == .unreadable)
        let conditional = await #expect(throws: TokenStoreError.self) {
            try await store.save(.make(1), replacing: .session(TokenVersion.test(0).session))
        }
        #expect(conditional?.kind == .unreadable)
        #expect(items.item == Data(text.utf8) && items.aside.isEmpty)
    }

    @Test(arguments: ["damaged", #"{"status":"paused"}"#])
    func `a sign-in replaces an unreadable item, and loses nothing`(text: String) async throws {
        let items = InMemoryItems(Data(text.utf8))
        let store = InMemoryCodableTokenStore<TestToken>(items)
        #expect(try await store.save(.make(1), replacing: .anything) == .saved)
        #expect(try await store.load() == .make(1))
        #expect(items.aside == [Data(text.utf8)])
    }

    @Test func `an unreadable intent counts for the present token`() async throws {
        let items = InMemoryItems()
        let store = InMemoryCodableTokenStore<TestToken>(items)
        items.intent = Data()
        #expect(try await store.openIntent() == nil)
        try await store.save(.make(3))
        let intent = try await store.openIntent()
        #expect(intent?.session == TokenVersion.test(3).session && intent?.generation == 3)
    }

    @Test(arguments: [(29, false), (31, true)])
    func `a tombstone is removed after thirty days, and a token is not`(days: Double, isOld: Bool) async throws {
        let date = Date(timeIntervalSinceNow: -days * 86_400)
        for content in [StoredToken<TestToken>.Content.signedOut, .token(TestToken("old"))] {
            let items = InMemoryItems()
            let store = InMemoryCodableTokenStore<TestToken>(items)
            let stored = StoredToken(content, version: .test(1), obtainedAt: date)
            try await store.save(stored)
            let isSwept = isOld && stored.token == nil
            #expect(try await store.loadWithIntent().stored?.version == (isSwept ? nil : .test(1)))
            #expect((items.item == nil) == isSwept)
        }
    }

    @Test func `an old tombstone stays while a refresh is under way`() async throws {
        let items = InMemoryItems()
        let store = InMemoryCodableTokenStore<TestToken>(items)
        try await store.save(StoredToken(.signedOut, version: .test(1), obtainedAt: .distantPast))
        let lock = try await items.lock(within: .seconds(10))
        #expect(try await store.loadWithIntent().stored?.content == .signedOut)
        await lock.unlock()
        #expect(try await store.loadWithIntent().stored == nil)
    }

    @Test func `an item is the JSON of the stored token`() async throws {
        let items = InMemoryItems()
        try await InMemoryCodableTokenStore<TestToken>(items).save(.make(1))
        let item = try #require(items.item)
        #expect(try JSONDecoder().decode(StoredToken<TestToken>.self, from: item) == .make(1))
    }

    @Test func `an error of the items is passed on`() async throws {
        let items = InMemoryItems()
        items.fail(load: TokenStoreError(.unavailable, "the keychain is locked"))
        let error = await #expect(throws: TokenStoreError.self) {
            try await InMemoryCodableTokenStore<TestToken>(items).load()
        }
        #expect(error?.description == "token store unavailable: the keychain is locked")
    }
}
