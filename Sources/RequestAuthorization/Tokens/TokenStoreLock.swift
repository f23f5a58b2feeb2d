// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Exclusive access to a shared token store.
public struct TokenStoreLock: Sendable {
    /// How long a token request may take under a lease; `nil` if the access lasts until it is unlocked.
    public let requestDeadline: Duration?

    private let timeLeft: @Sendable () -> Duration?
    private let release: @Sendable () async -> Void

    /// Creates access that lasts until it is unlocked, or until the process ends.
    ///
    /// - Parameter release: gives up the access; the provider calls it at most once.
    public init(release: nonisolated(nonsending) @escaping @Sendable () async -> Void) {
        (requestDeadline, timeLeft, self.release) = (nil, { nil }, release)
    }

    /// Creates access that ends by itself at a time: a lease.
    ///
    /// The provider sends a token request only if ``remaining`` is at least the deadline plus one second. It cancels
    /// the request at the deadline.
    ///
    /// - Parameters:
    ///   - requestDeadline: how long a token request may take.
    ///   - remaining: how long the access still lasts, by a clock that never jumps. Count it from before the access
    ///     was requested.
    ///   - release: gives up the access; the provider calls it at most once.
    public init(
        requestDeadline: Duration, remaining: @escaping @Sendable () -> Duration,
        release: nonisolated(nonsending) @escaping @Sendable () async -> Void
    ) {
        (self.requestDeadline, timeLeft, self.release) = (requestDeadline, remaining, release)
    }

    /// Creates the same access with another way to give it up, for stores that wrap a store.
    ///
    /// - Parameters:
    ///   - lock: the access of the wrapped store.
    ///   - release: gives up the access, in place of the lock's own function.
    public init(_ lock: TokenStoreLock, release: nonisolated(nonsending) @escaping @Sendable () async -> Void) {
        (requestDeadline, timeLeft, self.release) = (lock.requestDeadline, lock.timeLeft, release)
    }

    /// The same access, as if it were over; `nil` if it lasts until it is unlocked.
    var ended: TokenStoreLock? {
        requestDeadline.map { TokenStoreLock(requestDeadline: $0, remaining: { .zero }, release: release) }
    }

    /// How long the access still lasts; `nil` if it lasts until it is unlocked.
    public var remaining: Duration? { timeLeft() }

    /// Gives up the access.
    public func unlock() async { await release() }

    /// Runs a body, and then gives up the access.
    package func whileHeld<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            let value = try await body()
            await unlock()
            return value
        } catch {
            await unlock()
            throw error
        }
    }
}

/// A token request was not sent, because the lease of the store would have ended too soon.
///
/// Usually the store is slow, or the process was stopped for seconds. The session is kept; the next slot tries again.
package struct TokenStoreAccessTooShort: UnsentFailure, Hashable {
    /// How long the lease still lasted.
    package let remaining: Duration
    /// How long it must last: the request's deadline plus one second.
    package let needed: Duration
}

extension TokenStoreAccessTooShort: CustomStringConvertible {
    package var description: String {
        "exclusive access to the token store lasts \(remaining), and a token request needs \(needed): none was sent; "
            + "check why the store is slow, or choose a longer lease; the session is kept"
    }
}
