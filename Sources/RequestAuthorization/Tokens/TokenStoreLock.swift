// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Exclusive access to a shared token store, until it is unlocked.
public struct TokenStoreLock: Sendable {
    /// How long a token request may take under this access; `nil` if the access lasts until it is unlocked.
    public let requestDeadline: Duration?

    private let timeLeft: @Sendable () -> Duration?
    private let release: @Sendable () async -> Void

    /// Access that lasts until it is unlocked, or until the process ends.
    ///
    /// - Parameter release: gives the access up; called at most once by the provider.
    public init(release: @escaping @Sendable () async -> Void) {
        (requestDeadline, timeLeft) = (nil, { nil })
        self.release = release
    }

    /// Access that runs out by itself, as a lease does.
    ///
    /// The provider sends a token request only if ``remaining`` is the deadline and one second at least, and cancels it at the
    /// deadline.
    ///
    /// - Parameters:
    ///   - requestDeadline: how long a token request may take.
    ///   - remaining: how long the access is good for from now on, by a clock that never jumps. Count it from before the access
    ///     was asked for.
    ///   - release: gives the access up; called at most once by the provider.
    public init(
        requestDeadline: Duration, remaining: @escaping @Sendable () -> Duration,
        release: @escaping @Sendable () async -> Void
    ) {
        self.requestDeadline = requestDeadline
        timeLeft = remaining
        self.release = release
    }

    /// The same access, given up in another way: for stores around stores.
    public init(_ lock: TokenStoreLock, release: @escaping @Sendable () async -> Void) {
        (requestDeadline, timeLeft) = (lock.requestDeadline, lock.timeLeft)
        self.release = release
    }

    /// How long the access is good for from now on; `nil` if it lasts until it is unlocked.
    public var remaining: Duration? { timeLeft() }

    /// Gives the access up.
    public func unlock() async { await release() }
}

/// Exclusive access to a token store would not have lasted for a token request: none was sent.
///
/// The usual cause is a slow store or a process that was stopped for seconds. The session is kept, and the next slot tries again.
public struct TokenStoreAccessTooShort: TokenServiceFailure, Hashable {
    /// How long the access was good for.
    public let remaining: Duration
    /// How long it must be good for: the request's deadline and one second.
    public let needed: Duration
    public var kind: TokenFailureKind { .transient }
    public var delivery: TokenRequestDelivery { .notSent }

    public init(remaining: Duration, needed: Duration) {
        self.remaining = remaining
        self.needed = needed
    }
}

extension TokenStoreAccessTooShort: CustomStringConvertible {
    public var description: String {
        "exclusive access to the token store lasts \(remaining), and a token request needs \(needed): none was sent; look why "
            + "the store is slow, or choose a longer lease; the session is kept"
    }
}
