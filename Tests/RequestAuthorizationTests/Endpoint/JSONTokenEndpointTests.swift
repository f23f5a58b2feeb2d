// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

/// Token endpoints that speak JSON, but not OAuth.
@Suite(.timeLimit(.minutes(5))) struct JSONTokenEndpointTests {
    private struct Answer: Decodable, Equatable {
        var accessToken = "a"
        var expiresIn = 60.0
        var refreshToken: String?
    }

    private let clock = ManualClock()

    private func endpoint(
        _ transport: some TokenTransport, url: String = "https://accounts.example.com/token",
        errorMember: String = "error", kind: TokenFailureKind? = nil
    ) throws -> JSONTokenEndpoint {
        JSONTokenEndpoint(
            try #require(URL(string: url)), transport: transport, clock: clock, headerFields: [("X-API-Key", "k")],
            errorMember: errorMember, keys: .convertFromSnakeCase, failureKind: { _, _ in kind })
    }

    /// The effect of an answer.
    private func post(
        _ step: ScriptStep<TokenRequest, TokenResponse>, errorMember: String = "error", kind: TokenFailureKind? = nil
    ) async throws -> JSONTokenAnswer<Answer> {
        try await endpoint(ScriptedTokenTransport(step), errorMember: errorMember, kind: kind).post([
            "b": "2", "a": "1",
        ])
    }

    @Test func `fields are sent as a JSON object, and the answer is returned with the time of the request`()
        async throws
    {
        let transport = ScriptedTokenTransport(.response(200, json: #"{"access_token":"a","expires_in":60}"#))
        let slow = SlowTransport(clock: clock, transport: transport)
        let sentAt = clock.now
        let answer = try await endpoint(slow).post(["b": "2", "a": "1"], expecting: Answer.self)
        #expect(answer.body == Answer())
        #expect(answer.sentAt == sentAt && clock.now > sentAt)
        let request = try #require(transport.requests.first)
        #expect(request.method == "POST" && request.body == Array(#"{"a":"1","b":"2"}"#.utf8))
        #expect(
            request.fields.map { "\($0.name): \($0.value)" } == [
                "Content-Type: application/json", "Accept: application/json", "X-API-Key: k",
            ])
        #expect(transport.calls == 1)
    }

    @Test(arguments: [
        (400, #"{"error":"invalid_grant"}"#, TokenFailureKind.terminal),
        (200, #"{"error":"invalid_grant"}"#, .terminal),
        (401, #"{"error":"session_gone"}"#, .transient), (401, #"{"error":""}"#, .transient),
        (400, #"{"error":{"code":"invalid_grant"}}"#, .transient), (400, #"["invalid_grant"]"#, .transient),
        (503, #"{"error":"invalid_grant"}"#, .transient), (403, "<html>invalid_grant</html>", .transient),
    ])
    func `only a known code ends a session`(status: Int, body: String, kind: TokenFailureKind) async throws {
        let error = await #expect(throws: TokenEndpointError.self) {
            try await post(.response(status, json: body))
        }
        #expect(error?.kind == kind && error?.status == status)
    }

    @Test func `the program gives a server's own codes their meaning`() async throws {
        let error = await #expect(throws: TokenEndpointError.self) {
            try await post(
                .response(401, json: #"{"reason":"SESSION_GONE","error":"x"}"#), errorMember: "reason", kind: .terminal)
        }
        #expect(error == TokenEndpointError(status: 401, code: "SESSION_GONE", kind: .terminal))
    }

    @Test(arguments: ["30", "Fri, 15 Jan 2027 08:00:30 GMT", "29.5", "12, 30", "12, Fri, 15 Jan 2027 08:00:30 GMT"])
    func `RFC 9110 §10.2.3: a wait is a number of seconds or a date`(value: String) async throws {
        clock.setWallClock(to: Date(timeIntervalSince1970: 1_800_000_000))
        let error = await #expect(throws: TokenEndpointError.self) {
            try await post(.response(503, json: "{}", fields: ["Retry-After": value]))
        }
        #expect(error?.retryAfter == .seconds(30))
    }

    @Test(arguments: [
        (#"{"expires_in":60}"#, "accessToken", InvalidTokenResponse.Problem.missing),
        (#"{"access_token":null,"expires_in":60}"#, "accessToken", .missing),
        (#"{"access_token":"a","expires_in":"soon"}"#, "expiresIn", .malformed),
        ("<html>welcome to the hotel</html>", "body", .notJSON), ("", "body", .notJSON), ("[]", "body", .malformed),
        (String(repeating: "[", count: 2000), "body", .malformed),
    ])
    func `an answer of another type is an error that names the member`(
        body: String, field: String, problem: InvalidTokenResponse.Problem
    ) async throws {
        let error = await #expect(throws: InvalidTokenResponse.self) { try await post(.response(200, json: body)) }
        #expect(error == InvalidTokenResponse(field: field, problem: problem))
        #expect(error?.kind == .transient && error?.delivery == .mayHaveBeenProcessed)
    }

    @Test(arguments: ["http://accounts.example.com/token", "file:///token", "token"])
    func `nothing is sent unencrypted`(url: String) async throws {
        let transport = ScriptedTokenTransport(forever: .response(200, json: "{}"))
        let error = await #expect(throws: InvalidTokenRequest.self) {
            try await endpoint(transport, url: url).post(["a": "1"], expecting: Answer.self)
        }
        #expect(error?.parameter == "url" && error?.delivery == .notSent)
        #expect(transport.calls == 0)
    }

    @Test func `a server on this machine may be called over http`() async throws {
        let transport = ScriptedTokenTransport(.response(200, json: #"{"access_token":"a","expires_in":60}"#))
        let answer = try await endpoint(transport, url: "http://127.0.0.1:8080/").post(
            ["a": "1"], expecting: Answer.self)
        #expect(answer.body == Answer())
    }

    @Test func `a value that cannot be encoded is not sent`() async throws {
        let transport = ScriptedTokenTransport(forever: .response(200, json: "{}"))
        let error = await #expect(throws: InvalidTokenRequest.self) {
            try await endpoint(transport).post(["a": Double.nan], expecting: Answer.self)
        }
        #expect(error?.parameter == "fields")
        #expect(transport.calls == 0)
    }
}

/// Takes a minute of the clock for each call.
private struct SlowTransport: TokenTransport {
    let clock: ManualClock
    let transport: ScriptedTokenTransport

    func send(_ request: TokenRequest) async throws -> TokenResponse {
        clock.advance(by: .seconds(60))
        return try await transport.send(request)
    }
}
