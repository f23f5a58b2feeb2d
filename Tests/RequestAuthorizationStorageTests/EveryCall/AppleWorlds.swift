// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import StoreFixtures

@testable import RequestAuthorizationStorage

/// A Keychain.
struct KeychainWorld: World {
    private let keychain = FakeKeychain()

    init(clock: HastyClock) {}

    func store(_ account: String, _ fate: Fate) async throws -> any TokenStore<TestToken> {
        let calls = MortalKeychain(base: FakeKeychain(of: keychain), fate: fate)
        return KeychainTokenStore<TestToken>("client", account, calls: calls)
    }
}

#if Crypto
/// An iCloud with the Keychain of its key.
struct CloudWorld: World {
    private let cloud = FakeCloud()
    private let keychain = FakeKeychain()

    init(clock: HastyClock) {}

    func store(_ account: String, _ fate: Fate) async throws -> any TokenStore<TestToken> {
        CloudKitTokenStore<TestToken>(
            client: "client", account: account, accessGroup: nil, sharing: .eachDeviceSignsIn,
            cloud: MortalCloud(base: cloud, fate: fate),
            keychain: MortalKeychain(base: FakeKeychain(of: keychain), fate: fate))
    }
}
#endif

private struct MortalKeychain: KeychainCalls {
    let base: FakeKeychain
    let fate: Fate

    var program: String? { base.program }
    var hasFileKeychain: Bool { base.hasFileKeychain }
    var firstGroup: Lock<String?> { base.firstGroup }

    func add(_ item: KeychainQuery, value: Data) -> (status: KeychainStatus, accessGroup: String?) {
        (try? fate.blockingCall("add") { base.add(item, value: value) }) ?? (.interactionNotAllowed, nil)
    }

    func update(_ item: KeychainQuery, value: Data) -> KeychainStatus {
        (try? fate.blockingCall("update") { base.update(item, value: value) }) ?? .interactionNotAllowed
    }

    func copyMatching(_ item: KeychainQuery) -> (status: KeychainStatus, value: Data?) {
        (try? fate.blockingCall("copy") { base.copyMatching(item) }) ?? (.interactionNotAllowed, nil)
    }

    func accessGroups(of item: KeychainQuery) -> (status: KeychainStatus, groups: [String]) {
        (try? fate.blockingCall("groups") { base.accessGroups(of: item) }) ?? (.interactionNotAllowed, [])
    }

    func delete(_ item: KeychainQuery) -> KeychainStatus {
        (try? fate.blockingCall("delete") { base.delete(item) }) ?? .interactionNotAllowed
    }
}

private struct MortalCloud: CloudCalls {
    let base: FakeCloud
    let fate: Fate

    var container: String { base.container }
    var entitlements: CloudEntitlements? { base.entitlements }
    var accountChanges: AsyncStream<Void>? { nil }

    func accountStatus() async throws -> CloudAccountStatus {
        try await call("accountStatus") { try await base.accountStatus() }
    }
    func accountName() async throws -> String { try await call("accountName") { try await base.accountName() } }
    func record(named name: String) async throws -> CloudRecord {
        try await call("record") { try await base.record(named: name) }
    }
    func save(_ record: CloudRecord) async throws -> CloudRecord {
        try await call("save") { try await base.save(record) }
    }
    func deleteRecord(named name: String) async throws {
        try await call("delete") { try await base.deleteRecord(named: name) }
    }

    private func call<Result>(_ name: String, _ body: () async throws -> Result) async throws -> Result {
        do {
            return try await fate.call(name, body)
        } catch is Fate.NoAnswer {
            throw CloudFailure(code: .networkFailure)
        }
    }
}
