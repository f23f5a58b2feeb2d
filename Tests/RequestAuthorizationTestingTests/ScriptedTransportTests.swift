// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationTesting
import Testing

private struct Offline: Error {}

struct ScriptedTransportTests {
    @Test func `each request takes the next answer and is recorded as it was sent`() async throws {
        let transport = ScriptedTransport(
            .response(401, ["WWW-Authenticate": "Bearer"]), .failure(Offline()), .response(200))
        let request = try await TestRequest(method: "POST").authorized(using: .bearer("a"))
        let refused = try await transport.send(request)
        #expect(refused.unauthorized?.challenges.map(\.scheme) == ["Bearer"])
        await #expect(throws: Offline.self) { try await transport.send(TestRequest()) }
        #expect(try await transport.send(TestRequest()) == TestResponse(200))
        #expect(transport.requests == [request, TestRequest(), TestRequest()])
        #expect(transport.calls == 3)
        await #expect(throws: ScriptRanOut(owner: "ScriptedTransport", call: 4)) {
            try await transport.send(TestRequest())
        }
    }

    @Test func `a 401 is sent again with the new token`() async throws {
        let service = ScriptedTokenService(.token("a"), .token("b"))
        let transport = ScriptedTransport(.response(401), .response(200))
        let auth = RefreshableTokenAuthorization(service: service)
        let response = try await auth.send(TestRequest()) { try await transport.send($0) }
        #expect(response.statusCode == 200)
        #expect(transport.requests.map { $0["Authorization"] } == ["Bearer a", "Bearer b"])
    }

    @Test func `it stands in for a token endpoint`() async throws {
        let endpoint: any TokenTransport = ScriptedTokenTransport(
            .response(400, json: #"{"error":"invalid_grant"}"#, fields: ["Retry-After": "1"]))
        let url = try #require(URL(string: "https://accounts.example.com/token"))
        let response = try await endpoint.send(TokenRequest(url: url))
        #expect(response.statusCode == 400)
        #expect(response.headerValues(for: "content-type") == ["application/json"])
        #expect(response.headerValues(for: "retry-after") == ["1"])
        #expect(String(decoding: response.body, as: UTF8.self) == #"{"error":"invalid_grant"}"#)
    }

    @Test func `a held request is answered by the test`() async throws {
        let transport = ScriptedTransport<TestRequest, TestResponse>(.held)
        let task = Task { try await transport.send(TestRequest()) }
        try await transport.nextCall().succeed(TestResponse(204))
        #expect(try await task.value.statusCode == 204)
    }
}

struct TestRequestTests {
    @Test func `names of fields are compared without case`() {
        var request = TestRequest("http://[::1]:8080/a", method: "PUT", fields: ["X-One": "1"])
        request.setCredential("Bearer a", in: "AUTHORIZATION")
        #expect(request["authorization"] == "Bearer a")
        #expect(request.credential(in: "x-one") == "1")
        #expect(request.fieldNames == ["authorization", "x-one"])
        #expect(request.origin == Origin(scheme: "http", host: "::1", port: 8080))
        #expect(request.requestMethod == "PUT")
        #expect(request.targetURI == "http://[::1]:8080/a")
    }

    @Test func `a request and a response print none of their fields`() {
        let request = TestRequest("https://api.example.com/?key=secret", fields: ["Authorization": "Bearer secret"])
        let response = TestResponse(401, ["DPoP-Nonce": "secret"])
        for value in [request, response] as [Any] {
            var dumped = ""
            dump(value, to: &dumped)
            #expect(!"\(value)\(String(reflecting: value))\(dumped)".contains("secret"))
        }
        #expect("\(request)" == "GET https://api.example.com")
    }

    @Test func `a response keeps the lines of a field in order`() {
        let response = TestResponse(401, ["WWW-Authenticate": "Basic", "Date": "x", "www-authenticate": "Bearer"])
        #expect(response.headerValues(for: "WWW-Authenticate") == ["Basic", "Bearer"])
    }
}
