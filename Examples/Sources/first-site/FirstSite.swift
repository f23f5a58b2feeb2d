// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Web && Clients
import Crypto
import Foundation
import Hummingbird
import LocalSpotify
import RequestAuthorizationAsyncHTTPClient
import RequestAuthorizationSpotify
import RequestAuthorizationStorage
import RequestAuthorizationTelemetry
import ServiceLifecycle
import Synchronization
import UnixSignals

// sample: site
/// A site whose users log in with Spotify. Its sessions survive a restart.
final class Site: Sendable {
    let spotify: URL, port: Int
    let service: SpotifyTokenService
    let users: AuthorizationPool<UUID, OAuthToken>
    let logger = Logger(label: "first-site")
    /// The log-ins that browsers have begun, by the id in their cookie.
    let logIns = Mutex<[UUID: PendingSignIn]>([:])

    init(spotify: URL, port: Int) {
        let service = SpotifyTokenService.authorizationCode(
            clientID: "local-web", clientSecret: "local-secret", redirectURI: "http://127.0.0.1:\(port)/callback",
            accounts: .spotify(accounts: spotify), transport: HTTPClient.shared)
        users = AuthorizationPool { user in
            // A hash: a log may name the file, and who knows the cookie is logged in.
            let account = Data(SHA256.hash(data: Data(user.uuidString.utf8))).base64EncodedString()
            return RefreshableTokenAuthorization(
                service: service, store: .restrictedFile(client: "first-site", account: account))
        }
        users.report(to: .init(logger: logger, label: { _ in "a user" }))
        (self.spotify, self.port, self.service) = (spotify, port, service)
    }

    func profile(_ request: Request, _ context: BasicRequestContext) async throws -> Response {
        guard let user = request.id(in: "user"), let api = Origin(spotify) else { return .redirect(to: "/login") }
        do {
            // Waits while the user's token is refreshed, and sends once more after a 401.
            let response = try await HTTPClient.shared.execute(
                HTTPClientRequest(url: "\(spotify)/v1/me"), timeout: .seconds(30),
                authorizedBy: users[user].restricted(to: api))
            guard response.status == .ok else { return .text(.badGateway, "Spotify did not answer as expected.") }
            return Response(
                status: .ok, headers: [.contentType: "application/json", .cacheControl: "no-store"],
                body: .init(byteBuffer: try await response.body.collect(upTo: 1 << 16)))
        } catch let error as NotAuthorized where error.needsSignIn {
            return .redirect(to: "/login")  // never logged in, or the session has ended
        } catch is RefreshFailed {
            return .text(.serviceUnavailable, "Spotify is down. You are still logged in.")
        } catch {
            logger.warning("No profile: \(type(of: error))")  // only the type: the text may hold a secret
            return .text(.badGateway, "Spotify cannot be reached. You are still logged in.")
        }
    }

    func logIn(_ request: Request, _ context: BasicRequestContext) async throws -> Response {
        let (browser, pending) = (UUID(), try await service.signIn(scopes: ["user-read-private"]))
        logIns.withLock { logIns in
            if logIns.count == 1_000 { logIns.removeAll() }  // somebody who asks for the page again and again
            logIns[browser] = pending
        }
        return .redirect(to: pending.url.absoluteString, cookie: "log-in", browser)
    }

    func callback(_ request: Request, _ context: BasicRequestContext) async throws -> Response {
        // Only the browser that began a log-in can finish it, and once. Another callback leaves it as it is.
        guard let browser = request.id(in: "log-in"),
            let url = URL(string: "http://127.0.0.1:\(port)\(request.uri.string)"),
            let pending = logIns.withLock({ $0[browser]?.accepts(url) == true ? $0.removeValue(forKey: browser) : nil })
        else { return .text(.badRequest, "This log-in was not begun in this browser, or is over.") }
        let user = UUID()
        do {
            try await users[user].signIn { [service] in try await service.finish(pending, callback: url) }
            if let last = request.id(in: "user") { await users[last].reset() }  // its cookie is replaced
            return .redirect(to: "/", cookie: "user", user)
        } catch let error as SignInError where error.accessWasDenied {
            return .text(.forbidden, "You did not allow it.")
        } catch {
            logger.warning("No log-in: \(type(of: error))")
            return .text(.badGateway, "The log-in failed. Try again.")
        }
    }

    func logOut(_ request: Request, _ context: BasicRequestContext) async throws -> Response {
        if let user = request.id(in: "user") { await users[user].reset() }
        // Not a redirect to the log-in: Spotify would not ask again, and log the user in at once.
        return .text(.ok, "You are logged out.")
    }

    func run() async throws {
        let router = Router().get("/", use: profile).get("login", use: logIn).get("callback", use: callback)
            .post("logout", use: logOut)
        let server = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: port)), logger: logger)
        let group = ServiceGroup(
            services: [
                AtShutdown { try await self.users.shutdown(within: .seconds(10)) },  // when the last answer is sent
                server,
                AtShutdown { self.users.stopBackgroundRefresh() },  // shut down first: the last in the list
            ],
            gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        try await group.run()
    }
}

/// Runs code when its turn in a graceful shutdown has come.
struct AtShutdown: Service {
    let body: @Sendable () async throws -> Void

    func run() async throws {
        try await gracefulShutdown()
        try await body()
    }
}

extension Request {
    func id(in cookie: String) -> UUID? { (cookies[cookie]?.value).flatMap { UUID(uuidString: $0) } }
}

extension Response {
    /// On a public site, with TLS, set `secure: true`.
    static func redirect(to url: String, cookie: String, _ id: UUID) -> Response {
        var response = redirect(to: url)
        response.setCookie(Cookie(name: cookie, value: id.uuidString, path: "/", httpOnly: true, sameSite: .lax))
        return response
    }

    static func text(_ status: HTTPResponse.Status, _ text: String) -> Response {
        Response(
            status: status, headers: [.contentType: "text/plain; charset=utf-8"],
            body: .init(byteBuffer: ByteBuffer(string: text)))
    }
}
// end sample

/// `swift run --package-path Examples --traits Web,Clients first-site`: a whole server, on http://127.0.0.1:8080.
@main struct FirstSite {
    static func main() async throws {
        let environment = ProcessInfo.processInfo.environment
        let port = environment["PORT"].flatMap { Int($0) } ?? 8080
        if let spotify = environment["SPOTIFY_LOCAL"].flatMap({ URL(string: $0) }) {
            return try await Site(spotify: spotify, port: port).run()
        }
        try await LocalSpotify().serve { try await Site(spotify: $0, port: port).run() }
    }
}
#else
@main struct FirstSite {
    static func main() {
        print("first-site needs traits: swift run --package-path Examples --traits Web,Clients first-site")
    }
}
#endif
