// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
import LoopbackServer
import RequestAuthorization
import RequestAuthorizationOAuth
import RequestAuthorizationTesting
import RequestAuthorizationURLSession
import Testing

/// Answers of servers (RFC 6749 §5.1), over a real socket.
@Suite struct AnswerTests {
    private func refreshed(
        _ answer: Answer, quirks: ServerQuirks = ServerQuirks(),
        _ old: OAuthToken = .make(refreshToken: "r", scopes: ["x"])
    ) async throws -> OAuthToken {
        try await TokenServer.run(answer) { try await $0.service(quirks: quirks).refresh(old) }
    }

    @Test func `RFC 6749 §5.1: the example of the standard`() async throws {
        let json = """
            {"access_token":"2YotnFZFEjr1zCsicMWpAA","token_type":"example","expires_in":3600,
            "refresh_token":"tGzv3JOkF0XG5Qx2TlKWIA","example_parameter":"example_value"}
            """
        // The type is unknown (§7.1), so of the standard's own example only the refresh token is kept …
        let unknown = try await refreshed(.json(json))
        #expect(unknown.authorizationHeaderValue == "" && unknown.refreshToken == "tGzv3JOkF0XG5Qx2TlKWIA")
        // … and everything with the type of RFC 6750 §4.
        let token = try await refreshed(.json(json.replacing("\"example\"", with: "\"Bearer\"")))
        #expect(token.accessToken == "2YotnFZFEjr1zCsicMWpAA")
        #expect(token.refreshToken == "tGzv3JOkF0XG5Qx2TlKWIA")
        #expect(token.lifetime == .seconds(3600))
        #expect(token.additionalMembers == ["example_parameter": .string("example_value")])
    }

