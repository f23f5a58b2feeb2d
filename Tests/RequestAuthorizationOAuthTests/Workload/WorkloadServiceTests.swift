// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorizationOAuth

/// Services that prove themselves with the token of their platform.
@Suite struct WorkloadServiceTests {
    private let platform: Platform
    private let clock = ManualClock()
    private let transport = ScriptedTokenTransport()
    private static let answer = #"{"access_token":"a","expires_in":3600,"token_type":"Bearer","refresh_token":"r"}"#
    private static let ok = ScriptStep<TokenRequest, TokenResponse>.response(200, json: answer)

    init() throws {
        platform = try Platform()
        try platform.rename()
    }

    private func refusal(
        _ code: String, status: Int = 400, then change: @escaping @Sendable () throws -> Void = {}
    ) -> ScriptStep<TokenRequest, TokenResponse> {
        .run { _ in
            try change()
            return TokenResponse(statusCode: status, body: Array(#"{"error":"\#(code)"}"#.utf8))
        }
    }

    private func service(isGrant: Bool, client: OAuthClient = .public(id: "billing")) -> OAuthTokenService {
        let identity = WorkloadIdentity.file(platform.path, clock: clock)
        return isGrant
            ? .workloadGrant(
                identity, server: .make(), client: client, scopes: ["read"], transport: transport, clock: clock)
            : .workload(identity, server: .make(), client: client, scopes: ["read"], transport: transport, clock: clock)
    }

    /// The numbers of the tokens that were sent.
    private func sent(isGrant: Bool) -> [Int?] {
        transport.requests.map { Platform.number(of: $0.form[isGrant ? "assertion" : "client_assertion"] ?? "") }
    }

    @Test func `RFC 7523 §2.2: the platform's token is the client's assertion`() async throws {
        transport.append(Self.ok)
        let token = try await service(isGrant: false).initialToken()
        #expect(
            transport.requests.last?.form == [
                "grant_type": "client_credentials", "scope": "read", "client_id": "billing",
                "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
                "client_assertion": Platform.token(1),
            ])
        #expect(token.accessToken == "a" && token.refreshToken == nil)
    }

    @Test func `RFC 7523 §2.1: the platform's token is the grant, with a client or without`() async throws {
        transport.append(Self.ok, Self.ok)
        let token = try await service(isGrant: true, client: .secretPost(id: "c", secret: "s")).initialToken()
        let common = [
            "grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer", "scope": "read",
            "assertion": Platform.token(1),
        ]
        let client = ["client_id": "c", "client_secret": "s"]
        #expect(transport.requests.last?.form == common.merging(client) { $1 })
        #expect(token.refreshToken == nil)
        _ = try await OAuthTokenService.workloadGrant(
            .file(platform.path), server: .make(), scopes: ["read"], transport: transport, clock: clock
        ).initialToken()
        #expect(transport.requests.last?.form == common)
    }

    @Test func `RFC 6749 §2.3: a custom grant adds no second proof beside that of the client`() async throws {
        transport.append(Self.ok)
        _ = try await service(isGrant: true, client: .secretPost(id: "c", secret: "s")).endpoint
            .token(grantType: "g", parameters: [(name: "client_assertion", value: "evil"), (name: "x", value: "1")])
        #expect(
            transport.requests.last?.form == ["client_id": "c", "client_secret": "s", "grant_type": "g", "x": "1"])
    }

    @Test(arguments: [false, true], ["invalid_grant", "invalid_client"])
    func `a token that was replaced while it was refused is sent once more`(
        isGrant: Bool, code: String
    ) async throws {
        let platform = platform
        transport.append(refusal(code) { try platform.rename() }, Self.ok)
        let auth = RefreshableTokenAuthorization(service: service(isGrant: isGrant), clock: clock)
        #expect(try await auth.validToken().accessToken == "a")
        #expect(sent(isGrant: isGrant) == [1, 2])
    }

    @Test(arguments: [false, true])
    func `a token that is refused twice, or has not changed, is a client's failure that keeps the session`(
        isGrant: Bool
    ) async throws {
        let platform = platform
        transport.append(refusal("invalid_grant", status: 401))
        let auth = RefreshableTokenAuthorization(service: service(isGrant: isGrant), clock: clock)
        for expected in [[1], [1, 1, 2]] {
            let error = await #expect(throws: NotAuthorized.self) { try await auth.validToken() }
            #expect(error?.reason == .clientRefused && error?.needsSignIn == false)
            let failure = try #require(error?.underlying as? WorkloadIdentityError)
            #expect(failure.problem == .refused && failure.delivery == .answered)
            #expect((failure.underlying as? TokenEndpointError)?.code == "invalid_grant")
            #expect(sent(isGrant: isGrant) == expected)
            // Even if the platform goes on replacing it, there is no third request.
            let replacing = refusal("invalid_grant") { try platform.rename() }
            if expected.count == 1 { transport.append(replacing, replacing, Self.ok) }
            await auth.retryNow()
        }
        #expect(try await auth.validToken().accessToken == "a")
        #expect(sent(isGrant: isGrant).last == platform.current)
    }

