// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension RefreshableTokenAuthorization {
    /// Calls a handler with the present token and then with each change, in order and exactly once.
    ///
    /// A slow handler delays neither requests nor other handlers.
    ///
    /// - Returns: the observation, which ends when it is released.
    public nonisolated func onTokenChange(
        _ handler: nonisolated(nonsending) @escaping @Sendable (TokenChange<Token>) async -> Void
    ) -> TokenObservation {
        let subscription = core.observe()
        let mailbox = subscription.mailbox
        Task.detached { while let notice = await mailbox.next() { await handler(TokenChange(notice)) } }
        return TokenObservation { subscription.cancel() }
    }

    /// The present token and then each change, as a sequence.
    public nonisolated var tokenChanges: TokenChanges<Token> { TokenChanges(core: core) }

    /// The events of this provider, for logs and metrics.
    ///
    /// They include what callers do not see: a failed background refresh, a failed save, a token of a sibling.
    public nonisolated var events: AuthorizationEvents {
        AuthorizationEvents { [core] in core.listen() }
    }
}

/// Keeps a handler of ``RefreshableTokenAuthorization/onTokenChange(_:)`` active until it is released.
public final class TokenObservation: Sendable, RedactedDescription {
    /// May be called twice.
    private let end: @Sendable () -> Void

    package init(end: @escaping @Sendable () -> Void) { self.end = end }

    /// Ends the observation. May be called inside the handler.
    ///
    /// Once this has returned, no change is taken for the handler. A call that has begun goes on: a
    /// handler of the main actor may still be waiting there for its turn.
    public func cancel() { end() }

    deinit { end() }
}
