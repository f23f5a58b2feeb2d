// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
import RequestAuthorizationOAuth
import RequestAuthorizationStorage
import RequestAuthorizationURLSession
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The samples of Documentation/Guide/Resources.md. They are compiled; the tests of the module run what they show.
@Suite struct ResourceSamples {
    @MainActor private final class Model {
        func confirm(_ ask: ResourceSignIn.Request) async -> Bool { false }
    }

    private func app(_ model: Model, _ request: URLRequest, open: @escaping @Sendable (URL) async throws -> Void)
        async throws
    {
        // sample: app
        let notes = ProtectedResourceAuthorization(
            "https://notes.example/mcp", client: .init(name: "Notes", document: "https://app.example/client.json"),
            records: .items(.default(client: "com.example.app")), transport: URLSession.shared,
            signIn: .through(.loopback, show: open) { ask in await model.confirm(ask) })
        let (data, response) = try await URLSession.shared.data(for: request, authorizedBy: notes)
        // end sample
        print(data.count, response)
    }

    private func tool(_ url: String) async throws {
        // sample: tool
        let auth = ProtectedResourceAuthorization(
            url, client: .init(name: "authorize"), records: .items(.tool(client: "authorize")), policy: .tool,
            transport: URLSession.shared,
            signIn: .through(.loopback, show: { page in print("Open", page) }) { ask in
                print("\(ask.resource) wants \(ask.scopes.sorted()) from \(ask.issuer). Go on? [y/N]")
                return readLine() == "y"
            })
        try await auth.signIn(scopes: ["files:read"])
        print(try await auth.validToken(lasting: .seconds(300)).scopes)
        try await auth.settle(within: .seconds(10))
        // end sample
    }

    private func server(_ url: String, billing: OAuthClient) {
        // sample: server
        let auth = ProtectedResourceAuthorization(url, transport: URLSession.shared) { found in
            .clientCredentials(
                server: try found.server(of: "https://id.example"), client: found.client(billing), scopes: found.scopes,
                transport: URLSession.shared)
        }
        // end sample
        _ = auth
    }

    private func users(_ url: String, callback: String, records: some ResourceRecords) async throws -> OAuthTokenService
    {
        // sample: users
        let found = try await ProtectedResource.discover(
            url, transport: URLSession.shared, allows: { $0.host() == "notes.example" || $0.host() == "id.example" })
        let registration = try await found.server.register(
            ClientIdentity(name: "Web"), redirectURI: callback, records: records, transport: URLSession.shared)
        let service = OAuthTokenService.authorizationCode(
            server: found.server, client: found.client(registration.client), redirectURI: callback,
            transport: URLSession.shared)
        // end sample
        return service
    }

    // sample: library
    struct NotesClient {
        let url: URL
        let authorization: any AuthorizationProvider

        func tools() async throws -> Data {
            try await URLSession.shared.data(for: URLRequest(url: url), authorizedBy: authorization).0
        }
    }
    // end sample

    private func known(_ server: AuthorizationServer) -> ProtectedResourceAuthorization {
        // sample: known
        let auth = ProtectedResourceAuthorization(
            "https://notes.example/mcp",
            client: .init(name: "Tool", registered: ["https://id.example": .public(id: "tool")]),
            known: ProtectedResource(identifier: "https://notes.example/mcp", server: server),
            transport: URLSession.shared)
        // end sample
        return auth
    }

    @Test func `a provider sends nothing before its first request`() async throws {
        let auth = known(AuthorizationServer(issuer: "https://id.example"))
        await #expect(throws: NotAuthorized.self) { _ = try await auth.validToken() }
    }
}
#endif
