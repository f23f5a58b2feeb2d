// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationOAuth
import RequestAuthorizationTesting
import Testing

@Suite struct OAuthTokenTests {
    private static let full = OAuthToken(
        accessToken: "a", refreshToken: "r", tokenType: "bearer", scopes: ["y", "x"], lifetime: .seconds(3600.5),
        expiresAt: Date(timeIntervalSince1970: 1_700_003_600), authorizedAt: Date(timeIntervalSince1970: 1_700_000_000),
        refreshTokenExpiresAt: Date(timeIntervalSince1970: 1_800_000_000), idToken: "i.j.k",
        additionalMembers: ["n": .object(["a": .array([.null, .integer(1), .number(0.5), .bool(false)])])])

    @Test(arguments: [full, .make(), OAuthToken(accessToken: "a", lifetime: nil, expiresAt: .distantPast)])
    func `a token is the same after encoding and decoding`(token: OAuthToken) throws {
        #expect(try JSONDecoder().decode(OAuthToken.self, from: JSONEncoder().encode(token)) == token)
        let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
        (encoder.dateEncodingStrategy, decoder.dateDecodingStrategy) = (.iso8601, .iso8601)
        #expect(try decoder.decode(OAuthToken.self, from: encoder.encode(token)) == token)
    }

    /// Found by fuzzing: 3601 seconds became some hundred thousand attoseconds more with each save.
    @Test(arguments: [1.0, 3599, 3601, 7201, 86_399, 0.1, 3600.1, -1, 999_999_999_999_999])
    func `a lifetime is the same after any number of saves`(seconds: Double) throws {
        let lifetime = try #require(Duration(wholeSeconds: seconds))
        if seconds == seconds.rounded() { #expect(lifetime == .seconds(Int64(seconds))) }
        var token = OAuthToken(accessToken: "a", lifetime: lifetime)
        for _ in 0..<3 { token = try JSONDecoder().decode(OAuthToken.self, from: JSONEncoder().encode(token)) }
        #expect(token.lifetime == lifetime)
    }

    @Test(arguments: [("1e300", Date.distantFuture), ("-1e300", Date.distantPast)])
    func `a stored date of no calendar becomes the last one, or the first`(stored: String, date: Date) throws {
        let json = Data(#"{"accessToken":"a","expiresAt":\#(stored)}"#.utf8)
        #expect(try JSONDecoder().decode(OAuthToken.self, from: json).expiresAt == date)
    }

    /// Tokens in stores must stay readable.
    @Test func `the stored form of a token stays`() throws {
        let encoder = JSONEncoder()
        (encoder.dateEncodingStrategy, encoder.outputFormatting) = (.secondsSince1970, .sortedKeys)
        let text = String(decoding: try encoder.encode(Self.full), as: UTF8.self)
        #expect(
            text
                == #"{"accessToken":"a","additionalMembers":{"n":{"a":[null,1,0.5,false]}},"authorizedAt":1700000000,"#
                + #""expiresAt":1700003600,"idToken":"i.j.k","lifetime":3600.5,"refreshToken":"r","#
                + #""refreshTokenExpiresAt":1800000000,"scopes":["x","y"],"tokenType":"bearer"}"#)
    }

    @Test func `RFC 6749 §3.3: scopes are a set, compared exactly`() {
        let token = OAuthToken.make(scopes: ["a", "b"])
        #expect(token.isAuthorized(for: ["b", "a"]) && token.isAuthorized(for: []))
        #expect(!token.isAuthorized(for: ["A"]))
        #expect(token.missingScopes(of: ["b", "c"]) == ["c"])
    }

    @Test func `RFC 6750 §2.1: the token goes into the header field, and nowhere else`() async throws {
        let auth = RefreshableTokenAuthorization(service: service, token: .make(accessToken: "mF_9.B5f-4.1JqM"))
        let request = try await auth.authorize(TestRequest())
        #expect(request["Authorization"] == "Bearer mF_9.B5f-4.1JqM")
    }

    /// b64token is what servers should send. Other visible ASCII is in use and can stand in a field.
    @Test func `RFC 6750 §2.1: a token that cannot stand in a header field is never sent`() async throws {
        let auth = RefreshableTokenAuthorization(service: service)
        for text in ["", "a\r\nX: y", "ä", "a "] {
            let error = await #expect(throws: NotAuthorized.self) {
                try await auth.setToken(.make(accessToken: text + (text.isEmpty ? " " : "")))
            }
            #expect(error?.reason == .malformedCredential)
        }
        try await auth.setToken(.make(accessToken: "12|a:b"))
    }

    @Test func `a provider knows its scopes without asking any server`() async throws {
        let store = InMemoryTokenStore<OAuthToken>()
        let auth = RefreshableTokenAuthorization(service: service, store: store)
        #expect(await !auth.isAuthorized())
        #expect(await auth.missingScopes(of: ["a"]) == nil)
        var token = OAuthToken.make(scopes: ["a"])
        token.expiresAt = .distantPast
        try await auth.setToken(token)
        let restored = RefreshableTokenAuthorization(service: service, store: store)
        for auth in [auth, restored] {
            #expect(await auth.isAuthorized(for: ["a"]))
            #expect(await auth.missingScopes(of: ["a", "b"]) == ["b"])
        }
        await auth.reset()
        #expect(await !auth.isAuthorized())
    }

    private var service: OAuthTokenService {
        .authorizationCode(server: .make(), client: .public(id: "t"), transport: ScriptedTokenTransport())
    }
}
