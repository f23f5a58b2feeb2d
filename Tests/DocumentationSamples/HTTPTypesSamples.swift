// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if HTTPTypes
import RequestAuthorizationTesting
import RequestAuthorizationURLSession
import Testing

@Suite struct HTTPTypesSamples {
    @Test func `a request of swift-http-types takes a credential`() async throws {
        // sample: request
        var request = HTTPRequest(method: .get, scheme: "https", authority: "api.widgets.example", path: "/v1/widgets")
        try await request.authorize(using: .bearer("ABC"))  // Authorization: Bearer ABC, never indexed
        // end sample
        #expect(request.headerFields[.authorization] == "Bearer ABC")
        #expect(request.headerFields.first?.indexingStrategy == .disallow)
    }

    @Test func `a custom client sends with a provider`() async throws {
        let auth = RefreshableTokenAuthorization(service: ScriptedTokenService(.token("a"), .token("b")))
        let request = HTTPRequest(method: .post, scheme: "https", authority: "api.widgets.example", path: "/v1/widgets")
        let body: [UInt8] = [1]
        let client = Client()
        // sample: send
        let (response, answer) = try await auth.send(request, isReplayable: true) {
            try await client.send($0, body)  // any function that returns (HTTPResponse, Body) or (Body, HTTPResponse)
        }
        // end sample
        #expect(response.status == .ok && answer == [1])
    }

    @Test func `URLSession sends it too`() async throws {
        let session = StubServer.session
        let url = try #require(URL(string: "https://api.widgets.example/v1/widgets"))
        let auth = BearerTokenAuthorization(token: "ABC")
        // sample: urlsession
        let (data, response) = try await session.data(for: HTTPRequest(url: url), authorizedBy: auth)
        // end sample
        #expect(response.status == .ok && String(decoding: data, as: UTF8.self) == "Bearer ABC")
    }
}

/// Refuses the first token.
private struct Client {
    func send(_ request: HTTPRequest, _ body: [UInt8]) async throws -> (HTTPResponse, [UInt8]) {
        (HTTPResponse(status: request.headerFields[.authorization] == "Bearer a" ? .unauthorized : .ok), body)
    }
}
#endif
