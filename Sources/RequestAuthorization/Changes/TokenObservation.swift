// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Keeps a handler of ``RefreshableTokenAuthorization/onTokenChange(_:)`` active until it is released.
public final class TokenObservation: Sendable, RedactedDescription {
    /// Captures the subscription, which ends with its last reference.
    private let end: @Sendable () -> Void

    init(end: @escaping @Sendable () -> Void) { self.end = end }

    /// Ends the observation. Once this has returned, the handler gets no change. May be called inside the handler.
    public func cancel() { end() }
}