    @Test func `other errors are what they always are, and the file is not read again`() async throws {
        for (status, code) in [(400, "invalid_scope"), (503, "server_error"), (400, "invalid_target")] {
            let platform = platform
            transport.append(refusal(code, status: status) { try platform.rename() })
            await #expect(throws: TokenEndpointError.self) { try await service(isGrant: false).initialToken() }
        }
        #expect(sent(isGrant: false) == [1, 2, 3])
    }

    @Test func `a client's secret that the server repeats as its code is not printed`() async throws {
        let secret = "correct_horse_battery"
        for client in [OAuthClient.secretPost(id: "app", secret: secret), .secretBasic(id: "app", secret: secret)] {
            transport.append(refusal(secret))
            let error = await #expect(throws: TokenEndpointError.self) {
                try await service(isGrant: true, client: client).initialToken()
            }
            #expect(error?.code == secret && error?.description.contains(secret) == false)
        }
    }

    @Test func `a file that is missing sends nothing, and the next try uses what is there then`() async throws {
        try FileManager.default.removeItem(atPath: platform.path)
        let auth = RefreshableTokenAuthorization(
            service: service(isGrant: false), policy: .init(backOff: .init(patience: .zero)), clock: clock)
        let error = await #expect(throws: RefreshFailed.self) { try await auth.validToken() }
        #expect((error?.underlying as? WorkloadIdentityError)?.problem == .missing)
        #expect(error?.delivery == .notSent && transport.calls == 0)
        try platform.rename()
        transport.append(Self.ok)
        clock.advance(by: .seconds(60))
        #expect(try await auth.validToken().accessToken == "a")
        #expect(sent(isGrant: false) == [2])
    }

    /// A web app whose client has no secret: the user's session is not touched by the client's trouble.
    @Test func `in a refresh a refused client reads its token again, and a dead refresh token does not`() async throws {
        let platform = platform
        let service = OAuthTokenService.authorizationCode(
            server: .make(), client: .public(id: "web"), authentication: .workload(.file(platform.path)),
            transport: transport, clock: clock)
        transport.append(refusal("invalid_client", status: 401) { try platform.rename() }, Self.ok)
        #expect(try await service.refresh(.make(refreshToken: "old")).refreshToken == "r")
        #expect(sent(isGrant: false) == [1, 2])
        transport.append(refusal("invalid_grant") { try platform.rename() })
        let error = await #expect(throws: TokenEndpointError.self) {
            try await service.refresh(.make(refreshToken: "dead"))
        }
        #expect(error?.kind == .terminal && transport.calls == 3)
    }

    @Test func `beside a grant and at each endpoint a refused client reads its token again`() async throws {
        let platform = platform
        var server = AuthorizationServer.make()
        server.pushedAuthorizationRequestEndpoint = URL(string: "https://as.example/par")
        let identity = WorkloadIdentity.file(platform.path, clock: clock)
        let service = OAuthTokenService.authorizationCode(
            server: server, client: .public(id: "web"), authentication: .workload(identity),
            redirectURI: "https://app.example/cb", pendingSignIns: InMemoryPendingSignIns(), pushesRequests: true,
            transport: transport, clock: clock)
        func answerSecondTry(_ json: String) {
            transport.append(
                refusal("invalid_client", status: 401) { try platform.rename() }, .response(200, json: json))
        }
        answerSecondTry(#"{"active":true}"#)
        #expect(try await service.introspect(accessToken: "a").isActive)
        #expect(sent(isGrant: false) == [1, 2])
        answerSecondTry(
            #"{"device_code":"d","user_code":"u","verification_uri":"https://as.example/d","expires_in":600}"#)
        #expect(try await service.deviceSignIn(scopes: []).userCode == "u")
        #expect(sent(isGrant: false) == [1, 2, 2, 3])
        answerSecondTry("{}")
        try await service.revoke(.make())
        #expect(sent(isGrant: false) == [1, 2, 2, 3, 3, 4])
        #if canImport(CryptoKit) || Crypto
        answerSecondTry(#"{"request_uri":"urn:1","expires_in":60}"#)
        #expect(try await service.signIn(scopes: []).openBefore != nil)
        #expect(sent(isGrant: false) == [1, 2, 2, 3, 3, 4, 4, 5])
        #endif
        transport.append(refusal("invalid_client", status: 401))
        let error = await #expect(throws: WorkloadIdentityError.self) {
            try await service.introspect(accessToken: "a")
        }
        #expect(error?.problem == .refused)
    }

    @Test func `a client that acts for a user reads its own token again, and not for the user's`() async throws {
        let platform = platform
        let service = OAuthTokenService.onBehalfOf(
            server: .make(), client: .public(id: "api"), authentication: .workload(.file(platform.path)),
            incoming: "user", scopes: ["read"], transport: transport, clock: clock)
        transport.append(refusal("invalid_client", status: 401) { try platform.rename() }, Self.ok)
        #expect(try await service.initialToken().accessToken == "a")
        #expect(sent(isGrant: false) == [1, 2])
        transport.append(refusal("invalid_grant") { try platform.rename() })
        let ended = await #expect(throws: NotAuthorized.self) { try await service.initialToken() }
        #expect(ended?.reason == .rejected)
        #expect(sent(isGrant: false) == [1, 2, 2])
        transport.append(refusal("invalid_client", status: 401))
        await #expect(throws: WorkloadIdentityError.self) { try await service.initialToken() }
        #expect(sent(isGrant: false) == [1, 2, 2, 3])
        #expect(transport.requests.map { $0.form["assertion"] } == ["user", "user", "user", "user"])
    }

    @Test func `a request that is repeated with a nonce has the token as it is then`() async throws {
        #if canImport(CryptoKit) || Crypto
        let platform = platform
        transport.append(
            .run { _ in
                try platform.rename()
                return TokenResponse(
                    statusCode: 400, fields: [("DPoP-Nonce", "n1")], body: Array(#"{"error":"use_dpop_nonce"}"#.utf8))
            }, .response(200, json: #"{"access_token":"a","token_type":"DPoP"}"#))
        _ = try await OAuthTokenService.workload(
            .file(platform.path), server: .make(), client: .public(id: "c"), proof: .dpop, transport: transport,
            clock: clock
        ).initialToken()
        #expect(sent(isGrant: false) == [1, 2])
        #endif
    }

    @Test func `a pod of Azure needs its four variables and nothing else`() async throws {
        let environment = [
            "AZURE_CLIENT_ID": "app", "AZURE_TENANT_ID": "tenant", "AZURE_FEDERATED_TOKEN_FILE": platform.path,
            "AZURE_AUTHORITY_HOST": "https://login.example/",
        ]
        transport.append(Self.ok)
        let scopes: Set = ["https://vault.azure.net/.default"]
        _ = try await OAuthTokenService.azureWorkload(
            scopes: scopes, environment: environment, transport: transport, clock: clock
        ).initialToken()
        let request = try #require(transport.requests.last)
        #expect(request.url.absoluteString == "https://login.example/tenant/oauth2/v2.0/token")
        #expect(request.form["client_id"] == "app" && request.form["client_assertion"] == Platform.token(1))
        for name in environment.keys where name != "AZURE_AUTHORITY_HOST" {
            var part = environment
            part[name] = nil
            let error = #expect(throws: WorkloadIdentityError.self) {
                try OAuthTokenService.azureWorkload(scopes: scopes, environment: part, transport: transport)
            }
            #expect(error?.source == name && error?.problem == .missing)
        }
        var plain = environment
        plain["AZURE_AUTHORITY_HOST"] = "http://login.example"
        let unsafe = try OAuthTokenService.azureWorkload(
            scopes: scopes, environment: plain, transport: transport, clock: clock)
        await #expect(throws: AuthorizationServerError.self) { try await unsafe.initialToken() }
        #expect(transport.calls == 1)
        for host in [nil, ""] {
            var usual = environment
            usual["AZURE_AUTHORITY_HOST"] = host
            transport.append(Self.ok)
            _ = try await OAuthTokenService.azureWorkload(
                scopes: scopes, environment: usual, transport: transport, clock: clock
            ).initialToken()
            #expect(
                transport.requests.last?.url.absoluteString
                    == "https://login.microsoftonline.com/tenant/oauth2/v2.0/token")
        }
        #expect(transport.calls == 3)
    }

    /// The provider's policy spreads them: no delay is added here.
    @Test func `64 replicas that began at once do not ask at once`() async throws {
        let clock = clock
        let times = Lock<[Int: Int]>([:])
        let transport = ScriptedTokenTransport(
            forever: .run { _ in
                times.withLock { $0[Int(clock.uptime / .seconds(1)), default: 0] += 1 }
                return TokenResponse(statusCode: 200, body: Array(Self.answer.utf8))
            })
        let replicas = (0..<64).map { _ in
            RefreshableTokenAuthorization(
                service: OAuthTokenService.workload(
                    .file(platform.path), server: .make(), client: .public(id: "c"), transport: transport, clock: clock),
                clock: clock)
        }
        for replica in replicas { _ = try await replica.validToken() }
        times.withLock { $0 = [:] }
        clock.advance(by: .seconds(3600 - 125))
        for _ in 0..<125 {
            clock.advance(by: .seconds(1))
            for replica in replicas { _ = try await replica.validToken() }
            for replica in replicas { try await replica.settle(within: .seconds(20)) }
        }
        let counts = times.withLock { $0 }
        #expect(counts.values.reduce(0, +) == 64)
        #expect((counts.values.max() ?? 64) <= 16, "\(counts)")
    }
}
