// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Shows a sign-in page and receives its callback, in the way of a platform.
///
///     let token = try await service.signIn(scopes: ["read"], through: .loopback) { url in print("Open", url) }
///
/// A receiver opens before the sign-in starts, because its redirect URI (with a port) may be known only then.
public protocol CallbackReceiver: Sendable {
    /// Opens for callbacks, starts a sign-in with its redirect URI, shows the page, waits, and closes.
    ///
    /// - Parameters:
    ///   - start: makes the sign-in for the receiver's redirect URI, including its port.
    ///   - show: shows the page, ``PendingSignIn/url``, if the receiver does not do so itself.
    /// - Returns: the first callback that the sign-in accepts (``PendingSignIn/accepts(_:)``). Other callbacks are
    ///   refused, and change nothing.
    /// - Throws: errors of `start` and `show`; ``SignInError`` if no callback comes in time or the user closes the
    ///   page; `CancellationError` at once when the task is cancelled.
    func callback(
        for start: @Sendable (_ redirectURI: String) async throws -> PendingSignIn,
        show: @Sendable (URL) async throws -> Void
    ) async throws -> URL
}
