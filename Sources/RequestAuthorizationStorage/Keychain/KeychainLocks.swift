// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Exclusive access to Keychain items within this process. Waiters for an item are served in order of arrival.
final class KeychainLocks: Sendable {
    /// The locks of this process.
    static let shared = KeychainLocks()

    private final class Turn: Sendable {
        /// Ends when the turn has the lock.
        let wait: AsyncStream<Void>
        let begin: AsyncStream<Void>.Continuation

        init() { (wait, begin) = AsyncStream.makeStream() }
    }

    private let clock: any AuthorizationClock
    /// The turns for each item. The first one has the lock.
    private let turns = Lock<[KeychainQuery: [Turn]]>([:])

    init(clock: any AuthorizationClock = .system) { self.clock = clock }

    /// - Throws: `TokenStoreError` of the kind `timedOut`; `CancellationError` at once when the task is cancelled.
    func lock(_ item: KeychainQuery, within limit: Duration) async throws -> TokenStoreLock {
        try Task.checkCancellation()
        let turn = Turn()
        let isFirst = turns.withLock { turns in
            turns[item, default: []].append(turn)
            return turns[item]?.count == 1
        }
        if !isFirst {
            let overdue = TokenStoreError(
                .timedOut, "another task has held a Keychain item for \(limit); try again")
            do {
                try await endingAtOnce(within: limit, of: clock, else: overdue) { for await _ in turn.wait {} }
            } catch {
                end(turn, of: item)
                throw error
            }
        }
        return TokenStoreLock { self.end(turn, of: item) }
    }

    /// Removes a turn, unless that was done, and begins the next one if it had the lock.
    private func end(_ turn: Turn, of item: KeychainQuery) {
        let next = turns.withLock { turns -> Turn? in
            guard var line = turns[item], let index = line.firstIndex(where: { $0 === turn }) else { return nil }
            line.remove(at: index)
            turns[item] = line.isEmpty ? nil : line
            return index == 0 ? line.first : nil
        }
        next?.begin.finish()
    }
}
