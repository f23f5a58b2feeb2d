// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Web
import Foundation
import Hummingbird
import LocalSpotify
import RequestAuthorizationSpotify
import RequestAuthorizationTesting
import RequestAuthorizationURLSession
import ServiceLifecycle
import Testing

@testable import SpotifyWeb

/// The site and a local Spotify, both over sockets. Their clock moves only by hand.
struct RunningSite: Sendable {
    let site: SpotifyWebSite
    let base: String
    let spotify: LocalSpotify
    let clock: ManualClock
    let services: ServiceGroup
    /// Finishes when the site has ended.
    let ended: AsyncStream<Never>

    /// A browser without a cookie.
    var browser: TestBrowser { TestBrowser(base: base) }

    /// A logged-in browser.
    func loggedIn() async throws -> TestBrowser {
        var browser = browser
        let page = try await browser.beginLogIn()
        let answer = try await browser.open(try await spotify.callback(for: page))
        #expect(answer.location == "/me")
        return browser
    }

    /// The provider of a browser's session.
    func account(of browser: TestBrowser) async throws -> RefreshableTokenAuthorization<OAuthToken> {
        let cookie = try #require(browser.id)
        let id = try #require(SessionSecret(cookie))
        return site.accounts[try #require(try await site.sessions.session(of: id)).account]
    }

    /// The numbers of visitors and sessions on the server.
    func counts() async throws -> (visitors: Int, sessions: Int) {
        let store = site.sessions as? SessionStore<SpotifyWebSite.LogIn, SpotifyWebSite.Account>
        return try await #require(store).counts
    }

    static func run(
        policy: TokenPolicy = TokenPolicy(accessTokenLifetime: .seconds(60)),
        _ body: @Sendable (RunningSite) async throws -> Void
    ) async throws {
        let clock = ManualClock()
        let spotify = try LocalSpotify(policy: policy, clock: clock)
        try await spotify.serve { url in
            let service = SpotifyTokenService.authorizationCode(
                clientID: "local-web", clientSecret: "local-secret", accounts: .spotify(accounts: url),
                pendingSignIns: InMemoryPendingSignIns(), transport: URLSession.shared, clock: clock)
            let site = SpotifyWebSite(service: service, webAPI: url, clock: clock)
            let (ended, end) = AsyncStream<Never>.makeStream()
            let (addresses, continuation) = AsyncStream<String>.makeStream()
            let services = site.services { continuation.yield($0) }
            try await withThrowingTaskGroup { group in
                group.addTask {
                    try? await services.run()
                    end.finish()
                }
                let base = try #require(await addresses.first { _ in true })
                try await body(
                    RunningSite(
                        site: site, base: base, spotify: spotify, clock: clock, services: services, ended: ended))
                group.cancelAll()
            }
        }
    }
}
#endif
