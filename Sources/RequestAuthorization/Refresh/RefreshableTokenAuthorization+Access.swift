// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

// Token requests under a lease: exclusive access that ends at a time.
extension RefreshableTokenAuthorization {
    /// Calls the service. Under a lease it does so only if enough time is left, and cancels the call at its deadline.
    ///
    /// The cancelled call is still awaited: if it brings a token, that is saved.
    ///
    /// - Throws: ``TokenStoreAccessTooShort`` if nothing was sent, ``DeadlineExceeded`` if the call was cancelled.
    nonisolated func callService(_ body: @escaping @Sendable () async throws -> Token) async throws -> Token {
        guard let access = limitedAccess?.withLock({ $0 }), let deadline = access.requestDeadline else {
            return try await body()
        }
        let (remaining, needed) = (access.remaining ?? .zero, deadline + .seconds(1))  // to save the token
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
            throw DeadlineExceeded(description: "a token request took more than \(deadline); try again later")
        }
    }
}
