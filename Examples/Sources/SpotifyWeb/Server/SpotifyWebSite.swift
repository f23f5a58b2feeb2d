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

/// A small web app: log in with Spotify, see who you are and what is playing, log out.
///
///     let service = SpotifyTokenService.authorizationCode(
///         clientID: id, clientSecret: secret, redirectURI: "http://127.0.0.1/callback", transport: URLSession.shared)
///     try await SpotifyWebSite(service: service).run(port: 8080) { print("Open \($0)") }
///
/// The browser holds one cookie with a random id. Everything else is kept here: the log-in that a browser has begun, and one
/// provider for each session, with its tokens. With a ``SiteDatabase`` it is kept there, for all replicas of the site.
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
    ///   - service: signs in with the client's secret, and refreshes.
    ///   - address: where browsers find the site.
    ///   - limits: how many sessions there can be, and how long they live.
    ///   - webAPI: another server that stands in for `https://api.spotify.com`.
    ///   - urlSession: calls the Web API. It must keep no cookies, which would go along with the calls of other users.
    ///   - clock: tells when sessions and tokens end.
    public init(
        service: SpotifyTokenService, address: SiteAddress = .loopback, limits: SessionLimits = SessionLimits(),
        webAPI: URL? = nil, urlSession: URLSession = .withoutCookies, clock: any AuthorizationClock = .system
    ) {
        self.init(
            service: service, address: address, webAPI: webAPI, urlSession: urlSession, clock: clock,
            sessions: SessionStore<LogIn, Account>(limits: limits, clock: clock), newAccount: { Account() })
    }

    #if Fleet
    /// A replica of a site that several hosts serve.
    ///
    /// - Parameter database: what they share.
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

    /// Serves the site until the task is cancelled or the process is asked to end (SIGINT, SIGTERM). Then requests that have
    /// come are answered, and refreshes end.
    ///
    /// - Parameters:
    ///   - host: the interface to listen on; other machines reach it only by another one than the default.
    ///   - port: any free one if 0.
    ///   - started: is told the site's address when it can be opened.
    /// - Throws: what kept it from listening.
    public func run(
        host: String = "127.0.0.1", port: Int, started: @escaping @Sendable (_ address: String) async -> Void
    ) async throws {
        try await services(host: host, port: port, endedBy: [.sigterm, .sigint], started: started).run()
    }

    /// The site as Hummingbird runs it.
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
    /// Keeps nothing of one user's calls for the next.
    public static let withoutCookies: URLSession = {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.urlCache = nil
        return URLSession(configuration: configuration)
    }()
}

/// Sessions and a client secret are in it.
extension SpotifyWebSite: CustomStringConvertible, CustomReflectable {
    public var description: String { "SpotifyWebSite(\(address.published ?? "loopback"))" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
#endif
