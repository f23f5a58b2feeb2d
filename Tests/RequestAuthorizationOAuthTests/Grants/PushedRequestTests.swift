// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
import Foundation
import RequestAuthorization
import RequestAuthorizationOAuth
import RequestAuthorizationTesting
import Testing

/// Authorization requests that are sent to the server before a user sees them (RFC 9126).
@Suite struct PushedRequestTests {
    private let clock = ManualClock()
    private let transport = ScriptedTokenTransport()
    private let answer =
        #"{"request_uri":"urn:ietf:params:oauth:request_uri:bwc4JK-ESC0w8acc191e-Y1LTC2","expires_in":60}"#

    private func service(
        _ client: OAuthClient = .secretBasic(id: "s6BhdRkqt3", secret: "7Fjfp0ZBr1KtDRbnfVdmIw"),
        authentication: (any ClientAuthenticator)? = nil, pushesRequests: Bool = true,
        store: any PendingSignInStore = InMemoryPendingSignIns(),
        change: (inout AuthorizationServer) -> Void = { _ in }
    ) -> OAuthTokenService {
        var server = AuthorizationServer.make(at: "https://as.example.com")
        server.pushedAuthorizationRequestEndpoint = URL(string: "https://as.example.com/as/par")
        change(&server)
        return .authorizationCode(
            server: server, client: client, authentication: authentication,
            redirectURI: "https://client.example.org/cb",
            pendingSignIns: store, pushesRequests: pushesRequests, transport: transport, clock: clock)
    }

