// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A change of a provider's token.
public enum TokenChange<Token: AuthorizationToken>: Sendable {
    /// This token is used from now on: it was loaded, refreshed, set or adopted from a sibling.
    case tokenUpdated(Token)
    /// The session is over: sign in again. Not sent just because nothing is loaded yet.
    case tokenInvalidated(NotAuthorized)

    /// Whether requests can be authorized now.
    public var isAuthorized: Bool { if case .tokenUpdated = self { true } else { false } }
}

extension TokenChange {
    /// - Parameter notice: from a provider of this type of token; see `RefreshableTokenAuthorization.typed(_:)`.
    init(_ notice: TokenNotice) {
        self =
            switch notice {
            case .updated(let held): .tokenUpdated(unsafeDowncast(held, to: TypedToken<Token>.self).token)
            case .invalidated(let error): .tokenInvalidated(error)
            }
    }
}

extension TokenChange: OwnDescription {
    @usableFromInline package var ownDescription: String {
        switch self {
        case .tokenUpdated: "tokenUpdated([redacted])"
        case .tokenInvalidated(let error): "tokenInvalidated(\(error.reason))"
        }
    }
}

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
