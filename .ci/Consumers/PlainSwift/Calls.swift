// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationOAuth
import RequestAuthorizationSpotify
import RequestAuthorizationStorage
import RequestAuthorizationTesting
import RequestAuthorizationURLSession

/// Calls with closures of the program's own isolation: literals and stored functions.
struct Calls: Sendable {
    let value: @Sendable () async throws -> String = { "Bearer closure" }
    let onUnauthorized: @Sendable (UnauthorizedResponse) async throws -> Void = { _ in }
    let release: @Sendable () async -> Void = {}
    let token: @Sendable () async throws -> PlainToken = { PlainToken(value: "signed in") }

    func provide() async throws {
        let one = ClosureAuthorization(field: "Authorization", onUnauthorized: onUnauthorized, value: value)
        let sent = try await one.authorize(PlainRequest())
        print(sent.credential(in: "Authorization") ?? "nothing")
        let many = ClosureAuthorization(onUnauthorized: { _ in }, fields: { _ in ["X-Key": "k"] })

        var tries = 0
        let response = try await many.send(PlainRequest()) { (request: PlainRequest) async throws -> PlainResponse in
            tries += 1
            return PlainResponse(statusCode: request.credential(in: "X-Key") == "k" ? 200 : 401)
        }
        print(tries == 1 ? response.statusCode : tries)
        let judge: @Sendable (UnauthorizedResponse) async throws -> Verdict = { _ in .anew }
        _ = [try Credential.bearer("plain", onRefusal: judge), try .bearer("plain") { _ in .accept }]
        let transport: (PlainRequest) async throws -> Int = { _ in 401 }
        _ = try await PlainProvider().send(
            PlainRequest(),
            unauthorized: { status in
                status == 401 ? UnauthorizedResponse(statusCode: status, fields: ["WWW-Authenticate": []]) : nil
            }, transport: transport)
    }

    @MainActor func refresh() async throws {
        let provider = RefreshableTokenAuthorization(service: PlainService(), token: PlainToken(value: "old"))
        var changes = 0
        let observation = provider.onTokenChange { @MainActor _ in changes += 1 }
        await provider.refresh(using: token)
        await provider.refresh { PlainToken(value: "refreshed") }
        try await provider.signIn(using: token)
        try await provider.signIn { PlainToken(value: "signed in") }
        try await AuthorizationStatus(following: provider).reaches { $0.isAuthorized }
        observation.cancel()
        _ = changes
        let pool = AuthorizationPool { (_: Int) in
            RefreshableTokenAuthorization(service: PlainService(), token: PlainToken(value: "old"))
        }
        _ = pool[1]
        _ = JSONTokenEndpoint(
            try url("https://api.example.com"), transport: PlainTransport(), failureKind: { _, _ in nil })
    }

    func test() async throws {
        let step: @Sendable (ScriptedCall<Int, Int>) async throws -> Int = { $0.input }
        _ = [ScriptStep<Int, Int>.run(step), .run { call in call.input }]
        _ = AuthorizableRequestChecks(method: nil, target: nil) { PlainRequest() }
        let provider: @Sendable () async throws -> any AuthorizationProvider = { PlainProvider() }
        _ = AuthorizationProviderChecks(waiting: provider, provider)
        let send:
            @Sendable (TestRequest, any AuthorizationProvider, @escaping ClientChecks.Server) async throws ->
                TestResponse =
                { request, provider, server in try await provider.send(request) { try await server($0) } }
        _ = ClientChecks(followsRedirects: false, send: send)
        _ = ClientChecks(followsRedirects: false) { request, provider, server in
            try await provider.send(request) { try await server($0) }
        }
        let transport: @Sendable () async throws -> ScriptedTokenTransport = { ScriptedTokenTransport() }
        _ = TokenTransportChecks(transport)
        let store: @Sendable () async throws -> PlainTokenStore = { PlainTokenStore() }
        _ = TokenStoreChecks(token: { PlainToken(value: "\($0)") }, reopened: { $0 }, store)
        _ = TokenStoreChecks(reopened: { $0 }) { InMemoryTokenStore<TestToken>() }
        _ = SharedTokenStoreChecks(token: { PlainToken(value: "\($0)") }) { (PlainSharedStore(), PlainSharedStore()) }
        _ = SharedTokenStoreChecks(
            reopened: { $0 }, unreachable: { InMemorySharedTokenStore<TestToken>() }, emptied: { try await $0.clear() }
        ) {
            let store = InMemorySharedTokenStore<TestToken>()
            return (store, store.sibling())
        }
        _ = SharedTokenStoreChecks {
            let store = InMemorySharedTokenStore<TestToken>()
            return (store, store.sibling())
        }
    }

