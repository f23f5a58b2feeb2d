// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Exclusive access to Keychain items within this process. Waiters for an item are served in order of arrival.
final class KeychainLocks: Sendable {
    /// The locks of this process.
    static let shared = KeychainLocks()

    private struct Waiter {
        let id: Int
        let continuation: UnsafeContinuation<Void, any Error>
    }

    private struct State {
        /// The waiters for each item whose lock is held.
        var held: [KeychainQuery: [Waiter]] = [:]
        /// The calls that have no result yet.
        var open: Set<Int> = []
        /// The errors of calls that ended before their waiter was added.
        var ended: [Int: any Error] = [:]
        /// The limits of the waiters.
        var timers: [Int: Task<Void, any Error>] = [:]
        var count = 0
    }

    private let clock: any AuthorizationClock
    private let state = Lock(State())

    init(clock: any AuthorizationClock = .system) { self.clock = clock }

    /// - Throws: `TokenStoreError` of the kind `timedOut`; `CancellationError` at once when the task is cancelled.
    func lock(_ item: KeychainQuery, within limit: Duration) async throws -> TokenStoreLock {
        try Task.checkCancellation()
        let id = state.withLock { state in
            state.count += 1
            state.open.insert(state.count)
            return state.count
        }
        defer {
            let timer = state.withLock { state in
                state.open.remove(id)
                state.ended[id] = nil
                return state.timers.removeValue(forKey: id)
            }
            timer?.cancel()
        }
        try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { enter(Waiter(id: id, continuation: $0), item, limit) }
        } onCancel: {
            leave(id, item, CancellationError())
        }
        let isHeld = Lock(true)
        return TokenStoreLock { if isHeld.exchange(false) { self.unlock(item) } }
    }

    // MARK: -

    private func enter(_ waiter: Waiter, _ item: KeychainQuery, _ limit: Duration) {
        let result = state.withLock { state -> Result<Void, any Error>? in
            if let error = state.ended[waiter.id] { return .failure(error) }
            guard state.held[item] != nil else {
                state.held[item] = []
                return .success(())
            }
            state.held[item]?.append(waiter)
            state.timers[waiter.id] = Task { [clock] in
                try await clock.sleep(for: limit)
                self.leave(
                    waiter.id, item,
                    TokenStoreError(.timedOut, "another task has held a Keychain item for \(limit); try again"))
            }
            return nil
        }
        if let result { waiter.continuation.resume(with: result) }
    }

    private func leave(_ id: Int, _ item: KeychainQuery, _ error: any Error) {
        let waiter = state.withLock { state -> Waiter? in
            guard let index = state.held[item]?.firstIndex(where: { $0.id == id }) else {
                if state.open.contains(id) { state.ended[id] = error }
                return nil
            }
            return state.held[item]?.remove(at: index)
        }
        waiter?.continuation.resume(throwing: error)
    }

    private func unlock(_ item: KeychainQuery) {
        let next = state.withLock { state -> Waiter? in
            guard state.held[item]?.isEmpty == false else {
                state.held[item] = nil
                return nil
            }
            return state.held[item]?.removeFirst()
        }
        next?.continuation.resume()
    }
}
