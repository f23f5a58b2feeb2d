// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorizationOAuth

/// Requests and answers as the standards print them. Those of a grant are in the tests of the grant.
@Suite struct PublishedExampleTests {
    private let clock = ManualClock()

    private func service(
        _ transport: ScriptedTokenTransport,
        _ client: OAuthClient = .secretBasic(id: "s6BhdRkqt3", secret: "gX1fBat3bV")
    ) -> OAuthTokenService {
        .authorizationCode(
            server: .make(at: "https://server.example.com"), client: client, transport: transport, clock: clock)
    }

    /// RFC 6749 §4.1.4 and others print `example` as the type, which is unknown (§7.1).
    private static let token = """
        {"access_token":"2YotnFZFEjr1zCsicMWpAA","token_type":"Bearer","expires_in":3600,
        "refresh_token":"tGzv3JOkF0XG5Qx2TlKWIA","example_parameter":"example_value"}
        """

    @Test func `RFC 6749 §6: the example of a refresh`() async throws {
        let transport = ScriptedTokenTransport(.response(200, json: Self.token))
        _ = try await service(transport).refresh(.make(refreshToken: "tGzv3JOkF0XG5Qx2TlKWIA"))
        let request = try #require(transport.requests.first)
        #expect(request["Authorization"] == "Basic czZCaGRSa3F0MzpnWDFmQmF0M2JW")
        #expect(request["Content-Type"] == "application/x-www-form-urlencoded")
        #expect(request.text == "grant_type=refresh_token&refresh_token=tGzv3JOkF0XG5Qx2TlKWIA")
    }

