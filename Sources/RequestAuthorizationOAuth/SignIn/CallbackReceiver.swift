// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Shows a sign-in page and waits for its callback: the ways in which a platform can do that.
///
///     let token = try await service.signIn(scopes: ["read"], through: .loopback) { url in print("Open", url) }
///
/// A receiver opens before anybody is sent anywhere, because its address (a port) may be known only then.
public protocol CallbackReceiver: Sendable {
    /// Opens for callbacks, asks for the sign-in that fits its redirect URI, shows the page, waits, and closes.
    ///
    /// - Parameters:
    ///   - start: makes the sign-in for the redirect URI that the receiver listens on, with its port.
    ///   - show: shows the page, ``PendingSignIn/url``, where the receiver does not do that itself.
    /// - Returns: the first callback that the sign-in ``PendingSignIn/accepts(_:)``; any other is turned away, and changes nothing.
    /// - Throws: what `start` and `show` throw; ``SignInError`` if nobody comes in time or the person closes the page;
    ///   `CancellationError` at once when the task is cancelled.
    func callback(
        for start: @Sendable (_ redirectURI: String) async throws -> PendingSignIn,
        show: @Sendable (URL) async throws -> Void
    ) async throws -> URL
}
