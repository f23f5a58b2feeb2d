// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
import Foundation
import RequestAuthorizationOAuth
import RequestAuthorizationStorage
import RequestAuthorizationTesting
import Testing

/// The samples of Documentation/Guide/SignIn.md.
@Suite(.timeLimit(.minutes(5))) struct SignInSamples {
    let clock = ManualClock()
    let folder = FileManager.default.temporaryDirectory.appending(path: "samples-\(UUID())").path
    let transport = ScriptedTokenTransport(
        forever: .response(200, json: #"{"access_token":"a","token_type":"Bearer"}"#))
    let server = AuthorizationServer(
        issuer: "https://accounts.example.com",
        authorizationEndpoint: URL(string: "https://accounts.example.com/authorize"),
        tokenEndpoint: URL(string: "https://accounts.example.com/token"),
        deviceAuthorizationEndpoint: URL(string: "https://accounts.example.com/device_authorization"))

    @Test func `a server is discovered, or written down`() async throws {
        let transport = ScriptedTokenTransport(
            .response(
                200,
                json:
                    #"{"issuer":"https://accounts.example.com","token_endpoint":"https://accounts.example.com/token","#
                    + #""authorization_endpoint":"https://accounts.example.com/authorize","#
                    + #""revocation_endpoint":"https://accounts.example.com/revoke"}"#))
        // sample: discovery
        let server = try await AuthorizationServer.discover(
            issuer: "https://accounts.example.com", transport: transport)
        // end sample
        // sample: written
        let written = AuthorizationServer(
            issuer: "https://accounts.example.com",
            authorizationEndpoint: URL(string: "https://accounts.example.com/authorize"),
            tokenEndpoint: URL(string: "https://accounts.example.com/token"),
            revocationEndpoint: URL(string: "https://accounts.example.com/revoke"))
        // end sample
        #expect(server == written)
    }

    @Test func `a server under a new name gets the tokens of before`() async throws {
        let (old, store) = (server, InMemoryTokenStore<OAuthToken>())
        let former = OAuthTokenService.authorizationCode(server: old, client: .public(id: "t"), transport: transport)
        try await RefreshableTokenAuthorization(service: former, store: store).setToken(OAuthToken(accessToken: "a"))
        var server = server
        server.issuer = "https://id.example.com"
        for isListed in [false, true] {
            if isListed {
                // sample: renamed
                server.formerIssuers = ["https://accounts.example.com"]
                // end sample
            }
            let service = OAuthTokenService.authorizationCode(
                server: server, client: .public(id: "t"), transport: transport)
            let auth = RefreshableTokenAuthorization(service: service, store: store)
            #expect(await auth.isAuthorized() == isListed)
            if isListed { #expect(try await auth.validToken().accessToken == "a") }
        }
    }

    @Test func `a program that needs no user`() async throws {
        let secret = "gX1fBat3bV"
        // sample: client-credentials
        let service = OAuthTokenService.clientCredentials(
            server: server, client: .secretBasic(id: "billing", secret: secret), transport: transport)
        let auth = RefreshableTokenAuthorization(service: service)  // fetches its first token by itself
        // end sample
        #expect(try await auth.validToken().accessToken == "a")
    }

    @Test func `an app`() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let pendingSignIns: any PendingSignInStore = .items(NamedFiles(client: "CLIENT_ID", folder: .at(folder)))
        // sample: app
        let service = OAuthTokenService.authorizationCode(
            server: server, client: .public(id: "CLIENT_ID"), redirectURI: "com.example.app:/callback",
            pendingSignIns: pendingSignIns, transport: transport)
        let auth = RefreshableTokenAuthorization(service: service)
        // end sample
        let pending = try await begin(with: service)
        let callback = try #require(URL(string: "com.example.app:/callback?code=1&state=\(pending.state)"))
        #expect(try await opened(callback, service: service, auth: auth))
        #expect(try await auth.validToken().accessToken == "a")
        let foreign = try #require(URL(string: "com.example.app:/settings"))
        #expect(try await !opened(foreign, service: service, auth: auth))
    }

    // sample: begin
    func begin(with service: OAuthTokenService) async throws -> PendingSignIn {
        try await service.signIn(scopes: ["read"])  // open its url in the browser
    }
    // end sample

    // sample: callback
    func opened(
        _ url: URL, service: OAuthTokenService, auth: RefreshableTokenAuthorization<OAuthToken>
    ) async throws -> Bool {
        do {
            try await auth.signIn { try await service.finish(callback: url) }
        } catch let error as SignInError where error.kind == .foreign {
            return false  // another link of our scheme: the sign-in waits on
        } catch let error as SignInError where error.accessWasDenied {
            print("denied")
        }
        return true
    }
    // end sample

    // sample: identity
    func welcome(
        _ service: OAuthTokenService, _ auth: RefreshableTokenAuthorization<OAuthToken>,
        through receiver: some CallbackReceiver
    ) async throws -> String? {
        try await auth.signIn {
            try await service.signIn(scopes: ["email"], identity: true, through: receiver)
        }
        return await auth.identity()?.subject  // the person at this issuer
    }
    // end sample

    // sample: after-challenge
    func signInAgain(
        _ service: OAuthTokenService, _ auth: RefreshableTokenAuthorization<OAuthToken>,
        after refusal: UnauthorizedResponse, through receiver: some CallbackReceiver
    ) async throws {
        let challenge = refusal.challenges.first { $0.requiresInteraction || $0.claims != nil }
        try await auth.signIn {
            try await service.signIn(scopes: ["read"], after: challenge, through: receiver)
        }
    }
    // end sample

    // sample: end-session
    func signOutEverywhere(
        _ service: OAuthTokenService, _ auth: RefreshableTokenAuthorization<OAuthToken>,
        open: (URL) async throws -> Void
    ) async throws {
        let page = try service.endSessionURL(for: auth.currentToken, redirectURI: "https://app.example.com/bye")
        try await auth.signOut()
        try await open(page)
    }
    // end sample

    #if LoopbackReceiver
    // sample: tool
    func logIn(to server: AuthorizationServer, transport: any TokenTransport) async throws {
        let service = OAuthTokenService.authorizationCode(
            server: server, client: .public(id: "CLIENT_ID"), transport: transport)
        let auth = RefreshableTokenAuthorization(
            service: service, store: .tool(client: "CLIENT_ID", account: "me"), policy: .tool)
        try await auth.signIn {
            try await service.signIn(scopes: ["read"], through: .loopback) { url in
                // Not to standard output, which a pipe may hold back.
                FileHandle.standardError.write(Data("Open \(url)\n".utf8))
            }
        }
        try await auth.settle(within: .seconds(10))  // the token is stored, and the tool may end
    }
    // end sample
    #endif

    // sample: receiver
    /// Waits for the link with which the system opens the app.
    struct LinkReceiver: CallbackReceiver {
        let links: AsyncStream<URL>

        func callback(
            for start: nonisolated(nonsending) @escaping @Sendable (String) async throws -> PendingSignIn,
            show: nonisolated(nonsending) @escaping @Sendable (URL) async throws -> Void
        ) async throws -> URL {
            let pending = try await start("com.example.app:/callback")
            try await show(pending.url)
            for await link in links where pending.accepts(link) { return link }
            throw CancellationError()
        }
    }
    // end sample

    @Test func `a receiver of one's own`() async throws {
        let service = OAuthTokenService.authorizationCode(
            server: server, client: .public(id: "CLIENT_ID"), transport: transport)
        let (links, opened) = AsyncStream<URL>.makeStream()
        let token = try await service.signIn(scopes: ["read"], through: LinkReceiver(links: links)) { page in
            let items = try #require(URLComponents(url: page, resolvingAgainstBaseURL: false)?.queryItems)
            let state = try #require(items.first { $0.name == "state" }?.value)
            for link in ["com.example.app:/settings", "com.example.app:/callback?code=1&state=\(state)"] {
                opened.yield(try #require(URL(string: link)))
            }
        }
        #expect(token.accessToken == "a")
    }

    @Test func `a server`() async throws {
        let secret = "gX1fBat3bV"
        // sample: server
        let service = OAuthTokenService.authorizationCode(
            server: server, client: .secretBasic(id: "CLIENT_ID", secret: secret),
            redirectURI: "https://www.example.com/callback", transport: transport)
        // Keep it in the user's session, and redirect to its url.
        let pending = try await service.signIn(scopes: ["read"])
        // end sample
        let callback = try #require(URL(string: "https://www.example.com/callback?code=1&state=\(pending.state)"))
        // sample: server-callback
        // `pending` comes from this user's session, and from no other.
        let token = try await service.finish(pending, callback: callback)
        // end sample
        #expect(token.scopes == ["read"])
    }

    @Test func `another device`() async throws {
        let transport = ScriptedTokenTransport(
            .response(
                200,
                json:
                    #"{"device_code":"d","user_code":"WDJB-MJHT","verification_uri":"https://accounts.example.com/device","#
                    + #""expires_in":1800}"#),
            .response(200, json: #"{"access_token":"a","token_type":"Bearer"}"#))
        let service = OAuthTokenService.device(
            server: server, client: .public(id: "CLIENT_ID"), transport: transport, clock: clock)
        let auth = RefreshableTokenAuthorization(service: service, clock: clock)
        let signIn = Task {
            // sample: device
            let device = try await service.deviceSignIn(scopes: ["read"])
            print(device.instructions)
            try await auth.signIn { try await device.token() }
            // end sample
        }
        await clock.sleeper(for: .seconds(5))
        clock.advance(by: .seconds(5))
        try await signIn.value
        #expect(try await auth.validToken().accessToken == "a")
    }

    func steps(of device: DeviceSignIn) async throws {
        // sample: progress
        for try await step in device.progress {
            switch step {
            case .waiting(let pause): print("asking again in \(pause)")
            case .slowedDown(let pause), .unanswered(let pause): print("from now on every \(pause)")
            case .authorized(let token): print("until \(token.expiresAt)")
            }
        }
        // end sample
    }
}
#endif
