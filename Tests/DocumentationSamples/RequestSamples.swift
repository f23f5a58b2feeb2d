// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorizationTesting
import RequestAuthorizationURLSession
import Testing

@Suite struct RequestSamples {
    let key = "key"
    let password = "secret"

    @Test func `a request takes a constant credential`() async throws {
        var request = TestRequest()
        // sample: constant
        try await request.authorize(using: .bearer("ABC"))  // Authorization: Bearer ABC
        // end sample
        #expect(request["Authorization"] == "Bearer ABC")
        // sample: constants
        try await request.authorize(using: .basic(username: "ada", password: password))  // RFC 7617, UTF-8
        try await request.authorize(using: .header("X-API-Key", key))  // a field of your choice
        // end sample
        #expect(request["Authorization"] == "Basic YWRhOnNlY3JldA==")
        #expect(request["X-API-Key"] == key)
    }

    @Test func `a copy takes it where the request itself cannot`() async throws {
        let (request, auth) = (TestRequest(), BearerTokenAuthorization(token: "ABC"))
        // sample: copy
        let authorized = try await request.authorized(using: auth)
        // end sample
        #expect(authorized["Authorization"] == "Bearer ABC")
    }

    @Test func `a closure signs each request`() async throws {
        let sign: @Sendable (String?, String?) -> String = { "\($0 ?? "") \($1 ?? "")" }
        let vault = Vault()
        try await vault.set(Data("key".utf8), for: "api")
        // sample: closure
        let signed = ClosureAuthorization { request in
            ["X-Signature": sign(request.requestMethod, request.targetURI)]
        }
        let fromVault = ClosureAuthorization(field: "X-API-Key") { try await vault.text(for: "api") }
        // end sample
        let first = try await TestRequest().authorized(using: signed)
        #expect(first["X-Signature"] == "GET https://api.example.com/")
        try await AuthorizationProviderChecks { signed }.run()
        try await AuthorizationProviderChecks { fromVault }.run()
        let second = try await TestRequest().authorized(using: fromVault)
        #expect(second["X-API-Key"] == "key")
    }

    @Test func `URLSession sends with a provider`() async throws {
        let session = StubServer.session
        let url = try #require(URL(string: "https://api.widgets.example/v1/widgets"))
        let (request, widget) = (URLRequest(url: url), Data("{}".utf8))
        let auth = BearerTokenAuthorization(token: "ABC")
        // sample: urlsession
        let (data, _) = try await session.data(for: request, authorizedBy: auth)
        let (answer, response) = try await session.upload(for: request, from: widget, authorizedBy: auth)
        // end sample
        #expect(data == answer)
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
    }

    /// Not called: on Linux a protocol class cannot answer a download.
    func download(_ request: URLRequest, with auth: some AuthorizationProvider, on session: URLSession) async throws {
        // sample: download
        let (file, response) = try await session.download(for: request, authorizedBy: auth)
        // end sample
        print(file, response)
    }

    @Test func `any client sends with a provider`() async throws {
        let request = TestRequest()
        let client = ScriptedTransport<TestRequest, TestResponse>(.response(401), forever: .response(200))
        let auth = RefreshableTokenAuthorization(service: ScriptedTokenService(.token("a"), .token("b")))
        // sample: send
        let response = try await auth.send(request) { try await client.send($0) }
        // end sample
        #expect(response.statusCode == 200)
        #expect(client.requests.map { $0["Authorization"] } == ["Bearer a", "Bearer b"])
        let send = { (request: TestRequest, body: [UInt8]) in (body, try await client.send(request)) }
        let body: [UInt8] = [1, 2, 3]
        // sample: send-beside
        let (received, answer) = try await auth.send(
            request, isReplayable: true, unauthorized: { (_, response) in response.unauthorized }
        ) {
            try await send($0, body)  // this client carries the body beside the request
        }
        // end sample
        #expect(received == body && answer.statusCode == 200)
    }

    @Test func `the token itself is available`() async throws {
        let auth = RefreshableTokenAuthorization(service: ScriptedTokenService(.token("a")))
        // sample: valid-token
        let token = try await auth.validToken()  // valid now; waits for a refresh if need be
        let line = "Authorization: \(token.authorizationHeaderValue)"
        // end sample
        #expect(line == "Authorization: Bearer a")
    }
}
