// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorizationStorage

/// The meaning of each status, for each of the four calls.
@Suite struct KeychainStatusTests {
    static let meanings: [(KeychainStatus, TokenStoreError.Kind)] = [
        (.interactionNotAllowed, .unavailable), (.interactionRequired, .unavailable), (.inDarkWake, .unavailable),
        (.notAvailable, .unavailable), (.userCanceled, .unavailable), (.authFailed, .unavailable),
        (.noSuchKeychain, .unsuitable), (.noDefaultKeychain, .unsuitable), (.readOnly, .readOnly),
        (.missingEntitlement, .unsuitable), (.decode, .corrupt), (.diskFull, .noSpace),
        (KeychainStatus(rawValue: -50), .unavailable), (KeychainStatus(rawValue: 1), .unavailable),
    ]

    /// "Security Framework Result Codes" and `SecBase.h`.
    @Test func `the numbers are Apple's`() {
        let numbers: [(KeychainStatus, Int32, String)] = [
            (.success, 0, "errSecSuccess"), (.itemNotFound, -25300, "errSecItemNotFound"),
            (.duplicateItem, -25299, "errSecDuplicateItem"),
            (.interactionNotAllowed, -25308, "errSecInteractionNotAllowed"),
            (.interactionRequired, -25315, "errSecInteractionRequired"), (.inDarkWake, -25320, "errSecInDarkWake"),
            (.notAvailable, -25291, "errSecNotAvailable"), (.userCanceled, -128, "errSecUserCanceled"),
            (.authFailed, -25293, "errSecAuthFailed"), (.noSuchKeychain, -25294, "errSecNoSuchKeychain"),
            (.noDefaultKeychain, -25307, "errSecNoDefaultKeychain"), (.readOnly, -25292, "errSecReadOnly"),
            (.missingEntitlement, -34018, "errSecMissingEntitlement"), (.decode, -26275, "errSecDecode"),
            (.diskFull, -34, "errSecDiskFull"),
        ]
        for (status, number, name) in numbers { #expect("\(status)" == "\(name) (\(number))") }
        #expect("\(KeychainStatus(rawValue: -4))" == "status -4")
    }

    @Test(arguments: meanings)
    func `loading reports each failure, and never an empty store`(
        status: KeychainStatus, kind: TokenStoreError.Kind
    ) async throws {
        for call in [FakeKeychain.Call.copyMatching, .accessGroups] {
            let (keychain, item) = Self.make()
            #expect(keychain.add(item.query, value: Data([1])).status == .success)
            keychain.answer(call, status)
            try await expect(kind, status) { _ = try await item.load() }
            #expect(try await item.load() == Data([1]))
            try await item.clear()
            #expect(try await item.load() == nil)
        }
    }

    @Test(arguments: meanings)
    func `a failure to find the first group is reported, and is no empty store`(
        status: KeychainStatus, kind: TokenStoreError.Kind
    ) async throws {
        let (keychain, item) = Self.make()
        var other = item.query
        other.accessGroup = "TEAM.shared"
        #expect(keychain.add(other, value: Data([1])).status == .success)
        keychain.answer(.add, status)
        try await expect(kind, status) { _ = try await item.load() }
        keychain.answer(.add, status)
        try await expect(kind, status) { try await item.clear() }
        #expect(keychain.items.count == 1)
        #expect(try await item.load() == nil)
    }

    @Test(arguments: meanings)
    func `saving reports each failure, of adding or of updating`(
        status: KeychainStatus, kind: TokenStoreError.Kind
    ) async throws {
        let (keychain, item) = Self.make()
        keychain.answer(.add, status)
        try await expect(kind, status) { try await item.save(Data([1])) }
        #expect(keychain.calls == [.accessGroups, .add])
        try await item.save(Data([1]))
        keychain.answer(.update, status)
        try await expect(kind, status) { try await item.save(Data([2])) }
        #expect(try await item.load() == Data([1]))
    }

    @Test(arguments: meanings)
    func `clearing reports each failure`(status: KeychainStatus, kind: TokenStoreError.Kind) async throws {
        let (keychain, item) = Self.make()
        try await item.save(Data([1]))
        keychain.answer(.delete, status)
        try await expect(kind, status) { try await item.clear() }
        #expect(try await item.load() == Data([1]))
        try await item.clear()
        try await item.clear()
    }

    @Test func `an item without a value is damaged, not missing`() async throws {
        let (keychain, item) = Self.make(accessGroup: "group")
        keychain.answer(.copyMatching, .success)
        let error = await #expect(throws: TokenStoreError.self) { try await item.load() }
        #expect(error?.kind == .corrupt)
    }

    @Test func `a tool that is not signed gets an error that names the choices`() async throws {
        let (keychain, item) = Self.make()
        keychain.answer(.add, .missingEntitlement)
        let error = await #expect(throws: TokenStoreError.self) { try await item.save(Data()) }
        for choice in ["-34018", "keychain: .file", "RestrictedFileTokenStore", "sign it"] {
            #expect(error?.detail.contains(choice) == true, "\(choice)")
        }
        let (_, grouped) = Self.make(accessGroup: "TEAM.group")
        let other = await #expect(throws: TokenStoreError.self) { try await grouped.load() }
        #expect(other?.detail.contains("TEAM.group") == true)
        // Apple's own KeychainEntitlementsTest: only a search is allowed without a group, and finds nothing.
        let unsigned = KeychainTokenItem(query: item.query, keychain: FakeKeychain(groups: []))
        #expect(try await unsigned.load() == nil)
        let refusal = await #expect(throws: TokenStoreError.self) { try await unsigned.save(Data()) }
        #expect(refusal?.kind == .unsuitable)
    }

    private static func make(accessGroup: String? = nil) -> (FakeKeychain, KeychainTokenItem) {
        let keychain = FakeKeychain()
        let query = KeychainQuery(service: "s", account: "a", accessGroup: accessGroup, accessibility: .default)
        return (keychain, KeychainTokenItem(query: query, keychain: keychain))
    }

    private func expect(
        _ kind: TokenStoreError.Kind, _ status: KeychainStatus, _ body: () async throws -> Void
    ) async throws {
        do {
            try await body()
            Issue.record("nothing was thrown")
        } catch let error as TokenStoreError {
            #expect(error.kind == kind)
            #expect(error.detail.contains("\(status)"))
        }
    }
}
