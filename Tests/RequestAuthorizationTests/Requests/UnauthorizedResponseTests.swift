// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization
import Testing

@Suite struct UnauthorizedResponseTests {
    @Test func `fields are looked up without case`() {
        let response = UnauthorizedResponse(
            fields: ["WWW-AUTHENTICATE": ["Bearer realm=a"], "dpop-nonce": ["n1", "n2"]])
        for name in ["www-authenticate", "WWW-Authenticate", "wWW-aUTHENTICATE"] {
            #expect(response.headerValues(for: name) == ["Bearer realm=a"])
        }
        #expect(response.headerValues(for: "DPoP-Nonce") == ["n1", "n2"])
        #expect(response.headerValues(for: "Retry-After") == [])
        #expect(response.challenges.map(\.parameters) == [["realm": "a"]])
        #expect(response.statusCode == 401)
    }

    @Test func `spellings of one name are one field, in alphabetical order`() {
        let names = ["DATE", "DATe", "DAte", "Date", "dATE", "daTE", "datE", "date"]
        let response = UnauthorizedResponse(fields: Dictionary(uniqueKeysWithValues: names.map { ($0, [$0, "-"]) }))
        #expect(response.headerValues(for: "Date") == names.flatMap { [$0, "-"] })
    }

    @Test(arguments: [200, 204, 301, 400, 402, 403, 407, 429, 500, 0])
    func `of statuses without an error code only a 401 is unauthorized`(status: Int) {
        let fields = ["www-authenticate": ["Bearer"]]
        #expect(FakeResponse(statusCode: status, fields: fields).unauthorized == nil)
        #expect(FakeResponse(statusCode: 401, fields: fields).unauthorized != nil)
    }

    @Test(arguments: ["insufficient_scope", "insufficient_user_authentication"])
    func `RFC 6750 §3.1: a 403 for insufficient scope is a refusal of the token`(error: String) throws {
        let fields = ["www-authenticate": ["Basic, Bearer error=\"\(error)\", scope=\"a b\""]]
        let refusal = try #require(FakeResponse(statusCode: 403, fields: fields).unauthorized)
        #expect(refusal.statusCode == 403)
        #expect(refusal.challenges.map(\.requiresInteraction) == [false, true])
        #expect(refusal.challenges.last?.scope == ["a", "b"])
        #expect(FakeResponse(statusCode: 404, fields: fields).unauthorized == nil)
    }

    @Test func `a 400 is a refusal only if it asks for a nonce`() throws {
        let fields = ["www-authenticate": ["Bearer, dpop error=\"use_dpop_nonce\""], "dpop-nonce": ["n1"]]
        let refusal = try #require(FakeResponse(statusCode: 400, fields: fields).unauthorized)
        #expect(refusal.statusCode == 400 && refusal.headerValues(for: "DPoP-Nonce") == ["n1"])
        for challenge in ["DPoP", "DPoP error=\"invalid_dpop_proof\"", "Bearer error=\"use_dpop_nonce\"", ""] {
            let fields = ["www-authenticate": [challenge], "dpop-nonce": ["n1"]]
            #expect(FakeResponse(statusCode: 400, fields: fields).unauthorized == nil)
        }
        let bare = ["www-authenticate": ["DPoP error=\"use_dpop_nonce\""]]
        #expect(FakeResponse(statusCode: 400, fields: bare).unauthorized == nil)
        #expect(FakeResponse(statusCode: 404, fields: fields).unauthorized == nil)
    }

    @Test(arguments: ["Bearer", "Bearer error=\"invalid_token\"", "Bearer error=\"insufficient_scopes\"", ""])
    func `any other 403 is about rights, not about the credential`(challenge: String) {
        #expect(FakeResponse(statusCode: 403, fields: ["www-authenticate": [challenge]]).unauthorized == nil)
    }

    @Test func `a 401 keeps only the fields that say what to do`() throws {
        let names = ["WWW-Authenticate", "Retry-After", "DPoP-Nonce", "Date"]
        let fields = (names + ["Set-Cookie"]).map { ($0.lowercased(), ["value of \($0)"]) }
        let response = try #require(
            FakeResponse(statusCode: 401, fields: Dictionary(uniqueKeysWithValues: fields)).unauthorized)
        #expect(response.statusCode == 401)
        for name in names { #expect(response.headerValues(for: name) == ["value of \(name)"]) }
        #expect(response.headerValues(for: "Set-Cookie") == [])
    }

    @Test func `the fields of a token response are looked up without case, in order`() {
        let response = TokenResponse(
            statusCode: 401, fields: [("Link", "a"), ("WWW-Authenticate", "Bearer realm=x"), ("LINK", "b")])
        #expect(response.headerValues(for: "link") == ["a", "b"])
        #expect(response.unauthorized?.challenges.first?.parameters == ["realm": "x"])
    }
}
