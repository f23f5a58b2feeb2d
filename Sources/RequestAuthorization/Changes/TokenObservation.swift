// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Keeps a handler of ``RefreshableTokenAuthorization/onTokenChange(_:)`` alive: dropping it cancels it.
public final class TokenObservation: Sendable, RedactedDescription {
    /// Holds the subscription, which ends when nobody holds it any more.
    private let end: @Sendable () -> Void

    init(end: @escaping @Sendable () -> Void) { self.end = end }

    /// Ends the observation: once this has returned, the handler is given nothing more. It may be called inside the handler.
    public func cancel() { end() }
}
