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

@Suite(.timeLimit(.minutes(1))) struct TokenTransportTests {
    let form = [(name: "Content-Type", value: "application/x-www-form-urlencoded")]

    @Test func `a token request arrives as it was given`() async throws {
        try await withServer { _ in
            .status(200, ("X-Trace", "7"), body: "{}")
        } body: { server in
            let answer = try await URLSession.shared.send(
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

    @Test func `a body without a content type is not called a form`() async throws {
        try await withServer { _ in
            .text("")
        } body: { server in
            _ = try await URLSession.shared.send(TokenRequest(url: server.url("/"), body: Array("{}".utf8)))
            #expect(await server.requests.map { $0["Content-Type"] } == ["application/octet-stream"])
        }
    }

    @Test func `a connection that drops after an answer on it does not send the next request twice`() async throws {
        try await withServer {
            $0.target == "/first" ? .text("") : .drop
        } body: { server in
            let session = URLSession(configuration: .ephemeral)
            for body in ["", "grant"] {
                _ = try await session.send(TokenRequest(url: server.url("/first"), fields: form))
                let error = await #expect(throws: TokenTransportError.self) {
                    try await session.send(
                        TokenRequest(url: server.url("/second"), fields: form, body: Array(body.utf8)))
                }
                #expect(error?.code == .connectionLost)
                #expect(error?.delivery == .mayHaveBeenProcessed)
            }
            #expect(await server.requests.map(\.target) == ["/first", "/second", "/first", "/second"])
            #expect(await server.connections == 4)
        }
    }

    @Test(arguments: [301, 302, 303, 307, 308]) func `a redirect is an answer`(status: Int) async throws {
        try await withServer { _ in
            .redirect(status, to: "/elsewhere", body: "moved")
        } body: { server in
            let answer = try await URLSession.shared.send(
                TokenRequest(url: server.url("/token"), fields: form, body: [1]))
            #expect(answer.statusCode == status)
            #expect(answer.headerValues(for: "Location") == ["/elsewhere"])
            #expect(answer.body == Array("moved".utf8))
            #expect(await server.requests.count == 1)
        }
    }

    @Test(arguments: ["Basic realm=\"x\"", "Bearer, Basic realm=\"x\"", "Basic", "Digest realm=\"x\"", "Bearer"])
    func `a 401 comes back whole, whatever it offers`(challenge: String) async throws {
        try await withServer { _ in
            .unauthorized(challenge, body: #"{"error":"invalid_client"}"#)
        } body: { server in
            let answer = try await URLSession.shared.send(TokenRequest(url: server.url("/"), fields: form, body: [1]))
            #expect(answer.statusCode == 401)
            #expect(answer.headerValues(for: "WWW-Authenticate") == [challenge])
            #expect(String(decoding: answer.body, as: UTF8.self) == #"{"error":"invalid_client"}"#)
            #expect(await server.requests.count == 1)
        }
    }

    @Test func `cookies are neither kept nor sent`() async throws {
        try await withServer { _ in
            .status(200, ("Set-Cookie", "a=b; Path=/"))
        } body: { server in
            let session = URLSession(configuration: .default)
            for _ in 0..<2 { _ = try await session.send(TokenRequest(url: server.url("/"), fields: form)) }
            #expect(await server.requests.map { $0["Cookie"] } == [nil, nil])
            #expect(session.configuration.httpCookieStorage?.cookies(for: server.url("/")) ?? [] == [])
        }
    }

    @Test func `an answer is not cached`() async throws {
        try await withServer { _ in
            .status(200, ("Cache-Control", "max-age=600"), body: "token")
        } body: { server in
            for _ in 0..<2 { _ = try await URLSession.shared.send(TokenRequest(method: "GET", url: server.url("/"))) }
            #expect(await server.requests.count == 2)
        }
    }

    @Test func `the session's own fields stay behind, but for the user agent`() async throws {
        try await withServer { _ in
            .text("")
        } body: { server in
            let configuration = URLSessionConfiguration.ephemeral
            configuration.httpAdditionalHeaders = ["X-API-Key": "k", "Authorization": "Bearer x", "User-Agent": "me"]
            _ = try await URLSession(configuration: configuration)
                .send(TokenRequest(url: server.url("/"), fields: form))
            let request = try #require(await server.requests.first)
            #expect(request["X-API-Key"] == nil)
            #expect(request["Authorization"] == nil)
            #expect(request["User-Agent"] == "me")
        }
    }

    @Test func `an answer that is longer than asked for ends while it comes in`() async throws {
        // The server would go on for ever, and says nothing of the length.
        let endless = Answer(
            steps: [.send(Array("HTTP/1.1 200 OK\r\n\r\n".utf8))] + Array(repeating: .send([42]), count: 101))
        try await withServer { _ in
            endless
        } body: { server in
            let error = await #expect(throws: TokenTransportError.self) {
                try await URLSession.shared.send(TokenRequest(url: server.url("/"), maximumResponseLength: 100))
            }
            #expect(error?.code == .responseTooLong)
            await server.waitForDepartures(1)
        }
    }

    @Test func `an answer of just the length asked for is taken`() async throws {
        try await withServer { _ in
            .text(String(repeating: "x", count: 100)).inPieces(of: 7)
        } body: { server in
            let answer = try await URLSession.shared.send(
                TokenRequest(url: server.url("/"), maximumResponseLength: 100))
            #expect(answer.body.count == 100)
        }
    }

    @Test func `a refused connection was not sent`() async throws {
        let error = await #expect(throws: TokenTransportError.self) {
            try await URLSession.shared.send(TokenRequest(url: try #require(URL(string: "http://127.0.0.1:1/token"))))
        }
        #expect(error?.code == .unreachable)
        #expect(error?.delivery == .notSent)
    }

    @Test func `an unknown host was not sent`() async throws {
        let error = await #expect(throws: TokenTransportError.self) {
            try await URLSession.shared.send(TokenRequest(url: try #require(URL(string: "http://nowhere.invalid/"))))
        }
        #expect(error?.code == .unreachable)
        #expect(error?.delivery == .notSent)
    }

    @Test func `a server that does not speak TLS was not sent to`() async throws {
        try await withServer(greeting: "220 mail.example.com\r\n") { _ in
            .drop
        } body: { server in
            let error = await #expect(throws: TokenTransportError.self) {
                try await URLSession.shared.send(TokenRequest(url: server.url("/", scheme: "https")))
            }
            #expect(error?.code == .insecure)
            #expect(error?.delivery == .notSent)
        }
    }

    @Test func `an answer that is not HTTP may have been processed`() async throws {
        try await withServer { _ in
            Answer(steps: [.send(Array("done\r\n".utf8)), .drop])
        } body: { server in
            let error = await #expect(throws: TokenTransportError.self) {
                try await URLSession.shared.send(TokenRequest(url: server.url("/")))
            }
            #expect(error?.delivery == .mayHaveBeenProcessed)
        }
    }

    @Test func `another scheme is refused`() async throws {
        let error = await #expect(throws: TokenTransportError.self) {
            try await URLSession.shared.send(TokenRequest(url: try #require(URL(string: "ftp://127.0.0.1/token"))))
        }
        #expect(error?.delivery == .notSent)
    }

    @Test func `a connection that is lost in the middle of an answer may have been processed`() async throws {
        let half = Answer(steps: [.send(Array("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf".utf8)), .drop])
        try await withServer { _ in
            half
        } body: { server in
            let error = await #expect(throws: TokenTransportError.self) {
                try await URLSession.shared.send(TokenRequest(url: server.url("/")))
            }
            #expect(error?.code == .connectionLost)
            #expect(error?.delivery == .mayHaveBeenProcessed)
        }
    }

    @Test func `a time-out under a second ends the wait`() async throws {
        try await withServer { _ in
            .text("late").after(.milliseconds(900))
        } body: { server in
            let error = await #expect(throws: TokenTransportError.self) {
                try await URLSession.shared.send(TokenRequest(url: server.url("/"), timeout: .milliseconds(200)))
            }
            #expect(error?.code == .timedOut)
            #expect(error?.delivery == .mayHaveBeenProcessed)
        }
    }

    @Test func `a time-out under a second leaves time for an answer`() async throws {
        try await withServer { _ in
            .text("slow").after(.milliseconds(50))
        } body: { server in
            // On a busy machine an answer may be late for good reason; a time-out that is cut to nothing ends every try.
            var answer: TokenResponse?
            for _ in 0..<5 where answer == nil {
                answer = try? await URLSession.shared.send(
                    TokenRequest(url: server.url("/"), timeout: .milliseconds(990)))
            }
            #expect(answer?.statusCode == 200)
        }
    }

    @Test func `cancelling ends the wait and the connection`() async throws {
        try await withServer { _ in
            .silence
        } body: { server in
            let url = server.url("/")
            let call = Task { try await URLSession.shared.send(TokenRequest(url: url)) }
            await server.waitForRequests(1)
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
            await server.waitForDepartures(1)
        }
    }

    @Test func `a field that breaks out of its line is refused`() async throws {
        try await withServer { _ in
            .text("")
        } body: { server in
            let error = await #expect(throws: TokenTransportError.self) {
                try await URLSession.shared.send(
                    TokenRequest(url: server.url("/"), fields: [("Authorization", "Basic eA==\r\nX-Evil: 1")]))
            }
            #expect(error?.delivery == .notSent)
            #expect(await server.requests.isEmpty)
        }
    }

    #if os(Linux)
    @Test func `three hundred requests leave no descriptor behind`() async throws {
        func descriptors() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }
        try await withServer { _ in
            .text("{}")
        } body: { server in
            let request = TokenRequest(url: server.url("/"), fields: form, body: [1])
            for _ in 0..<10 { _ = try await URLSession.shared.send(request) }
            await server.waitForDepartures(10)
            let before = try descriptors()
            for _ in 0..<300 { _ = try await URLSession.shared.send(request) }
            await server.waitForDepartures(310)
            #expect(try descriptors() < before + 150)
        }
    }
    #endif
}
#endif
