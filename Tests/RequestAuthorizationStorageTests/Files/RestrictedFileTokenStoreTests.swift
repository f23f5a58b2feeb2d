// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationStorage
import RequestAuthorizationTesting
import Testing

@Suite struct RestrictedFileTokenStoreTests {
    @Test func `a file larger than any item is set aside, and blocks no save`() async throws {
        for isRead in [true, false] {
            let folder = try TemporaryFolder()
            try await folder.store().save(.make(1))
            try folder.write(Data(repeating: 7, count: 3 << 20), to: "client,me.token")
            if isRead {
                let error = await #expect(throws: TokenStoreError.self) { try await folder.store().load() }
                #expect(error?.kind == .corrupt)
                #expect(try await folder.store().loadWithIntent().absence == .setAside)
            }
            let older = TokenSaveCondition.older(session: TokenVersion.test(2).session, generation: 2)
            #expect(try await folder.store().save(.make(2), replacing: older) == .saved)
            #expect(folder.content(of: "client,me.corrupt-1") == Data(repeating: 7, count: 4096))
            #expect(try await folder.store().load() == .make(2))
        }
    }

    @Test func `the store passes the checks of a token store, also for siblings`() async throws {
        let folder = try TemporaryFolder()
        let number = Lock(0)
        try await SharedTokenStoreChecks {
            let account = number.withLock { number in
                number += 1
                return "account \(number)"
            }
            return (folder.store(account: account), folder.store(account: account))
        }.run()
    }

    @Test func `the next launch finds the token`() async throws {
        let folder = try TemporaryFolder()
        try await TokenStoreChecks(reopened: { _ in folder.store() }) { folder.store() }.run()
    }

    @Test func `nothing is created before the first save`() async throws {
        let folder = try TemporaryFolder()
        let store = folder.store()
        #expect(try await store.load() == nil)
        #expect(try await store.openIntent() == nil)
        try await store.clear()
        try await store.setIntent(nil)
        #expect(!FileManager.default.fileExists(atPath: folder.tokens))
    }

    @Test func `an intent is known during exclusive access, and read again afterwards`() async throws {
        let folder = try TemporaryFolder()
        let (store, sibling) = (folder.store(), folder.store())
        let intents = (1...3).map {
            RefreshIntent(session: UUID(), generation: $0, beganAt: Date(timeIntervalSince1970: 0))
        }
        try await store.save(.make(1))

        let lock = try await store.lock(within: .seconds(10))
        _ = try await store.load()
        #expect(try await store.openIntent() == nil)
        try await store.setIntent(intents[0])
        #expect(try await store.openIntent() == intents[0])
        _ = try await store.load()
        try await store.setIntent(intents[1])
        #expect(try await store.openIntent() == intents[1])
        await lock.unlock()

        let other = try await sibling.lock(within: .seconds(10))
        _ = try await sibling.load()
        try await sibling.setIntent(intents[2])
        await other.unlock()
        #expect(try await store.openIntent() == intents[2])
        let again = try await store.lock(within: .seconds(10))
        _ = try await store.load()
        #expect(try await store.openIntent() == intents[2])
        await again.unlock()
        try await sibling.setIntent(nil)
        #expect(try await store.openIntent() == nil)
    }

