// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RedactionChecks
import RequestAuthorization
import RequestAuthorizationTesting

@testable import RequestAuthorizationStorage

extension Exhibit {
    #if Crypto
    static let appGroupWithoutSecrets: Set<String> = []

    static func appGroup() async throws -> [Exhibit] {
        let folder = try TemporaryFolder()
        let store = AppGroupTokenStore<TestToken>(
            "group", client: "client", account: Secret.text, keyGroup: nil,
            groups: FakeAppGroups(["group": folder.path]),
            activity: .none, keychain: FakeKeychain())
        try await store.save(
            StoredToken(.token(TestToken(Secret.text)), version: .test(1), obtainedAt: Date(timeIntervalSince1970: 0)))
        return [Exhibit("AppGroupTokenStore", store), Exhibit("NamedKeychainItems", named)]
    }
    #else
    static let appGroupWithoutSecrets: Set<String> = ["AppGroupTokenStore"]

    static func appGroup() async throws -> [Exhibit] { [Exhibit("NamedKeychainItems", named)] }
    #endif

    private static var named: NamedKeychainItems {
        NamedKeychainItems(
            "group", client: Secret.text, keyGroup: nil, groups: FakeAppGroups([:]), activity: .none,
            keychain: FakeKeychain())
    }
}
