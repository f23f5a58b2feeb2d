// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RedactionChecks
import Testing

@Suite struct RedactionTests {
    /// The requests, which print their fields as they like, are of others. What has their names here stands in for them
    /// where the trait is off, holds nothing and cannot be used.
    @Test func `the module declares no type that could hold a secret`() throws {
        #expect(try PublicTypes.declared(in: ["RequestAuthorizationHTTPTypes"]) == ["HTTPRequest"])
    }
}
