// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorizationStorage

/// A sign-in is saved again, because the answer to its first save was lost.
@Suite struct RepeatedSignInTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var items: RestrictedFileItems {
        RestrictedFileItems(client: "client", account: "me", folder: .at(folder.tokens))
    }

    @Test func `in a file it replaces nothing that a sibling has made of it`() async throws {
        try await check { RestrictedFileTokenStore<TestToken>(items) }
    }

    @Test func `in a store of tests it replaces nothing that a sibling has made of it`() async throws {
        let place = InMemorySharedTokenStore<TestToken>()
        try await check { place.sibling() }
    }

    @Test func `in a record of a fleet it replaces nothing that a sibling has made of it`() async throws {
        let records = MemoryRecords()
        try await check { try LeasedTokenStore<TestToken>(unencryptedIn: records, key: "ada") }
    }

    #if canImport(CryptoKit) || Crypto
    @Test func `in an encrypted file it replaces nothing that a sibling has made of it`() async throws {
        let key = try TokenKey.bytes(Data(repeating: 1, count: 32))
        try await check { EncryptedTokenStore<TestToken, _>(around: items, key: key) }
    }
    #endif

    private func check(_ store: () throws -> some SharedTokenStore<TestToken>) async throws {
        let (one, other) = (try store(), try store())
        let signedIn = StoredToken<TestToken>.make(1)
        let version = TokenVersion(session: signedIn.version.session, generation: signedIn.version.generation + 1)
        let later = StoredToken(.token(TestToken("later")), version: version, obtainedAt: signedIn.obtainedAt)
        let end = StoredToken<TestToken>(.signedOut, version: version, obtainedAt: signedIn.obtainedAt)
        for content in [later, end] {
            try await one.save(signedIn)
            #expect(try await one.save(signedIn, replacing: .anything, ending: nil) == .saved)
            try await other.save(content)
            #expect(try await one.save(signedIn, replacing: .anything, ending: nil) == .refused(content))
            #expect(try await other.load() == content)
        }
        // Another sign-in replaces anything, and so does a save without a condition.
        let another = StoredToken(
            .token(TestToken("another")), version: TokenVersion(session: UUID(), generation: 0),
            obtainedAt: signedIn.obtainedAt)
        #expect(try await one.save(another, replacing: .anything, ending: nil) == .saved)
        try await other.save(end)
        try await one.save(signedIn)
        #expect(try await other.load() == signedIn)
    }
}
