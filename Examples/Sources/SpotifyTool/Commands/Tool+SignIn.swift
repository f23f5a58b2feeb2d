// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationSpotify
import RequestAuthorizationStorage
import RequestAuthorizationURLSession

extension Tool {
    /// The scopes that the commands need.
    public static let scopes: Set<String> = [
        "user-read-email", "user-read-private", "user-read-playback-state", "user-read-currently-playing",
        "user-modify-playback-state", "playlist-read-private", "playlist-read-collaborative",
    ]

    /// `spotify login`: signs in through the browser. The last session stays until the new one begins.
    ///
    /// - Parameters:
    ///   - scopes: the scopes to ask for.
    ///   - opensBrowser: whether to open the page. Its address is printed in any case.
    ///   - searchPath: the folders of programs, separated by colons.
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

    /// `spotify status`: shows the stored token's scopes and dates, without a call.
    ///
    /// - Throws: ``ToolFailure`` with ``ExitStatus/notSignedIn`` after the report, if there is no token.
    public func status() async throws {
        try await run {
            let token = try await storedToken()
            try show(token)
            if token == nil { throw ToolFailure.silent(.notSignedIn) }
        }
    }

    /// `spotify logout`: revokes the token if the service supports that, and removes it.
    ///
    /// - Parameter force: whether to remove a token that could not be revoked.
    public func logout(force: Bool) async throws {
        try await run {
            guard try await storedToken() != nil else {
                try output.show(DoneReport(done: "nothing", sentence: "You were not signed in."))
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

    /// Reads the store, because a provider would refresh an expired token.
    func storedToken() async throws -> OAuthToken? { try await store.load()?.token }

    func show(_ token: OAuthToken?) throws { try output.show(StatusReport(token, of: settings, at: clock.now)) }

    /// Shows the stored token. Throws if there is none: the provider may have it in memory only, and this process ends.
    func showNewToken() async throws {
        guard let token = try await storedToken() else {
            throw ToolFailure(.store, "the token could not be saved", advice: "Check whether the disk is full.")
        }
        try show(token)
    }

    /// Checks the local service first, so that the browser does not show its own error page.
    func checkThatLocalServiceAnswers() async throws {
        guard let base = settings.local else { return }
        _ = try await URLSession.shared.data(from: base.appending(path: ".well-known/oauth-authorization-server"))
    }
}
