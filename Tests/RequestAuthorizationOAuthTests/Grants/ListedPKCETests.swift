// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
import Foundation
import RequestAuthorization
import RequestAuthorizationOAuth
import RequestAuthorizationTesting
import Testing

/// What the server says about the challenges that it checks (RFC 8414 §2, `code_challenge_methods_supported`).
@Suite struct ListedPKCETests {
    private let transport = ScriptedTokenTransport()
    private let store = InMemoryPendingSignIns()

    private func service(_ listed: JSONValue?, _ change: (inout ServerQuirks) -> Void = { _ in }) -> OAuthTokenService {
        var server = AuthorizationServer.make()
        server.pushedAuthorizationRequestEndpoint = URL(string: "https://as.example/par")
        server.additionalMetadata["code_challenge_methods_supported"] = listed
        change(&server.quirks)
        return .authorizationCode(
            server: server, client: .public(id: "tool"), redirectURI: "https://client.example/cb",
            pendingSignIns: store, pushesRequests: true, transport: transport)
    }

    private func allowPush() {
        transport.append(.response(201, json: #"{"request_uri":"urn:r","expires_in":60}"#))
    }

    @Test(arguments: [
        JSONValue.array([.string("plain")]), .array([]), .array([.string("s256"), .string("plain")]), .string("plain"),
    ])
    func `a server that lists challenge methods without S256 is refused before a sign-in begins`(
        listed: JSONValue
    ) async throws {
        let service = service(listed)
        let error = await #expect(throws: AuthorizationServerError.self) { try await service.signIn(scopes: []) }
        #expect(error?.problem == .noPKCE)
        #expect(error?.member == "code_challenge_methods_supported")
        #expect(error?.description.contains("no PKCE with S256: code_challenge_methods_supported") == true)
        #expect(error?.description.contains("requiresListedPKCE") == true)
        #expect(transport.calls == 0)
        // A receiver gets the error, too, and shows nothing.
        await #expect(throws: AuthorizationServerError(.noPKCE, member: "code_challenge_methods_supported")) {
            try await service.signIn(scopes: [], through: Starting()) { _ in Issue.record("shown") }
        }
        #expect(transport.calls == 0)
    }

    @Test(arguments: [
        nil, JSONValue.array([.string("plain"), .string("S256")]), .array([.string("S256")]), .string("S256"), .null,
        .array([.integer(256)]), .bool(false),
    ])
    func `a server that lists S256, and one without a list, is used`(listed: JSONValue?) async throws {
        allowPush()
        _ = try await service(listed).signIn(scopes: [])
        #expect(transport.calls == 1)
    }

    @Test func `a server that is known to check S256 can be used without listing it`() async throws {
        allowPush()
        _ = try await service(.array([.string("plain")])) { $0.requiresListedPKCE = false }.signIn(scopes: [])
        #expect(transport.calls == 1)
        #expect(ServerQuirks().requiresListedPKCE)
        let quirks = ServerQuirks(requiresListedPKCE: false)
        #expect(try JSONDecoder().decode(ServerQuirks.self, from: JSONEncoder().encode(quirks)) == quirks)
        #expect(try JSONDecoder().decode(ServerQuirks.self, from: Data("{}".utf8)).requiresListedPKCE)
    }

    @Test func `the list comes from discovery`() async throws {
        let metadata = ScriptedTokenTransport.Step.response(
            200,
            json: #"{"issuer":"https://as.example","code_challenge_methods_supported":["plain"]}"#)
        for step in [metadata, metadata] { transport.append(step) }
        let server = try await AuthorizationServer.discover(issuer: "https://as.example", transport: transport)
        #expect(server.listedChallengeMethods == ["plain"])
        let completed = try await AuthorizationServer.make().completed(by: transport)
        #expect(completed.listedChallengeMethods == ["plain"])
        let service = OAuthTokenService.authorizationCode(
            server: completed, client: .public(id: "tool"), redirectURI: "https://client.example/cb",
            pendingSignIns: store, transport: transport)
        let error = await #expect(throws: AuthorizationServerError.self) { try await service.signIn(scopes: []) }
        #expect(error?.problem == .noPKCE)
    }
}

/// Starts a sign-in and shows its page.
private struct Starting: CallbackReceiver {
    func callback(
        for start: nonisolated(nonsending) @escaping @Sendable (String) async throws -> PendingSignIn,
        show: nonisolated(nonsending) @escaping @Sendable (URL) async throws -> Void
    ) async throws -> URL {
        let pending = try await start("https://client.example/cb")
        try await show(pending.url)
        return pending.url
    }
}
#endif
