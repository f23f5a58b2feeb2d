// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Web
import Hummingbird
import Logging
import RequestAuthorizationSpotify
import SpotifyWebAPI

extension SpotifyWebSite {
    /// `GET /`
    @Sendable func home(_ request: Request, _ context: SiteContext) async throws -> Response {
        if let session = try await sessions.session(of: cookie.id(in: request)) {
            return .page(.home(formToken: session.formToken))
        }
        let notice = request.value(of: Notice.parameter).flatMap(Notice.init(rawValue:))
        return .page(.welcome(notice: notice, returnTo: ReturnPath(asked: request.value(of: ReturnPath.parameter))))
    }

    /// `GET /style.css`
    @Sendable func styleSheet(_ request: Request, _ context: SiteContext) async throws -> Response {
        Response(
            status: .ok, headers: [.contentType: "text/css; charset=utf-8"],
            body: .init(byteBuffer: ByteBuffer(string: StyleSheet.text)))
    }

    /// `GET /me`
    @Sendable func profile(_ request: Request, _ context: SiteContext) async throws -> Response {
        try await page(for: request, at: .profile, context) { session, spotify in
            async let user = spotify.currentUser()
            async let playing = spotify.playbackState()
            return try await .profile(
                ProfileSummary(user), playing: PlayingSummary(playing), formToken: session.formToken)
        }
    }

    /// `GET /now`
    @Sendable func nowPlaying(_ request: Request, _ context: SiteContext) async throws -> Response {
        try await page(for: request, at: .nowPlaying, context) { session, spotify in
            .nowPlaying(PlayingSummary(try await spotify.playbackState()), formToken: session.formToken)
        }
    }

    /// The page after an error. The log gets the type of the error, not its text.
    func trouble(_ page: Page, after error: any Error, _ context: SiteContext) throws -> Response {
        if error is CancellationError { throw error }
        context.logger.warning("\(page.title): \(type(of: error))")
        return .page(page)
    }

    // MARK: -

    /// Makes a page for a logged-in user. Other users are asked to log in, and then see the page.
    private func page(
        for request: Request, at path: ReturnPath, _ context: SiteContext,
        make: (Session<Account>, SpotifyClient) async throws -> Page
    ) async throws -> Response {
        let id = cookie.id(in: request)
        guard let session = try await sessions.session(of: id) else {
            // The id is unknown or expired, so the cookie is removed.
            if cookie.isPresent(in: request), try await !sessions.isVisitor(id) { return sessionEnded(at: path) }
            return .seeOther(Self.welcome(.logInFirst, then: path))
        }
        do {
            return .page(try await make(session, client(of: session.account)))
        } catch let error where Self.needsLogIn(error) {
            try await end(session)
            return sessionEnded(at: path)
        } catch let error as SpotifyError where error.status == 403 {
            return try trouble(.refused, after: error, context)
        } catch {
            return try trouble(.unavailable, after: error, context)
        }
    }

    /// Also if the user has not allowed what the page needs, for instance after an update of the site.
    private static func needsLogIn(_ error: any Error) -> Bool {
        error is MissingScopes || (error as? NotAuthorized)?.needsSignIn == true
    }

    private func client(of account: Account) -> SpotifyClient {
        // A browser that waits holds a connection, and a shutdown waits for it.
        let rateLimit = RateLimitPolicy(longestWait: .seconds(3))
        return SpotifyClient(
            authorization: accounts[account], base: webAPI, session: urlSession, rateLimit: rateLimit, clock: clock)
    }

    private func sessionEnded(at path: ReturnPath) -> Response {
        var response = Response.seeOther(Self.welcome(.sessionEnded, then: path))
        cookie.remove(from: &response)
        return response
    }

    private static func welcome(_ notice: Notice, then path: ReturnPath) -> String {
        "/?\(Notice.parameter)=\(notice.rawValue)&\(ReturnPath.parameter)=\(path.escaped)"
    }
}

extension ProfileSummary {
    fileprivate init(_ user: User) {
        self.init(name: user.displayName ?? user.id, id: user.id, link: WebLink(uri: user.uri))
    }
}

extension PlayingSummary {
    /// - Parameter playback: `nil` if no device plays. It has no item during an advertisement.
    fileprivate init?(_ playback: PlaybackState?) {
        guard let playback, let item = playback.item else { return nil }
        self.init(
            track: item.name, artists: item.makers, isPlaying: playback.isPlaying, link: WebLink(uri: item.uri))
    }
}
#endif
