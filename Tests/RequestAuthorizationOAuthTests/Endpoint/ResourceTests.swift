// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationOAuth
import RequestAuthorizationTesting
import Testing

/// The APIs that a token is for (RFC 8707).
@Suite struct ResourceTests {
    private let transport = ScriptedTokenTransport(
        forever: .response(200, json: #"{"access_token":"a","refresh_token":"r"}"#))

    private func service(_ resources: String..., change: (inout OAuthClient) -> Void = { _ in }) -> OAuthTokenService {
        var client = OAuthClient.public(id: "app")
        client.resources = resources
        change(&client)
        return .authorizationCode(
            server: .make(), client: client, redirectURI: "https://client.example/cb",
            pendingSignIns: InMemoryPendingSignIns(), transport: transport)
    }

    #if canImport(CryptoKit) || Crypto
    @Test func `RFC 8707 §2: resources are named in the sign-in, its exchange and each refresh`() async throws {
        let service = service("https://cal.example.com/", "https://contacts.example.com/app/")
        let pending = try await service.signIn(scopes: ["calendar", "contacts"])
        let resources =
            "resource=https%3A%2F%2Fcal.example.com%2F&resource=https%3A%2F%2Fcontacts.example.com%2Fapp%2F"
        #expect(pending.url.absoluteString.hasSuffix("&\(resources)"))
        let callback = try #require(URL(string: "\(pending.redirectURI)?code=c&state=\(pending.state)"))
        let token = try await service.finish(callback: callback)
        _ = try await service.refresh(token)
        #expect(transport.requests.map { $0.text.hasSuffix("&\(resources)") } == [true, true])
    }

    @Test func `parameters of one sign-in take precedence over those of the client`() async throws {
        let service = service("https://a.example", "https://b.example") {
            $0.authorizationParameters = ["resource": "https://c.example", "audience": "d"]
        }
        let pending = try await service.signIn(scopes: [], parameters: ["resource": "https://now.example"])
        #expect(pending.url.absoluteString.hasSuffix("&resource=https%3A%2F%2Fnow.example&audience=d"))
    }
    #endif

    @Test func `RFC 8707 §2: several resources and audiences reach the server, each once`() async throws {
        let parameters = [
            ("audience", "x"), ("resource", "https://a.example"), ("audience", "y"), ("audience", "x"), ("scope", "1"),
            ("scope", "2"),
        ]
        _ = try await service("https://b.example").endpoint.token(
            grantType: "g", parameters: parameters.map { (name: $0.0, value: $0.1) })
        #expect(
            transport.requests.map(\.text) == [
                "client_id=app&grant_type=g&audience=x&resource=https%3A%2F%2Fa.example&audience=y&scope=1"
            ])
    }

    @Test func `a sign-in on another device names them too`() async throws {
        let answer = #"{"device_code":"d","user_code":"u","verification_uri":"https://as.example","expires_in":9}"#
        transport.append(.response(200, json: answer))
        _ = try await service("https://a.example").deviceSignIn(scopes: ["x"])
        #expect(transport.requests.map(\.text) == ["client_id=app&scope=x&resource=https%3A%2F%2Fa.example"])
    }

    @Test(arguments: ["", "api.example.com", "/path", "https:", "https://a.example#f", "1a:x", "urn:a b", "urn:ä"])
    func `RFC 8707 §2: a URI that is not absolute, or has a fragment, is never sent`(resource: String) async throws {
        let error = await #expect(throws: InvalidTokenRequest.self) {
            try await service(resource).refresh(.make(refreshToken: "r"))
        }
        #expect(error?.parameter == "resource")
        #if canImport(CryptoKit) || Crypto
        await #expect(throws: InvalidTokenRequest.self) { try await service(resource).signIn(scopes: []) }
        #endif
        await #expect(throws: InvalidTokenRequest.self) { try await service(resource).deviceSignIn(scopes: []) }
        #expect(transport.calls == 0)
    }

    @Test(arguments: ["https://a.example", "urn:x", "https://a.example/p?q=1", "api://7a3d/read"])
    func `any absolute URI names a resource`(resource: String) async throws {
        _ = try await service(resource).refresh(.make(refreshToken: "r"))
        #expect(transport.calls == 1)
    }

    @Test func `RFC 8707 §2: invalid_target ends no session, and says what was refused`() async throws {
        let transport = ScriptedTokenTransport(.response(400, json: #"{"error":"invalid_target"}"#))
        let service = OAuthTokenService.authorizationCode(
            server: .make(), client: .public(id: "app"), transport: transport)
        let error = await #expect(throws: TokenEndpointError.self) {
            try await service.refresh(.make(refreshToken: "r"))
        }
        #expect(error?.code == "invalid_target")
        #expect(error?.kind == .client)
    }

    @Test func `a client that an earlier version encoded has no resources`() throws {
        let json =
            #"{"id":"app","authentication":{"none":{}},"authorizationParameters":{},"tokenParameters":{"a":"b"}}"#
        let read = try JSONDecoder().decode(OAuthClient.self, from: Data(json.utf8))
        #expect(read == OAuthClient(id: "app", authentication: .none, tokenParameters: ["a": "b"]))
        var client = read
        client.resources = ["https://a.example"]
        #expect(try JSONDecoder().decode(OAuthClient.self, from: JSONEncoder().encode(client)) == client)
    }
}
