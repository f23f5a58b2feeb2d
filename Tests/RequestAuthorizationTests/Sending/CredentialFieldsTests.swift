// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Testing

@testable import RequestAuthorization

struct CredentialFieldsTests {
    @Test(arguments: [
        ["X-Key", "Authorization"], ["Authorization", "X-Key"], ["authorization", "x-key", "Authorization"],
    ])
    func `the names of all set fields are known, in any order`(fields: [String]) {
        let seen = CredentialFields()
        for field in fields { seen.insert(field) }
        #expect(seen.names == ["authorization", "x-key"])
    }
}
