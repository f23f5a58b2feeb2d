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

    // MARK: - Damaged answers

    private static let damages: [(damage: String, bytes: [UInt8])] =
        [
            (#""name":"Ada "the" Great""#, []), (#""quota":1e400"#, []), (#""name":"\ud800""#, []),
            (#""quota":NaN"#, []),
            (#""more":"# + String(repeating: "[", count: 500) + String(repeating: "]", count: 500), []),
            (#""more":"# + String(repeating: "[", count: 16) + String(repeating: "]", count: 16), []),
            (#""more":[1,{"a":2]"#, []), (#""quota":1,"quota":2"#, []), ("\"name\":\"a\nb\"", []),
        ].map { ($0.0, Array($0.0.utf8)) } + [("Latin-1", Array(#""name":""#.utf8) + [0xE4, 0x22])]

    @Test(arguments: damages)
    func `a damaged member that the type does not need changes nothing`(damage: String, bytes: [UInt8]) async throws {
        let good = Array(#""access_token":"a","expires_in":60,"refresh_token":"r1""#.utf8)
        for members in [good + [0x2C] + bytes, bytes + [0x2C] + good] {
            let response = TokenResponse(statusCode: 200, body: [0x7B] + members + [0x7D])
            #expect(try await post(.success(response)).body == Answer(refreshToken: "r1"), "\(damage)")
        }
    }

    @Test func `of a repeated member the last value that can be read counts`() async throws {
        let json =
            #"{"access_token":"b","refresh_token":"r0","expires_in":60,"access_token":"a","refresh_token":"r1","#
            + #""refresh_token":"\ud800"}"#
        #expect(try await post(.response(200, json: json)).body == Answer(refreshToken: "r1"))
    }

    @Test func `an optional member that is damaged is absent, and a needed one is named`() async throws {
        let optional = #"{"access_token":"a","expires_in":60,"refresh_token":"\ud800"}"#
        #expect(try await post(.response(200, json: optional)).body == Answer())
        for json in [#"{"access_token":"a","expires_in":1e400}"#, #"{"access_token":"a","expires_in":6"0}"#] {
            await #expect(throws: InvalidTokenResponse(field: "expiresIn", problem: .malformed), "\(json)") {
                try await post(.response(200, json: json))
            }
        }
    }

    @Test func `an answer that is cut off gives what came whole, or is an error of the body`() async throws {
        let whole = #"{"access_token":"a","expires_in":60,"refresh_token":"r1","na"#
        #expect(try await post(.response(200, json: whole)).body == Answer(refreshToken: "r1"))
        await #expect(throws: InvalidTokenResponse(field: "body", problem: .notJSON)) {
            try await post(.response(200, json: #"{"access_token":"a","expires_in":6"#))
        }
    }

    @Test(arguments: ["\u{FEFF}", " \n", "\n\u{FEFF}\t"])
    func `a byte order mark and blanks before an answer do not count`(start: String) async throws {
        let json = start + #"{"access_token":"a","expires_in":60}"# + "\r\n"
        #expect(try await post(.response(200, json: json)).body == Answer())
    }

    @Test func `a form-encoded answer is called that`() async throws {
        let error = await #expect(throws: InvalidTokenResponse.self) {
            try await post(.response(200, json: "access_token=a&expires_in=60\n"))
        }
        #expect(error == InvalidTokenResponse(field: "body", problem: .formEncoded))
        #expect(error?.description.contains("body is form-encoded") == true)
    }

    // MARK: - Codes

    @Test(arguments: [
        (#"{"error":{"code":"invalid_grant"}}"#, "error.code", TokenFailureKind.terminal),
        (#"{"problem":{"reason":"invalid_grant"}}"#, "problem.reason", .terminal),
        (#"{"error":{"code":"invalid_grant"},"name":1e400}"#, "error.code", .terminal),
        (#"{"error":{"code":"invalid_grant"}}"#, "error", .transient),
        (#"{"error":{"code":["invalid_grant"]}}"#, "error.code", .transient),
        (#"{"error":"invalid_grant"}"#, "error.code", .transient),
        (#"{"error":{"code":"invalid_grant"}"#, "error.code", .transient),
    ])
    func `a nested code counts if its path is given`(body: String, path: String, kind: TokenFailureKind) async throws {
        let error = await #expect(throws: TokenEndpointError.self) {
            try await post(.response(401, json: body), errorMember: path)
        }
        #expect(error?.kind == kind)
        #expect(error?.code == (kind == .terminal ? "invalid_grant" : nil))
    }

    @Test func `the meaning that the program gives a nested code reaches the failure`() async throws {
        let endpoint = JSONTokenEndpoint(
            try #require(URL(string: "https://a.example")),
            transport: ScriptedTokenTransport(.response(401, json: #"{"problem":{"reason":"session_gone"}}"#)),
            errorMember: "problem.reason", failureKind: { _, code in code == "session_gone" ? .terminal : nil })
        let error = await #expect(throws: TokenEndpointError.self) {
            try await endpoint.post(["refresh_token": "r"], expecting: Answer.self)
        }
        #expect(error == TokenEndpointError(status: 401, code: "session_gone", kind: .terminal))
    }

    @Test func `a wrong password is refused without a word about a session`() async throws {
        let endpoint = try endpoint(ScriptedTokenTransport(.response(401, json: #"{"error":"wrong_password"}"#)))
        let error = await #expect(throws: TokenEndpointError.self) {
            try await endpoint.post(["user": "ada", "password": "x"], expecting: Answer.self)
        }
        #expect(
            error?.description
                == "the token endpoint answered 401 (wrong_password): the request was refused; check what was sent, or try "
                + "again later")
    }

    @Test(arguments: [#"\u001b[31m"#, "a b", String(repeating: "s3cret", count: 6)])
    func `a name that the server has chosen is not printed`(name: String) async throws {
        let transport = ScriptedTokenTransport(.response(200, json: #"{"\#(name)":"x"}"#))
        let endpoint = JSONTokenEndpoint(try #require(URL(string: "https://a.example")), transport: transport)
        let error = await #expect(throws: InvalidTokenResponse.self) {
            try await endpoint.post(["a": "1"], expecting: [String: Int].self)
        }
        #expect(error?.problem == .malformed)
        #expect(error?.description.contains("a member of its answer is malformed") == true)
    }

    @Test(arguments: [
        "sesame_open_up", "open_up_now", "the_api_key", "a_sesame_open_up", "key_of_a_query", "a_key_of_a_query",
        "only_a_name",
    ])
    func `a code that repeats a text of the request is not printed`(code: String) async throws {
        let transport = ScriptedTokenTransport(.response(400, json: #"{"error":"\#(code)"}"#))
        let endpoint = JSONTokenEndpoint(
            try #require(URL(string: "https://a.example/?v=1&k=%6Bey_of_a_query&only_a_name")),
            transport: transport, headerFields: [("X-API-Key", "the_api_key")])
        let fields = ["a": ["refresh_token": "sesame_open_up"], "b": ["c": "please_open_up_now"]]
        let error = await #expect(throws: TokenEndpointError.self) {
            try await endpoint.post(fields, expecting: Answer.self)
        }
        #expect(error?.code == code)
        #expect(error?.description.hasPrefix("the token endpoint answered 400 (…): ") == true)
    }

    // MARK: - The request

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
