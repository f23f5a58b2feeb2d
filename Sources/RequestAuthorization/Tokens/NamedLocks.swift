// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Exclusive access to names within this process. Waiters for a name are served in order of arrival.
package final class NamedLocks<Name: Hashable & Sendable>: Sendable {
    private final class Turn: Sendable {
        /// Its stream ends when the turn has the lock.
        let beginning = AsyncStream<Void>.makeStream()
    }

    /// The turns for each name. The first one has the lock.
    private let turns = Lock<[Name: [Turn]]>([:])

    package init() {}

    /// Acquires exclusive access to a name.
    ///
    /// - Parameter waiting: waits for the end of the stream, which comes with this caller's turn; by default without a
    ///   limit. An error gives up the turn.
    /// - Throws: `CancellationError` at once when the task is cancelled, and what `waiting` throws.
    package func lock(
        _ name: Name,
        waiting: (AsyncStream<Void>) async throws -> Void = { stream in
            for await _ in stream {}
            try Task.checkCancellation()
        }
    ) async throws -> TokenStoreLock {
        try Task.checkCancellation()
        let turn = Turn()
        let isFirst = turns.withLock { turns in
            turns[name, default: []].append(turn)
            return turns[name]?.count == 1
        }
        if !isFirst {
            do {
                try await waiting(turn.beginning.stream)
            } catch {
                end(turn, of: name)
                throw error
            }
        }
        return TokenStoreLock { self.end(turn, of: name) }
    }

    /// Removes a turn, unless that was done, and begins the next one if it had the lock.
    private func end(_ turn: Turn, of name: Name) {
        let next = turns.withLock { turns -> Turn? in
            guard var line = turns[name], let index = line.firstIndex(where: { $0 === turn }) else { return nil }
            line.remove(at: index)
            turns[name] = line.isEmpty ? nil : line
            return index == 0 ? line.first : nil
        }
        next?.beginning.continuation.finish()
    }
}
