// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
import LoopbackServer
import RequestAuthorizationURLSession
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@testable import RequestAuthorizationURLSession

/// Tests of what is particular to `URLSession`. The promises of every `TokenTransport` are tested in `ClientTests`.
@Suite(.timeLimit(.minutes(5))) struct TokenTransportTests {
    @Test func `a body without a content type is not called a form`() async throws {
        try await withServer { _ in
            .text("")
        } body: { server in
            _ = try await URLSession.shared.send(TokenRequest(url: server.url("/"), body: Array("{}".utf8)))
            #expect(await server.requests.map { $0["Content-Type"] } == ["application/octet-stream"])
        }
    }

    @Test func `each request has a connection of its own`() async throws {
        try await withServer { _ in
            .text("")
        } body: { server in
            let session = URLSession(configuration: .ephemeral)
            for _ in 0..<3 { _ = try await session.send(TokenRequest(url: server.url("/"))) }
            #expect(await server.connections == 3)
        }
    }

    @Test(arguments: [301, 302, 303, 307, 308]) func `a redirect is returned with its body`(status: Int) async throws {
        try await withServer { _ in
            .redirect(status, to: "/elsewhere", body: "moved")
        } body: { server in
            let answer = try await URLSession.shared.send(TokenRequest(url: server.url("/token"), body: [1]))
            #expect(answer.body == Array("moved".utf8))
        }
    }

    @Test func `cookies are not kept for the session either`() async throws {
        try await withServer { _ in
            .status(200, ("Set-Cookie", "a=b; Path=/"))
        } body: { server in
            // The storage of this session alone: other tests may keep cookies of this machine in the usual one.
            let session = URLSession(configuration: .ephemeral)
            let storage = try #require(session.configuration.httpCookieStorage)
            _ = try await session.send(TokenRequest(url: server.url("/")))
            #expect(storage.cookies == [])
            _ = try await session.data(for: URLRequest(url: server.url("/")))
            #expect(storage.cookies?.map(\.name) == ["a"])
        }
    }

    @Test func `the session's own fields are not sent, except for the user agent`() async throws {
        try await withServer { _ in
            .text("")
        } body: { server in
            let configuration = URLSessionConfiguration.ephemeral
            configuration.httpAdditionalHeaders = ["X-API-Key": "k", "Authorization": "Bearer x", "User-Agent": "me"]
            _ = try await URLSession(configuration: configuration).send(TokenRequest(url: server.url("/")))
            let request = try #require(await server.requests.first)
            #expect(request["X-API-Key"] == nil)
            #expect(request["Authorization"] == nil)
            #expect(request["User-Agent"] == "me")
        }
    }

    @Test func `an error of the system that is no URLError says that the request may have been processed`() async throws
    {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [AbortingProtocol.self]
        let session = URLSession(configuration: configuration)
        let request = TokenRequest(url: try #require(URL(string: "http://127.0.0.1/token")))
        let error = await #expect(throws: TokenTransportError.self) { try await session.send(request) }
        #expect(error?.code == .other)
        #expect(error?.delivery == .mayHaveBeenProcessed)
        #expect((error?.underlying as? POSIXError)?.code == .ECONNABORTED)
    }

    #if canImport(FoundationNetworking)
    /// Texts of libcurl. Foundation gives all of them the code `cannotConnectToHost` after an address has refused.
    static let texts: [(String, TokenTransportError.Code, TokenRequestDelivery)] = [
        ("Failed to connect to localhost port 9 after 0 ms: Couldn't connect to server", .unreachable, .notSent),
        ("Couldn't connect to server", .unreachable, .notSent), ("Could not connect to server", .unreachable, .notSent),
        ("SSL certificate problem: self-signed certificate", .insecure, .notSent),
        ("Empty reply from server", .connectionLost, .mayHaveBeenProcessed),
        ("transfer closed with 7 bytes remaining to read", .connectionLost, .mayHaveBeenProcessed),
        ("Failed writing header", .unreadableHeader, .mayHaveBeenProcessed),
    ]

    @Test(arguments: texts)
    func `a request may have been processed although one address of the host has refused`(
        text: String, code: TokenTransportError.Code, delivery: TokenRequestDelivery
    ) {
        let reported = URLError(.cannotConnectToHost, userInfo: [NSLocalizedDescriptionKey: text])
        let error = TokenTransportError(reported)
        #expect(error.code == code)
        #expect(error.delivery == delivery)
        #expect(reported.explained.code == (code == .unreachable ? .cannotConnectToHost : .unknown))
    }

    /// Texts of several versions of libcurl. Foundation gives all of them the code `unknown`.
    static let unknown: [(String, TokenTransportError.Code, TokenRequestDelivery)] = [
        ("Could not resolve proxy: proxy.internal", .unreachable, .notSent),
        ("Couldn't resolve proxy 'proxy.internal'", .unreachable, .notSent),
        ("CONNECT tunnel failed, response 503", .unreachable, .notSent),
        ("Received HTTP code 503 from proxy after CONNECT", .unreachable, .notSent),
        ("Proxy CONNECT aborted", .unreachable, .notSent),
        ("OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to localhost:9 ", .insecure, .notSent),
        ("SSL connect error", .insecure, .notSent),
        ("error setting certificate file: /etc/ssl/certs/ca-certificates.crt", .insecure, .notSent),
        ("error adding trust anchors from file: /etc/ssl/cert.pem", .insecure, .notSent),
        ("OpenSSL SSL_read: Connection reset by peer, errno 104", .connectionLost, .mayHaveBeenProcessed),
        ("Recv failure: Connection reset by peer", .connectionLost, .mayHaveBeenProcessed),
        ("Received HTTP/0.9 when not allowed", .connectionLost, .mayHaveBeenProcessed),
    ]

    @Test(arguments: unknown)
    func `a proxy or a handshake that fails has sent nothing`(
        text: String, code: TokenTransportError.Code, delivery: TokenRequestDelivery
    ) {
        let error = TokenTransportError(URLError(.unknown, userInfo: [NSLocalizedDescriptionKey: text]))
        #expect(error.code == code)
        #expect(error.delivery == delivery)
    }

    @Test func `a connection that times out has sent nothing`() {
        // The system's own time-out for a connection. Foundation's time-outs have no text.
        let text = "Failed to connect to localhost port 9 after 7158 ms: Couldn't connect to server"
        let unconnected = TokenTransportError(URLError(.timedOut, userInfo: [NSLocalizedDescriptionKey: text]))
        #expect(unconnected.code == .timedOut)
        #expect(unconnected.delivery == .notSent)
        #expect(TokenTransportError(URLError(.timedOut)).delivery == .mayHaveBeenProcessed)
    }
    #endif
}

/// Fails as a connection does that the system has ended.
private final class AbortingProtocol: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { true }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
    override func startLoading() { client?.urlProtocol(self, didFailWithError: POSIXError(.ECONNABORTED)) }
    override func stopLoading() {}
}
#endif
