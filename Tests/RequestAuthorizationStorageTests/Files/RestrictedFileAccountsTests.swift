// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
@_spi(FileLayer) @testable import RequestAuthorizationStorage
import RequestAuthorizationTesting
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite struct RestrictedFileAccountsTests {
    @Test func `the accounts of a client are listed, and can be removed`() async throws {
        let folder = try TemporaryFolder()
        let accounts = RestrictedFileAccounts(client: "client", folder: .at(folder.tokens))
        #expect(try await accounts.names() == [])
        try await accounts.remove("nobody")
        let long = String(repeating: "é", count: 300)
        for account in ["me", "Me", "", "a/b", long] { try await folder.store(account: account).save(.make(1)) }
        try await folder.store(client: "other", account: "theirs").save(.make(1))
        try await folder.store(account: "gone").save(StoredToken(.signedOut, version: .test(2), obtainedAt: .now))
        #expect(try await accounts.names() == ["", "Me", "a/b", "me", long].sorted())
        // Names are compared byte by byte.
        try await folder.store(client: "é", account: "theirs").save(.make(1))
        #expect(try await RestrictedFileAccounts(client: "e\u{301}", folder: .at(folder.tokens)).names() == [])

        try folder.write("damaged", to: "client,me.token")
        _ = try? await folder.store().load()
        try await folder.store().save(.make(2))
        try await accounts.remove("me")
        try await accounts.remove(long)
        #expect(try await accounts.names() == ["", "Me", "a/b"])
        #expect(!folder.names.contains { $0.hasPrefix("client,me.") || $0.hasSuffix(".name") })
        #expect(try await folder.store().load() == nil)
    }

    @Test func `a file that others can open removes no other account from the list`() async throws {
        let folder = try TemporaryFolder()
        let long = String(repeating: "é", count: 300)
        for account in ["me", "you", long] { try await folder.store(account: account).save(.make(1)) }
        chmod(folder.file("client,me.token"), 0o644)
        let name = try #require(folder.names.first { $0.hasSuffix(".name") })
        chmod(folder.file(name), 0o644)
        let accounts = RestrictedFileAccounts(client: "client", folder: .at(folder.tokens))
        #expect(try await accounts.names() == ["me", "you"])
    }

    @Test func `a list that cannot be read says why`() async throws {
        let folder = try TemporaryFolder()
        let link = folder.path + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.path)
        let accounts = RestrictedFileAccounts(client: "client", folder: .at(link))
        let error = await #expect(throws: TokenStoreError.self) { try await accounts.names() }
        #expect(error?.kind == .notPrivate && error?.detail.contains("cannot list the accounts in \(link)") == true)
    }

    @Test func `a removed account is told apart from a removed folder, although neither leaves a file`() async throws {
        let folder = try TemporaryFolder()
        let (sibling, other) = (folder.store(), folder.store(account: "you"))
        for store in [sibling, other] { try await store.save(.make(1)) }
        let accounts = RestrictedFileAccounts(client: "client", folder: .at(folder.tokens))
        try await accounts.remove("me")
        #expect(!folder.names.contains { $0.hasPrefix("client,me.") })
        // The store must not save a token again that was removed.
        let older = TokenSaveCondition.older(session: TokenVersion.test(2).session, generation: 2)
        #expect(try await sibling.loadWithIntent().absence == .gone)
        #expect(try await sibling.save(.make(2), replacing: older) == .refused(nil))
        #expect(!folder.names.contains { $0.hasPrefix("client,me.") })
        // A store that has never seen the folder misses no item.
        #expect(try await folder.store().loadWithIntent().absence == .placeMissing)

        try FileManager.default.removeItem(atPath: folder.tokens)
        try await folder.store(account: "third").save(.make(1))
        #expect(try await other.loadWithIntent().absence == .placeMissing)
        #expect(try await other.save(.make(2), replacing: older) == .saved)
        try await other.clear()
        #expect(try await other.loadWithIntent().absence == .gone)
    }

    @Test func `where folders have no creation time, the guard tells the same`() async throws {
        let folder = try TemporaryFolder()
        let layer = ObservedFileLayer(hasBirths: false)
        let sibling = folder.store(on: layer)
        try await sibling.save(.make(1))
        try await RestrictedFileItems(client: "client", account: "me", folder: .at(folder.tokens), layer: layer)
            .removeAll(within: .seconds(300))
        #expect(folder.names == ["client,me.guard"])
        #expect(try await sibling.loadWithIntent().absence == .gone)
    }

    @Test func `removing an account waits for a running refresh`() async throws {
        let folder = try TemporaryFolder()
        let store = folder.store()
        try await store.save(.make(1))
        let lock = try await store.lock(within: .seconds(10))
        let accounts = RestrictedFileAccounts(client: "client", folder: .at(folder.tokens))
        let error = await #expect(throws: TokenStoreError.self) {
            try await accounts.remove("me", within: .milliseconds(20))
        }
        #expect(error?.kind == .timedOut)
        #expect(try await store.load() == .make(1))
        await lock.unlock()
    }
}
