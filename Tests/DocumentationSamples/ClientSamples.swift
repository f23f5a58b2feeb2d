// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationOAuth
import RequestAuthorizationTesting
import Testing

// sample: authenticator
struct MachineIdentity: ClientAuthenticator {
    let token: @Sendable () async throws -> String

    func authenticate(_ request: ClientRequest) async throws -> ClientProof {
        ClientProof(parameters: [
            (name: "client_id", value: request.clientID),
            (name: "client_assertion_type", value: ClientProof.jwtBearer),
            (name: "client_assertion", value: try await token()),
        ])
    }
}
// end sample

/// Samples of clients that prove themselves without a shared secret.
@Suite struct ClientSamples {
    let transport = ScriptedTokenTransport(
        forever: .response(200, json: #"{"access_token":"a","token_type":"Bearer"}"#))
    let server = AuthorizationServer(
        issuer: "https://accounts.example.com",
        authorizationEndpoint: URL(string: "https://accounts.example.com/authorize"),
        tokenEndpoint: URL(string: "https://accounts.example.com/token"))

    private var body: String? { transport.requests.last.map { String(decoding: $0.body, as: UTF8.self) } }

    @Test func `a client with a token of its platform`() async throws {
        let service = OAuthTokenService.clientCredentials(
            server: server, client: .public(id: "billing"), authentication: MachineIdentity { "t" },
            transport: transport)
        _ = try await service.initialToken()
        #expect(body?.contains("client_assertion=t&grant_type=client_credentials") == true)
    }

    #if canImport(CryptoKit) || Crypto
    @Test func `a request that is pushed`() async throws {
        let transport = ScriptedTokenTransport(
            .response(201, json: #"{"request_uri":"urn:example:1","expires_in":60}"#))
        var server = server
        server.pushedAuthorizationRequestEndpoint = URL(string: "https://accounts.example.com/par")
        let client = OAuthClient.secretBasic(id: "web", secret: "s")
        // sample: pushed
        let service = OAuthTokenService.authorizationCode(
            server: server, client: client, redirectURI: "https://client.example.com/callback", pushesRequests: true,
            transport: transport)
        let pending = try await service.signIn(scopes: ["read"])
        print("open", pending.url, "before", pending.openBefore as Any)
        // end sample
        #expect(pending.url.absoluteString.hasSuffix("?client_id=web&request_uri=urn%3Aexample%3A1"))
    }

    @Test func `a client that signs`() async throws {
        // sample: key
        let made = PrivateKeySigner.generated(keyID: "2026-11")
        print(made.publicKey.thumbprint)  // the server wants made.publicKey, as JSON
        // end sample
        let text = """
            -----BEGIN PRIVATE KEY-----
            MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g
            -----END PRIVATE KEY-----
            """
        // sample: private-key-jwt
        let signer = try PrivateKeySigner.pem(text, keyID: "2026-11")
        let service = OAuthTokenService.clientCredentials(
            server: server, client: .public(id: "billing"), authentication: .privateKeyJWT(signer),
            transport: transport)
        // end sample
        _ = try await service.initialToken()
        #expect(body?.contains("&client_assertion=eyJhbGciOiJFZERTQSIs") == true)
    }
    #endif

    @Test func `a token for one API`() async throws {
        // sample: resources
        var client = OAuthClient.public(id: "CLIENT_ID")
        client.resources = ["https://calendar.example.com/"]
        let service = OAuthTokenService.authorizationCode(server: server, client: client, transport: transport)
        // end sample
        _ = try await service.refresh(OAuthToken(accessToken: "a", refreshToken: "r"))
        #expect(body?.hasSuffix("resource=https%3A%2F%2Fcalendar.example.com%2F") == true)
    }
}