    @Test func `folders have mode 0700 and files 0600`() async throws {
        let folder = try TemporaryFolder()
        let store = RestrictedFileTokenStore<TestToken>(
            client: "client", account: "me", folder: .at(folder.path + "/a/b/tokens"))
        try await store.save(.make(1))
        try await store.setIntent(RefreshIntent(session: UUID(), generation: 1, beganAt: .now))
        try await store.lock(within: .seconds(10)).unlock()
        for place in ["/a", "/a/b", "/a/b/tokens"] {
            #expect(try TemporaryFolder.mode(of: folder.path + place) == 0o700)
        }
        let files = ["client,me.token", "client,me.guard", "client,me.intent", "client,me.lock"]
        for file in files {
            #expect(try TemporaryFolder.mode(of: folder.path + "/a/b/tokens/" + file) == 0o600, "\(file)")
        }
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path + "/a/b/tokens").sorted() == files.sorted())
    }

    @Test func `each client and account has its own item`() async throws {
        let folder = try TemporaryFolder()
        let stores = [
            folder.store(client: "a", account: "b"), folder.store(client: "a,b", account: ""),
            folder.store(client: "a", account: "B"), folder.store(client: "", account: "a,b"),
            folder.store(client: "a", account: "../b"), folder.store(client: "a", account: "b\0c"),
            folder.store(client: "a", account: String(repeating: "b", count: 300)),
            folder.store(client: "a", account: String(repeating: "b", count: 301)),
        ]
        for (generation, store) in stores.enumerated() { try await store.save(.make(generation)) }
        for (generation, store) in stores.enumerated() {
            #expect(try await store.load() == .make(generation))
        }
    }

    /// On Linux a name is bytes: an accented letter may be one character or two.
    @Test func `folders whose names only look the same are two`() async throws {
        let folder = try TemporaryFolder()
        let places = ["é", "e\u{301}"].map { TokenFolder.at("\(folder.path)/\($0)") }
        #expect(places[0] != places[1])
        let stores = places.map { RestrictedFileTokenStore<TestToken>(client: "client", account: "me", folder: $0) }
        try await stores[0].save(.make(1))
        #if os(Linux)
        #expect(try await stores[1].load() == nil)
        #endif
        #expect(try await stores[0].load() == .make(1))
    }

    @Test func `an item is readable JSON`() async throws {
        let folder = try TemporaryFolder()
        try await folder.store().save(.make(7))
        let item = try #require(folder.content(of: "client,me.token"))
        #expect(String(decoding: item, as: UTF8.self).contains(#""status":"token""#))
    }

    @Test func `a damaged file is set aside and reported, and the session goes on`() async throws {
        let folder = try TemporaryFolder()
        let store = folder.store()
        try await store.save(.make(1))
        for number in 1...2 {
            try folder.write("damaged \(number)", to: "client,me.token")
            let error = await #expect(throws: TokenStoreError.self) { try await store.load() }
            #expect(error?.kind == .corrupt)
            #expect(error?.detail.contains(folder.file("client,me.corrupt-\(number)")) == true)
            #expect(folder.content(of: "client,me.corrupt-\(number)") == Data("damaged \(number)".utf8))
            #expect(try TemporaryFolder.mode(of: folder.file("client,me.corrupt-\(number)")) == 0o600)
            #expect(try await store.load() == nil)
        }
        #expect(try await store.save(.make(2), replacing: .session(TokenVersion.test(0).session)) == .saved)
        #expect(try await store.load() == .make(2))
    }

    @Test func `a reader is not refused while a damaged file is set aside`() async throws {
        let folder = try TemporaryFolder()
        let (one, other) = (folder.store().items, folder.store().items)
        try await one.save(Data("whole".utf8))
        for number in 1...20 {
            let damaged = Data("damaged \(number)".utf8)
            try await one.save(damaged)
            async let aside = one.setAside(damaged)
            for _ in 0..<20 {
                let seen = try await other.load()
                #expect(seen == nil || seen == damaged)
            }
            #expect(try await aside == folder.file("client,me.corrupt-\(number)"))
            #expect(folder.content(of: "client,me.corrupt-\(number)") == damaged)
        }
        #expect(!folder.names.contains("client,me.new"))
    }

    @Test func `leftovers of a killed process block no save`() async throws {
        let folder = try TemporaryFolder()
        try await folder.store().save(.make(1))
        try folder.write("half a token", to: "client,me.new")
        try await folder.store().save(.make(2))
        #expect(try await folder.store().load() == .make(2))
        #expect(!folder.names.contains("client,me.new"))
    }

    @Test
    func `leftovers of a killed process are removed by the next read of their account, unless a save is running`()
        async throws
    {
        let folder = try TemporaryFolder()
        try await folder.store().save(.make(1))
        try folder.write("half a token", to: "client,me.new")
        let guardFile = open(folder.file("client,me.guard"), O_RDWR | O_CLOEXEC)
        #expect(flock(guardFile, LOCK_EX) == 0)
        #expect(try await folder.store().load() == .make(1))
        #expect(folder.names.contains("client,me.new"))
        close(guardFile)
        #expect(try await folder.store().load() == .make(1))
        #expect(!folder.names.contains("client,me.new"))
    }

    @Test
    func `leftovers of killed processes for other accounts are removed with the first save, unless a save is running`()
        async throws
    {
        let folder = try TemporaryFolder()
        try await folder.store().save(.make(1))
        let names = ["client,one.new", "client,two.new", "client,three.new"]
        // A file of another program.
        try folder.write("settings", to: "config.new")
        for name in names { try folder.write("half a token", to: name) }
        let guardFile = open(folder.file("client,one.guard"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        #expect(flock(guardFile, LOCK_EX) == 0)
        // An error with one leftover does not keep the others.
        try folder.write("", to: "client,two.guard")
        chmod(folder.file("client,two.guard"), 0o644)
        #expect(try await folder.store().load() == .make(1))
        #expect(names.allSatisfy(folder.names.contains))
        let store = folder.store()
        try await store.save(.make(2))
        #expect(names.filter(folder.names.contains) == ["client,one.new", "client,two.new"])
        #expect(folder.names.contains("config.new"))
        close(guardFile)
        // Once per process.
        try await store.save(.make(3))
        #expect(folder.names.contains("client,one.new"))
    }
}
