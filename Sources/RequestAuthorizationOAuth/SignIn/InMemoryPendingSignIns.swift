// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization

/// Keeps sign-ins as long as the process lives, at most 10 000. The oldest is dropped first.
///
/// A server also keeps each ``PendingSignIn`` in the session of the browser that began it, and finishes that one.
public final class InMemoryPendingSignIns: PendingSignInStore, RedactedDescription {
    static let shared = InMemoryPendingSignIns()

    private let kept = Lock(PendingSignIns())
    private let limit: Int

    public convenience init() { self.init(limit: 10_000) }

    init(limit: Int) { self.limit = limit }

    public func add(_ pending: PendingSignIn) async throws { try kept.withLock { try $0.add(pending, limit: limit) } }

    public func find(state: String) async throws -> PendingSignIn? {
        try kept.withLock { $0 }.find(state: state)
    }

    public func take(state: String) async throws -> PendingSignIn? { try kept.withLock { try $0.take(state: state) } }
}
