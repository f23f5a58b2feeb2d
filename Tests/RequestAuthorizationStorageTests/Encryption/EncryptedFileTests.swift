// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorizationStorage

/// Encryption over the stores that are most used with it.
@Suite struct EncryptedFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func store(account: String = "me") -> EncryptedTokenStore<TestToken, RestrictedFileItems> {
        let key = RestrictedFileItems(client: "client", account: "key", folder: .at(folder.path + "/keys"))
        return EncryptedTokenStore(
            around: RestrictedFileItems(client: "client", account: account, folder: .at(folder.tokens)),
            key: .kept(in: key))
    }

    @Test func `the store passes the checks of a shared store`() async throws {
        try await SharedTokenStoreChecks { (store(), store()) }.run()
    }

    @Test func `it keeps a token for the next launch`() async throws {
        try await TokenStoreChecks(reopened: { _ in store() }, { store() }).run()
    }

    @Test func `a file larger than any item is set aside by a save`() async throws {
        let older = TokenSaveCondition.older(session: TokenVersion.test(2).session, generation: 2)
        for condition in [TokenSaveCondition.anything, older] {
            try await store().save(.make(1))
            try folder.write(Data(repeating: 7, count: 3 << 20), to: "client,me.token")
            #expect(try await store().save(.make(2), replacing: condition) == .saved)
            #expect(try await store().load() == .make(2))
        }
        try folder.write(Data(repeating: 7, count: 3 << 20), to: "client,me.token")
        let error = await #expect(throws: TokenStoreError.self) { try await store().load() }
        #expect(error?.kind == .corrupt)
        #expect(folder.names.contains("client,me.corrupt-3"))
    }

    @Test func `a store without the key leaves a sealed session alone, whatever is called`() async throws {
        try await store().save(.make(1))
        let plain = RestrictedFileTokenStore<TestToken>(client: "client", account: "me", folder: .at(folder.tokens))
        let older = TokenSaveCondition.older(session: TokenVersion.test(1).session, generation: 2)
        for body: @Sendable () async throws -> Void in [
            { _ = try await plain.load() }, { _ = try await plain.loadWithIntent() },
            { _ = try await plain.save(.make(2), replacing: older) },
            { _ = try await plain.save(.make(2), replacing: .anything) }, { try await plain.save(.make(2)) },
        ] {
            let error = await #expect(throws: TokenStoreError.self) { try await body() }
            #expect(error?.kind == .unreadable)
            #expect(error?.detail.contains("EncryptedTokenStore") == true)
        }
        #expect(try await store().load() == .make(1))
    }

    @Test func `nothing of the token can be read anywhere on the disk`() async throws {
        let store = store()
        let name = "test-credential"
        for generation in 0..<3 {
            let stored = StoredToken(
                .token(TestToken(name)), version: .test(generation), obtainedAt: Date(timeIntervalSince1970: 0))
            try await store.save(stored)
            let intent = RefreshIntent(session: stored.version.session, generation: generation, beganAt: .now)
            try await store.setIntent(intent)
        }
        _ = try await store.items.setAside(#require(try await store.items.load()))
        try await store.save(.make(3))
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        #expect(files.contains { $0.hasSuffix(".token") } && files.contains { $0.hasPrefix("keys/") })
        for file in files {
            let path = folder.path + "/" + file
            guard let data = FileManager.default.contents(atPath: path) else { continue }
            for text in [name, "status", "expiresAt"] {
                #expect(!data.contains(text.utf8), "\(file)")
                for offset in 0..<3 {
                    let padded = Data(String(repeating: "x", count: offset).utf8) + Data(text.utf8)
                    let inner = padded.base64EncodedString().dropFirst(4).dropLast(4)
                    #expect(inner.isEmpty || !data.contains(inner.utf8), "\(file)")
                }
            }
            #expect(try TemporaryFolder.mode(of: path) & 0o077 == 0, "\(file)")
        }
    }

    @Test func `stores that make the key at the same time agree on one`() async throws {
        let stores = (0..<8).map { store(account: "\($0)") }
        try await withThrowingTaskGroup { group in
            for store in stores { group.addTask { try await store.save(.make(1)) } }
            try await group.waitForAll()
        }
        for account in 0..<8 { #expect(try await store(account: "\(account)").load() == .make(1)) }
    }

    @Test func `a file that was swapped for that of another account is refused and stays`() async throws {
        let (mine, yours) = (store(), store(account: "you"))
        try await mine.save(.make(1))
        try await yours.save(.make(2))
        try await mine.items.save(#require(try await yours.items.load()))
        try await expectError(.unreadable) { try await mine.load() }
        try await expectError(.unreadable) { try await mine.save(.make(3)) }
        #expect(try await mine.items.load() == yours.items.load())
    }
}
#endif
