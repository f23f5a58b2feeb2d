// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RedactionChecks
import RequestAuthorization
import RequestAuthorizationTesting

@testable import RequestAuthorizationStorage

extension Exhibit {
    #if Crypto
    static let cloudWithoutSecrets: Set<String> = []

    static func cloud() async throws -> [Exhibit] {
        let sharing = CloudKitSharing<TestToken>.oneForAllDevices { [key = Secret.text] _ in key }
        let store = CloudKitTokenStore<TestToken>(
            client: "client", account: Secret.text, accessGroup: nil, sharing: sharing, cloud: FakeCloud(),
            keychain: FakeKeychain())
        try await store.save(
            StoredToken(.token(TestToken(Secret.text)), version: .test(1), obtainedAt: Date(timeIntervalSince1970: 0)))
        let record = CloudRecord(name: Secret.text, value: Data(Secret.text.utf8))
        return [
            Exhibit("CloudKitTokenStore", store), Exhibit("CloudKitSharing", sharing), Exhibit("CloudRecord", record),
            Exhibit("CloudKitTokenStore", CloudKitTokenItem(cloud: FakeCloud()) { Secret.text }),
        ]
    }
    #else
    static let cloudWithoutSecrets: Set<String> = ["CloudKitSharing", "CloudKitTokenStore"]

    static func cloud() async throws -> [Exhibit] { [] }
    #endif
}
