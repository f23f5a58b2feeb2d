// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Web
import Foundation
import Hummingbird
import RequestAuthorizationSpotify

extension SpotifyWebSite {
    /// What the pages need to know, and nothing more (RFC 9700 §2.3).
    private static let scopes: Set<SpotifyScope> = [.userReadPlaybackState, .userReadPrivate]

    // sample: log-in
    /// `GET /login`: sends the browser to Spotify, and remembers that it was this one.
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
    /// `GET /callback`: Spotify sends the browser back with a code, or with a denial.
    ///
    /// A callback is finished only in the browser that began the log-in, and only once (RFC 6749 §10.12, RFC 9700 §2.1.1).
    @Sendable func callback(_ request: Request, _ context: SiteContext) async throws -> Response {
        let id = cookie.id(in: request)
        let address = SiteAddress.redirectURI(at: context.origin) + (request.uri.query.map { "?\($0)" } ?? "")
        guard let url = URL(string: address),
            let logIn = try await sessions.take(of: id, where: { $0.pending.accepts(url) })
        else { return .page(.foreignCallback) }
        let account = newAccount()
        do {
            try await accounts[account].signIn { [service] in try await service.finish(logIn.pending, callback: url) }
        } catch let error as SignInError where error.accessWasDenied {
            return .page(.denied(returnTo: logIn.returnTo))
        } catch {
            return try trouble(.logInFailed(returnTo: logIn.returnTo), after: error, context)
        }
        var response = Response.seeOther(logIn.returnTo.rawValue)
        cookie.set(try await sessions.begin(account, insteadOf: id).id, on: &response)
        return response
    }
    // end sample

    // sample: log-out
    /// `POST /logout`: ends the session here, and at the server that issued its tokens if that has a way.
    @Sendable func logOut(_ request: Request, _ context: SiteContext) async throws -> Response {
        var response = Response.seeOther("/?\(Notice.parameter)=\(Notice.loggedOut.rawValue)")
        if let session = try await sessions.session(of: cookie.id(in: request)) {
            let form = String(buffer: try await request.body.collect(upTo: 4096))
            guard session.formToken.matches(Self.formToken(in: form)) else { return .page(.forgedForm) }
            try await sessions.end(session.id)
            await end(session.account)
        }
        cookie.remove(from: &response)
        return response
    }

    // MARK: -

    /// The session is over here, whatever the server says to it.
    private func end(_ account: Account) async {
        let auth = accounts[account]
        do { try await auth.signOut() } catch { await auth.reset() }
    }
    // end sample

    private static func formToken(in form: String) -> SessionSecret? {
        // A token needs no decoding, and what does is none.
        form.split(separator: "&").first { $0.hasPrefix("csrf=") }.flatMap { SessionSecret($0.dropFirst(5)) }
    }
}
#endif
