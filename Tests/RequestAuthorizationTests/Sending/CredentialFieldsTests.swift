// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Testing

@testable import RequestAuthorization

struct CredentialFieldsTests {
    @Test(arguments: [
        ["X-Key", "Authorization"], ["Authorization", "X-Key"], ["authorization", "x-key", "Authorization"],
    ])
    func `all names that were set are known, whatever their order`(fields: [String]) {
        let seen = CredentialFields()
        for field in fields { seen.insert(field) }
        #expect(seen.names == ["authorization", "x-key"])
    }
}
