// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

// Token requests under access that runs out by itself.
extension RefreshableTokenAuthorization {
    /// Calls the service; under access that runs out by itself, only if it lasts long enough, and not beyond the deadline.
    ///
    /// At the deadline the call is cancelled, and awaited all the same: a token that it still brings is saved.
    ///
    /// - Throws: ``TokenStoreAccessTooShort`` if nothing was sent, ``DeadlineExceeded`` if the call was cancelled.
    nonisolated func callService(_ body: @escaping @Sendable () async throws -> Token) async throws -> Token {
        guard let access = limitedAccess?.withLock({ $0 }), let deadline = access.requestDeadline else {
            return try await body()
        }
        let (remaining, needed) = (access.remaining ?? .zero, deadline + Self.saveReserve)
        guard remaining >= needed else { throw TokenStoreAccessTooShort(remaining: remaining, needed: needed) }
        let isOverdue = Lock(false)
        let call = Task { try await body() }
        let entry = timer.schedule(after: deadline) {
            isOverdue.withLock { $0 = true }
            call.cancel()
        }
        defer { timer.cancel(entry) }
        do {
            return try await withTaskCancellationHandler {
                try await call.value
            } onCancel: {
                call.cancel()
            }
        } catch is CancellationError where isOverdue.withLock({ $0 }) {
            throw DeadlineExceeded(description: "a token request took more than \(deadline)")
        }
    }

    /// How long the token needs to its store, at least.
    private static var saveReserve: Duration { .seconds(1) }
}
