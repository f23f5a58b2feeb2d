// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(Glibc)
import Foundation
import LocalScenarios
import TestServers
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What FastMCP does, seen with plain requests: the tests of the library rely on it.
@Suite(.enabled(if: FastMCP.isThere, Comment(rawValue: FastMCP.how)))
struct FastMCPTests {
    @Test func `it introduces itself, registers, compares ports, rotates and revokes`() async throws {
        try await withServer { server, inbox, redirectURI in
            let visitor = try await Visitor(server, redirectURI, method: "client_secret_post")
            // The port is part of the redirect URI: with another one there is a page and no redirect.
            let wrong = try await Wire.get(visitor.page(redirectURI: "http://127.0.0.1:1/callback"))
            #expect(wrong.status == 400)
            #expect(await inbox.take() == nil)

            let first = try await visitor.exchange(try await visitor.code(inbox))
            #expect(try await visitor.list(first.access).status == 200)
            try await server.expireTokens()
            #expect(try await visitor.list(first.access).status == 401)
            let second = try await visitor.refresh(first.refresh)
            #expect(try await visitor.list(second.access).status == 200)
            // The refresh token was for one use.
            await #expect(throws: Failure.self) { try await visitor.refresh(first.refresh) }
            #expect(try await visitor.revoke(second.refresh) == 200)
            #expect(try await visitor.list(second.access).status == 401)
            await #expect(throws: Failure.self) { try await visitor.refresh(second.refresh) }
            let counts = FastMCP.Counts(registrations: 1, authorizations: 1, codes: 1, refreshes: 1, revocations: 1)
            #expect(try await server.counts() == counts)
        }
    }

    @Test func `a client without a secret is accepted although none is not listed, but cannot revoke`() async throws {
        try await withServer { server, inbox, redirectURI in
            let visitor = try await Visitor(server, redirectURI, method: "none")
            #expect(visitor.metadata.list("token_endpoint_auth_methods_supported")?.contains("none") == false)
            let tokens = try await visitor.exchange(try await visitor.code(inbox))
            #expect(try await visitor.revoke(tokens.refresh) == 400)
            #expect(try await visitor.list(tokens.access).status == 200)
        }
    }

    @Test func `a forgotten client gets a page, and Basic needs the client id in the body`() async throws {
        try await withServer { server, inbox, redirectURI in
            let visitor = try await Visitor(server, redirectURI, method: "client_secret_basic")
            let code = try await visitor.code(inbox)
            await #expect(throws: Failure.self) { try await visitor.exchange(code, namesClient: false) }
            #expect(try await visitor.exchange(code).access.isEmpty == false)
            try await server.forgetClients()
            #expect(try await Wire.get(visitor.page()).status == 400)
            #expect(await inbox.take() == nil)
        }
    }

    private func withServer(_ body: (FastMCP, Inbox, String) async throws -> Void) async throws {
        let server = try await FastMCP()
        defer { server.end() }
        try await Inbox.listen { try await body(server, $0, $1) }
    }
}

/// A client of FastMCP, which sends one request at a time.
private struct Visitor {
    struct Tokens {
        let access: String
        let refresh: String
    }

    let server: FastMCP
    let redirectURI: String
    let metadata: Reply
    let id: String
    let secret: String?
    let method: String
    let verifier = UUID().uuidString + UUID().uuidString

    init(_ server: FastMCP, _ redirectURI: String, method: String) async throws {
        (self.server, self.redirectURI, self.method) = (server, redirectURI, method)
        let challenge = try await Self.list(server, nil).challenge("resource_metadata")
        let resource = try await Wire.get(challenge ?? "")
        #expect(resource.text("resource") == server.resource)
        let issuer = try #require(resource.list("authorization_servers")?.first)
        metadata = try await Wire.get(issuer + ".well-known/oauth-authorization-server")
        #expect(metadata.text("issuer") == issuer)
        let registration = try await Wire.post(
            metadata.text("registration_endpoint") ?? "",
            json: [
                "redirect_uris": [redirectURI], "token_endpoint_auth_method": method, "client_name": "Visitor",
                "grant_types": ["authorization_code", "refresh_token"],
            ])
        #expect(registration.status == 201)
        id = try #require(registration.text("client_id"))
        secret = registration.text("client_secret")
    }

    func page(redirectURI: String? = nil) -> String {
        let query = [
            "response_type": "code", "client_id": id, "redirect_uri": redirectURI ?? self.redirectURI,
            "code_challenge": Wire.hash(verifier), "code_challenge_method": "S256", "state": "1", "scope": "read write",
            "resource": server.resource,
        ]
        return "\(metadata.text("authorization_endpoint") ?? "")?\(Wire.encode(query))"
    }

    func code(_ inbox: Inbox) async throws -> String {
        #expect(try await Wire.get(page()).status == 200)
        return try #require(await inbox.take()?["code"])
    }

    func exchange(_ code: String, namesClient: Bool = true) async throws -> Tokens {
        try await tokens(
            ["grant_type": "authorization_code", "code": code, "redirect_uri": redirectURI, "code_verifier": verifier],
            namesClient: namesClient)
    }

    func refresh(_ token: String) async throws -> Tokens {
        try await tokens(["grant_type": "refresh_token", "refresh_token": token])
    }

    /// - Returns: the status.
    func revoke(_ token: String) async throws -> Int {
        var form = ["token": token, "client_id": id]
        form["client_secret"] = secret
        return try await Wire.post(metadata.text("revocation_endpoint") ?? "", form: form).status
    }

    func list(_ token: String) async throws -> Reply { try await Self.list(server, token) }

    private func tokens(_ form: [String: String], namesClient: Bool = true) async throws -> Tokens {
        var form = form
        form["resource"] = server.resource
        if namesClient { form["client_id"] = id }
        if method == "client_secret_post" { form["client_secret"] = secret }
        let pair = Data("\(id):\(secret ?? "")".utf8).base64EncodedString()
        let fields = method == "client_secret_basic" ? ["Authorization": "Basic " + pair] : [:]
        let reply = try await Wire.post(metadata.text("token_endpoint") ?? "", form: form, fields)
        guard reply.status == 200, let access = reply.text("access_token"), let refresh = reply.text("refresh_token")
        else { throw Failure("\(reply.status)") }
        return Tokens(access: access, refresh: refresh)
    }

    private static func list(_ server: FastMCP, _ token: String?) async throws -> Reply {
        var request = URLRequest(url: try Wire.url(server.resource))
        request.httpMethod = "POST"
        request.httpBody = Data(#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#.utf8)
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.setValue("application/json, text/event-stream", forHTTPHeaderField: "Accept")
        if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
        return try await Wire.send(request)
    }
}
#endif
