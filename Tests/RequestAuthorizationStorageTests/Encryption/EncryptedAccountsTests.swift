// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorizationStorage

/// The list of accounts, read without the key of the sealed ones.
@Suite struct EncryptedAccountsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var accounts: RestrictedFileAccounts {
        RestrictedFileAccounts(client: "client", folder: .at(folder.tokens))
    }

    private func store(_ account: String = "me") throws -> EncryptedTokenStore<TestToken, RestrictedFileItems> {
        EncryptedTokenStore(
            around: RestrictedFileItems(client: "client", account: account, folder: .at(folder.tokens)),
            key: try .bytes([UInt8](0..<32)))
    }

    private func tombstone(_ generation: Int) -> StoredToken<TestToken> {
        StoredToken(.signedOut, version: .test(generation), obtainedAt: .now)
    }

    @Test func `a sealed account that has signed out is not listed, until it signs in again`() async throws {
        try await store("you").save(.make(1))
        try await store().save(.make(1))
        #expect(try await accounts.names() == ["me", "you"])
        #expect(try await store().save(tombstone(1), replacing: .session(tombstone(1).version.session)) == .saved)
        #expect(try await accounts.names() == ["you"])
        #expect(try await store().load()?.content == .signedOut)
        // The note is about this sign-out, and about nothing later.
        try await store().save(.make(2))
        #expect(try await accounts.names() == ["me", "you"])
        try await store().save(tombstone(3))
        #expect(try await accounts.names() == ["you"])
        try await store().save(tombstone(4))
        #expect(try await accounts.names() == ["you"])
        try await accounts.remove("me")
        #expect(
            folder.names.filter { $0.hasPrefix("client,me.") }.allSatisfy { $0.hasSuffix("k") || $0.hasSuffix("d") })
        #expect(!folder.names.contains("client,me.ended"))
    }

    @Test func `a moved account is not listed either`() async throws {
        try await store().save(.make(1))
        try await store().migrate(to: store("you"))
        #expect(try await accounts.names() == ["you"])
    }

    @Test func `a sealed sign-out of an earlier version is read, and listed as before`() async throws {
        try await store().save(tombstone(1))
        try FileManager.default.removeItem(atPath: folder.file("client,me.ended"))
        #expect(try await accounts.names() == ["me"])
        #expect(try await store().load()?.content == .signedOut)
    }

    @Test func `a damaged note, or one that others can write, hides no account`() async throws {
        try await store().save(.make(1))
        let item = try #require(folder.content(of: "client,me.token"))
        try await store().save(tombstone(1))
        let note = try #require(folder.content(of: "client,me.ended"))
        for damaged in [Data(), note.dropLast(), note + [0], Data(count: note.count)] {
            try folder.write(Data(damaged), to: "client,me.ended")
            #expect(try await accounts.names() == ["me"])
        }
        try folder.write(note, to: "client,me.ended")
        #expect(try await accounts.names() == [])
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o644], ofItemAtPath: folder.file("client,me.ended"))
        #expect(try await accounts.names() == ["me"])
        try FileManager.default.removeItem(atPath: folder.file("client,me.ended"))
        try folder.write(note, to: "client,me.ended")
        // An earlier version signs in, and keeps the note.
        try folder.write(item, to: "client,me.token")
        #expect(try await accounts.names() == ["me"])
        #expect(try await store().load() == .make(1))
    }

    @Test func `a plain item is not hidden by a note`() async throws {
        try await folder.store().save(.make(1))
        let item = try #require(folder.content(of: "client,me.token"))
        try folder.write(CredentialName.hash(of: Array(item)), to: "client,me.ended")
        #expect(try await accounts.names() == ["me"])
    }
}
#endif
