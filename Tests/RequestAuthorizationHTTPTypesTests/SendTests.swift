// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if HTTPTypes
import RequestAuthorizationHTTPTypes
import RequestAuthorizationTesting
import Testing

/// `send` for clients that return a response beside its body.
@Suite struct SendTests {
    private let request = HTTPRequest(method: .get, scheme: "https", authority: "api.example.com", path: "/")

    private func auth() -> some AuthorizationProvider {
        RefreshableTokenAuthorization(service: ScriptedTokenService(.token("a"), .token("b")))
    }

    private func status(of request: HTTPRequest) -> HTTPResponse {
        HTTPResponse(status: request.headerFields[.authorization] == "Bearer a" ? .unauthorized : .ok)
    }

    @Test func `a client that returns the response first is called again after a 401`() async throws {
        var sent: [String?] = []
        let (response, body) = try await auth().send(request) {
            sent.append($0.headerFields[.authorization])
            return (status(of: $0), "body \(sent.count)")
        }
        #expect(response.status == .ok && body == "body 2")
        #expect(sent == ["Bearer a", "Bearer b"])
    }

    @Test func `a client that returns the body first is called again after a 401`() async throws {
        let (body, response) = try await auth().send(request) { ("body", status(of: $0)) }
        #expect(response.status == .ok && body == "body")
    }

    @Test(arguments: [(nil, 401), (true, 200), (false, 401)] as [(Bool?, Int)])
    func `a request that may have a body is sent again only if the caller allows it`(isReplayable: Bool?, expected: Int)
        async throws
    {
        var post = request
        post.method = .post
        let (response, _) = try await auth().send(post, isReplayable: isReplayable) { (status(of: $0), [1]) }
        #expect(response.status.code == expected)
    }
}
#endif
