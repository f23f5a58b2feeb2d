// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationOAuth
import RequestAuthorizationTesting
import Testing

/// Samples of the guide for programs with an identity of their platform.
@Suite struct WorkloadSamples {
    let transport = ScriptedTokenTransport(
        forever: .response(
            200, json: #"{"access_token":"a","issued_token_type":"urn:ietf:params:oauth:token-type:access_token"}"#))
    let server = AuthorizationServer(
        issuer: "https://accounts.example.com", tokenEndpoint: URL(string: "https://accounts.example.com/token"))
    /// A header and claims that are JSON objects, and a signature.
    let token = "e30.e30.c2ln"

    private var body: String { transport.requests.last.map { String(decoding: $0.body, as: UTF8.self) } ?? "" }

    @Test func `a pod of Kubernetes as a client, and its token as a grant`() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "token-\(UUID().uuidString)").path
        try Data(token.utf8).write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        // sample: client
        let service = OAuthTokenService.workload(
            .file(path), server: server, client: .public(id: "billing"), scopes: ["read"], transport: transport)
        let auth = RefreshableTokenAuthorization(service: service)  // fetches its first token by itself
        // end sample
        #expect(try await auth.validToken().accessToken == "a")
        #expect(body.contains("client_assertion=\(token)"))
        // sample: grant
        let exchanging = OAuthTokenService.workloadGrant(
            .file(path), server: server, scopes: ["read"], transport: transport)
        // end sample
        #expect(try await exchanging.initialToken().accessToken == "a")
        #expect(body.contains("&assertion=\(token)") || body.hasPrefix("assertion=\(token)"))
    }

    @Test func `platforms that have a line of their own`() throws {
        // Not run: they need the platform.
        func services(_ file: URL) throws -> [OAuthTokenService] {
            // sample: platforms
            let azure = try OAuthTokenService.azureWorkload(
                scopes: ["https://vault.azure.net/.default"], transport: transport)
            let gitHub = OAuthTokenService.workloadGrant(
                .gitHubActions(audience: "https://accounts.example.com", transport: transport), server: server,
                transport: transport)
            let gitLab = OAuthTokenService.workloadGrant(
                .environment("ID_TOKEN"), server: server, transport: transport)
            let google = try OAuthTokenService.externalAccount(
                Data(contentsOf: file), scopes: ["https://www.googleapis.com/auth/devstorage.read_only"],
                transport: transport)
            // end sample
            return [azure, gitHub, gitLab, google]
        }
        #expect(throws: (any Error).self) { try services(URL(filePath: "/nowhere")) }
    }
}
