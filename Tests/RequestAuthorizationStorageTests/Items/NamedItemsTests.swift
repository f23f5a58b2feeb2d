// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorizationStorage

/// The places for named items: files, the Keychain, an app group.
@Suite struct NamedItemsTests {
    enum Place: CaseIterable, Sendable { case files, keychain, appGroup }

    private let folder: TemporaryFolder
    private let keychain = FakeKeychain()
    private let locks = NamedLocks<KeychainQuery>()
    private let activities = FakeActivities()

    init() throws { folder = try TemporaryFolder() }

    /// The place as a new launch of the program makes it.
    private func place(_ place: Place, client: String = "client") -> any NamedItems {
        switch place {
        case .files: NamedFiles(client: client, folder: .at(folder.path))
        case .keychain: NamedKeychainItems(client: client, keychain: keychain, locks: locks)
        case .appGroup:
            NamedKeychainItems(
                "group.app", client: client, keyGroup: nil, groups: FakeAppGroups(["group.app": folder.path]),
                activity: .expiring(activities), keychain: keychain)
        }
    }

    @Test(arguments: Place.allCases)
    func `an item is found again by its client, kind and name`(place: Place) async throws {
        try await self.place(place).item(named: "a", kind: "note").save(Data("1".utf8))
        #expect(try await self.place(place).item(named: "a", kind: "note").load() == Data("1".utf8))
        #expect(try await self.place(place).item(named: "A", kind: "note").load() == nil)
        #expect(try await self.place(place).item(named: "a", kind: "other").load() == nil)
        #expect(try await self.place(place, client: "other").item(named: "a", kind: "note").load() == nil)
    }

    @Test(arguments: Place.allCases)
    func `one task at a time has exclusive access to an item`(place: Place) async throws {
        let lock = try await self.place(place).lock(named: "a", kind: "note", within: .seconds(30))
        let error = await #expect(throws: TokenStoreError.self) {
            try await self.place(place).lock(named: "a", kind: "note", within: .milliseconds(1))
        }
        #expect(error?.kind == .timedOut)
        // Other items are free.
        try await self.place(place).lock(named: "b", kind: "note", within: .seconds(30)).unlock()
        try await self.place(place).lock(named: "a", kind: "other", within: .seconds(30)).unlock()
        let next = Task { try await self.place(place).lock(named: "a", kind: "note", within: .seconds(300)) }
        await lock.unlock()
        try await next.value.unlock()
    }

    @Test func `the bytes of an app group are in its Keychain, and in no file`() async throws {
        let place = place(.appGroup)
        let lock = try await place.lock(named: "a", kind: "note", within: .seconds(30))
        #expect(activities.running == 1)
        try await place.item(named: "a", kind: "note").save(Data("S3CRET".utf8))
        await lock.unlock()
        let query = try #require(keychain.items.keys.first)
        #expect(query.accessGroup == "group.app" && query.accessibility == .afterFirstUnlockThisDeviceOnly)
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        #expect(files.contains { $0.hasSuffix(".lock") })
        for file in files {
            let contents = FileManager.default.contents(atPath: "\(folder.path)/\(file)")
            #expect(contents?.range(of: Data("S3CRET".utf8)) == nil)
        }
    }

    @Test func `a program that is not in the group gets an error that says so`() async {
        let place = NamedKeychainItems(
            "group.other", client: "client", keyGroup: nil, groups: FakeAppGroups([:]), activity: .none,
            keychain: keychain)
        let error = await #expect(throws: TokenStoreError.self) {
            try await place.lock(named: "a", kind: "note", within: .seconds(30))
        }
        #expect(error?.kind == .unsuitable && error?.detail.contains("group.other") == true)
    }

    @Test func `a tool has files on every platform, and the usual place is that of the tokens`() {
        let tool: NamedFiles = .tool(client: "client")
        let file = tool.item(named: "a", kind: "note")
        #expect(file.client == "client note" && file.account == "a")
        let usual: DefaultNamedItems = .default(client: "client")
        let token = DefaultTokenStore<TestToken>(client: "client note", account: "a")
        #expect(type(of: usual.item(named: "a", kind: "note")) == type(of: token.items))
    }
}
