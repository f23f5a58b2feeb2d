// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationSpotify
import RequestAuthorizationURLSession

extension Tool {
    /// What the commands need, and nothing else.
    public static let scopes: Set<String> = [
        "user-read-email", "user-read-private", "user-read-playback-state", "user-read-currently-playing",
        "user-modify-playback-state", "playlist-read-private", "playlist-read-collaborative",
    ]

    /// `spotify login`: signs in through the browser. Who was signed in stays so until somebody else is.
    ///
    /// - Parameters:
    ///   - scopes: what to ask for.
    ///   - opensBrowser: whether to open the page; its address is printed in any case.
    ///   - searchPath: where programs are.
    public func login(scopes: Set<String>, opensBrowser: Bool, searchPath: String?) async throws {
        try await run {
            try await checkThatLocalServiceAnswers()
            try await authorization.signIn { [service, output] in
                try await service.signIn(scopes: Set(scopes.map { SpotifyScope(rawValue: $0) }), through: .loopback) {
                    url in
                    output.note("Open this page and allow it:")
                    output.note(.bold(url.absoluteString))
                    if opensBrowser { BrowserOpener(searchPath: searchPath).open(url) }
                }
            }
            try await showNewToken()
        }
    }

    /// `spotify status`: what is kept. Nobody is called.
    ///
    /// - Throws: ``ToolFailure`` with ``ExitStatus/notSignedIn`` after the report, if there is no token.
    public func status() async throws {
        try await run {
            let token = try await storedToken()
            try show(token)
            if token == nil { throw ToolFailure.silent(.notSignedIn) }
        }
    }

    /// `spotify logout`: revokes the token where the service can, then forgets it.
    ///
    /// - Parameter force: forgets it also where it could not be revoked.
    public func logout(force: Bool) async throws {
        try await run {
            guard try await storedToken() != nil else {
                try output.show(DoneReport(done: "nothing", sentence: "Nobody was signed in."))
                return
            }
            do {
                try await authorization.signOut()
            } catch  where force {
                await authorization.reset()
            } catch {
                throw ToolFailure(error, of: settings).adding(
                    "You are still signed in. To forget the token all the same: \(settings.command("logout --force"))")
            }
            try output.show(DoneReport(done: "signed out", sentence: "Signed out."))
            if let advice = service.signOutAdvice { output.note(Span(advice)) }
        }
    }

    // MARK: -

    /// Read from the store alone: a provider would refresh a token that has expired.
    func storedToken() async throws -> OAuthToken? { try await store.load()?.token }

    func show(_ token: OAuthToken?) throws { try output.show(StatusReport(token, of: settings, at: clock.now)) }

    /// A provider goes on with a token that could not be saved; a process that ends cannot.
    func showNewToken() async throws {
        guard let token = try await storedToken() else {
            throw ToolFailure(.store, "the token could not be saved", advice: "See whether the disk is full.")
        }
        try show(token)
    }

    /// Before a browser shows an error page of its own.
    func checkThatLocalServiceAnswers() async throws {
        guard let base = settings.local else { return }
        _ = try await URLSession.shared.data(from: base.appending(path: ".well-known/oauth-authorization-server"))
    }
}
