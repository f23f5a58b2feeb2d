// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorizationTesting
import Testing

// sample: provider
/// Sends the token that another program keeps fresh in a file.
struct FileTokenAuthorization: AuthorizationProvider {
    let read: @Sendable () throws -> String

    func credential(for request: some AuthorizableRequest) async throws -> Credential {
        let token = try read()
        // After a 401 another try makes sense if the file has changed.
        return try .bearer(token) { _ in try read() == token ? .accept : .anew }
    }
}
// end sample

// sample: wrapper
/// Adds the tenant to what another provider sets. Its refreshes, proofs and sessions still work.
struct TenantAuthorization: AuthorizationProvider {
    let base: any AuthorizationProvider
    let tenant: String

    func credential(for request: some AuthorizableRequest) async throws -> Credential {
        try await base.credential(for: request).adding(tenant, in: "X-Tenant")
    }
}
// end sample

@Suite struct ProviderSamples {
    // sample: provider-checks
    @Test func `it is a provider`() async throws {
        try await AuthorizationProviderChecks { FileTokenAuthorization { "ABC" } }.run()
    }
    // end sample

    @Test func `a provider around another one refreshes`() async throws {
        let service = ScriptedTokenService<TestToken>(.token("b"))
        let auth = RefreshableTokenAuthorization(service: service, token: TestToken("a"))
        let tenant = TenantAuthorization(base: auth, tenant: "blue")
        let server = ScriptedTransport<TestRequest, TestResponse>(.response(401), .response(200))
        #expect(try await tenant.send(TestRequest()) { try await server.send($0) }.statusCode == 200)
        #expect(server.requests.map { $0["Authorization"] } == ["Bearer a", "Bearer b"])
        #expect(server.requests.map { $0["X-Tenant"] } == ["blue", "blue"])
    }

    @Test func `a 401 leads to another try once the file has changed`() async throws {
        let refused = try await TestRequest().authorized(using: .bearer("old"))
        try await FileTokenAuthorization { "new" }.setNeedsRefreshAfterUnauthorizedResponse(for: refused)
        await #expect(throws: NotAuthorized.self) {
            try await FileTokenAuthorization { "old" }.setNeedsRefreshAfterUnauthorizedResponse(for: refused)
        }
    }
}
