// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full && canImport(Glibc)
import Foundation
import LoopbackServer
import RequestAuthorizationAsyncHTTPClient
import RequestAuthorizationOAuth
import RequestAuthorizationTesting
import Testing

/// Bad answers over real sockets: each becomes its typed error, and nothing is lost.
@Suite(.timeLimit(.minutes(5))) struct BadAnswerTests {
    private static let good = #"{"access_token":"new","token_type":"Bearer","expires_in":3600}"#

    @Test(arguments: BadAnswer.allCases, Carrier.allCases)
    func `a bad answer to a refresh loses no token`(bad: BadAnswer, carrier: Carrier) async throws {
        let isBad = Lock(true)
        try await withServer { _ in
            isBad.withLock { $0 } ? bad.answer : .text(Self.good)
        } body: { server in
            let clock = ManualClock()
            let service = service(at: server, carrier, clock: clock)
            let held = service.completed(
                OAuthToken(accessToken: "old", refreshToken: "r", lifetime: .seconds(60), expiresAt: clock.now))
            let store = InMemoryTokenStore<OAuthToken>()
            let auth = RefreshableTokenAuthorization(
                service: service, store: store, policy: .init(backOff: .init(patience: .zero)), clock: clock)
            try await auth.setToken(held)
            let failure = await #expect(throws: RefreshFailed.self) { try await auth.validToken() }
            let error = try #require(failure).underlying
            #expect(bad.isMeant(by: error), "\(type(of: error)): \(error)")
            #expect(store.stored?.token == held)
            // The request is neither sent again nor sent to the redirect's target.
            #expect(await server.requests.map(\.target) == ["/token"])
            isBad.withLock { $0 = false }
            clock.advance(by: .seconds(61))
            let token = try await auth.validToken()
            #expect(token.accessToken == "new")
            #expect(token.refreshToken == "r")
            #expect(await server.requests.map(\.text).last == "client_id=app&grant_type=refresh_token&refresh_token=r")
        }
    }

    @Test(arguments: BadAnswer.allCases, Carrier.allCases)
    func `a code with a bad answer is sent once, and the signed-in user stays signed in`(
        bad: BadAnswer, carrier: Carrier
    ) async throws {
        try await withServer { _ in
            bad.answer
        } body: { server in
            let clock = ManualClock()
            let service = service(at: server, carrier, clock: clock)
            let held = OAuthToken.make(accessToken: "held")
            let auth = RefreshableTokenAuthorization(
                service: service, token: held, policy: .init(backOff: .init(patience: .zero)), clock: clock)
            let pending = try await service.signIn(scopes: ["read"])
            let callback = try URL.make("https://app.example.com/callback?code=c&state=\(pending.state)")
            let error = await #expect(throws: (any Error).self) {
                try await auth.signIn { try await service.finish(callback: callback) }
            }
            #expect(bad.isMeant(by: try #require(error)))
            let again = await #expect(throws: SignInError.self) {
                try await auth.signIn { try await service.finish(callback: callback) }
            }
            #expect(again?.kind == .alreadyUsed)
            #expect(await server.requests.map(\.target) == ["/token"])
            #expect(try await auth.validToken() == held)
        }
    }

    @Test(arguments: Carrier.allCases)
    func `plus, percent, ampersand and umlauts arrive as they were`(carrier: Carrier) async throws {
        try await withServer { _ in
            .text(#"{"access_token":"a+b/c~=","refresh_token":"r+%&ü=","token_type":"Bearer"}"#)
        } body: { server in
            let endpoint = AuthorizationServer.make(at: server.url("").absoluteString)
            let service = OAuthTokenService.authorizationCode(
                server: endpoint, client: .secretBasic(id: "i+%&ü:", secret: "s+%&ü:"),
                redirectURI: "https://app.example.com/callback", pendingSignIns: InMemoryPendingSignIns(),
                transport: carrier.transport, clock: ManualClock())
            let pending = try await service.signIn(scopes: [])
            let callback = try URL.make(
                "https://app.example.com/callback?code=c%2B%25%26%C3%BC+x&state=\(pending.state)")
            let token = try await service.finish(callback: callback)
            #expect(token.authorizationHeaderValue == "Bearer a+b/c~=")
            #expect(token.refreshToken == "r+%&ü=")
            _ = try await service.refresh(token)
            let requests = await server.requests
            #expect(requests[0].text.contains("&code=c%2B%25%26%C3%BC+x&"))
            #expect(requests[1].text == "grant_type=refresh_token&refresh_token=r%2B%25%26%C3%BC%3D")
            let basic = Data("i%2B%25%26%C3%BC%3A:s%2B%25%26%C3%BC%3A".utf8).base64EncodedString()
            #expect(requests.map { $0["Authorization"] } == ["Basic \(basic)", "Basic \(basic)"])
        }
    }

    @Test(arguments: Carrier.allCases)
    func `a server that is down has not seen the code`(carrier: Carrier) async throws {
        let clock = ManualClock()
        let held = OAuthToken(accessToken: "old", refreshToken: "r", lifetime: .seconds(60), expiresAt: clock.now)
        try await withHeldPort { port in
            let service = OAuthTokenService.authorizationCode(
                server: .make(at: port.url("").absoluteString), client: .public(id: "app"),
                transport: carrier == .urlSession ? carrier.transport : HastyTransport(),
                clock: clock)
            let auth = RefreshableTokenAuthorization(
                service: service, token: held, policy: .init(backOff: .init(patience: .zero)), clock: clock)
            let failure = await #expect(throws: RefreshFailed.self) { try await auth.validToken() }
            #expect((failure?.underlying as? TokenTransportError)?.delivery == .notSent)
            #expect(failure?.delivery == .notSent)
        }
    }

    private func service(at server: RawServer, _ carrier: Carrier, clock: ManualClock) -> OAuthTokenService {
        .authorizationCode(
            server: .make(at: server.url("").absoluteString), client: .public(id: "app"),
            redirectURI: "https://app.example.com/callback", pendingSignIns: InMemoryPendingSignIns(),
            transport: carrier.transport, clock: clock)
    }
}

/// Gives up sooner: async-http-client tries to connect until the time is over.
private struct HastyTransport: TokenTransport {
    func send(_ request: TokenRequest) async throws -> TokenResponse {
        var request = request
        request.timeout = .seconds(2)
        return try await HTTPClient.shared.send(request)
    }
}
#endif