    @Test func `RFC 6749 §2.3.1: the example of credentials in the body`() async throws {
        let transport = ScriptedTokenTransport(.response(200, json: Self.token))
        let client = OAuthClient.secretPost(id: "s6BhdRkqt3", secret: "7Fjfp0ZBr1KtDRbnfVdmIw")
        _ = try await service(transport, client).refresh(.make(refreshToken: "tGzv3JOkF0XG5Qx2TlKWIA"))
        #expect(
            transport.requests.first?.text.split(separator: "&").sorted() == [
                "client_id=s6BhdRkqt3", "client_secret=7Fjfp0ZBr1KtDRbnfVdmIw", "grant_type=refresh_token",
                "refresh_token=tGzv3JOkF0XG5Qx2TlKWIA",
            ])
    }

    @Test func `RFC 6749 §4.4: the examples of client credentials`() async throws {
        let transport = ScriptedTokenTransport(.response(200, json: Self.token))
        let service = OAuthTokenService.clientCredentials(
            server: .make(), client: .secretBasic(id: "s6BhdRkqt3", secret: "gX1fBat3bV"), transport: transport,
            clock: clock)
        let token = try await service.initialToken()
        let request = try #require(transport.requests.first)
        #expect(request["Authorization"] == "Basic czZCaGRSa3F0MzpnWDFmQmF0M2JW")
        #expect(request.text == "grant_type=client_credentials")
        // §4.4.3: "A refresh token SHOULD NOT be included". One that is included is not used.
        #expect(token.refreshToken == nil)
    }

    @Test func `RFC 6749 §5.2: the example of an error`() async throws {
        let transport = ScriptedTokenTransport(.response(400, json: #"{"error":"invalid_request"}"#))
        await #expect(throws: TokenEndpointError(status: 400, code: "invalid_request", kind: .transient)) {
            try await service(transport).refresh(.make(refreshToken: "r"))
        }
    }

    @Test func `RFC 6750 §4: the example of an answer`() async throws {
        let json = """
            {"access_token":"mF_9.B5f-4.1JqM","token_type":"Bearer","expires_in":3600,
            "refresh_token":"tGzv3JOkF0XG5Qx2TlKWIA"}
            """
        let transport = ScriptedTokenTransport(.response(200, json: json))
        let token = try await service(transport).refresh(.make(refreshToken: "old"))
        #expect(token.authorizationHeaderValue == "Bearer mF_9.B5f-4.1JqM")
        #expect(token.refreshToken == "tGzv3JOkF0XG5Qx2TlKWIA")
        #expect(token.expiresAt == clock.now.addingTimeInterval(3600))
    }

    @Test func `RFC 7009 §2.1: the example of a revocation`() async throws {
        let transport = ScriptedTokenTransport(forever: .response(200, json: ""))
        try await service(transport).revoke(.make(refreshToken: "45ghiukldjahdnhzdauz"))
        let request = try #require(transport.requests.first)
        #expect(request["Authorization"] == "Basic czZCaGRSa3F0MzpnWDFmQmF0M2JW")
        #expect(request.text == "token=45ghiukldjahdnhzdauz&token_type_hint=refresh_token")
    }

    @Test func `RFC 7662 §2.1: the example of an introspection`() async throws {
        let transport = ScriptedTokenTransport(.response(200, json: #"{"active":false}"#))
        #expect(try await !service(transport).introspect(accessToken: "mF_9.B5f-4.1JqM").isActive)
        let request = try #require(transport.requests.first)
        #expect(request["Accept"] == "application/json")
        #expect(request["Authorization"] == "Basic czZCaGRSa3F0MzpnWDFmQmF0M2JW")
        #expect(request.text == "token=mF_9.B5f-4.1JqM&token_type_hint=access_token")
    }

    @Test func `RFC 8414 §3: the examples of a request and its answer`() async throws {
        let json = """
            {"issuer":"https://server.example.com",
            "authorization_endpoint":"https://server.example.com/authorize",
            "token_endpoint":"https://server.example.com/token",
            "token_endpoint_auth_methods_supported":["client_secret_basic","private_key_jwt"],
            "token_endpoint_auth_signing_alg_values_supported":["RS256","ES256"],
            "userinfo_endpoint":"https://server.example.com/userinfo",
            "jwks_uri":"https://server.example.com/jwks.json",
            "registration_endpoint":"https://server.example.com/register",
            "scopes_supported":["openid","profile","email","address","phone","offline_access"],
            "response_types_supported":["code","code token"],
            "service_documentation":"http://server.example.com/service_documentation.html",
            "ui_locales_supported":["en-US","en-GB","en-CA","fr-FR","fr-CA"]}
            """
        let transport = ScriptedTokenTransport(.response(200, json: json))
        let found = try await AuthorizationServer.discover(issuer: "https://server.example.com", transport: transport)
        let request = try #require(transport.requests.first)
        #expect(request.method == "GET" && request.body.isEmpty)
        #expect(
            request.url.absoluteString == "https://server.example.com/.well-known/oauth-authorization-server")
        #expect(found.listedAuthenticationMethods == ["client_secret_basic", "private_key_jwt"])
        #expect(found.metadataTexts("token_endpoint_auth_signing_alg_values_supported") == ["RS256", "ES256"])
        #expect(
            try found.metadataEndpoint("userinfo_endpoint").absoluteString == "https://server.example.com/userinfo")
        #expect(
            found
                == AuthorizationServer(
                    issuer: "https://server.example.com",
                    authorizationEndpoint: URL(string: "https://server.example.com/authorize"),
                    tokenEndpoint: URL(string: "https://server.example.com/token"),
                    additionalMetadata: found.additionalMetadata))
        #expect(found.additionalMetadata.count == 9)
        let inserted = try AuthorizationServer.metadataURLs(of: "https://example.com/issuer1").first
        #expect(inserted?.absoluteString == "https://example.com/.well-known/oauth-authorization-server/issuer1")
    }

    @Test func `RFC 9207 §2: the examples of a success and an error`() throws {
        func pending(_ state: String) -> PendingSignIn {
            .make(
                state: state, redirectURI: "https://client.example/cb", issuer: "https://honest.as.example",
                announcesIssuer: true)
        }
        func code(_ query: String, of pending: PendingSignIn) throws -> String {
            let callback = try URL.make("https://client.example/cb?\(query)&iss=https%3A%2F%2Fhonest.as.example")
            return try pending.code(in: #require(pending.parameters(of: callback)))
        }
        let (state, other) = (
            "ZWVlNDBlYzA1NjdkMDNhYjg3ZjUxZjAyNGQzMTM2NzI", "N2JjNGJhY2JiZjRhYzA3MGJkMzNmMDE5OWJhZmJhZjA"
        )
        let query = "code=x1848ZT64p4IirMPT0R-X3141MFPTuBX-VFL_cvaplMH58&state=\(state)"
        #expect(try code(query, of: pending(state)) == "x1848ZT64p4IirMPT0R-X3141MFPTuBX-VFL_cvaplMH58")
        let error = #expect(throws: SignInError.self) {
            try code("error=access_denied&state=\(other)", of: pending(other))
        }
        #expect(error?.accessWasDenied == true)
    }
}
