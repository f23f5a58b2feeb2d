// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
import LoopbackServer
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

private let form = [(name: "Content-Type", value: "application/x-www-form-urlencoded")]

/// The promises of `TokenTransport`, over real sockets. What is particular to one client is tested with its module.
@Suite(.timeLimit(.minutes(5))) struct TokenTransportTests {
    @Test(arguments: TransportName.allCases)
    func `a token request arrives as it was given`(name: TransportName) async throws {
        try await withServer { _ in
            .status(200, ("X-Trace", "7"), body: "{}")
        } body: { server in
            let answer = try await name.send(
                TokenRequest(
                    url: server.url("/token?x=1"), fields: form + [("Accept", "application/json")],
                    body: Array("grant_type=refresh_token".utf8)))
            let request = try #require(await server.requests.first)
            #expect(request.lines[0] == "POST /token?x=1 HTTP/1.1")
            #expect(request.values(of: "Content-Type") == ["application/x-www-form-urlencoded"])
            #expect(request.values(of: "Accept") == ["application/json"])
            #expect(request.text == "grant_type=refresh_token")
            #expect(answer.statusCode == 200)
            #expect(answer.headerValues(for: "x-trace") == ["7"])
            #expect(answer.body == Array("{}".utf8))
        }
    }

    @Test(arguments: TransportName.allCases)
    func `it passes the checks for users' transports`(name: TransportName) async throws {
        struct Lent: TokenTransport {
            let base: any TokenTransport
            func send(_ request: TokenRequest) async throws -> TokenResponse { try await base.send(request) }
        }
        try await name.lend { transport in try await TokenTransportChecks { Lent(base: transport) }.run() }
    }

    @Test(arguments: TransportName.allCases)
    func `a time-out of a thousand lives of the universe is kept as for ever`(name: TransportName) async throws {
        try await withServer { _ in
            .status(200, body: "{}")
        } body: { server in
            let answer = try await name.send(
                TokenRequest(
                    url: server.url("/token"), fields: form, body: Array("grant".utf8), timeout: .seconds(Int64.max)))
            #expect(answer.statusCode == 200)
        }
    }

    @Test(arguments: TransportName.allCases)
    func `a request is sent once, also if its connection drops after an earlier answer`(
        name: TransportName
    ) async throws {
        try await withServer {
            $0.target == "/first" ? .text("") : .drop
        } body: { server in
            try await name.lend { transport in
                for body in ["", "grant"] {
                    _ = try await transport.send(TokenRequest(url: server.url("/first"), fields: form))
                    let error = await #expect(throws: TokenTransportError.self) {
                        try await transport.send(
                            TokenRequest(url: server.url("/second"), fields: form, body: Array(body.utf8)))
                    }
                    #expect(error?.code == .connectionLost)
                    #expect(error?.delivery == .mayHaveBeenProcessed)
                }
                #expect(await server.requests.map(\.target) == ["/first", "/second", "/first", "/second"])
            }
        }
    }

    @Test(arguments: TransportName.allCases, [300, 301, 302, 303, 304, 305, 307, 308])
    func `a redirect is returned as an answer, whatever the client does with other redirects`(
        name: TransportName, status: Int
    ) async throws {
        try await withServer { _ in
            .text("")
        } body: { other in
            for location in ["/elsewhere", other.url("/elsewhere").absoluteString] {
                for method in ["POST", "GET"] {
                    try await withServer { _ in
                        .redirect(status, to: location, body: status == 304 ? "" : "moved")
                    } body: { server in
                        let answer = try await name.send(
                            TokenRequest(
                                method: method, url: server.url("/token"),
                                fields: form + [("Authorization", "Basic eA=="), ("DPoP", "proof")],
                                body: method == "GET" ? [] : [1]))
                        #expect(answer.statusCode == status)
                        #expect(answer.headerValues(for: "Location") == [location])
                        #expect(await server.requests.count == 1)
                    }
                }
            }
            #expect(await other.connections == 0)
        }
    }

    @Test(
        arguments: TransportName.allCases,
        ["Basic realm=\"x\"", "Bearer, Basic realm=\"x\"", "Basic", "Digest realm=\"x\"", "Bearer"])
    func `a 401 is returned whole, whatever schemes it offers`(name: TransportName, challenge: String) async throws {
        try await withServer { _ in
            .unauthorized(challenge, body: #"{"error":"invalid_client"}"#)
        } body: { server in
            let answer = try await name.send(TokenRequest(url: server.url("/"), fields: form, body: [1]))
            #expect(answer.statusCode == 401)
            #expect(answer.headerValues(for: "WWW-Authenticate") == [challenge])
            #expect(String(decoding: answer.body, as: UTF8.self) == #"{"error":"invalid_client"}"#)
            #expect(await server.requests.count == 1)
        }
    }

    @Test(arguments: TransportName.allCases)
    func `cookies are neither kept nor sent, and nothing is cached`(name: TransportName) async throws {
        try await withServer { _ in
            .status(200, ("Set-Cookie", "a=b; Path=/"), ("Cache-Control", "max-age=600"), body: "token")
        } body: { server in
            try await name.lend { transport in
                for _ in 0..<2 { _ = try await transport.send(TokenRequest(method: "GET", url: server.url("/"))) }
            }
            #expect(await server.requests.map { $0["Cookie"] } == [nil, nil])
        }
    }

    // MARK: - Length

    @Test(arguments: TransportName.allCases)
    func `an answer above the limit is stopped while it arrives`(name: TransportName) async throws {
        // The server would send for ever, and does not announce the length.
        let endless = Answer(
            steps: [.send(Array("HTTP/1.1 200 OK\r\n\r\n".utf8))] + Array(repeating: .send([42]), count: 101))
        try await withServer { _ in
            endless
        } body: { server in
            let error = await name.error(of: TokenRequest(url: server.url("/"), maximumResponseLength: 100))
            #expect(error?.code == .responseTooLong)
            #expect(error?.delivery == .mayHaveBeenProcessed)
            await server.waitForDepartures(1)
        }
    }

    @Test(arguments: TransportName.allCases)
    func `an answer of exactly the limit is accepted`(name: TransportName) async throws {
        try await withServer { _ in
            .text(String(repeating: "x", count: 100)).inPieces(of: 7)
        } body: { server in
            let answer = try await name.send(TokenRequest(url: server.url("/"), maximumResponseLength: 100))
            #expect(answer.body.count == 100)
        }
    }

    // MARK: - What may have been processed

    /// The system has no route for a connection to the last address.
    @Test(arguments: TransportName.allCases, ["127.0.0.1", "nowhere.invalid", "255.255.255.255"])
    func `an unreachable server received nothing`(name: TransportName, host: String) async throws {
        try await withHeldPort { port in
            let url = try #require(URL(string: "http://\(host):\(port.number)/token"))
            let error = await name.error(of: TokenRequest(url: url))
            #expect(error?.code == .unreachable)
            #expect(error?.delivery == .notSent)
        }
    }

    @Test(arguments: TransportName.allCases)
    func `a server that does not speak TLS received nothing`(name: TransportName) async throws {
        try await withServer(greeting: "220 mail.example.com\r\n") { _ in
            .drop
        } body: { server in
            let error = await name.error(of: TokenRequest(url: server.url("/", scheme: "https")))
            #expect(error?.code == .insecure)
            #expect(error?.delivery == .notSent)
        }
    }

    @Test(arguments: TransportName.allCases, ["ftp://127.0.0.1/token", "token"])
    func `nothing is sent to an invalid address`(name: TransportName, url: String) async throws {
        let error = await name.error(of: TokenRequest(url: try #require(URL(string: url))))
        #expect(error?.code == .other)
        #expect(error?.delivery == .notSent)
    }

    @Test(arguments: TransportName.allCases, ["done\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"])
    func `a request whose answer breaks off may have been processed`(name: TransportName, bytes: String) async throws {
        let answer = Answer(steps: [.send(Array(bytes.utf8)), .drop])
        try await withServer { _ in
            answer
        } body: { server in
            let error = await name.error(of: TokenRequest(url: server.url("/")))
            // libcurl takes an answer without a head for another protocol.
            #expect(error?.code == (name == .urlSession && bytes == "done\r\n" ? .other : .connectionLost))
            #expect(error?.delivery == .mayHaveBeenProcessed)
        }
    }

    // MARK: - Time

    @Test(arguments: TransportName.allCases, ["", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"])
    func `a time-out covers the whole answer, and the request may have been processed`(
        name: TransportName, beginning: String
    ) async throws {
        try await withServer { _ in
            .raw(beginning)
        } body: { server in
            // On a busy machine the shortest time-out may end before the request has arrived.
            for timeout in [Duration.milliseconds(200), .seconds(3), .seconds(20)] where await server.requests.isEmpty {
                let error = await name.error(of: TokenRequest(url: server.url("/"), timeout: timeout))
                guard await !server.requests.isEmpty else { continue }
                #expect(error?.code == .timedOut)
                #expect(error?.delivery == .mayHaveBeenProcessed)
            }
            #expect(await !server.requests.isEmpty)
        }
    }

    @Test(arguments: TransportName.allCases, [Duration.milliseconds(990), .milliseconds(1900)])
    func `a time-out is not cut to whole seconds`(name: TransportName, timeout: Duration) async throws {
        try await withServer { _ in
            .silence
        } body: { server in
            // A busy machine can only make it longer, and curl counts whole milliseconds.
            let start = ContinuousClock.now
            let error = await name.error(of: TokenRequest(url: server.url("/"), timeout: timeout))
            #expect(error?.code == .timedOut)
            #expect(ContinuousClock.now - start >= timeout - .milliseconds(10))
        }
    }

    @Test(arguments: TransportName.allCases)
    func `a time-out that is not reached ends nothing`(name: TransportName) async throws {
        try await withServer { _ in
            .text("slow").after(.milliseconds(50))
        } body: { server in
            let answer = try await name.send(TokenRequest(url: server.url("/"), timeout: .milliseconds(45_500)))
            #expect(answer.statusCode == 200)
        }
    }

    @Test(arguments: TransportName.allCases)
    func `cancelling ends the wait and the connection`(name: TransportName) async throws {
        try await withServer { _ in
            .silence
        } body: { server in
            let url = server.url("/")
            let call = Task { try await name.send(TokenRequest(url: url)) }
            await server.waitForRequests(1)
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
            await server.waitForDepartures(1)
        }
    }

    // MARK: - What is not sent at all

    @Test(arguments: TransportName.allCases)
    func `a request of a cancelled task is not sent, also if a connection is idle`(name: TransportName) async throws {
        try await withServer { _ in
            .text("")
        } body: { server in
            let request = TokenRequest(url: server.url("/"), fields: form)
            try await name.lend { transport in
                _ = try await transport.send(request)
                let call = Task {
                    withUnsafeCurrentTask { $0?.cancel() }
                    return try await transport.send(request)
                }
                await #expect(throws: CancellationError.self) { try await call.value }
            }
            // A request that was sent arrives before the end of its connection.
            try await server.waitForAllDepartures()
            #expect(await server.requests.count == 1)
        }
    }

    @Test(arguments: TransportName.allCases, [("Authorization", "Basic secret\r\nX-Evil: 1"), ("X: secret\r\nY", "1")])
    func `a field with a line break is refused, and the error does not print it`(
        name: TransportName, field: (name: String, value: String)
    ) async throws {
        try await withServer { _ in
            .text("")
        } body: { server in
            let error = await name.error(of: TokenRequest(url: server.url("/"), fields: [field]))
            #expect(error?.delivery == .notSent)
            let text = "\(error as Any) \(error?.underlying as Any)"
            #expect(!text.contains("secret"))
            #expect(await server.connections == 0)
        }
    }

    #if os(Linux)
    @Test(arguments: TransportName.allCases)
    func `three hundred requests leave no descriptor behind`(name: TransportName) async throws {
        // In a separate process, so that the descriptors of other tests do not count.
        await #expect(processExitsWith: .success) { [name = name as TransportName] in
            try await withServer { _ in
                .text("{}")
            } body: { server in
                let request = TokenRequest(url: server.url("/"), fields: form, body: [1])
                for _ in 0..<10 { _ = try await name.send(request) }
                await server.waitForDepartures(10)
                let before = Footprint()
                for _ in 0..<300 { _ = try await name.send(request) }
                await server.waitForDepartures(310)
                // The sessions of the last requests may still be about to end.
                let growth = Footprint().growth(since: before)
                #expect(growth.descriptors < 30, "\(growth)")
            }
        }
    }
    #endif
}
#endif
