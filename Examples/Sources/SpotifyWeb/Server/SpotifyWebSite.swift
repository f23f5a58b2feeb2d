// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Web
public import Foundation
#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif
import Hummingbird
import NIOCore
public import RequestAuthorizationSpotify
import RequestAuthorizationURLSession
import ServiceLifecycle
import UnixSignals

/// A small web app: log in with Spotify, see your profile and what is playing, log out.
///
///     let service = SpotifyTokenService.authorizationCode(
///         clientID: id, clientSecret: secret, transport: URLSession.shared)
///     try await SpotifyWebSite(service: service).run(port: 8080) { print("Open \($0)") }
///
/// The browser holds one cookie with a random id. The server keeps everything else: the pending log-ins, and a provider
/// with its tokens for each session. With a ``SiteDatabase`` they are kept there, for all replicas of the site.
public struct SpotifyWebSite: Sendable {
    typealias Account = SpotifyWeb.Account<OAuthToken>

    /// A log-in that a browser has begun.
    struct LogIn: Codable, Sendable {
        let pending: PendingSignIn
        let returnTo: ReturnPath
    }

    let service: SpotifyTokenService
    let sessions: any BrowserSessions<LogIn, Account>
    let newAccount: @Sendable () -> Account
    let accounts: AuthorizationPool<Account, OAuthToken>
    let address: SiteAddress
    let webAPI: URL?
    let urlSession: URLSession
    let clock: any AuthorizationClock

    var cookie: SessionCookie { SessionCookie(isSecure: address.isSecure) }

    /// - Parameters:
    ///   - service: signs in with the client's secret, and refreshes tokens. The site names the redirect URI.
    ///   - address: the address of the site for browsers.
    ///   - limits: the number of sessions and their lifetimes.
    ///   - webAPI: another server in place of `https://api.spotify.com`.
    ///   - urlSession: calls the Web API. It must not keep cookies, because they would be sent with the calls of other
    ///     users.
    ///   - clock: the time for the expiry of sessions and tokens.
    public init(
        service: SpotifyTokenService, address: SiteAddress = .loopback, limits: SessionLimits = SessionLimits(),
        webAPI: URL? = nil, urlSession: URLSession = .withoutCookies, clock: any AuthorizationClock = .system
    ) {
        self.init(
            service: service, address: address, webAPI: webAPI, urlSession: urlSession, clock: clock,
            sessions: SessionStore<LogIn, Account>(limits: limits, clock: clock), newAccount: { Account() })
    }

    #if Fleet
    /// A replica of a site that runs on several hosts.
    ///
    /// - Parameter database: the database that the replicas share.
    public init(
        service: SpotifyTokenService, database: SiteDatabase, address: SiteAddress = .loopback,
        limits: SessionLimits = SessionLimits(), webAPI: URL? = nil, urlSession: URLSession = .withoutCookies,
        clock: any AuthorizationClock = .system
    ) {
        self.init(
            service: service, address: address, webAPI: webAPI, urlSession: urlSession, clock: clock,
            sessions: SharedSessions(database: database, limits: limits),
            newAccount: { database.account(UUID()) })
    }
    #endif

    private init(
        service: SpotifyTokenService, address: SiteAddress, webAPI: URL?, urlSession: URLSession,
        clock: any AuthorizationClock, sessions: any BrowserSessions<LogIn, Account>,
        newAccount: @escaping @Sendable () -> Account
    ) {
        (self.service, self.address, self.webAPI) = (service, address, webAPI)
        (self.urlSession, self.clock) = (urlSession, clock)
        (self.sessions, self.newAccount) = (sessions, newAccount)
        // sample: pool
        accounts = AuthorizationPool(idleFor: .seconds(600), atMost: 1_000, clock: clock) { account in
            RefreshableTokenAuthorization(service: service, store: account.tokens, clock: clock)
        }
        // end sample
    }

    /// Serves the site until the process gets SIGINT or SIGTERM. Then it answers the requests that it has received, and
    /// waits for refreshes to end. If the task is cancelled, it ends without either.
    ///
    /// - Parameters:
    ///   - host: the interface to listen on. The default cannot be reached from other machines.
    ///   - port: the port, or 0 for any free one.
    ///   - started: called with the site's address when the site is ready.
    /// - Throws: the reason why the server cannot listen.
    public func run(
        host: String = "127.0.0.1", port: Int, started: @escaping @Sendable (_ address: String) async -> Void
    ) async throws {
        try await services(host: host, port: port, endedBy: [.sigterm, .sigint], started: started).run()
    }

    /// The Hummingbird application of the site.
    func application(
        host: String = "127.0.0.1", port: Int = 0, started: @escaping @Sendable (String) async -> Void = { _ in }
    ) -> some ApplicationProtocol {
        Application(
            router: router, server: .http1(configuration: .init(idleTimeout: .seconds(60))),
            configuration: .init(address: .hostname(host, port: port)),
            onServerRunning: { channel in
                let port = channel.localAddress?.port ?? port
                await started(address.published ?? "http://\(host.contains(":") ? "[\(host)]" : host):\(port)")
            })
    }

    private var router: Router<SiteContext> {
        let router = Router(context: SiteContext.self)
        router.add(middleware: SafeAnswers(isSecure: address.isSecure))
        router.add(middleware: HostCheck(address: address))
        router.get("/", use: home)
        router.get("/style.css", use: styleSheet)
        router.get("/login", use: logIn)
        router.get("/callback", use: callback)
        router.get("/me", use: profile)
        router.get("/now", use: nowPlaying)
        router.post("/logout", use: logOut)
        return router
    }
}

extension URLSession {
    /// Keeps no data of one user's calls for the next call.
    public static let withoutCookies: URLSession = {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.urlCache = nil
        return URLSession(configuration: configuration)
    }()
}

/// Contains sessions and a client secret.
extension SpotifyWebSite: CustomStringConvertible, CustomReflectable {
    public var description: String { "SpotifyWebSite(\(address.published ?? "loopback"))" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
#endif
