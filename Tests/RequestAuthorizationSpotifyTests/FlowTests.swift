// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
import RequestAuthorizationSpotify
import RequestAuthorizationTesting
import Testing

private let redirectURI = "my-app://login-callback"
private let proxy = SpotifyProxy(
    tokenURL: URL(make: "https://my.example/token"), refreshURL: URL(make: "https://my.example/refresh"))

/// A flow, and its expected requests.
private struct Flow: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let tokenURL: String
    let refreshURL: String
    let authorization: String?
    let make: @Sendable (any TokenTransport, any AuthorizationClock) -> SpotifyTokenService

    static let direct = "https://accounts.spotify.com/api/token"
    /// `CLIENT_ID:SECRET`
    static let basic = "Basic Q0xJRU5UX0lEOlNFQ1JFVA=="

    static let user = [
        Flow(testDescription: "PKCE", tokenURL: direct, refreshURL: direct, authorization: nil) {
            .pkce(
                clientID: "CLIENT_ID", redirectURI: redirectURI, pendingSignIns: .inMemory, transport: $0, clock: $1)
        },
        Flow(
            testDescription: "PKCE, proxy", tokenURL: "https://my.example/token",
            refreshURL: "https://my.example/refresh", authorization: nil
        ) {
            .pkce(
                clientID: "CLIENT_ID", redirectURI: redirectURI, proxy: proxy, pendingSignIns: .inMemory, transport: $0,
                clock: $1)
        },
        Flow(testDescription: "code", tokenURL: direct, refreshURL: direct, authorization: basic) {
            .authorizationCode(
                clientID: "CLIENT_ID", clientSecret: "SECRET", redirectURI: redirectURI, pendingSignIns: .inMemory,
                transport: $0, clock: $1)
        },
        Flow(
            testDescription: "code, proxy", tokenURL: "https://my.example/token",
            refreshURL: "https://my.example/refresh", authorization: nil
        ) {
            .authorizationCode(
                clientID: "CLIENT_ID", proxy: proxy, redirectURI: redirectURI, pendingSignIns: .inMemory,
                transport: $0, clock: $1)
        },
    ]

    static let client = [
        Flow(testDescription: "client credentials", tokenURL: direct, refreshURL: direct, authorization: basic) {
            .clientCredentials(clientID: "CLIENT_ID", clientSecret: "SECRET", transport: $0, clock: $1)
        },
        Flow(
            testDescription: "client credentials, proxy", tokenURL: "https://my.example/token", refreshURL: "",
            authorization: nil
        ) { .clientCredentials(clientID: "CLIENT_ID", proxy: proxy, transport: $0, clock: $1) },
    ]
}

