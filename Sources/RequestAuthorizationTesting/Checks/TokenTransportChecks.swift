// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// Checks that a `TokenTransport` conforms, in one line of a test.
///
///     @Test func `my transport is one`() async throws {
///         try await TokenTransportChecks { MyTransport() }.run()
///     }
///
/// The closure creates a transport, for each check. The checks start servers on 127.0.0.1 and speak plain `http` with
/// them, which the transport must allow for this address.
public struct TokenTransportChecks<Transport: TokenTransport>: Sendable {
    private let limit: Duration
    private let transport: @Sendable () async throws -> Transport

    /// - Parameters:
    ///   - limit: how long each check may take; long, so that no check fails on a busy machine.
    ///   - transport: creates a transport.
    public init(
        limit: Duration = .seconds(120),
        _ transport: nonisolated(nonsending) @escaping @Sendable () async throws -> Transport
    ) {
        (self.limit, self.transport) = (limit, transport)
    }

    /// Performs the checks.
    ///
    /// - Throws: ``ChecksFailed`` with all problems; `CancellationError` if the task is cancelled.
    public func run() async throws { try await Check.run(checks, of: "\(Transport.self)", within: limit) }

    private var checks: [Check] {
        [
            Check("sends a request as it is given") { try await checkRequest() },
            Check("returns each answer, whatever its status") { try await checkStatuses() },
            Check("follows no redirect") { try await checkRedirects() },
            Check("keeps no cookies") { try await checkCookies() },
            Check("keeps no answers") { try await checkCaching() },
            Check("sends a request once, also over a connection that was used before") { try await checkRepetition() },
            Check("gives each of many requests its own answer") { try await checkConcurrency() },
            Check("stops an answer that is too long") { try await checkEndlessAnswer() },
            Check("returns an answer of exactly the allowed length") { try await checkLongestAnswer() },
            Check("says that an answer broke off") { try await checkCutOffAnswer() },
            Check("ends after its time-out") { try await checkTimeOut() },
            Check("says that nothing was sent to a server that cannot be reached") { try await checkClosedPort() },
            Check("ends when its task is cancelled") { try await checkCancellation() },
            Check("ends when its task was cancelled before") { try await checkEarlierCancellation() },
        ]
    }

    // MARK: - Requests and answers

    private func checkRequest() async throws {
        let body = Array(UInt8.min...UInt8.max)
        let fields = [
            (name: "Content-Type", value: "application/octet-stream"), (name: "X-Probe", value: "a, b;c=\"d\""),
        ]
        try await withServer(.whole(200)) { server, transport in
            for method in ["POST", "PUT"] {
                _ = try await transport.send(
                    TokenRequest(method: method, url: server.url("/token?x=1"), fields: fields, body: body))
                let request = server.requests.last
                try require(request?.line == "\(method) /token?x=1 HTTP/1.1", "sent \(request?.line ?? "nothing")")
                for field in fields {
                    let values = request?.values(of: field.name) ?? []
                    try require(values == [field.value], "sent \(values) as \(field.name) in place of \(field.value)")
                }
                try require(request?.body == body, "sent another body")
            }
        }
    }

    private func checkStatuses() async throws {
        for status in [200, 201, 204, 400, 401, 403, 404, 429, 500, 503] {
            let body = status == 204 ? [] : Array("answer \(status)".utf8)
            let fields = [(name: "X-Probe", value: "7"), (name: "WWW-Authenticate", value: "Basic realm=\"x\"")]
            try await withServer(.whole(status, fields, body: body)) { server, transport in
                let answer = try await transport.send(TokenRequest(url: server.url("/"), body: [1]))
                try require(answer.statusCode == status, "returned \(answer.statusCode) in place of \(status)")
                try require(answer.body == body, "returned another body of \(status)")
                for field in fields {
                    try require(
                        answer.headerValues(for: field.name) == [field.value],
                        "returned \(answer.headerValues(for: field.name)) as \(field.name) of \(status)")
                }
                try require(server.requests.count == 1, "sent \(server.requests.count) requests for \(status)")
            }
        }
    }

    private func checkRedirects() async throws {
        for status in [301, 302, 303, 307, 308] {
            try await withServer(.whole(status, [("Location", "/elsewhere")])) { server, transport in
                for method in ["POST", "GET"] {
                    let answer = try await transport.send(
                        TokenRequest(method: method, url: server.url("/"), body: method == "GET" ? [] : [1]))
                    try require(answer.statusCode == status, "returned \(answer.statusCode) in place of \(status)")
                }
                try require(server.requests.count == 2, "followed a \(status)")
            }
        }
    }

    private func checkCookies() async throws {
        try await withServer(.whole(200, [("Set-Cookie", "probe=1; Path=/")])) { server, transport in
            for _ in 0..<2 { _ = try await transport.send(TokenRequest(url: server.url("/"), body: [1])) }
            let cookies = server.requests.flatMap { $0.values(of: "Cookie") }
            try require(cookies.isEmpty, "sent a cookie of an earlier answer")
        }
    }

    private func checkCaching() async throws {
        let fields = [(name: "Cache-Control", value: "max-age=600"), (name: "ETag", value: "\"1\"")]
        try await withServer(.whole(200, fields, body: [1])) { server, transport in
            for _ in 0..<2 { _ = try await transport.send(TokenRequest(method: "GET", url: server.url("/"))) }
            try require(server.requests.count == 2, "returned an earlier answer again")
            try require(server.requests.allSatisfy { $0.values(of: "If-None-Match").isEmpty }, "kept an answer")
        }
    }

