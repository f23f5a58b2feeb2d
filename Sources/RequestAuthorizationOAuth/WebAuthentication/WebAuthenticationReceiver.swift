// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Shows the server's page in the system's sheet and receives its callback, for apps on Apple's platforms.
///
///     let token = try await service.signIn(
///         scopes: ["read"],
///         through: .webAuthentication(redirectURI: "com.example.app:/callback") { window })
///
/// The sheet is the system's browser: the app sees neither passwords nor cookies (RFC 8252 §8.12).
public struct WebAuthenticationReceiver: CallbackReceiver {
    let redirectURI: String
    let isEphemeral: Bool
    let sessions: any WebAuthenticationSessions

    /// Shows the page; `show` is not called.
    ///
    /// - Throws: ``SignInError``: ``SignInError/Kind/cancelled`` if the user closed the sheet,
    ///   ``SignInError/Kind/notShown`` if the sheet cannot be shown, ``SignInError/Kind/foreign`` for a callback of
    ///   another sign-in; `CancellationError` at once when the task is cancelled, which closes the sheet.
    public func callback(
        for start: nonisolated(nonsending) @escaping @Sendable (_ redirectURI: String) async throws -> PendingSignIn,
        show: nonisolated(nonsending) @escaping @Sendable (URL) async throws -> Void
    ) async throws -> URL {
        let awaited = try WebAuthenticationCallback(redirectURI)
        let pending = try await start(redirectURI)
        let callback = try await present(pending.url, awaiting: awaited)
        guard pending.accepts(callback) else {
            throw SignInError(.foreign, detail: "the sheet is closed; sign in again")
        }
        return callback
    }

    private func present(_ page: URL, awaiting awaited: WebAuthenticationCallback) async throws -> URL {
        let (ends, end) = AsyncStream.makeStream(of: WebAuthenticationEnd.self)
        let close = await sessions.begin(page, awaiting: awaited, isEphemeral: isEphemeral) { end.yield($0) }
        guard let close else { throw SignInError(.notShown) }
        for await end in ends { return try end.get() }
        // The iteration ends without an element only when the task is cancelled.
        await close()
        throw CancellationError()
    }
}

/// The callback for which a session of the system waits.
package enum WebAuthenticationCallback: Hashable, Sendable {
    case scheme(String)
    /// A URL of a domain that the app is associated with.
    case https(host: String, path: String)

    /// - Throws: ``SignInError`` if the system does not support the redirect URI.
    package init(_ redirectURI: String) throws {
        let uri = try RedirectURI(redirectURI)
        switch uri.scheme {
        case "http":
            throw SignInError(
                .redirectURI,
                detail: "use a scheme of the app, or https; for http on this machine use the loopback receiver")
        case "https": self = .https(host: uri.host ?? "", path: uri.path)
        default: self = .scheme(uri.scheme)
        }
    }
}

/// How a session of the system ended: with a callback, or with the reason why there is none.
package typealias WebAuthenticationEnd = Result<URL, SignInError>

/// The functions of the system that are used; tests replace them.
package protocol WebAuthenticationSessions: Sendable {
    /// Shows a page.
    ///
    /// - Parameter end: called once, on any thread.
    /// - Returns: a function that closes the page; `nil` if the page cannot be shown.
    func begin(
        _ page: URL, awaiting callback: WebAuthenticationCallback, isEphemeral: Bool,
        end: @escaping @Sendable (WebAuthenticationEnd) -> Void
    ) async -> (@Sendable () async -> Void)?
}
