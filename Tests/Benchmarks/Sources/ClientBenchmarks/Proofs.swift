// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Clients
import BenchmarkSupport
import Crypto
import Foundation
import RequestAuthorizationOAuth
import RequestAuthorizationURLSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The cost of proving a request with the key of its token, compared with one signature of a message of the same
/// length.
func measureProofs(slowDown: Double?) async throws -> [Figure] {
    let auth = RefreshableTokenAuthorization(
        service: OAuthTokenService.custom(
            server: AuthorizationServer(
                issuer: "https://as.example.com", tokenEndpoint: URL(string: "https://as.example.com/t")),
            client: .public(id: "app"), proof: .dpop, transport: BoundTokens()
        ) { try await $0.token(grantType: "client_credentials") })
    guard let url = URL(string: "https://api.example.com/v1/widgets?page=1") else { return [] }
    let request = URLRequest(url: url)
    let length = try await request.authorized(using: auth).value(forHTTPHeaderField: "DPoP")?.utf8.count ?? 0
    let key = P256.Signing.PrivateKey()
    let message = [UInt8](repeating: 0x61, count: length - 87)
    let comparison = Comparison(
        "authorize(URLRequest) with a proof / one signature",
        Contender(times: 200) { times in for _ in 0..<times { _ = try await auth.authorize(request) } },
        against: Contender(times: 200) { times in for _ in 0..<times { _ = try key.signature(for: message) } },
        bound: 1.3, rounds: 100)
    return [try await comparison.measure(slowDown: slowDown)]
}

/// Answers with a token that is bound to the key of the request.
private struct BoundTokens: TokenTransport {
    func send(_ request: TokenRequest) async throws -> TokenResponse {
        TokenResponse(
            statusCode: 200, fields: [("Content-Type", "application/json")],
            body: Array(
                #"{"access_token":"0123456789abcdef0123456789abcdef","token_type":"DPoP","expires_in":86400}"#.utf8))
    }
}
#endif
