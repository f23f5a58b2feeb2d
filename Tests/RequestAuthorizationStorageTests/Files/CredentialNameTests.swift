// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import Testing

@testable import RequestAuthorizationStorage

@Suite struct CredentialNameTests {
    private static let texts = [
        "", "a", "A", "me", "Me", "a,b", ",", "%", "%41", "..", ".", "/", "../x", "a/b", "a\0b", "é", "e\u{301}", "ß",
        "SS",
        "con", "-", "_", "~", "\n", "😀", "a%", "a%2", String(repeating: "x", count: 200),
    ]

    @Test func `any two credentials have names that differ in more than case`() {
        var stems: [String: String] = [:]
        for client in Self.texts {
            for account in Self.texts {
                let stem = CredentialName(client: client, account: account).stem.lowercased()
                #expect(stems.updateValue("\(client)|\(account)", forKey: stem) == nil)
            }
        }
    }

    @Test func `names are safe on every file system`() {
        for client in Self.texts + [String(repeating: "é", count: 1000)] {
            let stem = CredentialName(client: client, account: client).stem
            #expect(stem.utf8.count <= 240 - ".corrupt-99".utf8.count)
            #expect(stem.allSatisfy { $0.isASCII && ($0.isLowercase || $0.isNumber || "%,-_".contains($0)) })
        }
    }

    @Test func `a name can be read back`() {
        for text in Self.texts {
            let name = CredentialName(client: text, account: "me")
            if name.isShortened { continue }
            #expect(CredentialName(stem: name.stem[...])?.client.utf8.elementsEqual(text.utf8) == true)
        }
        for stem in ["", "a", "a,b,c", "A,b", "a,%4", "a,%ff", "a,%61", "a.,b", "a,,0"] {
            #expect(CredentialName(stem: stem[...]) == nil, "\(stem)")
        }
    }

    @Test func `long names are shortened, and differ`() {
        let long = String(repeating: "a", count: 500)
        let names = [("", long), (long, ""), (long, long), (long + "b", long), (long, long + "b")].map {
            CredentialName(client: $0, account: $1)
        }
        #expect(names.allSatisfy { $0.isShortened })
        #expect(Set(names.map(\.stem)).count == names.count)
    }

    /// Published values of FNV-1a with 128 bits (draft-eastlake-fnv, appendix C) for "", "a" and "foobar".
    @Test func `the hash is FNV-1a`() {
        #expect(CredentialName.hash(of: Array("".utf8)) == "6c62272e07bb014262b821756295c58d")
        #expect(CredentialName.hash(of: Array("a".utf8)) == "d228cb696f1a8caf78912b704e4a8964")
        #expect(CredentialName.hash(of: Array("foobar".utf8)) == "343e1662793c64bf6f0d3597ba446f18")
    }

    @Test func `another credential with the same short name is refused`() async throws {
        let folder = try TemporaryFolder()
        let account = String(repeating: "a", count: 500)
        let (store, accounts) = (
            folder.store(account: account), RestrictedFileAccounts(client: "client", folder: .at(folder.tokens))
        )
        try await store.save(.make(1))
        let name = try #require(folder.names.first { $0.hasSuffix(".name") })
        let other = CredentialName(client: "client", account: String(repeating: "b", count: 500))
        try folder.write(try JSONEncoder().encode(other), to: name)
        let names = folder.names
        for body in [
            { _ = try await store.load() }, { try await store.save(.make(2)) }, { try await store.clear() },
            { _ = try await store.save(.make(2), replacing: .nothing, ending: nil) },
            { try await accounts.remove(account) },
        ] {
            let error = await #expect(throws: TokenStoreError.self) { try await body() }
            #expect(error?.kind == .unsuitable)
        }
        // Only a lock was added, for the removal.
        #expect(folder.names.filter { !$0.hasSuffix(".lock") } == names.filter { !$0.hasSuffix(".lock") })
        // A damaged file with names belongs to nobody, and can be removed.
        try folder.write("damaged", to: name)
        try await accounts.remove(account)
        #expect(!folder.names.contains { $0.hasSuffix(".token") })
    }
}
