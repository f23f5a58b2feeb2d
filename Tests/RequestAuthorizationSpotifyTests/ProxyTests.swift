// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationSpotify
import RequestAuthorizationTesting
import Testing

/// Proxies that were made for the `…ProxyBackend` of SpotifyAPI.
@Suite struct `A proxy with answers of its own` {
    private let clock = ManualClock()
    private let proxy = SpotifyProxy(tokenURL: URL(make: "https://my.example/token"))
    private let old = OAuthToken(accessToken: "a", refreshToken: "AQ-1", scopes: ["streaming"])

    private func service(
        _ answer: TokenResponse, _ error: @escaping @Sendable (TokenResponse) -> (any Error)? = { _ in nil }
    ) -> SpotifyTokenService {
        .pkce(
            clientID: "c", redirectURI: "my-app://cb", proxy: proxy, proxyError: error, pendingSignIns: .inMemory,
            transport: ScriptedTokenTransport(forever: .success(answer)), clock: clock)
    }

    private func answer(_ json: String, status: Int = 200, date: String? = nil) -> TokenResponse {
        TokenResponse(
            statusCode: status, fields: date.map { [(name: "Date", value: $0)] } ?? [], body: Array(json.utf8))
    }

    private func expiring(_ text: String) -> String {
        #"{"access_token":"b","refresh_token":"AQ-2","scope":"streaming","expiration_date":"\#(text)","more":[1,2.5]}"#
    }

    @Test func `expiration_date is read in place of expires_in`() async throws {
        clock.setWallClock(to: Date(timeIntervalSince1970: 784_108_177))  // an hour before
        for text in ["1994-11-06T08:49:37Z", "1994-11-06T08:49:37+0000"] {
            let token = try await service(answer(expiring(text))).refresh(old)
            #expect(token.accessToken == "b" && token.refreshToken == "AQ-2")
            #expect(token.expiresAt == Date(timeIntervalSince1970: 784_111_777))
            #expect(token.lifetime == .seconds(3600))
            #expect(token.additionalMembers == ["more": .array([.integer(1), .number(2.5)])])
        }
    }

    @Test func `the date counts from the answer's own, whatever the clock here says`() async throws {
        let json = expiring("1994-11-06T08:49:37Z")
        let token = try await service(answer(json, date: "Sun, 06 Nov 1994 08:39:37 GMT")).refresh(old)
        #expect(token.lifetime == .seconds(600))
        #expect(token.expiresAt == clock.now.addingTimeInterval(600))
    }

    @Test func `a date that has passed is the end, and an invalid date is no end`() async throws {
        let past = try await service(answer(expiring("1994-11-06T08:49:37Z"))).refresh(old)
        #expect(past.isExpired(at: clock.now.addingTimeInterval(1)))
        for text in ["soon", ""] {
            #expect(try await service(answer(expiring(text))).refresh(old).expiresAt == .distantFuture)
        }
    }

    @Test func `a damaged answer is not mended by its date`() async throws {
        let json = #"{"access_token":"b","token_type":bearer,"expiration_date":"1994-11-06T08:49:37Z"}"#
        await #expect(throws: InvalidTokenResponse.self) { try await service(answer(json)).refresh(old) }
    }

    @Test func `expires_in counts where both are there`() async throws {
        let json = #"{"access_token":"b","expires_in":60,"expiration_date":"1994-11-06T08:49:37Z"}"#
        #expect(try await service(answer(json)).refresh(old).lifetime == .seconds(60))
    }

    @Test func `without a proxy expiration_date is an unknown member`() async throws {
        let transport = ScriptedTokenTransport(.response(200, json: expiring("1994-11-06T08:49:37Z")))
        let spotify = SpotifyTokenService.pkce(
            clientID: "c", redirectURI: "my-app://cb", pendingSignIns: .inMemory, transport: transport, clock: clock)
        let token = try await spotify.refresh(old)
        #expect(token.lifetime == nil && token.additionalMembers["expiration_date"] != nil)
    }

    @Test func `the closure decides what an error object of the proxy means`() async throws {
        struct NotAMember: Error, Equatable { let reason: String }
        let spotify = service(answer(#"{"reason":"unpaid","code":17}"#, status: 402)) { answer in
            guard answer.statusCode == 402 else { return nil }
            let members = try? JSONDecoder().decode([String: JSONValue].self, from: Data(answer.body))
            guard case .string(let reason)? = members?["reason"] else { return nil }
            return NotAMember(reason: reason)
        }
        await #expect(throws: NotAMember(reason: "unpaid")) { try await spotify.refresh(old) }
        // Through a provider the session goes on.
        let auth = RefreshableTokenAuthorization(
            service: spotify, policy: .init(backOff: .init(patience: .zero)), clock: clock)
        try await auth.setToken(OAuthToken(accessToken: "a", refreshToken: "AQ-1", expiresAt: .distantPast))
        let failure = await #expect(throws: RefreshFailed.self) { try await auth.validToken() }
        #expect(failure?.underlying as? NotAMember == NotAMember(reason: "unpaid"))
    }

    @Test func `errors that the closure does not decide are read as Spotify's`() async throws {
        let refused = service(answer(#"{"error":"invalid_grant"}"#, status: 400))
        let error = await #expect(throws: TokenEndpointError.self) { try await refused.refresh(old) }
        #expect(error?.code == "invalid_grant" && error?.kind == .terminal)
    }

    @Test func `the other flows with a proxy read its errors too`() async throws {
        struct Own: Error {}
        let transport = ScriptedTokenTransport(forever: .response(418, json: "{}"))
        let robot = SpotifyTokenService.clientCredentials(
            clientID: "c", proxy: proxy, proxyError: { _ in Own() }, transport: transport)
        await #expect(throws: Own.self) { try await robot.initialToken() }
        let code = SpotifyTokenService.authorizationCode(
            clientID: "c", proxy: proxy, proxyError: { _ in Own() }, pendingSignIns: .inMemory, transport: transport)
        await #expect(throws: Own.self) { try await code.refresh(old) }
        let kept = SpotifyTokenService(
            SpotifyConfiguration(flow: .pkce, client: .public(id: "c"), proxy: proxy), proxyError: { _ in Own() },
            pendingSignIns: .inMemory, transport: transport)
        await #expect(throws: Own.self) { try await kept.refresh(old) }
        // Without a proxy the closure is not called.
        let direct = SpotifyTokenService(
            SpotifyConfiguration(flow: .pkce, client: .public(id: "c")), proxyError: { _ in Own() },
            pendingSignIns: .inMemory, transport: transport)
        await #expect(throws: TokenEndpointError.self) { try await direct.refresh(old) }
    }
}
