// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Something that happened in a provider; for logs and metrics.
///
///     for await event in auth.events { logger.info("\(event)") }   // prints no secret
public struct AuthorizationEvent: Sendable {
    /// What happened. Its description is a short label without secrets, for metrics.
    public struct Kind: Hashable, Sendable, Labelled {
        @usableFromInline package let label: String

        /// A refresh, or the first load from the store, has begun.
        public static let refreshStarted = Kind(label: "refresh started")
        /// A refresh has ended, with or without a token. See `outcome`.
        public static let refreshEnded = Kind(label: "refresh ended")
        /// A token is in use: refreshed, loaded, set or adopted.
        public static let tokenInstalled = Kind(label: "token installed")
        /// A refresh failed, whether a request waited for it or not. See `error` and `nextTryAt`.
        public static let refreshFailed = Kind(label: "refresh failed")
        /// The service returned a token that had expired. See `error`, a ``TokenExpiredOnArrival``, and `nextTryAt`.
        public static let tokenExpiredOnArrival = Kind(label: "token expired on arrival, check the clock")
        /// The token could not be saved, or what was saved is damaged. It is used nevertheless, and saved again.
        public static let saveFailed = Kind(label: "save failed")
        /// The stored token could not be removed. Removing it is tried again.
        public static let clearFailed = Kind(label: "clear failed")
        /// A sibling, which is another process or host with the same store, refreshed first. Its token is used.
        public static let tokenAdopted = Kind(label: "token adopted")
        /// A token came after its session had ended, or when a newer token of its session was held, and was dropped.
        public static let tokenDiscarded = Kind(label: "token discarded")
        /// The session of the installed token ends soon, and no refresh prolongs it. See `signInNeededBefore`.
        public static let signInNeeded = Kind(label: "sign-in needed")
        /// A server sent what a proof cannot hold, such as a nonce that is too long, or refuses any. See `error`.
        public static let proofAnswerIgnored = Kind(label: "proof answer ignored")
        /// A sign-out went on although the server refused to revoke the token.
        public static let revocationRefused = Kind(label: "revocation refused")
        /// The session is over. See `error`, a ``NotAuthorized``.
        public static let sessionEnded = Kind(label: "session ended")
        /// A server answered 401 to a request of this provider, with the held token or another.
        public static let unauthorized = Kind(label: "unauthorized")
        /// A request is sent again after a 401.
        public static let requestRetried = Kind(label: "request retried")
        /// New tokens are refused too often, so no refresh begins. See ``RefreshPolicy/storm``.
        public static let refreshedTooOften = Kind(label: "refreshed too often")
        /// A refresh has waited for the lock of a shared store, for `duration`. It has the lock if there is no `error`.
        public static let lockAwaited = Kind(label: "lock awaited")
        /// Waiting requests go on, with a token or an error. See `count`.
        public static let requestsReleased = Kind(label: "requests released")
    }

    public let kind: Kind
    /// The error; not part of the description.
    public let error: (any Error)?
    /// When the next try is due, if it is known.
    public let nextTryAt: Date?
    /// When the session ends without a new sign-in, for ``Kind/signInNeeded``.
    public let signInNeededBefore: Date?
    /// Why the refresh began, for events of a refresh.
    public let cause: RefreshCause?
    /// How long the refresh took, if it has ended or failed; how long the lock was awaited.
    public let duration: Duration?
    /// The result of the refresh, if it has ended.
    public let outcome: RefreshOutcome?
    /// How long the token was still valid when its refresh began; negative after its expiry, `nil` if none was held.
    public let expiresIn: Duration?
    /// The number of requests that waited, for ``Kind/requestsReleased``.
    public let count: Int?

    init(
        _ kind: Kind, error: (any Error)? = nil, nextTryAt: Date? = nil, signInNeededBefore: Date? = nil,
        cause: RefreshCause? = nil, duration: Duration? = nil, outcome: RefreshOutcome? = nil,
        expiresIn: Duration? = nil, count: Int? = nil
    ) {
        (self.kind, self.error, self.nextTryAt) = (kind, error, nextTryAt)
        (self.signInNeededBefore, self.cause, self.duration) = (signInNeededBefore, cause, duration)
        (self.outcome, self.expiresIn, self.count) = (outcome, expiresIn, count)
    }
}

extension AuthorizationEvent: OwnDescription {
    @usableFromInline package var ownDescription: String {
        kind.description + (error.map { " (\(type(of: $0)))" } ?? "")
    }
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

/// The reason why a refresh began. Its description is a short label without secrets, for metrics.
public struct RefreshCause: Hashable, Sendable, Labelled {
    @usableFromInline package let label: String

    /// The token had expired, was about to expire, or did not last as long as a caller needed.
    public static let expiry = RefreshCause(label: "expiry")
    /// A server answered 401 to the token, or the answer to an earlier refresh was lost.
    public static let unauthorized = RefreshCause(label: "unauthorized")
    /// No token was held, as on the first use of the provider.
    public static let coldStart = RefreshCause(label: "cold start")
    /// The server would soon have ended the session that is not used. See ``RefreshPolicy/keepsAlive``.
    public static let keepAlive = RefreshCause(label: "keep alive")
    /// The program asked for it, for instance with ``RefreshableTokenAuthorization/refreshNow()``.
    public static let byHand = RefreshCause(label: "by hand")
}

/// The result of a refresh. Its description is a short label without secrets, for metrics.
public struct RefreshOutcome: Hashable, Sendable, Labelled {
    @usableFromInline package let label: String

    /// The service returned a new token.
    public static let refreshed = RefreshOutcome(label: "refreshed")
    /// The store held a valid token. The service was not called.
    public static let loaded = RefreshOutcome(label: "loaded")
    /// A sibling had refreshed the token, and its token is used.
    public static let adopted = RefreshOutcome(label: "adopted")
    /// The refresh brought no new token. The session goes on.
    public static let failed = RefreshOutcome(label: "failed")
    /// The session is over.
    public static let sessionEnded = RefreshOutcome(label: "session ended")
    /// No user has signed in yet.
    public static let noToken = RefreshOutcome(label: "no token")
    /// A newer token, a sign-in or a sign-out replaced the refresh.
    public static let superseded = RefreshOutcome(label: "superseded")
}
