// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
import LoopbackServer
import RequestAuthorization
import RequestAuthorizationOAuth
import RequestAuthorizationTesting
import Testing

@Suite struct IntrospectionTests {
    private func introspected(_ json: String) async throws -> TokenIntrospection {
        try await TokenServer.run(.json(json)) {
            try await $0.service(.secretBasic(id: "api", secret: "s")).introspect(accessToken: "a b")
        }
    }

    @Test func `RFC 7662 §2.1: an authenticated POST`() async throws {
        try await TokenServer.run(.json(#"{"active":true}"#)) { run in
            _ = try await run.service(.secretBasic(id: "web", secret: "s")).introspect(.make(accessToken: "a b"))
            let request = try #require(await run.server.requests.first)
            #expect(request.method == "POST" && request.target == "/introspect")
            #expect(request["Authorization"] == "Basic d2ViOnM=")
            #expect(request.text == "token=a+b&token_type_hint=access_token")
        }
    }

    @Test func `RFC 7662 §2.1: nothing is sent without TLS`() async throws {
        let transport = ScriptedTokenTransport()
        let service = OAuthTokenService.authorizationCode(
            server: AuthorizationServer(introspectionEndpoint: URL(string: "http://as.example/introspect")),
            client: .public(id: "t"), transport: transport)
        await #expect(throws: AuthorizationServerError(.insecure, member: "introspection_endpoint")) {
            try await service.introspect(accessToken: "a")
        }
        #expect(transport.calls == 0)
    }

    @Test func `RFC 7662 §2.2: the example of the standard`() async throws {
        let answer = try await introspected(
            """
            {"active": true, "client_id": "l238j323ds-23ij4", "username": "jdoe", "scope": "read write dolphin",
            "sub": "Z5O3upPC88QrAjx00dis", "aud": "https://protected.example.net/resource",
            "iss": "https://server.example.com/", "exp": 1419356238, "iat": 1419350238,
            "extension_field": "twenty-seven"}
            """)
        #expect(answer.isActive)
        #expect(answer.clientID == "l238j323ds-23ij4")
        #expect(answer.username == "jdoe")
        #expect(answer.scopes == ["read", "write", "dolphin"])
        #expect(answer.subject == "Z5O3upPC88QrAjx00dis")
        #expect(answer.audience == ["https://protected.example.net/resource"])
        #expect(answer.issuer == "https://server.example.com/")
        #expect(answer.expiresAt == Date(timeIntervalSince1970: 1_419_356_238))
        #expect(answer.issuedAt == Date(timeIntervalSince1970: 1_419_350_238))
        #expect(answer.additionalMembers == ["extension_field": .string("twenty-seven")])
    }

    @Test func `RFC 7662 §2.2: active is the only required member`() async throws {
        #expect(try await introspected(#"{"active":true}"#).isActive)
        #expect(try await introspected(#"{"active":true,"aud":["a","b"]}"#).audience == ["a", "b"])
        await #expect(throws: InvalidTokenResponse(field: "active", problem: .missing)) {
            try await introspected(#"{"scope":"a"}"#)
        }
        await #expect(throws: InvalidTokenResponse(field: "active", problem: .malformed)) {
            try await introspected(#"{"active":"true"}"#)
        }
    }

    @Test(arguments: [#""soon""#, "{}", "true", #""""#, "1419356238000"])
    func `RFC 7662 §2.2: a time of an active token that is no number of seconds is not taken as absent`(value: String)
        async throws
    {
        for name in ["exp", "iat", "nbf"] {
            await #expect(throws: InvalidTokenResponse(field: name, problem: .malformed)) {
                try await introspected(#"{"active":true,"\#(name)":\#(value)}"#)
            }
            #expect(try await introspected(#"{"active":false,"\#(name)":\#(value)}"#).isActive == false)
        }
        #expect(try await introspected(#"{"active":true,"exp":null,"iat":"9"}"#).issuedAt != nil)
    }

    @Test func `a scope or an audience may be a list, and one of another type is not taken as absent`() async throws {
        let answer = try await introspected(#"{"active":true,"scope":["a","b c"],"aud":["x"]}"#)
        #expect(answer.scopes == ["a", "b c"] && answer.audience == ["x"])
        #expect(try await introspected(#"{"active":true,"scope":"","aud":null}"#).scopes == [])
        for (name, value) in [("scope", "[1]"), ("scope", "{}"), ("scope", "7"), ("aud", #"["x",1]"#), ("aud", "{}")] {
            await #expect(throws: InvalidTokenResponse(field: name, problem: .malformed)) {
                try await introspected(#"{"active":true,"\#(name)":\#(value)}"#)
            }
        }
    }

    @Test func `RFC 7662 §2.2: of an inactive token nothing else is read`() async throws {
        let full = try await introspected(#"{"active":false,"scope":"a","exp":1419356238,"sub":"x","y":1}"#)
        #expect(try await introspected(#"{"active":false}"#) == full)
        #expect(full.scopes.isEmpty && full.subject == nil && full.additionalMembers.isEmpty)
    }

    @Test func `an error inside a 200 is an error, unless the answer says whether the token is active`() async throws {
        await #expect(throws: TokenEndpointError(status: 200, code: "invalid_client")) {
            try await introspected(#"{"error":"invalid_client"}"#)
        }
        for isActive in [false, true] {
            let answer = try await introspected(#"{"active":\#(isActive),"error":"invalid_token"}"#)
            #expect(answer.isActive == isActive)
        }
    }

    @Test func `RFC 7662 §4: an answer is kept no longer than the token lasts, nor than a bound`() async throws {
        let exp = Date(timeIntervalSince1970: 1_419_356_238)
        let answer = try await introspected(#"{"active":true,"exp":1419356238}"#)
        #expect(answer.cacheableUntil(from: exp.addingTimeInterval(-10), atMost: .seconds(60)) == exp)
        let early = exp.addingTimeInterval(-100)
        #expect(answer.cacheableUntil(from: early, atMost: .seconds(60)) == early.addingTimeInterval(60))
        #expect(answer.cacheableUntil(from: early, atMost: .seconds(-1)) == early)
    }

    @Test func `a server without introspection is an error that names it`() async throws {
        let service = OAuthTokenService.authorizationCode(
            server: AuthorizationServer(), client: .public(id: "t"), transport: ScriptedTokenTransport())
        await #expect(throws: AuthorizationServerError(.missingEndpoint, member: "introspection_endpoint")) {
            try await service.introspect(accessToken: "a")
        }
    }
}
#endif