    @Test func `RFC 9126 §2.1 and §2.2: the examples of a request and its answer`() async throws {
        transport.append(.response(201, json: answer))
        let pending = try await service().signIn(scopes: ["account-information"])
        let request = try #require(transport.requests.first)
        #expect(request.method == "POST")
        #expect(request.url.absoluteString == "https://as.example.com/as/par")
        #expect(request["Authorization"] == "Basic czZCaGRSa3F0Mzo3RmpmcDBaQnIxS3REUmJuZlZkbUl3")
        #expect(
            request.text.split(separator: "&") == [
                "response_type=code", "client_id=s6BhdRkqt3", "redirect_uri=https%3A%2F%2Fclient.example.org%2Fcb",
                "state=\(pending.state)", "code_challenge=\(PKCE.challenge(for: pending.codeVerifier))",
                "code_challenge_method=S256", "scope=account-information",
            ])
        // §4: from then on the client and the reference only.
        #expect(
            pending.url.absoluteString
                == "https://as.example.com/authorize?client_id=s6BhdRkqt3"
                + "&request_uri=urn%3Aietf%3Aparams%3Aoauth%3Arequest_uri%3Abwc4JK-ESC0w8acc191e-Y1LTC2")
        #expect(pending.openBefore == clock.now.addingTimeInterval(60))
    }

    @Test func `RFC 9126 §4: a reference is made for each sign-in, and used once`() async throws {
        transport.append(
            .response(201, json: #"{"request_uri":"urn:1","expires_in":60}"#),
            .response(201, json: #"{"request_uri":"urn:2","expires_in":60}"#))
        let service = service()
        let pages = [try await service.signIn(scopes: []).url, try await service.signIn(scopes: []).url]
        #expect(pages.map { $0.absoluteString.hasSuffix("request_uri=urn%3A1") } == [true, false])
        #expect(pages[1].absoluteString.hasSuffix("request_uri=urn%3A2"))
    }

    @Test func `the code of a pushed sign-in is exchanged as any other code`() async throws {
        transport.append(.response(201, json: answer), .response(200, json: #"{"access_token":"a"}"#))
        let service = service()
        let pending = try await service.signIn(scopes: ["x"])
        let callback = try URL.make("\(pending.redirectURI)?code=c&state=\(pending.state)")
        #expect(try await service.finish(callback: callback).scopes == ["x"])
        #expect(transport.requests.last?.text.contains("code_verifier=\(pending.codeVerifier)") == true)
    }

    @Test func `RFC 9126 §5: a server that requires a pushed request gets one, another server only on demand`()
        async throws
    {
        transport.append(.response(201, json: answer))
        _ = try await service(pushesRequests: false) { $0.requiresPushedAuthorizationRequests = true }.signIn(scopes: []
        )
        #expect(transport.calls == 1)
        let pending = try await service(pushesRequests: false).signIn(scopes: [])
        #expect(transport.calls == 1)
        #expect(pending.url.absoluteString.contains("state="))
        #expect(pending.openBefore == nil)
    }

    @Test func `RFC 9126 §5: metadata name the endpoint, and whether it is required`() async throws {
        let json = """
            {"issuer":"https://as.example","require_pushed_authorization_requests":true,
            "pushed_authorization_request_endpoint":"https://as.example/par"}
            """
        let server = try await AuthorizationServer.discover(
            issuer: "https://as.example", transport: ScriptedTokenTransport(.response(200, json: json)))
        #expect(server.requiresPushedAuthorizationRequests)
        #expect(server.pushedAuthorizationRequestEndpoint?.absoluteString == "https://as.example/par")
        #expect(server.additionalMetadata.isEmpty)
        let read = try JSONDecoder().decode(AuthorizationServer.self, from: JSONEncoder().encode(server))
        #expect(read == server)
    }

    @Test func `RFC 9126 §2.1: no reference is pushed, and the endpoint's own query repeats no parameter`() async throws
    {
        transport.append(.response(201, json: answer))
        var client = OAuthClient.public(id: "app")
        client.authorizationParameters = ["request_uri": "urn:evil", "login_hint": "alice"]
        let pending = try await service(client) {
            $0.authorizationEndpoint = URL(
                string: "https://as.example.com/authorize?tenant=1&state=theirs&request_uri=x")
        }.signIn(scopes: [])
        let text = try #require(transport.requests.first?.text)
        #expect(!text.contains("request_uri") && text.hasSuffix("&login_hint=alice"))
        #expect(
            pending.url.absoluteString.hasPrefix(
                "https://as.example.com/authorize?tenant=1&client_id=app&request_uri=urn%3Aietf"))
    }

    @Test func `a client that signs proves itself when it pushes`() async throws {
        transport.append(.response(201, json: answer))
        let signer = try PrivateKeySigner(jwk: PublishedKey.p256)
        _ = try await service(.public(id: "bank"), authentication: .privateKeyJWT(signer)).signIn(scopes: [])
        let text = try #require(transport.requests.first?.text)
        #expect(text.hasPrefix("client_id=bank&client_assertion_type="))
        #expect(text.contains("&response_type=code&"))
    }

    // MARK: - Failures

    @Test func `without an endpoint nothing is sent, and the error names it`() async throws {
        for change: (inout AuthorizationServer) -> Void in [
            { $0.pushedAuthorizationRequestEndpoint = nil },
            { $0.pushedAuthorizationRequestEndpoint = URL(string: "http://as.example.com/as/par") },
        ] {
            let error = await #expect(throws: AuthorizationServerError.self) {
                try await service(change: change).signIn(scopes: [])
            }
            #expect(error?.member == "pushed_authorization_request_endpoint")
        }
        #expect(transport.calls == 0)
    }

    @Test func `RFC 9126 §2.3: a refusal of the server is a typed error, and no sign-in is kept`() async throws {
        transport.append(
            .response(400, json: #"{"error":"invalid_request","error_description":"The redirect_uri is not valid"}"#))
        let store = CountingSignIns()
        let service = service(store: store)
        let error = await #expect(throws: TokenEndpointError.self) { try await service.signIn(scopes: []) }
        #expect(error?.code == "invalid_request")
        // Some servers send it with a status of success.
        transport.append(
            .response(200, json: #"{"error":"unauthorized_client"}"#, fields: ["Retry-After": "17"]))
        let expected = TokenEndpointError(status: 200, code: "unauthorized_client", retryAfter: .seconds(17))
        await #expect(throws: expected) { try await service.signIn(scopes: []) }
        #expect(store.count.withLock { $0 } == 0)
        transport.append(.response(201, json: answer))
        _ = try await service.signIn(scopes: [])
        #expect(store.count.withLock { $0 } == 1)
    }

    @Test(arguments: [
        (#"{"expires_in":60}"#, "request_uri"), (#"{"request_uri":"","expires_in":60}"#, "request_uri"),
        (#"{"request_uri":7,"expires_in":60}"#, "request_uri"), (#"{"request_uri":"urn:1"}"#, "expires_in"),
        (#"{"request_uri":"urn:1","expires_in":-1}"#, "expires_in"), ("<html>", "body"),
    ])
    func `an answer that cannot be used is an error that names the field`(json: String, field: String) async throws {
        transport.append(.response(201, json: json))
        let error = await #expect(throws: InvalidTokenResponse.self) { try await service().signIn(scopes: []) }
        #expect(error?.field == field)
    }

    @Test func `a sign-in that was kept by an earlier version is read`() throws {
        let pending = PendingSignIn.make()
        var members = try JSONDecoder().decode([String: JSONValue].self, from: JSONEncoder().encode(pending))
        #expect(members.removeValue(forKey: "openBefore") == nil)
        #expect(try JSONDecoder().decode(PendingSignIn.self, from: JSONEncoder().encode(members)) == pending)
    }
}

/// Counts the sign-ins that it should keep.
private struct CountingSignIns: PendingSignInStore {
    let count = Lock(0)

    func add(_ pending: PendingSignIn) async throws { count.withLock { $0 += 1 } }
    func find(state: String) async throws -> PendingSignIn? { nil }
    func take(state: String) async throws -> PendingSignIn? { nil }
}
#endif
