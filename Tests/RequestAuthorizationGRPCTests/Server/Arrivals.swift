// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import RequestAuthorization
import RequestAuthorizationTesting

/// A counter for which a test can wait.
final class Arrivals: Sendable {
    private let target: Int
    private let count = Lock(0)
    private let reached = OneShot<Void>()

    /// - Parameter target: the number to wait for.
    init(_ target: Int) { self.target = target }

    func add() {
        let isReached = count.withLock { count in
            count += 1
            return count == target
        }
        if isReached { reached.fulfill() }
    }

    /// Suspends until the number is reached, or the task is cancelled.
    func all() async throws { try await reached.value() }

    /// Adds one, and then waits for the others.
    func meet() async throws {
        add()
        try await all()
    }
}
#endif
