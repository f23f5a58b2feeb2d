// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RedactionChecks
import RequestAuthorization
import RequestAuthorizationStorage
import RequestAuthorizationTesting

extension Exhibit {
    /// Files that hold the secret.
    static func files() async throws -> [Exhibit] {
        let folder = try TemporaryFolder()
        let store = folder.store()
        let token = TestToken(Secret.text)
        try await store.save(StoredToken(.token(token), version: .test(1), obtainedAt: .now))
        _ = try await store.load()
        try folder.write(Secret.text, to: "client,me.token")
        var exhibits = [
            Exhibit("RestrictedFileTokenStore", store), Exhibit("RestrictedFileItems", store.items),
            Exhibit("NamedFiles", NamedFiles(client: Secret.text)),
        ]
        do { _ = try await store.load() } catch { exhibits.append(Exhibit("the error of a load", error)) }
        return exhibits
    }
}