    private func checkConcurrency() async throws {
        try await withServer { request in
            .whole(200, body: request.body)
        } body: { server, transport in
            try await withThrowingTaskGroup { group in
                for number in UInt8(0)..<64 {
                    group.addTask {
                        let answer = try await transport.send(TokenRequest(url: server.url("/"), body: [number]))
                        try require(answer.body == [number], "returned the answer to another request")
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    // MARK: - Failures

    private func checkRepetition() async throws {
        try await withServer { request in
            request.body == [1] ? .whole(200) : .cutOff([])
        } body: { server, transport in
            _ = try await transport.send(TokenRequest(url: server.url("/"), body: [1]))
            try await expect(.mayHaveBeenProcessed) {
                try await transport.send(TokenRequest(url: server.url("/"), body: [2]))
            }
            let count = server.requests.count
            try require(count == 2, "sent the request \(count - 1) times after the connection was lost")
        }
    }

    private func checkEndlessAnswer() async throws {
        let part = [UInt8](repeating: 42, count: 1 << 14)
        // A transport that waits for the end of the second answer never ends.
        let answers: [ProbeServer.Answer] = [
            .endless(ProbeServer.Answer.head(200) + part), .held(ProbeServer.Answer.head(200) + part),
        ]
        for answer in answers {
            try await withServer(answer) { server, transport in
                let request = TokenRequest(
                    url: server.url("/"), body: [1], timeout: .seconds(3600), maximumResponseLength: 1000)
                try await expect(.mayHaveBeenProcessed) { try await transport.send(request) }
            }
        }
    }

    private func checkLongestAnswer() async throws {
        let body = [UInt8](repeating: 42, count: 1000)
        try await withServer(.whole(200, body: body)) { server, transport in
            let answer = try await transport.send(
                TokenRequest(url: server.url("/"), body: [1], maximumResponseLength: 1000))
            try require(answer.body == body, "returned \(answer.body.count) bytes of 1000")
        }
    }

    private func checkCutOffAnswer() async throws {
        let answer = ProbeServer.Answer.head(200, [("Content-Length", "100")]) + [42]
        try await withServer(.cutOff(answer)) { server, transport in
            try await expect(.mayHaveBeenProcessed) {
                try await transport.send(TokenRequest(url: server.url("/"), body: [1]))
            }
            try require(server.requests.count == 1, "sent \(server.requests.count) requests")
        }
    }

    private func checkTimeOut() async throws {
        for answer in [ProbeServer.Answer.silence, .dribble(ProbeServer.Answer.head(200))] {
            try await withServer(answer) { server, transport in
                try await expect(.mayHaveBeenProcessed) {
                    try await transport.send(TokenRequest(url: server.url("/"), body: [1], timeout: .seconds(1)))
                }
                let count = server.requests.count
                try require(count <= 1, "sent the request \(count) times")
            }
        }
    }

    private func checkClosedPort() async throws {
        let transport = try await transport()
        try await ProbeServer.withClosedPort { port in
            try await expect(.notSent) {
                try await transport.send(TokenRequest(url: ProbeServer.url("/", on: port), body: [1]))
            }
        }
    }

    private func checkCancellation() async throws {
        let arrival = OneShot<Void>()
        try await withServer { _ in
            arrival.fulfill()
            return .silence
        } body: { server, transport in
            let task = Task { try await transport.send(TokenRequest(url: server.url("/"), body: [1])) }
            defer { task.cancel() }
            try await arrival.value()
            task.cancel()
            try requireCancelled(await task.result)
        }
    }

    /// A handler of the cancellation is then called before there is anything to cancel.
    private func checkEarlierCancellation() async throws {
        try await withServer(.silence) { server, transport in
            let cancelled = OneShot<Void>()
            let request = TokenRequest(url: server.url("/"), body: [1], timeout: .seconds(1))
            let task = Task {
                try await cancelled.valueIgnoringCancellation()
                return try await transport.send(request)
            }
            task.cancel()
            cancelled.fulfill()
            try requireCancelled(await task.result)
        }
    }

    private func requireCancelled(_ result: Result<TokenResponse, any Error>) throws(CheckProblem) {
        switch result {
        case .success: throw CheckProblem("returned an answer that was not sent")
        case .failure(is CancellationError): break
        case .failure(let error):
            throw CheckProblem("threw \(label(of: error)) in place of CancellationError", underlying: error)
        }
    }

    // MARK: - Helpers

    /// Runs a server that answers always the same, while the body uses it with a new transport.
    private func withServer(
        _ answer: ProbeServer.Answer, body: (ProbeServer, Transport) async throws -> Void
    ) async throws {
        try await withServer({ _ in answer }, body: body)
    }

    private func withServer(
        _ answer: @escaping @Sendable (ProbeRequestMessage) -> ProbeServer.Answer,
        body: (ProbeServer, Transport) async throws -> Void
    ) async throws {
        let server = try ProbeServer(answer)
        defer { server.stop() }
        try await body(server, try await transport())
    }

    /// Requires an error that says what the server has got. Its code is for people.
    private func expect(_ delivery: TokenRequestDelivery, _ send: () async throws -> TokenResponse) async throws {
        let answer: TokenResponse
        do {
            answer = try await send()
        } catch let error as TokenTransportError {
            return try require(error.delivery == delivery, "threw .\(error.delivery) in place of .\(delivery)")
        } catch {
            throw CheckProblem("threw \(label(of: error)) in place of TokenTransportError", underlying: error)
        }
        throw CheckProblem("returned \(answer) in place of an error")
    }
}
