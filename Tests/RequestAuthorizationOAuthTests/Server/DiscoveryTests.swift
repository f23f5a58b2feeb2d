// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
import LoopbackServer
import RequestAuthorization
import RequestAuthorizationTesting
import RequestAuthorizationURLSession
import Testing

@testable import RequestAuthorizationOAuth

@Suite struct DiscoveryTests {
    /// A server that has metadata in one place only.
    private func discover(
        at place: String, path: String = "", issuer named: String? = nil, rest: String = ""
    ) async throws -> (server: AuthorizationServer, targets: [String], base: String) {
        try await withServer { request in
            guard request.target == place else { return .status(404) }
            let issuer = named ?? "http://127.0.0.1:\(request.port)\(path)"
            return .json(#"{"issuer":"\#(issuer)","token_endpoint":"\#(issuer)/token"\#(rest)}"#)
        } body: { server in
            let base = "http://127.0.0.1:\(server.port)"
            let found = try await AuthorizationServer.discover(issuer: base + path, transport: .patient)
            return (found, await server.requests.map(\.target), base)
        }
    }

    @Test func `RFC 8414 §3.1: the well-known part stands between host and path`() async throws {
        let place = "/.well-known/oauth-authorization-server/tenant/1"
        let (server, targets, base) = try await discover(at: place, path: "/tenant/1")
        #expect(targets == [place])
        #expect(server.tokenEndpoint?.absoluteString == "\(base)/tenant/1/token")
        #expect(server.issuer == "\(base)/tenant/1")
    }

    @Test(arguments: [
        ("/.well-known/oauth-authorization-server/o", 1), ("/.well-known/openid-configuration/o", 2),
        ("/o/.well-known/openid-configuration", 3), ("/o/.well-known/oauth-authorization-server", 4),
    ])
    func `RFC 8414 §5: inserted and appended, OAuth's and OpenID's`(place: String, requests: Int) async throws {
        let (_, targets, _) = try await discover(at: place, path: "/o")
        #expect(targets.last == place)
        #expect(targets.count == requests)
    }

    @Test func `without a path there are two places, and a slash at the end does not count as a path`() throws {
        let places = try ["https://a.example", "https://a.example/"].map {
            try AuthorizationServer.metadataURLs(of: $0).map(\.absoluteString)
        }
        #expect(
            places[0] == [
                "https://a.example/.well-known/oauth-authorization-server",
                "https://a.example/.well-known/openid-configuration",
            ])
        #expect(places[0] == places[1])
        let port = try AuthorizationServer.metadataURLs(of: "https://a.example:8443/t/").map(\.absoluteString)
        #expect(port.first == "https://a.example:8443/.well-known/oauth-authorization-server/t")
    }

    @Test func `a page that a server sends for every address is no metadata`() async throws {
        try await withServer { request in
            guard request.target == "/.well-known/openid-configuration" else { return .text("<html>Hello</html>") }
            return .json(#"{"issuer":"http://127.0.0.1:\#(request.port)"}"#)
        } body: { server in
            let issuer = "http://127.0.0.1:\(server.port)"
            let found = try await AuthorizationServer.discover(issuer: issuer, transport: .patient)
            #expect(found == AuthorizationServer(issuer: issuer))
        }
    }

    @Test(arguments: ["https://other.example", "http://127.0.0.1", "HTTP://127.0.0.1:1"])
    func `RFC 8414 §3.3: metadata of another issuer are not used`(named: String) async throws {
        let error = await #expect(throws: AuthorizationServerError.self) {
            try await discover(at: "/.well-known/oauth-authorization-server", issuer: named)
        }
        #expect(error?.problem == .otherIssuer && error?.member == "issuer")
    }