@Suite struct `The flows of Spotify` {
    @Test(arguments: Flow.user)
    private func `a user signs in, and the token is renewed`(flow: Flow) async throws {
        let clock = ManualClock()
        let transport = ScriptedTokenTransport(
            .response(200, json: signedIn), .response(200, json: #"{"access_token":"b","token_type":"Bearer"}"#))
        let spotify = flow.make(transport, clock)

        let pending = try await spotify.signIn(scopes: [.streaming, .userReadEmail])
        #expect(pending.url.absoluteString.hasPrefix("https://accounts.spotify.com/authorize?"))
        let token = try await spotify.finish(callback: pending.callback("code=AQ%2B%2F%26x"))
        #expect(token.scopes == ["user-read-email", "streaming"] && token.refreshToken == "AQ-refresh")

        let exchange = try #require(transport.requests.first)
        #expect(exchange.url.absoluteString == flow.tokenURL)
        #expect(exchange["Authorization"] == flow.authorization)
        var form = exchange.form
        #expect(form.removeValue(forKey: "code_verifier") == pending.codeVerifier)
        #expect(form.removeValue(forKey: "client_id") == (flow.authorization == nil ? "CLIENT_ID" : nil))
        #expect(form == ["grant_type": "authorization_code", "code": "AQ+/&x", "redirect_uri": redirectURI])

        _ = try await spotify.refresh(token)
        let refresh = try #require(transport.requests.last)
        #expect(refresh.url.absoluteString == flow.refreshURL)
        #expect(refresh["Authorization"] == flow.authorization)
        form = refresh.form
        #expect(form.removeValue(forKey: "client_id") == (flow.authorization == nil ? "CLIENT_ID" : nil))
        #expect(form == ["grant_type": "refresh_token", "refresh_token": "AQ-refresh"])
        #expect(!transport.requests.contains { $0.text.contains("SECRET") || $0.url.absoluteString.contains("SECRET") })
    }

    @Test(arguments: Flow.client)
    private func `an app fetches its tokens by itself, and no user can sign in`(flow: Flow) async throws {
        let answer = #"{"access_token":"b","token_type":"bearer","expires_in":3600}"#
        let transport = ScriptedTokenTransport(forever: .response(200, json: answer))
        let clock = ManualClock()
        let spotify = flow.make(transport, clock)
        let auth = RefreshableTokenAuthorization(service: spotify, clock: clock)
        #expect(try await auth.validToken().accessToken == "b")
        clock.advance(by: .seconds(3601))
        _ = try await auth.validToken()

        #expect(transport.requests.map(\.url.absoluteString) == [flow.tokenURL, flow.tokenURL])
        #expect(transport.requests.allSatisfy { $0["Authorization"] == flow.authorization })
        #expect(transport.requests.allSatisfy { $0.form["grant_type"] == "client_credentials" })
        await #expect(throws: AuthorizationServerError.self) { try await spotify.signIn(scopes: []) }
        #expect(transport.calls == 2)
    }

    @Test(arguments: [(true, "true"), (false, nil)] as [(Bool, String?)])
    func `the address of the page has all parameters that Spotify needs`(showDialog: Bool, parameter: String?)
        async throws
    {
        let spotify = Flow.user[0].make(NoTransport(), ManualClock())
        let pending = try await spotify.signIn(scopes: [.userReadEmail, .streaming], showDialog: showDialog)
        var parameters = pending.url.parameters
        #expect(parameters.removeValue(forKey: "state") == pending.state)
        #expect(
            parameters.removeValue(forKey: "code_challenge")
                == PKCE.challenge(for: pending.codeVerifier))
        #expect(parameters.removeValue(forKey: "show_dialog") == parameter)
        #expect(
            parameters == [
                "response_type": "code", "client_id": "CLIENT_ID", "redirect_uri": redirectURI,
                "scope": "streaming user-read-email", "code_challenge_method": "S256",
            ])
    }

    @Test(arguments: [
        "http://localhost/callback", "http://localhost:8080/callback", "https://localhost/callback",
        "http://LOCALHOST/callback",
    ])
    func `localhost is refused, and the error names the replacement`(uri: String) async throws {
        let spotify = SpotifyTokenService.pkce(
            clientID: "c", redirectURI: uri, pendingSignIns: .inMemory, transport: NoTransport())
        let error = await #expect(throws: SignInError.self) { try await spotify.signIn(scopes: []) }
        #expect(error?.kind == .redirectURI)
        #expect("\(try #require(error))".contains("http://127.0.0.1 or http://[::1], here and in the app's dashboard"))
    }

    @Test(arguments: [
        "http://127.0.0.1/callback", "http://127.0.0.1:61023/callback", "http://[::1]:61023/callback",
        "https://my.example/callback", "my-app://login-callback", "com.example.app:/callback",
    ])
    func `redirect URIs that Spotify accepts are accepted`(uri: String) async throws {
        let spotify = SpotifyTokenService.pkce(clientID: "c", pendingSignIns: .inMemory, transport: NoTransport())
        let pending = try await spotify.signIn(scopes: [], redirectURI: uri)
        #expect(pending.url.parameters["redirect_uri"] == uri)
        #expect(pending.url.parameters["scope"] == nil)
    }

    @Test func `plain http to another machine is refused`() async throws {
        let spotify = SpotifyTokenService.pkce(clientID: "c", pendingSignIns: .inMemory, transport: NoTransport())
        let error = await #expect(throws: SignInError.self) {
            try await spotify.signIn(scopes: [], redirectURI: "http://my.example/callback")
        }
        #expect(error?.kind == .redirectURI)
    }

    @Test func `a sign-in on another device is refused before anything is sent`() async throws {
        let transport = ScriptedTokenTransport()
        let spotify = SpotifyTokenService.pkce(clientID: "c", pendingSignIns: .inMemory, transport: transport)
        let error = await #expect(throws: AuthorizationServerError.self) {
            try await spotify.deviceSignIn(scopes: [.streaming])
        }
        #expect(error?.problem == .unsupported && transport.calls == 0)
        #expect("\(try #require(error))".contains("Spotify supports sign-ins in a browser only"))
    }
}
#endif
