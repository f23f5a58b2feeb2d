// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorizationTesting
import Testing

@Suite struct OriginSamples {
    let provider = BearerTokenAuthorization(token: "ABC")

    @Test func `a credential is bound to origins`() async throws {
        // sample: restricted
        let auth = provider.restricted(to: "https://api.widgets.example", "https://files.widgets.example")
        // end sample
        let authorized = try await TestRequest("https://files.widgets.example/1").authorized(using: auth)
        #expect(authorized["Authorization"] == "Bearer ABC")
        await #expect(throws: NotAuthorized.self) {
            try await TestRequest("https://files.widgets.example:8443/1").authorized(using: auth)
        }
    }

    @Test func `other origins are passed through`() async throws {
        // sample: pass-through
        let auth = provider.restricted(to: "https://api.widgets.example", elsewhere: .passThrough)
        // end sample
        let request = TestRequest("https://elsewhere.example/")
        #expect(try await request.authorized(using: auth) == request)
    }

    @Test func `plain http is allowed by name`() async throws {
        // sample: plaintext
        let auth = provider.restricted(to: "http://ledger.internal:8080", allowingPlaintext: true)
        // end sample
        let authorized = try await TestRequest("http://ledger.internal:8080/").authorized(using: auth)
        #expect(authorized["Authorization"] == "Bearer ABC")
        await #expect(throws: NotAuthorized.self) {
            try await TestRequest("http://ledger.internal:8080/").authorized(using: provider)
        }
    }

    @Test func `each origin has a provider`() async throws {
        let (widgets, key) = (provider, "key")
        // sample: by-origin
        let auth = OriginAuthorization([
            "https://api.widgets.example": widgets,
            "https://maps.example": .header("X-API-Key", key),
        ])
        // end sample
        let map = try await TestRequest("https://maps.example/").authorized(using: auth)
        #expect(map["X-API-Key"] == "key" && map["Authorization"] == nil)
    }
}