    func store() async throws {
        let lock = TokenStoreLock(release: release)
        await TokenStoreLock(lock, release: release).unlock()
        await TokenStoreLock(requestDeadline: .seconds(1), remaining: { .seconds(2) }, release: release).unlock()
        let items = PlainSharedItems()
        _ = try await items.save(Data(), ending: nil) { kept, _ in kept == nil }
        let begin: @Sendable (@escaping @Sendable () -> Void) async throws -> @Sendable () -> Void = { _ in {} }
        _ = ExclusiveActivity(begin: begin)
    }

    func signIn() async throws {
        let server = AuthorizationServer(tokenEndpoint: try url("https://accounts.example.com/token"))
        let fetch: @Sendable (TokenEndpoint) async throws -> OAuthToken = { endpoint in
            try await endpoint.token(grantType: "urn:custom")
        }
        let service = OAuthTokenService.custom(
            server: server, client: .public(id: "tool"), transport: PlainTransport(), token: fetch)
        print(try await service.initialToken().authorizationHeaderValue)
        _ = OAuthTokenService.tokenExchange(
            server: server, client: .public(id: "tool"), transport: PlainTransport()
        ) { TokenExchange(subject: .accessToken("subject")) }
        _ = OAuthTokenService.identityAssertion(
            from: service.endpoint, server: server, client: .public(id: "tool"), transport: PlainTransport()
        ) { .idToken("log-in") }
        _ = GrantAssertion.fetched(value)
        _ = SpotifyTokenService.pkce(clientID: "c", proxyError: { _ in nil }, transport: URLSession.shared)
        _ = SpotifyTokenService(
            SpotifyConfiguration(flow: .pkce, client: .public(id: "c")), proxyError: { _ in nil },
            transport: URLSession.shared)
        let proxy = SpotifyProxy(tokenURL: try url("https://proxy.example.com/token"))
        _ = SpotifyTokenService.authorizationCode(
            clientID: "c", proxy: proxy, proxyError: { _ in nil }, transport: URLSession.shared)
        _ = SpotifyTokenService.clientCredentials(
            clientID: "c", proxy: proxy, proxyError: { _ in nil }, transport: URLSession.shared)
        let start: @Sendable (String) async throws -> PendingSignIn = { _ in throw PlainFailure() }
        let show: @Sendable (URL) async throws -> Void = { _ in }
        _ = try await PlainReceiver().callback(for: start, show: show)
        print(try await PlainReceiver().callback(for: { _ in throw PlainFailure() }, show: { _ in }))
        let ask: @Sendable (ResourceSignIn.Request) async throws -> Bool = { _ in false }
        let person = ProtectedResourceAuthorization(
            "https://api.example.com", client: ClientIdentity(name: "Plain"), records: PlainRecords(),
            transport: PlainTransport(), allows: { _ in true }, signIn: .through(PlainReceiver(), show: show, ask: ask))
        let observation = person.onTokenChange { _ in }
        observation.cancel()
        _ = ResourceSignIn.through(PlainReceiver()) { _ in true }
        _ = ResourceSignIn.onAnotherDevice { _ in
        } ask: { _ in
            true
        }
        let make: @Sendable (ProtectedResource) async throws -> OAuthTokenService = { _ in throw PlainFailure() }
        _ = ProtectedResourceAuthorization("https://api.example.com", transport: PlainTransport(), service: make)
        // The transport knows no metadata.
        _ = try? await ProtectedResource.discover(
            "https://api.example.com", transport: PlainTransport(), allows: { _ in true })
    }

    private func url(_ text: String) throws -> URL {
        guard let url = URL(string: text) else { throw PlainFailure() }
        return url
    }
}
