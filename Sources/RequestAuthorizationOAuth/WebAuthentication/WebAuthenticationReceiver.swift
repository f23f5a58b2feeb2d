// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization

/// Shows the server's page in the system's sheet and gets the callback from it: for apps on Apple's platforms.
///
///     let token = try await service.signIn(
///         scopes: ["read"],
///         through: .webAuthentication(redirectURI: "com.example.app:/callback") { window })
///
/// It is the browser of the system and not a view of the app, so the app sees neither passwords nor cookies (RFC 8252 §8.12).
public struct WebAuthenticationReceiver: CallbackReceiver {
    let redirectURI: String
    let isEphemeral: Bool
    let sessions: any WebAuthenticationSessions

    /// Shows the page; `show` is not called.
    ///
    /// - Throws: ``SignInError``: ``SignInError/Kind/cancelled`` if the person closed the sheet,
    ///   ``SignInError/Kind/notShown`` if there is no sheet to be had, ``SignInError/Kind/foreign`` if the sheet ended with a
    ///   callback of something else; `CancellationError` at once when the task is cancelled, which closes the sheet.
    public func callback(
        for start: @Sendable (_ redirectURI: String) async throws -> PendingSignIn,
        show: @Sendable (URL) async throws -> Void
    ) async throws -> URL {
        let awaited = try WebAuthenticationCallback(redirectURI)
        let pending = try await start(redirectURI)
        let callback = try await present(pending.url, awaiting: awaited)
        guard pending.accepts(callback) else { throw SignInError(.foreign, detail: "sign in again") }
        return callback
    }

    private func present(_ page: URL, awaiting awaited: WebAuthenticationCallback) async throws -> URL {
        let (ends, end) = AsyncStream.makeStream(of: WebAuthenticationEnd.self)
        let close = await sessions.begin(page, awaiting: awaited, isEphemeral: isEphemeral) { end.yield($0) }
        guard let close else { throw SignInError(.notShown) }
        for await end in ends { return try end.callback() }
        // The iteration ends without an element only when the task is cancelled.
        await close()
        throw CancellationError()
    }
}

/// The callback that a session of the system is to wait for.
package enum WebAuthenticationCallback: Hashable, Sendable {
    case scheme(String)
    /// An address that the app is associated with.
    case https(host: String, path: String)

    /// - Throws: ``SignInError`` for a redirect URI that the system does not wait for.
    package init(_ redirectURI: String) throws {
        let uri = try RedirectURI(redirectURI)
        switch uri.scheme {
        case "http":
            throw SignInError(
                .redirectURI,
                detail: "use a scheme of the app or https; http on this machine needs the loopback receiver")
        case "https": self = .https(host: uri.host ?? "", path: uri.path)
        default: self = .scheme(uri.scheme)
        }
    }
}

/// How a session of the system ended.
package enum WebAuthenticationEnd: Sendable {
    case callback(URL)
    case cancelled
    case failed

    fileprivate func callback() throws -> URL {
        switch self {
        case .callback(let url): url
        case .cancelled: throw SignInError(.cancelled)
        case .failed: throw SignInError(.notShown)
        }
    }
}

/// The few calls of the system that are used; tests have their own.
package protocol WebAuthenticationSessions: Sendable {
    /// Shows a page.
    ///
    /// - Parameter end: called once, on any thread.
    /// - Returns: closes the page; `nil` if it cannot be shown.
    func begin(
        _ page: URL, awaiting callback: WebAuthenticationCallback, isEphemeral: Bool,
        end: @escaping @Sendable (WebAuthenticationEnd) -> Void
    ) async -> (@Sendable () async -> Void)?
}
