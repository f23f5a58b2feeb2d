// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RedactionChecks
import Testing

@Suite struct RedactionTests {
    /// The request types belong to other packages and print their fields as they like. The placeholders with their
    /// names, for builds without the trait, hold nothing and cannot be used.
    @Test func `the module declares no type that could hold a secret`() throws {
        let declared = try PublicTypes.declared(in: ["RequestAuthorizationAsyncHTTPClient"])
        #expect(declared == ["HTTPClient", "HTTPClientRequest"])
    }
}
