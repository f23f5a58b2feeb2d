// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Exclusive access to Keychain items within this process. Waiters for an item are served in order of arrival.
final class KeychainLocks: Sendable {
    /// The locks of this process.
    static let shared = KeychainLocks()

    private let clock: any AuthorizationClock
    private let locks = NamedLocks<KeychainQuery>()

    init(clock: any AuthorizationClock = .system) { self.clock = clock }

    /// - Throws: `TokenStoreError` of the kind `timedOut`; `CancellationError` at once when the task is cancelled.
    func lock(_ item: KeychainQuery, within limit: Duration) async throws -> TokenStoreLock {
        try await locks.lock(item) { wait in
            let overdue = TokenStoreError(.timedOut, "another task has held a Keychain item for \(limit); try again")
            try await endingAtOnce(within: limit, of: clock, else: overdue) { for await _ in wait {} }
        }
    }
}
