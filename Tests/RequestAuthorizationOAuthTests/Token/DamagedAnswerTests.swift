// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationOAuth
import RequestAuthorizationTesting
import Testing

/// What can be used of a damaged answer is kept, above all its refresh token.
@Suite(.timeLimit(.minutes(5))) struct DamagedAnswerTests {
    private let clock = ManualClock()
    private let transport = ScriptedTokenTransport()

    private func service(_ quirks: ServerQuirks = ServerQuirks()) -> OAuthTokenService {
        .authorizationCode(
            server: .make(quirks: quirks), client: .public(id: "tool"), transport: transport, clock: clock)
    }

    private func answer(_ body: [UInt8], status: Int = 200) {
        transport.append(.success(TokenResponse(statusCode: status, body: body)))
    }

    private func answer(_ text: String, status: Int = 200) { answer(Array(text.utf8), status: status) }

    // MARK: - Refreshes

    @Test(arguments: try DamageTable.rows())
    func `of a damaged answer to a refresh is kept what the table says`(row: DamageTable.Row) async throws {
        answer(row.body)
        let old = OAuthToken.make(accessToken: "a0", refreshToken: "r0")
        guard let accessToken = row.accessToken else {
            let error = await #expect(throws: InvalidTokenResponse.self) { try await service().refresh(old) }
            #expect(error?.field == row.problem)
            #expect(error?.description.hasPrefix("the token endpoint answered 200, and") == true)
            return
        }
        let token = try await service().refresh(old)
        #expect(token.accessToken == accessToken)
        #expect(token.refreshToken == row.refreshToken)
        #expect(token.tokenType == "Bearer")
    }

    @Test func `the table names many damages, and some errors`() throws {
        let rows = try DamageTable.rows()
        #expect(rows.count > 25)
        #expect(rows.count { $0.accessToken == nil } > 3 && rows.count { $0.refreshToken == "r1" } > 15)
    }

    @Test func `a session goes on with the new refresh token of an answer with a byte of Latin-1`() async throws {
        let old = OAuthToken(accessToken: "a0", refreshToken: "r0", expiresAt: .distantPast)
        let auth = RefreshableTokenAuthorization(service: service(), token: old, clock: clock)
        answer(
            Array(#"{"access_token":"a","token_type":"Bearer","expires_in":60,"refresh_token":"r1","name":""#.utf8)
                + [0xE4, 0x22, 0x7D])
        #expect(try await auth.validToken().accessToken == "a")
        clock.advance(by: .seconds(60))
        answer(#"{"access_token":"b"}"#)
        #expect(try await auth.validToken().accessToken == "b")
        #expect(transport.requests.map { $0.text.contains("refresh_token=r1") } == [false, true])
    }

    @Test func `the members that can be read are kept, over later refreshes too`() async throws {
        answer(#"{"access_token":"a","refresh_token":"r1","x":1,"quota":1e400,"y":{"z":[2]}}"#)
        let token = try await service().refresh(.make(refreshToken: "r0"))
        #expect(token.additionalMembers == ["x": .integer(1), "y": .object(["z": .array([.integer(2)])])])
        answer(#"{"access_token":"a","refresh_token":"r2","x":NaN,"bad"quote":1,"y":3}"#)
        let next = try await service().refresh(token)
        #expect(next.additionalMembers == ["x": .integer(1), "y": .integer(3)])
    }

    @Test func `repeated members of other types are no values`() async throws {
        answer(#"{"access_token":"a","refresh_token":"r1","scope":"a","scope":"b","expires_in":1,"expires_in":2}"#)
        let token = try await service().refresh(.make(refreshToken: "r0", scopes: ["x"]))
        #expect(token.scopes == ["x"] && token.lifetime == nil && token.refreshToken == "r1")
        answer(#"{"access_token":"a","access_token":"b"}"#)
        await #expect(throws: InvalidTokenResponse(field: "access_token", problem: .repeated)) {
            try await service().refresh(.make(refreshToken: "r0"))
        }
    }

    @Test(arguments: 0..<2)
    func `faults in members that are not needed cost no refresh token`(seed: Int) async throws {
        var random = SplitMix(state: UInt64(seed))
        let needed = [#""access_token":"a""#, #""refresh_token":"r1""#, #""token_type":"Bearer""#, #""expires_in":60"#]
        let marks = Array("\"\"\"\\{}[]::,, \n\t'x7-".utf8) + [0xE4, 0xFF]
        for _ in 0..<1_000 {
            var members = (needed + [#""name":"Ada, {1}""#, #""user":{"id":7,"tags":["x"]}"#]).map { Array($0.utf8) }
            let hit = Int.random(in: 4...5, using: &random)
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = Int.random(in: 0..<members[hit].count, using: &random)
                members[hit][place] = marks.randomElement(using: &random) ?? 0
            }
            let body = [0x7B] + members.shuffled(using: &random).joined(separator: [0x2C]) + [0x7D]
            answer(body)
            let token = try await service().refresh(.make(refreshToken: "r0"))
            let isKept = token.refreshToken == "r1" && token.accessToken == "a" && token.lifetime == .seconds(60)
            #expect(isKept, "\(String(decoding: body, as: UTF8.self))")
        }
    }

    // MARK: - First answers

    @Test func `a first answer that is cut off before its refresh token is an error, because it can be had again`()
        async throws
    {
        let cut = #"{"access_token":"a","token_type":"Bearer","re"#
        answer(cut)
        await #expect(throws: InvalidTokenResponse(field: "body", problem: .notJSON)) {
            try await service().endpoint.token(grantType: "g")
        }
        answer(#"{"access_token":"a","token_type":"Bearer","refresh_token":"r","na"#)
        #expect(try await service().endpoint.token(grantType: "g").refreshToken == "r")
    }

    // MARK: - Errors

    @Test(arguments: [
        (#"{"error":"invalid_grant","error_description":"\ud800","x":1e400}"#, TokenFailureKind.terminal),
        (#"{"error":"invalid_grant","error":"invalid_grant"}"#, .terminal),
        (#"{"error":"invalid_grant","error":"slow_down"}"#, .transient),
        (#"{"error":"invalid_grant","error_description":"it "expired""}"#, .transient),
        (#"{"error":"invalid_grant"} <html>"#, .transient), (#"{"error":"invalid_grant""#, .transient),
    ])
    func `only an object whose members can be told apart ends a session`(body: String, kind: TokenFailureKind) async {
        for status in [200, 400] {
            answer(body, status: status)
            let error = await #expect(throws: (any Error).self) {
                try await service().refresh(.make(refreshToken: "r0"))
            }
            #expect((error as? any TokenServiceFailure)?.kind == kind, "\(status)")
        }
    }

    @Test func `a damaged access token beside an error is no error, so that the refresh token is kept`() async throws {
        answer(#"{"error":"none","access_token":"\ud800","refresh_token":"r1"}"#)
        #expect(try await service().refresh(.make(refreshToken: "r0")).refreshToken == "r1")
    }

    @Test(arguments: [
        (#"{"error":{"code":"invalid_grant"}}"#, "error.code", TokenFailureKind.terminal),
        (#"{"problem":{"reason":"gone"}}"#, "problem.reason", .terminal),
        (#"{"error":"invalid_grant"}"#, "error.code", .terminal),
        (#"{"error":{"code":"invalid_grant"}}"#, "error", .transient),
        (#"{"error":{"code":7}}"#, "error.code", .transient),
        (#"{"error":[{"code":"gone"}]}"#, "error.code", .transient),
    ])
    func `a nested code counts if the server's quirks have its path`(
        body: String, path: String, kind: TokenFailureKind
    ) async throws {
        let quirks = ServerQuirks(errorKinds: ["gone": .terminal], errorMember: path)
        let stored = try JSONDecoder().decode(ServerQuirks.self, from: JSONEncoder().encode(quirks))
        #expect(stored == quirks)
        for status in [200, 401] {
            answer(body, status: status)
            let error = await #expect(throws: (any Error).self) {
                try await service(stored).refresh(.make(refreshToken: "r0"))
            }
            #expect((error as? any TokenServiceFailure)?.kind == kind, "\(status)")
        }
    }

    @Test(arguments: ["sesame_open_up", "verysecretword"])
    func `a code that repeats a text of the request is not printed`(code: String) async throws {
        answer(#"{"error":"\#(code)"}"#, status: 400)
        let client = OAuthClient.secretBasic(id: "web", secret: "verysecretword")
        let service = OAuthTokenService.authorizationCode(server: .make(), client: client, transport: transport)
        let error = await #expect(throws: TokenEndpointError.self) {
            try await service.refresh(.make(refreshToken: "sesame_open_up"))
        }
        #expect(error?.code == code)
        #expect(error?.description == "the token endpoint answered 400 (…): the session is kept; try again later")
    }

    // Each case has a state of its own, because a sign-in is finished once.
    @Test(arguments: [
        ("abcdefghijkl", "abcdefghijkl", "refused; "), ("mnopqrstuvwx", "server_error", "refused (server_error); "),
    ])
    func `a callback's error that repeats the state is not printed`(
        state: String, code: String, text: String
    ) async throws {
        let pending = PendingSignIn.make(state: state)
        clock.setWallClock(to: pending.createdAt)
        let service = OAuthTokenService.authorizationCode(
            server: AuthorizationServer(tokenEndpoint: pending.tokenEndpoint), client: .public(id: pending.clientID),
            transport: transport, clock: clock)
        let callback = try URL.make("\(pending.redirectURI)?error=\(code)&state=\(pending.state)")
        let error = await #expect(throws: SignInError.self) { try await service.finish(pending, callback: callback) }
        #expect(error?.code == code)
        #expect(error?.description.hasPrefix("the sign-in gave no token: \(text)") == true)
    }

    // MARK: - Words for Bearer

    @Test(arguments: ["bearer_token", "BEARER_TOKEN", " Bearer_Token ", "user", "  User"])
    func `another word for Bearer is a quirk of the server`(type: String) async throws {
        let json = #"{"access_token":"a","token_type":"\#(type)"}"#
        let quirks = ServerQuirks(bearerTypes: ["Bearer_Token", " user"])
        let stored = try JSONDecoder().decode(ServerQuirks.self, from: JSONEncoder().encode(quirks))
        answer(json)
        let token = try await service(stored).refresh(.make(refreshToken: "r"))
        #expect(token.authorizationHeaderValue == "Bearer a" && token.tokenType == "Bearer")
        answer(json)
        await #expect(throws: InvalidTokenResponse(field: "token_type", problem: .unsupported)) {
            try await service().refresh(.make(refreshToken: "r"))
        }
    }

    @Test func `a word that is no quirk is refused, and so is an empty one`() async throws {
        for type in ["bearertoken", "mac", " ", "users"] {
            answer(#"{"access_token":"a","token_type":"\#(type)"}"#)
            await #expect(throws: InvalidTokenResponse(field: "token_type", problem: .unsupported), "\(type)") {
                try await service(ServerQuirks(bearerTypes: ["bearer_token", "user"])).refresh(.make(refreshToken: "r"))
            }
        }
    }

    // MARK: - Other answers

    @Test(arguments: [#""x":1e400"#, #""x":"Ada "the" Great""#, #""x":"\ud800""#])
    func `the beginning of a sign-in on another device is read in spite of a damaged member`(damage: String)
        async throws
    {
        answer(
            "{\(damage)," + #""device_code":"d","user_code":"A","verification_uri":"https://e.example","expires_in":9}"#
        )
        #expect(try await service().deviceSignIn(scopes: []).userCode == "A")
        answer(#"{"device_code":"d","user_code":"\ud800","verification_uri":"https://e.example","expires_in":9}"#)
        let error = await #expect(throws: InvalidTokenResponse.self) { try await service().deviceSignIn(scopes: []) }
        #expect(error == InvalidTokenResponse(field: "user_code", problem: .malformed))
        #expect(error?.purpose == .deviceAuthorization)
    }

    @Test func `an introspection with a damaged date or scope is an error, because the token could count for more`()
        async throws
    {
        func introspected(_ json: String) async throws -> TokenIntrospection {
            answer(json)
            return try await service().introspect(accessToken: "t")
        }
        #expect(try await introspected(#"{"active":true,"x":1e400,"exp":9}"#).expiresAt != nil)
        #expect(try await introspected(#"{"active":false,"exp":1e400}"#).isActive == false)
        for (json, field) in [
            (#"{"active":true,"exp":1e400}"#, "exp"), (#"{"active":true,"scope":"\ud800"}"#, "scope"),
            (#"{"active":true,"nbf":1,"nbf":2}"#, "nbf"), (#"{"active":true,"active":false}"#, "active"),
            (#"{"active":true,"x":"a"b"}"#, "body"), (#"{"active":true"#, "body"),
        ] {
            let error = await #expect(throws: InvalidTokenResponse.self) { try await introspected(json) }
            #expect(error?.field == field, "\(json)")
            #expect(error?.description.hasPrefix("the introspection endpoint answered 200") == true)
        }
    }

    @Test func `metadata are read in spite of a damaged member, unless it is not known which member is whose`()
        async throws
    {
        func discovered(_ rest: String) async throws -> AuthorizationServer {
            let body = #"{"issuer":"https://as.example","token_endpoint":"https://as.example/token",\#(rest)}"#
            let transport = ScriptedTokenTransport(forever: .response(200, json: body))
            return try await .discover(issuer: "https://as.example", transport: transport)
        }
        let server = try await discovered(#""x":1e400,"op_policy_uri":"\ud800""#)
        #expect(server.tokenEndpoint != nil && server.additionalMetadata == [:])
        await #expect(throws: AuthorizationServerError(.noMetadata, member: "issuer")) {
            try await discovered(#""x":"a"b""#)
        }
    }

    @Test func `an error names the endpoint that answered`() async throws {
        for (status, body) in [(400, "{}"), (200, "<html>")] {
            func text(_ call: () async throws -> Void) async -> String {
                answer(body, status: status)
                let error = await #expect(throws: (any Error).self) { try await call() }
                return error.map { "\($0)" } ?? ""
            }
            let service = service()
            let introspection = await text { _ = try await service.introspect(accessToken: "t") }
            #expect(introspection.hasPrefix("the introspection endpoint answered \(status)"))
            let device = await text { _ = try await service.deviceSignIn(scopes: []) }
            #expect(device.hasPrefix("the device authorization endpoint answered \(status)"))
            let refresh = await text { _ = try await service.refresh(.make(refreshToken: "r")) }
            #expect(refresh.hasPrefix("the token endpoint answered \(status)"))
        }
        answer("{}", status: 503)
        let revocation = await #expect(throws: TokenEndpointError.self) {
            try await service().revoke(.make(refreshToken: "r"))
        }
        #expect(
            revocation?.description
                == "the revocation endpoint answered 503: the token is not revoked; sign out again later")
    }

    // MARK: - Numbers

    @Test(arguments: [
        "12345678901234567890", "-12345678901234567890", "99999999999999999999", "9223372036854775808",
        "123456789012345678901234567890", "[1,{\"id\":12345678901234567890}]",
    ])
    func `long integers keep their digits when they are stored and given back`(digits: String) async throws {
        answer(#"{"access_token":"a","id":\#(digits)}"#)
        let token = try await service().refresh(.make(refreshToken: "r"))
        let item = try JSONEncoder().encode(token)
        #expect(String(decoding: item, as: UTF8.self).contains(digits))
        let stored = try JSONDecoder().decode(OAuthToken.self, from: item)
        #expect(stored == token && stored.hashValue == token.hashValue)
        let value = try JSONEncoder().encode(stored.additionalMembers["id"])
        #expect(String(decoding: value, as: UTF8.self) == digits)
    }

    @Test(arguments: [
        "888288888888888888888.888888888888888888", "-70904071016481109540051950.249296",
        "505680091046638401.8103242548612956481", "303105248472006310.75283231742992714687",
        "80050140008588728.121616371787",
    ])
    func `numbers whose fraction is not kept are equal after they were stored`(digits: String) throws {
        let value = try JSONDecoder().decode(JSONValue.self, from: Data(digits.utf8))
        let stored = try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(value))
        #expect(stored == value)
    }

    @Test func `other numbers are what they were`() throws {
        let json = "[9223372036854775807,-9223372036854775808,1e25,2.5,1e300,100000000000000000000,0.1]"
        let values = try JSONDecoder().decode([JSONValue].self, from: Data(json.utf8))
        #expect(
            values == [
                .integer(.max), .integer(.min), .number(1e25), .number(2.5), .number(1e300), .number(1e20),
                .number(0.1),
            ])
    }
}
