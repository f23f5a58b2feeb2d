// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization
import Testing

struct AuthenticationChallengeTests {
    @Test func `schemes are compared without case`() {
        let challenge = AuthenticationChallenge.make("bEARER")
        #expect(challenge.isScheme("Bearer"))
        #expect(!challenge.isScheme("Bear"))
        #expect(!AuthenticationChallenge.make("to\u{212A}en").isScheme("token"))  // Kelvin sign
    }

    @Test func `names of parameters are in lower case, however the value is made`() {
        let challenge = AuthenticationChallenge.make("Bearer", ["REALM": "a", "Realm": "b", "realm": "c", "X": "d"])
        #expect(challenge.parameters == ["realm": "a", "x": "d"])
    }

    @Test func `a scope is a set`() {
        #expect(AuthenticationChallenge.make("Bearer", ["scope": " b a  b "]).scope == ["a", "b"])
        #expect(AuthenticationChallenge.make("Bearer", ["scope": ""]).scope.isEmpty)
        #expect(AuthenticationChallenge.make("Bearer").scope.isEmpty)
    }

    @Test(arguments: [
        ("insufficient_scope", true), ("insufficient_user_authentication", true), ("invalid_token", false),
        ("invalid_request", false), ("Insufficient_Scope", false), (nil, false),
    ])
    func `a challenge that no refresh can meet requires interaction`(error: String?, expected: Bool) {
        let challenge = AuthenticationChallenge.make("Bearer", error.map { ["error": $0] } ?? [:])
        #expect(challenge.error == error)
        #expect(challenge.requiresInteraction == expected)
    }

    @Test func `the description shows error, realm and scope and nothing else of the server's text`() {
        let challenge = AuthenticationChallenge.make(
            "Bearer",
            [
                "realm": "api", "error": "invalid_token", "scope": "a b", "nonce": "S3CRET",
                "error_description": "token S3CRET has expired",
            ])
        let expected = #"Bearer error="invalid_token", error_description=…, nonce=…, realm="api", scope="a b""#
        #expect(challenge.description == expected)
        #expect(challenge.debugDescription == expected)
        #expect(AuthenticationChallenge.make("Negotiate", token68: "S3CRET").description == "Negotiate …")
        #expect(AuthenticationChallenge.make("Negotiate").description == "Negotiate")
        #expect(AuthenticationChallenge.partial("Bearer", ["error": "e"]).description == #"Bearer error="e" (partial)"#)
        for value in [challenge, .make("Negotiate", token68: "S3CRET")] {
            var dumped = ""
            dump(value, to: &dumped)
            #expect(
                !"\(dumped) \(value) \(String(reflecting: [value])) \(String(describing: Optional(value)))".contains(
                    "S3CRET"))
        }
    }

    @Test func `the description cannot write control characters to a terminal or fill a log`() {
        let challenge = AuthenticationChallenge.make(
            "A\u{1B}[2J\r\n", ["realm": "\u{202E}x\"\n", "scope": String(repeating: "e", count: 10_000), "\u{0}": ""])
        let text = challenge.description
        #expect(text.unicodeScalars.allSatisfy { (0x20...0x7E).contains($0.value) || $0 == "…" })
        #expect(text.hasPrefix("A?[2J?? ?=…, realm=\"?x??\", scope=\"eee"))
        #expect(text.count < 200)
    }

    @Test func `RFC 9728 §5.1 and RFC 9470 §3: where the metadata are, and which log-in is needed`() throws {
        let challenge = try #require(
            AuthenticationChallenge.parse([
                #"Bearer resource_metadata="https://notes.example/.well-known/oauth-protected-resource", acr_values="gold  silver", max_age=300"#
            ]).first)
        #expect(
            challenge.resourceMetadata?.absoluteString == "https://notes.example/.well-known/oauth-protected-resource")
        #expect(challenge.acrValues == ["gold", "silver"])
        #expect(challenge.maxAge == .seconds(300))
        let none = AuthenticationChallenge(scheme: "Bearer")
        #expect(none.resourceMetadata == nil && none.acrValues == [] && none.maxAge == nil)
    }

    @Test(arguments: ["", "-1", "+1", "1.5", "x", "99999999999"])
    func `a log-in age that is no number of seconds is none`(text: String) {
        #expect(AuthenticationChallenge(scheme: "Bearer", parameters: ["max_age": text]).maxAge == nil)
    }

    @Test(arguments: [
        (#"{"a":1}"#, "eyJhIjoxfQ=="), (#"{"a":1}"#, "eyJhIjoxfQ"), (#"{"a":"?>~"}"#, "eyJhIjoiPz5-In0"),
        (#"{"a":"?>~"}"#, "eyJhIjoiPz5+In0="),
    ])
    func `claims are Base64 of an object`(claims: String, text: String) throws {
        let line = "Bearer realm=\"\", error=\"insufficient_claims\", claims=\"\(text)\""
        #expect(try #require(AuthenticationChallenge.parse([line]).first).claims == claims)
    }

    @Test(arguments: ["", "=", "e", "W10=", "IHt9", "/////w==", "ey8=\u{0}", String(repeating: "e30=", count: 2049)])
    func `what is no Base64 of an object, or too long, is no claims`(text: String) {
        let parameters = ["error": "insufficient_claims", "claims": text]
        #expect(AuthenticationChallenge(scheme: "Bearer", parameters: parameters).claims == nil)
    }

    @Test func `claims count with their error only`() {
        let parameters = ["error": "invalid_token", "claims": "e30="]
        #expect(AuthenticationChallenge(scheme: "Bearer", parameters: parameters).claims == nil)
    }
}
