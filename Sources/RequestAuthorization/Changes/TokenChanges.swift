// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The changes of a provider's token, each exactly once and in order, beginning with what is known.
///
///     for await change in auth.tokenChanges { print(change.isAuthorized) }
///
/// Each iteration observes by itself; it ends when the provider goes or the task is cancelled. A slow reader delays nobody.
public struct TokenChanges<Token: AuthorizationToken>: AsyncSequence, Sendable, RedactedDescription {
    let core: ProviderCore

    /// Observes; for one task.
    public struct AsyncIterator: AsyncIteratorProtocol, RedactedDescription {
        let subscription: Subscription<TokenNotice>

        public mutating func next() async -> TokenChange<Token>? {
            await subscription.mailbox.next().map { TokenChange($0) }
        }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(subscription: core.observe()) }
}

/// What a provider does that is nobody's error, from the beginning of the iteration on.
///
/// It ends when the provider goes or the task is cancelled.
public struct AuthorizationEvents: AsyncSequence, Sendable, RedactedDescription {
    let listen: @Sendable () -> Subscription<AuthorizationEvent>

    /// Listens; for one task.
    public struct AsyncIterator: AsyncIteratorProtocol, RedactedDescription {
        let subscription: Subscription<AuthorizationEvent>

        public mutating func next() async -> AuthorizationEvent? { await subscription.mailbox.next() }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(subscription: listen()) }
}
