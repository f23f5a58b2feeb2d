// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

// A server that fetches its own tokens and enables no trait. `.ci/check-consumers` copies it out of the checkout, checks what
// it fetches and links, and adds a file that needs the trait.
// prints: Bearer fetched

import RequestAuthorizationOAuth

struct Transport: TokenTransport {
    func send(_ request: TokenRequest) async throws -> TokenResponse {
        TokenResponse(statusCode: 200, body: Array(#"{"access_token":"fetched","token_type":"Bearer"}"#.utf8))
    }
}

let server = AuthorizationServer(tokenEndpoint: URL(string: "https://accounts.example.com/token"))
let service = OAuthTokenService.clientCredentials(
    server: server, client: .secretBasic(id: "billing", secret: "secret"), transport: Transport())
let auth = RefreshableTokenAuthorization(service: service)
print(try await auth.validToken().authorizationHeaderValue)
