// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Web
import Foundation
import Hummingbird
import RequestAuthorizationSpotify

extension SpotifyWebSite {
    /// The scopes that the pages need, and no others (RFC 9700 §2.3).
    private static let scopes: Set<SpotifyScope> = [.userReadPlaybackState, .userReadPrivate]

    // sample: log-in
    /// `GET /login`: redirects the browser to Spotify, and stores the log-in for this browser.
    @Sendable func logIn(_ request: Request, _ context: SiteContext) async throws -> Response {
        let id = cookie.id(in: request)
        let returnTo = ReturnPath(asked: request.value(of: ReturnPath.parameter))
        if try await sessions.session(of: id) != nil { return .seeOther(returnTo.rawValue) }
        let pending: PendingSignIn
        do {
            pending = try await service.signIn(
                scopes: Self.scopes, redirectURI: SiteAddress.redirectURI(at: context.origin))
        } catch {
            return try trouble(.logInFailed(returnTo: returnTo), after: error, context)
        }
        var response = Response.seeOther(pending.url.absoluteString)
        cookie.set(try await sessions.add(LogIn(pending: pending, returnTo: returnTo), of: id), on: &response)
        return response
    }
    // end sample

    // sample: callback
    /// `GET /callback`: Spotify has redirected the browser back with a code or an error.
    ///
    /// A callback finishes only a log-in of the same browser, and only once (RFC 6749 §10.12, RFC 9700 §2.1.1).
    @Sendable func callback(_ request: Request, _ context: SiteContext) async throws -> Response {
        let id = cookie.id(in: request)
        let address = SiteAddress.redirectURI(at: context.origin) + (request.uri.query.map { "?\($0)" } ?? "")
        guard let url = URL(string: address),
            let logIn = try await sessions.take(
                of: id, where: { $0.pending.accepts(url) && !$0.pending.isExpired(at: clock.now) })
        else { return .page(.foreignCallback) }
        let token: OAuthToken
        do {
            token = try await service.finish(logIn.pending, callback: url)
        } catch let error as SignInError where error.accessWasDenied {
            return .page(.denied(returnTo: logIn.returnTo))
        } catch {
            return try trouble(.logInFailed(returnTo: logIn.returnTo), after: error, context)
        }
        let account = newAccount()
        var response = Response.seeOther(logIn.returnTo.rawValue)
        do {
            // The session first: only it leads to the token, also if this process dies in between.
            cookie.set(try await sessions.begin(account, insteadOf: id).id, on: &response)
            try await accounts[account].signIn { token }
        } catch {
            await service.discard(token)
            throw error
        }
        return response
    }
    // end sample

    // sample: log-out
    /// `POST /logout`: ends the session here, and revokes its tokens if the server supports that.
    @Sendable func logOut(_ request: Request, _ context: SiteContext) async throws -> Response {
        var response = Response.seeOther("/?\(Notice.parameter)=\(Notice.loggedOut.rawValue)")
        if let session = try await sessions.session(of: cookie.id(in: request)) {
            let form = String(buffer: try await request.body.collect(upTo: 4096))
            guard session.formToken.matches(Self.formToken(in: form)) else { return .page(.forgedForm) }
            try await end(session)
        }
        cookie.remove(from: &response)
        return response
    }

    /// Ends the session here, even if the server cannot revoke it.
    func end(_ session: Session<Account>) async throws {
        // The tokens first: only the session leads to them.
        let auth = accounts[session.account]
        do { try await auth.signOut() } catch { await auth.reset() }
        try await sessions.end(session.id)
    }
    // end sample

    // MARK: -

    private static func formToken(in form: String) -> SessionSecret? {
        // A valid token needs no decoding, so a value that does is not valid.
        form.split(separator: "&").first { $0.hasPrefix("csrf=") }.flatMap { SessionSecret($0.dropFirst(5)) }
    }
}
#endif
