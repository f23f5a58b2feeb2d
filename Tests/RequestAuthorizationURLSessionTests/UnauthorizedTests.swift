// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
import LoopbackServer
import RequestAuthorizationURLSession
import TestProviders
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// On Linux URLSession answers a 401 that offers Basic by waiting for ever for a credential of its own.
@Suite(.timeLimit(.minutes(5))) struct UnauthorizedTests {
    static let challenges = [
        "Basic realm=\"x\"", "basic realm=x", "Bearer realm=\"x\", Basic realm=\"x\"",
        "Basic realm=\"x\", Bearer realm=\"x\"", "Basic", "Basic realm=", "Basic realm=\"", "Basic realm=\"a\\\"b\"",
        "Digest realm=\"x\", nonce=\"y\"", "Digest", "NTLM", "Negotiate abc==", "Basic ,,,", ",", "=", "\"", "",
    ]

    @Test(arguments: challenges, Way.allCases) func `a 401 is returned, whatever schemes it offers`(
        challenge: String, way: Way
    ) async throws {
        try await withServer { _ in
            .unauthorized(challenge, body: "no")
        } body: { server in
            let received = try await way.send(way.request(server.url("/")), authorizedBy: .bearer("abc"))
            #expect(received.status == 401)
            let credentials = await server.requests.map { $0["Authorization"] }
            #expect(credentials == ["Bearer abc"])
        }
    }

    @Test(arguments: Way.allCases) func `a 401 that offers Basic leads to a refresh`(way: Way) async throws {
        try await withServer { request in
            request["Authorization"] == "Bearer 0" ? .unauthorized("Basic realm=\"x\"", body: "no") : .text("hello")
        } body: { server in
            let received = try await way.send(way.request(server.url("/")))
            #expect(received == .init(200, "hello"))
            #expect(await server.requests.map { $0["Authorization"] } == ["Bearer 0", "Bearer 1"])
        }
    }

    @Test func `two lines of challenges, one of them Basic, reach the provider`() async throws {
        let provider = LooseProvider()
        try await withServer { _ in
            .status(
                401, ("WWW-Authenticate", "Bearer"), ("WWW-Authenticate", "Basic realm=\"x\""), ("Retry-After", "7"))
        } body: { server in
            _ = try await Way.data.send(URLRequest(url: server.url("/")), authorizedBy: provider)
        }
        let refusal = try #require(provider.refusals.withLock { $0.first })
        #expect(refusal.challenges.map(\.scheme) == ["Bearer", "Basic"])
        #expect(refusal.headerValues(for: "Retry-After") == ["7"])
    }

    @Test func `a credential that URLSession keeps never replaces the provider's`() async throws {
        try await withServer { _ in
            .unauthorized("Basic realm=\"x\"")
        } body: { server in
            let configuration = URLSessionConfiguration.ephemeral
            let space = URLProtectionSpace(
                host: "127.0.0.1", port: server.port, protocol: "http", realm: "x",
                authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
            let credential = URLCredential(user: "user", password: "secret", persistence: .forSession)
            configuration.urlCredentialStorage?.setDefaultCredential(credential, for: space)
            #expect(configuration.urlCredentialStorage?.defaultCredential(for: space) != nil)
            let session = URLSession(configuration: configuration)
            let request = URLRequest(url: server.url("/"))
            let received = try await Way.data.send(request, through: session, authorizedBy: .bearer("abc"))
            #expect(received.status == 401)
            let credentials = await server.requests.map { $0["Authorization"] }
            #expect(credentials == ["Bearer abc"])
        }
    }

    @Test func `the session's own fields never replace the provider's credential`() async throws {
        try await withServer { _ in
            .text("hello")
        } body: { server in
            let configuration = URLSessionConfiguration.ephemeral
            configuration.httpAdditionalHeaders = ["authorization": "Basic eA==", "X-Other": "1"]
            let session = URLSession(configuration: configuration)
            for way in Way.allCases { _ = try await way.send(way.request(server.url("/")), through: session) }
            #expect(await server.requests.map { $0["Authorization"] } == Array(repeating: "Bearer 0", count: 4))
            #expect(await server.requests.map { $0["X-Other"] } == Array(repeating: "1", count: 4))
        }
    }

    // MARK: - What is not sent at all

    @Test func `a value with CR LF never reaches the wire`() async throws {
        try await withServer { _ in
            .text("hello")
        } body: { server in
            let provider = LooseProvider(["Authorization": "Bearer x\r\nX-Evil: 1"])
            for way in Way.allCases {
                let error = await #expect(throws: NotAuthorized.self) {
                    try await way.send(way.request(server.url("/")), authorizedBy: provider)
                }
                #expect(error?.reason == .malformedCredential)
            }
            #expect(await server.requests.isEmpty)
        }
    }

    @Test(arguments: Way.allCases) func `plain http to another machine is refused before anything is sent`(
        way: Way
    ) async throws {
        // 192.0.2.0/24 is not in use (RFC 5737): an attempt would end in a URLError.
        let request = way.request(try #require(URL(string: "http://192.0.2.1/")))
        let error = await #expect(throws: NotAuthorized.self) {
            try await way.send(request, authorizedBy: .bearer("abc"))
        }
        #expect(error?.reason == .insecureTransport)
    }
}
#endif