    @Test func `a member that nests too deep is not parsed, because that would take very long`() async throws {
        func nested(_ open: String, _ close: String, _ depth: Int) -> String {
            #"{"access_token":"a","more":\#(String(repeating: open, count: depth))1"#
                + String(repeating: close, count: depth) + "}"
        }
        for (open, close) in [("[", "]"), (#"{"a":"#, "}"), (#"["\\","\"",["#, "]]")] {
            let token = try await refreshed(.json(nested(open, close, 500)))
            #expect(token.accessToken == "a" && token.additionalMembers == [:])
        }
        #expect(try await refreshed(.json(nested("[", "]", 15))).additionalMembers.count == 1)
        #expect(try await refreshed(.json(nested("[\"[[[[[[[[[\\\"[[[[[[[[\",", "]", 15))).additionalMembers.count == 1)
    }

    @Test func `RFC 8259 §8.1: an answer is UTF-8`() async throws {
        // To a reader of bytes U+5B22 in UTF-16 is a bracket and a quote.
        let json = #"{"access_token":"a","more":[]}"#.replacing("[]", with: "\"\u{5B22}\"")
        let bytes =
            Array("HTTP/1.1 200 OK\r\nContent-Length: \(2 * json.utf16.count)\r\n\r\n".utf8)
            + json.utf16.flatMap { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] }
        await #expect(throws: InvalidTokenResponse(field: "body", problem: .malformed)) {
            try await refreshed(Answer(steps: [.send(bytes)]))
        }
    }

    @Test(arguments: ["Bearer", "bearer", "BEARER", "bEaReR"])
    func `RFC 6749 §5.1: the type is compared without case, and sent as Bearer`(type: String) async throws {
        let token = try await refreshed(.json(#"{"access_token":"a","token_type":"\#(type)"}"#))
        #expect(token.authorizationHeaderValue == "Bearer a")
        #expect(token.tokenType == type)
    }

    @Test func `a server that names no type means Bearer`() async throws {
        #expect(try await refreshed(.json(#"{"access_token":"a"}"#)).tokenType == "Bearer")
    }

    @Test(arguments: ["mac", "DPoP", "N_A"])
    func `RFC 6749 §7.1: a token of an unknown type is refused`(type: String) async throws {
        await #expect(throws: InvalidTokenResponse(field: "token_type", problem: .unsupported)) {
            try await refreshed(.json(#"{"access_token":"a","token_type":"\#(type)"}"#))
        }
    }

    @Test(arguments: [
        (#"{"token_type":"Bearer"}"#, "access_token", InvalidTokenResponse.Problem.missing),
        (#"{"access_token":"","token_type":"Bearer"}"#, "access_token", .missing),
        (#"{"access_token":null,"token_type":"Bearer"}"#, "access_token", .missing),
        (#"{"access_token":7,"token_type":"Bearer"}"#, "access_token", .malformed),
        (#"{"access_token":"a\r\nX: y","token_type":"Bearer"}"#, "access_token", .malformed),
        (#"{"access_token":"ä","token_type":"Bearer"}"#, "access_token", .malformed),
        (#"{"access_token":"a","token_ty"#, "body", .notJSON),
        ("<!DOCTYPE html><title>Hotel</title>", "body", .notJSON), ("", "body", .notJSON), ("[]", "body", .notJSON),
        (#""access_token""#, "body", .notJSON), ("access_token=a&token_type=bearer", "body", .formEncoded),
    ])
    func `RFC 6749 §10.14: an unusable answer is an error that names the field, and ends no session`(
        json: String, field: String, problem: InvalidTokenResponse.Problem
    ) async throws {
        let error = await #expect(throws: InvalidTokenResponse.self) { try await refreshed(.json(json)) }
        #expect(error == InvalidTokenResponse(field: field, problem: problem))
        #expect(error?.kind == .transient)
        #expect(error?.delivery == .mayHaveBeenProcessed)
        #expect(error?.description.contains(field) == true)
    }

    private static let lifetimes: [(String, Double?)] = [
        ("3600", 3600), (#""3600""#, 3600), ("3600.5", 3600.5), (#""60.0""#, 60), ("null", nil), ("0", nil),
        ("-1", nil), ("1e300", nil), (#""never""#, nil), ("true", nil), ("[1]", nil), ("99999999999999999999", nil),
        (#""NaN""#, nil), (#""inf""#, nil), ("3162240000", 3_162_240_000), ("3162240001", nil),
    ]

    @Test(arguments: lifetimes)
    func `RFC 6749 §5.1: expires_in as a number or a text; a meaningless value counts as absent`(
        value: String, seconds: Double?
    ) async throws {
        try await TokenServer.run(.json(#"{"access_token":"a","expires_in":\#(value)}"#)) { run in
            let token = try await run.service().refresh(.make(refreshToken: "r"))
            #expect(token.lifetime == seconds.map { .seconds($0) })
            #expect(token.expiresAt == seconds.map { run.clock.now.addingTimeInterval($0) } ?? .distantFuture)
        }
    }

    @Test func `RFC 6749 §5.1: expires_in may be absent`() async throws {
        #expect(try await refreshed(.json(#"{"access_token":"a"}"#)).expiresAt == .distantFuture)
    }

    @Test func `RFC 9068 §6: nothing is read from an access token, also if it is a JWT`() async throws {
        let claims = Data(#"{"exp":1000000000,"scope":"y"}"#.utf8).base64EncodedString()
        let jwt = "eyJhbGciOiJFUzI1NiJ9.\(claims).AAAA"
        let token = try await refreshed(.json(#"{"access_token":"\#(jwt)","expires_in":3600}"#))
        #expect(token.accessToken == jwt && token.lifetime == .seconds(3600) && token.scopes == ["x"])
        #expect(try await refreshed(.json(#"{"access_token":"\#(jwt)"}"#)).expiresAt == .distantFuture)
    }

    @Test func `expiry counts from the time of the request`() async throws {
        try await withServer { _ in
            .json(#"{"access_token":"a","expires_in":60,"refresh_token":"s","refresh_expires_in":"600"}"#)
        } body: { server in
            let run = TokenServer(server: server)
            let sentAt = run.clock.now
            let slow = SlowTransport(clock: run.clock)
            let service = OAuthTokenService.authorizationCode(
                server: .make(at: run.base), client: .public(id: "tool"), transport: slow, clock: run.clock)
            let token = try await service.refresh(.make(refreshToken: "r"))
            #expect(run.clock.now == sentAt.addingTimeInterval(50))
            #expect(token.expiresAt == sentAt.addingTimeInterval(60))
            #expect(token.refreshTokenExpiresAt == sentAt.addingTimeInterval(600))
        }
    }

    @Test func `RFC 6749 §6: a new refresh token replaces the old, a missing one keeps it`() async throws {
        #expect(try await refreshed(.json(#"{"access_token":"a","refresh_token":"n"}"#)).refreshToken == "n")
        for rest in ["", #","refresh_token":null"#, #","refresh_token":"""#] {
            #expect(try await refreshed(.json(#"{"access_token":"a"\#(rest)}"#)).refreshToken == "r")
        }
    }

    @Test func `RFC 6749 §3.3 and §6: a missing scope keeps the former one, an empty scope is none`() async throws {
        #expect(try await refreshed(.json(#"{"access_token":"a"}"#)).scopes == ["x"])
        #expect(try await refreshed(.json(#"{"access_token":"a","scope":null}"#)).scopes == ["x"])
        #expect(try await refreshed(.json(#"{"access_token":"a","scope":7}"#)).scopes == ["x"])
        #expect(try await refreshed(.json(#"{"access_token":"a","scope":""}"#)).scopes == [])
        #expect(try await refreshed(.json(#"{"access_token":"a","scope":"b  a A"}"#)).scopes == ["A", "a", "b"])
    }

    @Test func `RFC 6749 §3.3: a missing scope in a first answer is the requested scope`() async throws {
        try await TokenServer.run(.json(#"{"access_token":"a"}"#)) { run in
            let endpoint = run.service().endpoint
            let token = try await endpoint.token(grantType: "g", requestedScopes: ["y", "z"])
            #expect(token.scopes == ["y", "z"])
            #expect(token.authorizedAt == run.clock.now)
        }
    }

    /// Microsoft's answers list what the access token is for.
    @Test func `offline_access is granted with the refresh token, also if the answer does not list it`() async throws {
        let requested: Set = ["mail", "offline_access"]
        for (member, scopes) in [(#""refresh_token":"r","#, requested), ("", ["mail"])] as [(String, Set<String>)] {
            try await TokenServer.run(.json(#"{\#(member)"access_token":"a","scope":"mail"}"#)) { run in
                let endpoint = run.service().endpoint
                let token = try await endpoint.token(grantType: "g", requestedScopes: requested)
                #expect(token.scopes == scopes)
            }
        }
        let answer = Answer.json(#"{"access_token":"a","scope":"mail"}"#)
        #expect(try await refreshed(answer, .make(refreshToken: "r", scopes: requested)).scopes == requested)
        #expect(try await refreshed(answer, .make(refreshToken: "r", scopes: ["mail", "x"])).scopes == ["mail"])
    }

    @Test func `scopes as a list, or with commas where a preset says so`() async throws {
        let list = Answer.json(#"{"access_token":"a","scope":["repo","gist"]}"#)
        #expect(try await refreshed(list).scopes == ["repo", "gist"])
        let commas = Answer.json(#"{"access_token":"a","scope":"repo,gist user"}"#)
        #expect(try await refreshed(commas).scopes == ["repo,gist", "user"])
        #expect(
            try await refreshed(commas, quirks: AuthorizationServer.gitHub.quirks).scopes == ["repo", "gist", "user"])
    }

    @Test func `RFC 6749 §5.1: unknown members are kept, over refreshes too`() async throws {
        let json = #"{"access_token":"a","instance":{"n":[1,2.5,null,true,"t"]},"id_token":"i.j.k"}"#
        var token = try await refreshed(.json(json))
        let expected = JSONValue.object(["n": .array([.integer(1), .number(2.5), .null, .bool(true), .string("t")])])
        #expect(token.additionalMembers == ["instance": expected])
        // Each call has a server of its own.
        (token.refreshToken, token.issuer) = ("r", nil)
        var next = try await refreshed(.json(#"{"access_token":"b","other":1}"#), token)
        next.issuer = nil
        #expect(next.additionalMembers == ["instance": expected, "other": .integer(1)])
        #expect(next.idToken == "i.j.k")
        let newest = try await refreshed(.json(#"{"access_token":"c","other":2}"#), next)
        #expect(newest.additionalMembers == ["instance": expected, "other": .integer(2)])
    }

    @Test func `the time of the sign-in stays over refreshes`() async throws {
        let signedInAt = Date(timeIntervalSince1970: 1_700_000_000)
        let old = OAuthToken.make(refreshToken: "r", authorizedAt: signedInAt)
        #expect(try await refreshed(.json(#"{"access_token":"a"}"#), old).authorizedAt == signedInAt)
    }

    @Test func `a refresh token's end is in the answer, or is the preset's, counted from the sign-in`() async throws {
        let signedInAt = Date(timeIntervalSince1970: 1_700_000_000)
        let old = OAuthToken.make(refreshToken: "r", authorizedAt: signedInAt)
        let quirks = ServerQuirks(refreshTokenLifetime: .seconds(1000))
        let preset = try await refreshed(.json(#"{"access_token":"a","refresh_token":"n"}"#), quirks: quirks, old)
        #expect(preset.refreshTokenExpiresAt == signedInAt.addingTimeInterval(1000))
        #expect(preset.signInNeededBefore == preset.refreshTokenExpiresAt)
        let none = try await refreshed(.json(#"{"access_token":"a","refresh_expires_in":0}"#), old)
        #expect(none.refreshTokenExpiresAt == nil)
        var ending = old
        ending.refreshTokenExpiresAt = signedInAt.addingTimeInterval(500)
        let kept = try await refreshed(.json(#"{"access_token":"a"}"#), ending)
        #expect(kept.refreshTokenExpiresAt == ending.refreshTokenExpiresAt)
        // A new refresh token has an end of its own, which is unknown.
        let renewed = try await refreshed(.json(#"{"access_token":"a","refresh_token":"n"}"#), ending)
        #expect(renewed.refreshTokenExpiresAt == nil)
        try await TokenServer.run(.json(#"{"access_token":"a","refresh_token_expires_in":"60"}"#)) { run in
            let token = try await run.service(quirks: quirks).refresh(old)
            #expect(token.refreshTokenExpiresAt == run.clock.now.addingTimeInterval(60))
        }
    }

    @Test func `an answer tells when an unused session ends, and when any does`() async throws {
        let old = OAuthToken.make(refreshToken: "r")
        try await TokenServer.run(
            .json(#"{"access_token":"a","refresh_token_timeout":60,"authorization_expires_in":600}"#)
        ) { run in
            let now = run.clock.now
            let token = try await run.service().refresh(old)
            #expect(token.refreshTokenExpiresAt == now.addingTimeInterval(60))
            #expect(token.authorizationExpiresAt == now.addingTimeInterval(600))
            #expect(token.refreshNeededBefore == token.refreshTokenExpiresAt)
            #expect(token.signInNeededBefore == token.refreshTokenExpiresAt)
            #expect(token.additionalMembers == [:])
            let copy = try JSONDecoder().decode(OAuthToken.self, from: JSONEncoder().encode(token))
            #expect(copy.authorizationExpiresAt == token.authorizationExpiresAt)
        }
    }

    @Test func `an answer without the end of the authorization does not move it`() async throws {
        var old = OAuthToken.make(refreshToken: "r")
        let end = Date(timeIntervalSince1970: 1_700_000_000)
        (old.authorizationExpiresAt, old.refreshTokenExpiresAt) = (end, end.addingTimeInterval(-1))
        let kept = try await refreshed(.json(#"{"access_token":"a","refresh_token":"n"}"#), old)
        #expect(kept.authorizationExpiresAt == end && kept.signInNeededBefore == end)
        // No refresh moves an authorization that ends.
        #expect(kept.refreshNeededBefore == nil)
        let late = try await refreshed(.json(#"{"access_token":"a","refresh_token_timeout":1e9}"#), old)
        #expect(late.refreshNeededBefore == nil && late.signInNeededBefore == end)
    }

    @Test func `without a refresh token there is no end of one`() async throws {
        try await TokenServer.run(.json(#"{"access_token":"a","refresh_expires_in":60}"#)) { run in
            let quirks = ServerQuirks(refreshTokenLifetime: .seconds(9))
            let token = try await run.service(quirks: quirks).endpoint.token(grantType: "g")
            #expect(token.refreshToken == nil && token.refreshTokenExpiresAt == nil)
        }
    }

    @Test func `an error beside a token is an unknown member`() async throws {
        #expect(try await refreshed(.json(#"{"access_token":"a","error":"none"}"#)).accessToken == "a")
    }

    @Test func `RFC 6749 §5.1: no size is assumed`() async throws {
        let long = String(repeating: "x", count: 100_000)
        #expect(try await refreshed(.json(#"{"access_token":"\#(long)"}"#)).accessToken == long)
    }
}

/// Each answer takes 50 seconds of the clock.
private struct SlowTransport: TokenTransport {
    let clock: ManualClock

    func send(_ request: TokenRequest) async throws -> TokenResponse {
        let response = try await PatientTransport.patient.send(request)
        clock.advance(by: .seconds(50))
        return response
    }
}
#endif
