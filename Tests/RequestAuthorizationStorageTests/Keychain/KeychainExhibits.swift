// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RedactionChecks
import RequestAuthorization
import RequestAuthorizationTesting

@testable import RequestAuthorizationStorage

extension Exhibit {
    static func keychain() async throws -> [Exhibit] {
        let store = KeychainTokenStore<TestToken>("client", Secret.text, calls: FakeKeychain())
        try await store.save(
            StoredToken(.token(TestToken(Secret.text)), version: .test(1), obtainedAt: Date(timeIntervalSince1970: 0)))
        return [
            Exhibit("KeychainTokenStore", store), Exhibit("KeychainTokenItem", store.items),
            Exhibit("NamedKeychainItems", NamedKeychainItems(client: Secret.text, keychain: store.items.keychain)),
        ]
    }
}
