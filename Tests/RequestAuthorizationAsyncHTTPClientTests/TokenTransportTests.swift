// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
import LoopbackServer
import RequestAuthorizationAsyncHTTPClient
import Testing

/// Tests of what is particular to async-http-client. The promises of every `TokenTransport` are tested in
/// `ClientTests`.
@Suite(.timeLimit(.minutes(5))) struct TokenTransportTests {
    @Test func `nothing is added to a token request, and lines of one name stay separate`() async throws {
        try await withServer { _ in
            .status(200, ("X-Trace", "7"), ("X-Trace", "8"))
        } body: { server in
            let fields = [("Content-Type", "text/plain"), ("Accept", "a"), ("Accept", "b")]
            let request = TokenRequest(url: server.url("/"), fields: fields, body: [1])
            let answer = try await withClient { try await $0.send(request) }
            let sent = try #require(await server.requests.first)
            let names = sent.lines.dropFirst().map { $0.prefix { $0 != ":" }.lowercased() }
            #expect(names.sorted() == ["accept", "accept", "content-length", "content-type", "host"])
            #expect(sent.values(of: "Accept") == ["a", "b"])
            #expect(answer.headerValues(for: "x-trace") == ["7", "8"])
        }
    }

    @Test func `a time-out while the client still tries to connect means that nothing was sent`() async throws {
        // With its default settings a client retries a refused connection for ten seconds.
        let client = HTTPClient(eventLoopGroupProvider: .singleton)
        let error = try await withHeldPort { port in
            let request = TokenRequest(url: port.url("/token"), timeout: .milliseconds(200))
            return await #expect(throws: TokenTransportError.self) { try await client.send(request) }
        }
        try await client.shutdown()
        #expect(error?.delivery == .notSent)
    }

    @Test func `a client that was shut down sends nothing`() async throws {
        let client = HTTPClient(eventLoopGroupProvider: .singleton)
        try await client.shutdown()
        let error = await #expect(throws: TokenTransportError.self) {
            try await client.send(TokenRequest(url: try #require(URL(string: "http://127.0.0.1/"))))
        }
        #expect(error?.delivery == .notSent)
    }

    @Test(arguments: [("http:///token", "X"), ("http://127.0.0.1:1/", "é")])
    func `an address without host and a field without a name are not sent`(url: String, field: String) async throws {
        let request = TokenRequest(url: try #require(URL(string: url)), fields: [(field, "1")])
        let error = await #expect(throws: TokenTransportError.self) {
            try await withClient { try await $0.send(request) }
        }
        #expect(error?.code == .other)
        #expect(error?.delivery == .notSent)
    }
}
#endif
