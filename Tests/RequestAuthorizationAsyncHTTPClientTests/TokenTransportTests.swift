// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
import LoopbackServer
import RequestAuthorizationAsyncHTTPClient
import Testing

/// What `TokenTransport` promises, over real sockets, as `URLSession` is held to it.
@Suite(.timeLimit(.minutes(1))) struct TokenTransportTests {
    private let form = [(name: "Content-Type", value: "application/x-www-form-urlencoded")]

    /// The answer, over a client of its own.
    private func send(_ request: TokenRequest) async throws -> TokenResponse {
        try await withClient { try await $0.send(request) }
    }

    private func error(of request: TokenRequest) async -> TokenTransportError? {
        await #expect(throws: TokenTransportError.self) { try await send(request) }
    }

    /// The error of a request that had arrived when its time was over; on a busy machine the shortest is over before.
    private func errorOfTimeOut(at server: RawServer) async -> TokenTransportError? {
        for timeout in [Duration.milliseconds(200), .seconds(3), .seconds(20)] {
            let error = await error(of: TokenRequest(url: server.url("/"), timeout: timeout))
            if await !server.requests.isEmpty { return error }
        }
        return nil
    }

    @Test func `a token request arrives as it was given, and nothing else with it`() async throws {
        try await withServer { _ in
            .status(200, ("X-Trace", "7"), ("X-Trace", "8"), body: "{}")
        } body: { server in
            let answer = try await send(
                TokenRequest(
                    url: server.url("/token?x=1"), fields: form + [("Accept", "a"), ("Accept", "b")],
                    body: Array("grant_type=refresh_token".utf8)))
            let request = try #require(await server.requests.first)
            #expect(request.lines[0] == "POST /token?x=1 HTTP/1.1")
            let names = request.lines.dropFirst().map { $0.prefix { $0 != ":" }.lowercased() }
            #expect(names.sorted() == ["accept", "accept", "content-length", "content-type", "host"])
            #expect(request.values(of: "Accept") == ["a", "b"])
            #expect(request.text == "grant_type=refresh_token")
            #expect(answer.statusCode == 200)
            #expect(answer.headerValues(for: "x-trace") == ["7", "8"])
            #expect(answer.body == Array("{}".utf8))
        }
    }

    @Test func `a connection that drops after an answer on it does not send the next request twice`() async throws {
        try await withServer {
            $0.target == "/first" ? .text("") : .drop
        } body: { server in
            try await withClient { client in
                for body in ["", "grant"] {
                    _ = try await client.send(TokenRequest(url: server.url("/first"), fields: form))
                    let error = await #expect(throws: TokenTransportError.self) {
                        try await client.send(
                            TokenRequest(url: server.url("/second"), fields: form, body: Array(body.utf8)))
                    }
                    #expect(error?.code == .connectionLost)
                    #expect(error?.delivery == .mayHaveBeenProcessed)
                }
                #expect(await server.requests.map(\.target) == ["/first", "/second", "/first", "/second"])
            }
        }
    }

    @Test(arguments: [300, 301, 302, 303, 304, 305, 307, 308], ["POST", "GET"])
    func `a redirect is an answer, whatever the client does with others`(status: Int, method: String) async throws {
        try await withServer { _ in
            .text("")
        } body: { other in
            for location in ["/elsewhere", other.url("/elsewhere").absoluteString] {
                try await withServer { _ in
                    .redirect(status, to: location, body: status == 304 ? "" : "moved")
                } body: { server in
                    let answer = try await send(
                        TokenRequest(
                            method: method, url: server.url("/token"),
                            fields: form + [("Authorization", "Basic eA=="), ("DPoP", "proof")],
                            body: method == "GET" ? [] : [1]))
                    #expect(answer.statusCode == status)
                    #expect(answer.headerValues(for: "Location") == [location])
                    #expect(await server.requests.count == 1)
                }
            }
            #expect(await other.connections == 0)
        }
    }

    @Test(arguments: ["Basic realm=\"x\"", "Bearer, Basic realm=\"x\"", "Digest realm=\"x\"", "Bearer"])
    func `a 401 comes back whole, whatever it offers`(challenge: String) async throws {
        try await withServer { _ in
            .unauthorized(challenge, body: #"{"error":"invalid_client"}"#)
        } body: { server in
            let answer = try await send(TokenRequest(url: server.url("/"), fields: form, body: [1]))
            #expect(answer.statusCode == 401)
            #expect(answer.headerValues(for: "WWW-Authenticate") == [challenge])
            #expect(String(decoding: answer.body, as: UTF8.self) == #"{"error":"invalid_client"}"#)
            #expect(await server.requests.count == 1)
        }
    }

    @Test func `cookies are neither kept nor sent, and nothing is cached`() async throws {
        try await withServer { _ in
            .status(200, ("Set-Cookie", "a=b; Path=/"), ("Cache-Control", "max-age=600"), body: "token")
        } body: { server in
            try await withClient { client in
                for _ in 0..<2 { _ = try await client.send(TokenRequest(method: "GET", url: server.url("/"))) }
                #expect(await server.requests.map { $0["Cookie"] } == [nil, nil])
            }
        }
    }

    // MARK: - Length

    @Test func `an answer that is longer than asked for ends while it comes in`() async throws {
        // The server would go on for ever, and says nothing of the length.
        let endless = Answer(
            steps: [.send(Array("HTTP/1.1 200 OK\r\n\r\n".utf8))] + Array(repeating: .send([42]), count: 101))
        try await withServer { _ in
            endless
        } body: { server in
            let error = await error(of: TokenRequest(url: server.url("/"), maximumResponseLength: 100))
            #expect(error?.code == .responseTooLong)
            #expect(error?.delivery == .mayHaveBeenProcessed)
            await server.waitForDepartures(1)
        }
    }

    @Test func `an answer of just the length asked for is taken`() async throws {
        try await withServer { _ in
            .text(String(repeating: "x", count: 100)).inPieces(of: 7)
        } body: { server in
            let answer = try await send(TokenRequest(url: server.url("/"), maximumResponseLength: 100))
            #expect(answer.body.count == 100)
        }
    }

    // MARK: - What may have been processed

    @Test(arguments: ["http://127.0.0.1:1/token", "http://nowhere.invalid/"])
    func `a server that cannot be reached was not sent to`(url: String) async throws {
        let error = await error(of: TokenRequest(url: try #require(URL(string: url))))
        #expect(error?.code == .unreachable)
        #expect(error?.delivery == .notSent)
    }

    @Test func `a server that does not speak TLS was not sent to`() async throws {
        try await withServer(greeting: "220 mail.example.com\r\n") { _ in
            .drop
        } body: { server in
            let error = await error(of: TokenRequest(url: server.url("/", scheme: "https")))
            #expect(error?.code == .insecure)
            #expect(error?.delivery == .notSent)
        }
    }

    @Test func `a time that is over while the client still tries to connect sent nothing`() async throws {
        // As clients are made by default, a refused connection is tried again for ten seconds.
        let client = HTTPClient(eventLoopGroupProvider: .singleton)
        let request = TokenRequest(
            url: try #require(URL(string: "http://127.0.0.1:1/token")), timeout: .milliseconds(200))
        let error = await #expect(throws: TokenTransportError.self) { try await client.send(request) }
        try await client.shutdown()
        #expect(error?.delivery == .notSent)
    }

    @Test(arguments: ["done\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"])
    func `an answer that breaks off may have been processed`(bytes: String) async throws {
        let answer = Answer(steps: [.send(Array(bytes.utf8)), .drop])
        try await withServer { _ in
            answer
        } body: { server in
            let error = await error(of: TokenRequest(url: server.url("/")))
            #expect(error?.code == .connectionLost)
            #expect(error?.delivery == .mayHaveBeenProcessed)
        }
    }

    @Test func `a time-out ends the wait, and may have been processed`() async throws {
        try await withServer { _ in
            .silence
        } body: { server in
            let error = await errorOfTimeOut(at: server)
            #expect(error?.code == .timedOut)
            #expect(error?.delivery == .mayHaveBeenProcessed)
        }
    }

    @Test func `the time is for the whole answer`() async throws {
        let half = Answer(steps: [.send(Array("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf".utf8))])
        try await withServer { _ in
            half
        } body: { server in
            let error = await errorOfTimeOut(at: server)
            #expect(error?.code == .timedOut)
            #expect(error?.delivery == .mayHaveBeenProcessed)
        }
    }

    @Test(arguments: ["ftp://127.0.0.1/token", "token", "http:///token"])
    func `an address that is none was not sent to`(url: String) async throws {
        let error = await error(of: TokenRequest(url: try #require(URL(string: url))))
        #expect(error?.code == .other)
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

    @Test func `cancelling ends the wait and the connection`() async throws {
        try await withServer { _ in
            .silence
        } body: { server in
            try await withClient { client in
                let url = server.url("/")
                let call = Task { try await client.send(TokenRequest(url: url)) }
                await server.waitForRequests(1)
                call.cancel()
                await #expect(throws: CancellationError.self) { try await call.value }
                await server.waitForDepartures(1)
            }
        }
    }

    @Test(arguments: [("Authorization", "Basic secret\r\nX-Evil: 1"), ("X: secret\r\nY", "1"), ("é", "1")])
    func `a field that breaks out of its line is refused, and not repeated`(
        field: (name: String, value: String)
    ) async throws {
        try await withServer { _ in
            .text("")
        } body: { server in
            let error = await error(of: TokenRequest(url: server.url("/"), fields: [field]))
            #expect(error?.delivery == .notSent)
            let text = "\(error as Any) \(error?.underlying as Any)"
            #expect(!text.contains("secret"))
            #expect(await server.connections == 0)
        }
    }

    #if os(Linux)
    @Test func `three hundred requests leave no descriptor behind`() async throws {
        func descriptors() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }
        try await withServer { _ in
            .text("{}")
        } body: { server in
            let request = TokenRequest(url: server.url("/"), fields: form, body: [1])
            for _ in 0..<10 { _ = try await send(request) }
            await server.waitForDepartures(10)
            let before = try descriptors()
            for _ in 0..<300 { _ = try await send(request) }
            await server.waitForDepartures(310)
            #expect(try descriptors() < before + 150)
        }
    }
    #endif
}
#endif
