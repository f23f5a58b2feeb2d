// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension RefreshableTokenAuthorization {
    /// Calls a handler with what is held now and then with each change, in order, exactly once.
    ///
    /// A slow handler delays neither requests nor other handlers.
    ///
    /// - Returns: the observation; dropping it ends it.
    public nonisolated func onTokenChange(
        _ handler: @escaping @Sendable (TokenChange<Token>) async -> Void
    ) -> TokenObservation {
        let subscription = core.observe()
        let mailbox = subscription.mailbox
        Task { while let notice = await mailbox.next() { await handler(TokenChange(notice)) } }
        return TokenObservation { subscription.cancel() }
    }

    /// The same as a sequence: what is held now and then each change.
    public nonisolated var tokenChanges: TokenChanges<Token> { TokenChanges(core: core) }

    /// What callers do not see: a background refresh or a save that failed, a token adopted from a sibling.
    public nonisolated var events: AuthorizationEvents {
        AuthorizationEvents { [core] in core.listen() }
    }
}
