// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationTesting
import RequestAuthorizationURLSession
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// sample: bench
/// One launch of the app, with a server that follows a script and a clock that the test moves.
@MainActor struct Launch {
    let tokens: ScriptedTokenTransport
    let api: ScriptedTransport<URLRequest, HTTPURLResponse>
    let clock = ManualClock()
    let account: Account

    init(
        store: InMemoryTokenStore<AccountToken> = InMemoryTokenStore(), tokens: ScriptedTokenTransport,
        api: ScriptedTransport<URLRequest, HTTPURLResponse> = ScriptedTransport()
    ) throws {
        let server = try #require(URL(string: "https://widgets.example"))
        let service = AccountService(server: server, transport: tokens, clock: clock)
        // Without the patience for another try: it would wait until the test moves the clock.
        let policy = RefreshPolicy(backOff: RefreshPolicy.BackOff(patience: .zero))
        let auth = RefreshableTokenAuthorization(service: service, store: store, policy: policy, clock: clock)
        (self.tokens, self.api) = (tokens, api)
        account = Account(server: server, service: service, auth: auth) { request, auth in
            let response = try await auth.send(request) { try await api.send($0) }
            return (Data(#"["gear","spring"]"#.utf8), response)
        }
    }

    /// The credentials that the API was called with.
    var credentials: [String?] { api.requests.map { $0.value(forHTTPHeaderField: "Authorization") } }
}

extension ScriptStep where Input == TokenRequest, Output == TokenResponse {
    static func token(_ name: String, lasts seconds: Int = 3600) -> Self {
        .response(200, json: #"{"access_token":"\#(name)","refresh_token":"r-\#(name)","expires_in":\#(seconds)}"#)
    }
}

extension ScriptStep where Input == URLRequest, Output == HTTPURLResponse {
    static func status(_ code: Int) -> Self {
        .run { call in
            let url = try #require(call.input.url)
            return try #require(HTTPURLResponse(url: url, statusCode: code, httpVersion: nil, headerFields: nil))
        }
    }
}
// end sample

@MainActor @Suite(.timeLimit(.minutes(5))) struct OwnLogInTests {
    // sample: test-log-in
    @Test func `a wrong password shows a message, the right one shows the widgets`() async throws {
        let launch = try Launch(
            tokens: ScriptedTransport(.response(401, json: #"{"error":"wrong_password"}"#), .token("a")),
            api: ScriptedTransport(.status(200)))
        let account = launch.account
        await account.reload()  // as the app does at launch
        try await account.status.reaches { $0.phase == .signedOut }
        #expect(account.screen == .logIn)

        await account.logIn(user: "ada", password: "wrong")
        #expect(account.screen == .logIn)
        #expect(account.message == "The name or the password is wrong.")

        await account.logIn(user: "ada", password: "lovelace")
        try await account.status.reaches { $0.phase == .authorized }
        #expect(account.screen == .content && account.message == nil)
        #expect(account.widgets == ["gear", "spring"])
        #expect(launch.credentials == ["Bearer a"])
    }
    // end sample

    // sample: test-refresh
    @Test func `a token that expires, and one that the server refuses, are refreshed`() async throws {
        let launch = try Launch(
            tokens: ScriptedTransport(.token("a"), .token("b"), .token("c")),
            api: ScriptedTransport(.status(200), .status(200), .status(401), .status(200)))
        await launch.account.logIn(user: "ada", password: "lovelace")

        launch.clock.advance(by: .seconds(3601))  // "a" has expired: refreshed before anything is sent
        await launch.account.reload()
        await launch.account.reload()  // a 401 for "b": refreshed, and sent again
        #expect(launch.credentials == ["Bearer a", "Bearer b", "Bearer b", "Bearer c"])
        #expect(
            launch.tokens.requests.map { String(decoding: $0.body, as: UTF8.self) } == [
                #"{"password":"lovelace","user":"ada"}"#, #"{"refresh_token":"r-a"}"#, #"{"refresh_token":"r-b"}"#,
            ])
    }
    // end sample

    // sample: test-relaunch
    @Test func `the session survives a launch without a network, and ends when the server says so`() async throws {
        let store = InMemoryTokenStore<AccountToken>()
        let first = try Launch(
            store: store, tokens: ScriptedTransport(.token("a")), api: ScriptedTransport(.status(200)))
        await first.account.logIn(user: "ada", password: "lovelace")

        let second = try Launch(
            store: store,
            tokens: ScriptedTransport(
                .failure(URLError(.notConnectedToInternet)), .response(401, json: #"{"error":"session_ended"}"#)))
        second.clock.advance(by: .seconds(3601))
        await second.account.reload()
        try await second.account.status.reaches { $0.phase == .authorized }
        #expect(second.account.screen == .content && second.account.isStale)

        second.clock.advance(by: .seconds(60))  // the next try is due
        await second.account.reload()
        try await second.account.status.reaches { $0.phase == .signedOut }
        #expect(second.account.screen == .logIn)
        #expect(second.account.message == "Your session has ended. Please log in again.")
        #expect(store.stored == nil && second.api.calls == 0)
    }
    // end sample

    // sample: test-log-out
    @Test func `logging out revokes the token, or ends the session on this device`() async throws {
        let online = try Launch(
            tokens: ScriptedTransport(.token("a"), .response(200, json: "{}")), api: ScriptedTransport(.status(200)))
        let offline = try Launch(
            tokens: ScriptedTransport(.token("a"), .failure(URLError(.notConnectedToInternet))),
            api: ScriptedTransport(.status(200)))
        for launch in [online, offline] {
            await launch.account.logIn(user: "ada", password: "lovelace")
            await launch.account.logOut()
            try await launch.account.status.reaches { $0.phase == .signedOut }
            #expect(launch.account.screen == .logIn && launch.account.widgets.isEmpty)
            #expect(launch.tokens.requests.map(\.url.path) == ["/login", "/logout"])
        }
    }
    // end sample

    @Test func `a response of a session that has ended is not shown`() async throws {
        let launch = try Launch(
            tokens: ScriptedTransport(.token("a"), .response(200, json: "{}")),
            api: ScriptedTransport(.status(200), .held))
        await launch.account.logIn(user: "ada", password: "lovelace")
        let late = Task { await launch.account.reload() }
        await launch.api.calls(atLeast: 2)
        let call = try await launch.api.nextCall()
        await launch.account.logOut()
        let url = try #require(call.input.url)
        call.succeed(try #require(HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil)))
        await late.value
        #expect(launch.account.widgets.isEmpty)
    }

    @Test func `a token that comes after its session is revoked`() async throws {
        let tokens = ScriptedTokenTransport(.response(200, json: "{}"))
        let server = try #require(URL(string: "https://widgets.example"))
        let service = AccountService(server: server, transport: tokens)
        await service.discard(AccountToken(accessToken: "a", refreshToken: "r", expiresAt: .distantFuture))
        #expect(tokens.requests.map { String(decoding: $0.body, as: UTF8.self) } == [#"{"refresh_token":"r"}"#])
    }

    // sample: test-empty-answer
    @Test func `a log-out may be answered with an empty 204`() async throws {
        let url = try #require(URL(string: "https://widgets.example/logout"))
        let token = AccountToken(accessToken: "a", refreshToken: "r", expiresAt: .distantFuture)
        let server = ScriptedTokenTransport(
            .success(TokenResponse(statusCode: 204)), .success(TokenResponse(statusCode: 503)))
        try await logOut(token, at: url, transport: server)
        await #expect(throws: TokenEndpointError(status: 503)) {
            try await logOut(token, at: url, transport: server)
        }
        #expect(server.requests.first?.fields.first?.value == "application/json")
    }
    // end sample

    @Test func `it is a token`() async throws {
        try await AuthorizationTokenChecks(
            expired: AccountToken(accessToken: "a-token", refreshToken: "r1", expiresAt: .now - 60),
            valid: AccountToken(accessToken: "a-token", refreshToken: "r1", expiresAt: .now + 60)
        ).run()
    }
}
