// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorizationStorage

/// Two versions of the library on one folder: an app that is being updated beside its extension.
@Suite struct FormerVersionTests {
    private static let session = "6D1C2A3B-0000-4000-8000-000000000001"

    /// An item of the first cut, byte for byte.
    private static func firstCut(_ generation: Int) -> String {
        """
        {"generation":\(generation),"obtainedAt":821000000,"session":"\(session)","status":"token",\
        "token":{"expiresAt":831000000,"name":"old"}}
        """
    }

    @Test func `items of the first cut are read, replaced and removed`() async throws {
        let folder = try TemporaryFolder()
        try await folder.store().save(.make(0))
        try folder.write(Self.firstCut(3), to: "client,me.token")
        let record = Data("intent1\n".utf8) + Data(count: 2040)
        try folder.write(record, to: "client,me.intent")
        let kept = try await folder.store().loadWithIntent()
        let session = try #require(UUID(uuidString: Self.session))
        #expect(kept.stored?.version == TokenVersion(session: session, generation: 3))
        let newer = StoredToken<TestToken>(
            .token(TestToken("new")), version: TokenVersion(session: session, generation: 4), obtainedAt: .now)
        let older = TokenSaveCondition.older(session: session, generation: 4)
        #expect(try await folder.store().save(newer, replacing: older) == .saved)
        try await folder.store().clear()
        // The first cut leaves an empty file in place of an item that it has set aside, and a guard when it clears.
        #expect(try await folder.store().loadWithIntent().absence == .gone)
        try folder.write("", to: "client,me.token")
        #expect(try await folder.store().loadWithIntent().absence == .setAside)
    }

    /// The keys and words that the first cut knows. It reports anything else as unreadable, and leaves it in place.
    @Test func `the first cut reads present items, and takes a marker for neither a token nor a sign-out`() throws {
        let version = TokenVersion(session: UUID(), generation: 1)
        for (content, status) in [
            (StoredToken<TestToken>.Content.token(TestToken("a")), "token"), (.signedOut, "signedOut"),
            (.moved(to: "there"), "moved"),
        ] {
            let item = try StoredTokenFormat.encode(StoredToken(content, version: version, obtainedAt: .now))
            let object = try #require(try JSONSerialization.jsonObject(with: item) as? [String: Any])
            #expect(object["status"] as? String == status)
            let known: Set = ["generation", "obtainedAt", "session", "status", "token"]
            #expect(Set(object.keys).isSubset(of: known) == (status != "moved"))
            #expect(["token", "signedOut", "setAside"].contains(status) == (status != "moved"))
        }
    }

    @Test func `files and items of a later version are left alone`() async throws {
        let folder = try TemporaryFolder()
        let later = #"{"generation":9,"session":"\#(Self.session)","status":"paused","until":1}"#
        try await folder.store().save(.make(1))
        for name in ["client,me.later", "client,other.later", "later"] { try folder.write("later", to: name) }
        try folder.write(later, to: "client,me.token")
        let older = TokenSaveCondition.older(session: TokenVersion.test(2).session, generation: 2)
        for body: @Sendable () async throws -> Void in [
            { _ = try await folder.store().load() }, { _ = try await folder.store().loadWithIntent() },
            { _ = try await folder.store().save(.make(2), replacing: older) },
        ] {
            let error = await #expect(throws: TokenStoreError.self) { try await body() }
            #expect(error?.kind == .unreadable)
        }
        #expect(folder.content(of: "client,me.token") == Data(later.utf8))
        // A sign-in must not fail because of it, and destroys nothing.
        try await folder.store().save(.make(3))
        #expect(folder.content(of: "client,me.corrupt-1") == Data(later.utf8))
        try await folder.store().clear()
        for name in ["client,me.later", "client,other.later", "later"] {
            #expect(folder.content(of: name) == Data("later".utf8))
        }
    }
}
