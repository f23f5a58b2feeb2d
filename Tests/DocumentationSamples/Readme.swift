// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorizationURLSession
import Testing

/// Shadows the real type, which ignores the stub if other tests of the process used it first.
private enum URLSession {
    static var shared: StubServer.Session { StubServer.session }
}

@Suite struct Readme {
    @Test func `the example of the README works as described`() async throws {
        let url = try #require(URL(string: "https://api.widgets.example/v1/widgets"))
        let logIn = try #require(URL(string: "https://accounts.widgets.example/token"))
        let (request, password) = (URLRequest(url: url), "secret")
        // sample: main
        let endpoint = JSONTokenEndpoint(logIn, transport: URLSession.shared, keys: .convertFromSnakeCase)
        let service = WidgetTokenService(endpoint: endpoint)
        let auth = RefreshableTokenAuthorization(service: service)  // one per identity, shared
        try await auth.signIn { try await service.logIn(as: "ada", password: password) }

        // Authorize and send. After a 401: refresh once for all requests, and send again.
        let (data, response) = try await URLSession.shared.data(for: request, authorizedBy: auth)

        // The present state, then each change.
        let observation = auth.onTokenChange { change in print(change) }  // tokenUpdated([redacted])
        // end sample
        #expect(String(decoding: data, as: UTF8.self) == "Bearer fresh")
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        observation.cancel()
    }
}
