// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorizationOAuth

/// Which server a token belongs to.
@Suite struct TokenIssuerTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let token: (name: String?, origin: String?)
        let server: (name: String?, endpoint: String?)
        var formerIssuers: [String] = []
        let isOwn: Bool

        var testDescription: String { "\(token) at \(server), formerly \(formerIssuers): \(isOwn)" }

        init(
            _ name: String?, _ origin: String?, at server: String?, _ endpoint: String?, formerly: [String] = [],
            _ isOwn: Bool
        ) {
            (token, self.server, formerIssuers, self.isOwn) = ((name, origin), (server, endpoint), formerly, isOwn)
        }
    }

    private static let cases = [
        // Both names are known: the endpoint does not count.
        Case("https://a.example", "https://a.example", at: "https://a.example", "https://a.example/token", true),
        Case("https://a.example", "https://a.example", at: "https://a.example", "https://b.example/token", true),
        Case("https://a.example", "https://x.example", at: "https://b.example", "https://x.example/token", false),
        Case("https://x.example/a", "https://x.example", at: "https://x.example/b", "https://x.example/token", false),
        // RFC 8414 §4: by code points, without case folding, slash or normalization.
        Case("https://a.example", nil, at: "https://a.example/", "https://a.example/token", false),
        Case("https://a.example", nil, at: "https://A.example", "https://a.example/token", false),
        Case("https://a.example/\u{e9}", nil, at: "https://a.example/e\u{301}", "https://a.example/token", false),
        // Else the origins of the token endpoints, not their paths.
        Case(nil, "https://a.example", at: nil, "https://a.example/v2/token", true),
        Case(nil, "https://a.example", at: "https://name.example", "https://a.example/token", true),
        Case("https://name.example", "https://a.example", at: nil, "https://a.example:443/t", true),
        Case(nil, "https://a.example", at: nil, "https://b.example/token", false),
        Case(nil, "https://a.example", at: nil, "https://a.example:8443/token", false),
        Case(nil, "https://a.example", at: nil, "http://a.example/token", false),
        Case("https://name.example", "https://a.example", at: nil, "https://b.example/token", false),
        Case(nil, "https://a.example", at: "https://a.example", "https://b.example/token", false),
        // Nothing to compare.
        Case(nil, nil, at: "https://b.example", "https://b.example/token", true),
        Case("https://a.example", nil, at: nil, nil, true),
        // Renames.
        Case(
            "https://old.example", "https://old.example", at: "https://b.example", "https://b.example/token",
            formerly: ["https://older.example", "https://old.example"], true),
        Case(
            "https://old.example", "https://old.example", at: "https://b.example", "https://b.example/token",
            formerly: ["https://old.example/"], false),
        Case(
            nil, "https://old.example", at: nil, "https://b.example/token", formerly: ["https://old.example"], true),
        Case(
            "https://other.example", "https://old.example", at: "https://b.example", "https://b.example/token",
            formerly: ["https://old.example"], false),
    ]

    @Test(arguments: cases) func `issuers are compared if both are known, else origins`(_ entry: Case) throws {
        let server = AuthorizationServer(
            issuer: entry.server.name, tokenEndpoint: entry.server.endpoint.flatMap { URL(string: $0) },
            formerIssuers: entry.formerIssuers)
        var token = OAuthToken.make()
        token.issuer = TokenIssuer(name: entry.token.name, origin: entry.token.origin)
        if entry.isOwn {
            try server.checkIssuer(of: token)
        } else {
            let error = #expect(throws: TokenOfOtherIssuer.self) { try server.checkIssuer(of: token) }
            #expect(error?.kind == .interaction && error?.delivery == .notSent)
        }
    }

    @Test func `a token that names no server belongs to any`() throws {
        try AuthorizationServer.make().checkIssuer(of: .make())
    }

    @Test func `a name that a server lost stays with its tokens`() {
        let old = OAuthToken(accessToken: "a", issuer: TokenIssuer(of: .make()))
        var server = AuthorizationServer.make()
        #expect(server.issuer(replacing: nil) == TokenIssuer(of: server))
        server.issuer = nil
        #expect(server.issuer(replacing: old) == TokenIssuer(of: .make()))
        #expect(server.issuer(replacing: nil) == TokenIssuer(name: nil, origin: "https://as.example"))
    }

    @Test func `the issuer is stored with the token, and a token without one stays readable`() throws {
        let token = OAuthToken(accessToken: "a", scopes: ["x"], issuer: TokenIssuer(of: .make()))
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let data = try encoder.encode(token)
        #expect(
            String(decoding: data, as: UTF8.self)
                == #"{"accessToken":"a","issuer":{"name":"https://as.example","origin":"https://as.example"},"#
                + #""scopes":["x"],"tokenType":"Bearer"}"#)
        #expect(try JSONDecoder().decode(OAuthToken.self, from: data) == token)
        let former = Data(#"{"accessToken":"a","scopes":["x"]}"#.utf8)
        #expect(try JSONDecoder().decode(OAuthToken.self, from: former).issuer == nil)
    }

    @Test func `the former names of a server are not read from its metadata`() throws {
        let names = ["formerIssuers", "former_issuers"].map { #""\#($0)":["https://victim.example"]"# }
        let document = #"{"issuer":"https://as.example",\#(names.joined(separator: ","))}"#
        let server = try JSONDecoder().decode(AuthorizationServer.self, from: Data(document.utf8))
        #expect(server.formerIssuers == [])
        var named = server
        named.formerIssuers = ["https://old.example"]
        let decoded = try JSONDecoder().decode(AuthorizationServer.self, from: JSONEncoder().encode(named))
        #expect(decoded.formerIssuers == [])
    }

    @Test func `the error names both servers, and says what to do`() {
        var other = AuthorizationServer.make(at: "https://b.example\u{202e}")
        let (a, b) = (TokenIssuer(of: .make()), TokenIssuer(of: other))
        let text = "\(TokenOfOtherIssuer(issuer: a, expected: b))"
        #expect(text.hasPrefix("the token was issued by https://as.example, and the program is set up for https://b"))
        #expect(!text.contains("\u{202e}") && text.contains("sign in") && text.contains("formerIssuers"))
        other = AuthorizationServer(tokenEndpoint: URL(string: "https://b.example/token"))
        #expect("\(TokenOfOtherIssuer(issuer: a, expected: TokenIssuer(of: other)))".contains("https://b.example,"))
    }
}