    @Test func `another machine's metadata cannot lead to a server on this machine`() async throws {
        for (name, host) in [("token_endpoint", "127.0.0.1"), ("revocation_endpoint", "[::1]:8080")] {
            let metadata = #"{"issuer":"https://as.example","\#(name)":"http://\#(host)/admin"}"#
            await #expect(throws: AuthorizationServerError(.insecure, member: name)) {
                try await AuthorizationServer.discover(issuer: "https://as.example", transport: Canned(metadata))
            }
        }
    }

    @Test func `RFC 8414 §4: issuers are compared code point by code point`() {
        #expect("caf\u{E9}" == "cafe\u{301}")
        #expect(!AuthorizationServer.isSameIssuer("https://a.example/caf\u{E9}", "https://a.example/cafe\u{301}"))
        #expect(!AuthorizationServer.isSameIssuer("https://a.example", "https://a.example/"))
        #expect(!AuthorizationServer.isSameIssuer("https://a.example", "https://A.example"))
        #expect(AuthorizationServer.isSameIssuer("https://a.example", "https://a.example"))
    }

    @Test(arguments: [
        ("http://as.example", AuthorizationServerError.Problem.insecure), ("as.example", .notAURL),
        ("https://as.example?x=1", .notAURL), ("https://as.example#x", .fragment), ("", .notAURL),
    ])
    func `RFC 8414 §2 and §6: nothing is sent without https, or to an issuer with query or fragment`(
        issuer: String, problem: AuthorizationServerError.Problem
    ) async throws {
        let transport = ScriptedTokenTransport()
        let error = await #expect(throws: AuthorizationServerError.self) {
            try await AuthorizationServer.discover(issuer: issuer, transport: transport)
        }
        #expect(error?.problem == problem)
        #expect(transport.calls == 0)
    }

    @Test func `a server without metadata, and one that cannot answer now`() async throws {
        func error(_ answer: Answer) async throws -> (any Error)? {
            try await TokenServer.run(answer) { run in
                await #expect(throws: (any Error).self) {
                    try await AuthorizationServer.discover(issuer: run.base, transport: .patient)
                }
            }
        }
        #expect(try await error(.status(404)) as? AuthorizationServerError == .init(.noMetadata, member: "issuer"))
        #expect((try await error(.status(503)) as? AuthorizationServerError)?.problem == .unavailable)
        let redirect = Answer.redirect(302, to: "/.well-known/elsewhere")
        #expect((try await error(redirect) as? AuthorizationServerError)?.problem == .noMetadata)
        #expect(try await error(.drop) is TokenTransportError)
    }

    @Test func `the caller's values win, and metadata fill only missing values`() async throws {
        try await withServer { request in
            let base = "http://127.0.0.1:\(request.port)"
            return .json(
                """
                {"issuer":"\(base)","token_endpoint":"\(base)/theirs","revocation_endpoint":"\(base)/revoke",
                "introspection_endpoint":"\(base)/introspect","authorization_endpoint":"\(base)/authorize",
                "device_authorization_endpoint":"\(base)/device",
                "authorization_response_iss_parameter_supported":true,
                "grant_types_supported":["implicit"],"token_endpoint_auth_methods_supported":["private_key_jwt"]}
                """)
        } body: { server in
            let base = "http://127.0.0.1:\(server.port)"
            var mine = AuthorizationServer(issuer: base, tokenEndpoint: URL(string: "\(base)/mine"))
            mine.quirks.signOutAdvice = "do"
            mine.additionalMetadata = ["grant_types_supported": .array([.string("password")])]
            var expected = AuthorizationServer.make(at: base)
            (expected.tokenEndpoint, expected.announcesIssuer) = (URL(string: "\(base)/mine"), true)
            expected.quirks = mine.quirks
            expected.additionalMetadata = mine.additionalMetadata
            expected.additionalMetadata["token_endpoint_auth_methods_supported"] = .array([.string("private_key_jwt")])
            let completed = try await mine.completed(by: .patient)
            #expect(completed == expected)
        }
    }

    /// RFC 8414 §2: values that metadata omit have defaults (`client_secret_basic`, the code grant). Defaults apply
    /// only without a choice of the caller, and a client always says how it authenticates. So metadata without these
    /// lists forbid nothing.
    @Test func `metadata forbid nothing that the caller wants`() async throws {
        try await withServer { request in
            let base = "http://127.0.0.1:\(request.port)"
            if request.target == "/token" { return .json(#"{"access_token":"a","expires_in":1}"#) }
            return .json(
                """
                {"issuer":"\(base)","token_endpoint":"\(base)/token","grant_types_supported":["implicit"],
                "token_endpoint_auth_methods_supported":["none"]}
                """)
        } body: { server in
            let service = try await OAuthTokenService.clientCredentials(
                issuer: "http://127.0.0.1:\(server.port)", client: .secretPost(id: "web", secret: "s"), scopes: ["a"],
                transport: .patient)
            #expect(try await service.initialToken().scopes == ["a"])
        }
    }

    @Test func `a forbidden endpoint in metadata is refused when it is used`() async throws {
        let rest = #","revocation_endpoint":"http://as.example/revoke""#
        let (found, _, _) = try await discover(at: "/.well-known/oauth-authorization-server", rest: rest)
        let transport = ScriptedTokenTransport()
        let service = OAuthTokenService.authorizationCode(
            server: found, client: .public(id: "t"), transport: transport)
        let error = await #expect(throws: AuthorizationServerError.self) { try await service.revoke(.make()) }
        #expect(error?.problem == .insecure)
        #expect(transport.calls == 0)
    }

    @Test func `a server is kept and read again, and metadata can be read as one`() throws {
        var server = AuthorizationServer.gitHub
        server.quirks.refreshTokenLifetime = .seconds(90.5)
        server.quirks.requiresListedPKCE = false
        server.announcesIssuer = true
        let data = try JSONEncoder().encode(server)
        #expect(try JSONDecoder().decode(AuthorizationServer.self, from: data) == server)
        let metadata = #"{"issuer":"https://a.example","token_endpoint":"https://a.example/t","x":[1]}"#
        let read = try JSONDecoder().decode(AuthorizationServer.self, from: Data(metadata.utf8))
        #expect(
            read
                == AuthorizationServer(
                    issuer: "https://a.example", tokenEndpoint: URL(string: "https://a.example/t"),
                    additionalMetadata: ["x": .array([.integer(1)])]))
    }
}

/// Stands in for a server on another machine.
private struct Canned: TokenTransport {
    let body: String

    init(_ body: String) { self.body = body }

    func send(_ request: TokenRequest) async throws -> TokenResponse {
        TokenResponse(statusCode: 200, body: Array(body.utf8))
    }
}
#endif
