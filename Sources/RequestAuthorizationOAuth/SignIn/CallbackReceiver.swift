// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Shows a sign-in page and receives its callback, in the way of a platform.
///
///     let token = try await service.signIn(scopes: ["read"], through: .loopback) { url in print("Open", url) }
///
/// A receiver opens before the sign-in starts, because its redirect URI (with a port) may be known only then. One of
/// your own repeats the isolation of the closures, which every package then compiles alike:
///
///     struct CallbackOfLinks: CallbackReceiver {
///         let links: AsyncStream<URL>                     // the URLs that the app is opened with
///
///         func callback(
///             for start: nonisolated(nonsending) @escaping @Sendable (String) async throws -> PendingSignIn,
///             show: nonisolated(nonsending) @escaping @Sendable (URL) async throws -> Void
///         ) async throws -> URL {
///             let pending = try await start("com.example.app:/callback")
///             try await show(pending.url)
///             for await link in links where pending.accepts(link) { return link }
///             throw CancellationError()
///         }
///     }
public protocol CallbackReceiver: Sendable {
    /// Opens for callbacks, starts a sign-in with its redirect URI, shows the page, waits, and closes.
    ///
    /// Both closures may outlive the call. A receiver need not wait for their end, and ignores it after its own. A
    /// `show` that hangs must hold up neither a callback nor a timeout.
    ///
    /// - Parameters:
    ///   - start: makes the sign-in for the receiver's redirect URI, including its port.
    ///   - show: shows the page, ``PendingSignIn/url``, if the receiver does not do so itself.
    /// - Returns: the first callback that the sign-in accepts (``PendingSignIn/accepts(_:)``). Other callbacks are
    ///   refused, and change nothing.
    /// - Throws: errors of `start` and `show`; ``SignInError`` if no callback comes in time or the user closes the
    ///   page; `CancellationError` at once when the task is cancelled.
    func callback(
        for start: nonisolated(nonsending) @escaping @Sendable (_ redirectURI: String) async throws -> PendingSignIn,
        show: nonisolated(nonsending) @escaping @Sendable (URL) async throws -> Void
    ) async throws -> URL

    /// A receiver that uses the redirect URI of an earlier sign-in, if it can; itself by default.
    ///
    /// For a client whose registration names the whole redirect URI, port included. If `start` gets another URI all the
    /// same, the client is registered anew with that one.
    func preferring(_ redirectURI: String) -> Self

    /// A receiver whose redirect URI is for one issuer only, as far as it makes the URI; itself by default.
    ///
    /// For servers whose callbacks do not name them: the URI at which a callback comes then tells whose it is (RFC 9700
    /// §4.4.2). The server must know the URI, so use it where the client registers itself.
    func dedicated(to issuer: String) -> Self
}

extension CallbackReceiver {
    public func preferring(_ redirectURI: String) -> Self { self }
    public func dedicated(to issuer: String) -> Self { self }
}
