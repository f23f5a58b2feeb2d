// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The changes of a provider's token, each exactly once and in order, beginning with the present state.
///
///     for await change in auth.tokenChanges { print(change.isAuthorized) }
///
/// Each iteration observes independently, and ends when the provider is released or the task is cancelled.
public struct TokenChanges<Token: AuthorizationToken>: AsyncSequence, Sendable, RedactedDescription {
    let core: ProviderCore

    /// Iterates over the changes, in one task.
    public struct AsyncIterator: AsyncIteratorProtocol, RedactedDescription {
        let subscription: Subscription<TokenNotice>

        public mutating func next() async -> TokenChange<Token>? {
            await subscription.mailbox.next().map { TokenChange($0) }
        }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(subscription: core.observe()) }
}

/// The events of a provider, from the beginning of the iteration.
///
/// The sequence ends when the provider is released or the task is cancelled.
public struct AuthorizationEvents: AsyncSequence, Sendable, RedactedDescription {
    let listen: @Sendable () -> Subscription<AuthorizationEvent>

    /// Iterates over the events, in one task.
    public struct AsyncIterator: AsyncIteratorProtocol, RedactedDescription {
        let subscription: Subscription<AuthorizationEvent>

        public mutating func next() async -> AuthorizationEvent? { await subscription.mailbox.next() }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(subscription: listen()) }
}
