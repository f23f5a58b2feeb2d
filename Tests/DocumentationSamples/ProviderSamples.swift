// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorizationTesting
import Testing

// sample: provider
/// Sends the token that another program keeps fresh in a file.
struct FileTokenAuthorization: AuthorizationProvider {
    let read: @Sendable () throws -> String

    func authorize<Request: AuthorizableRequest>(_ request: Request) async throws -> Request {
        try await request.authorized(using: .bearer(read()))
    }

    func setNeedsRefreshAfterUnauthorizedResponse<Request: AuthorizableRequest>(for request: Request) async throws {
        let current = try await authorize(request).credential(in: "Authorization")
        guard current != request.credential(in: "Authorization") else { throw NotAuthorized(.notRefreshable) }
    }
}
// end sample

/// The example in the documentation of ``AuthorizationProvider``.
struct TenantAuthorization: AuthorizationProvider {
    let key: @Sendable () async throws -> String  // a closure: prints no key
    func authorize<Request: AuthorizableRequest>(_ request: Request) async throws -> Request {
        // `.header` refuses plain http, and a key that no header can hold.
        try await request.authorized(using: .header("X-Tenant-Key", key()))
    }
}

@Suite struct ProviderSamples {
    // sample: provider-checks
    @Test func `it is a provider`() async throws {
        try await AuthorizationProviderChecks { FileTokenAuthorization { "ABC" } }.run()
    }
    // end sample

    @Test func `the provider in the documentation of the protocol is one`() async throws {
        try await AuthorizationProviderChecks { TenantAuthorization { "a-key-of-mine" } }.run()
    }

    @Test func `a 401 leads to another try once the file has changed`() async throws {
        let refused = try await TestRequest().authorized(using: .bearer("old"))
        try await FileTokenAuthorization { "new" }.setNeedsRefreshAfterUnauthorizedResponse(for: refused)
        await #expect(throws: NotAuthorized.self) {
            try await FileTokenAuthorization { "old" }.setNeedsRefreshAfterUnauthorizedResponse(for: refused)
        }
    }
}
