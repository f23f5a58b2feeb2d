// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization

/// Counts something, and lets a test wait for a number.
final class Tally: Sendable {
    private let state = Lock((count: 0, waiters: [(number: Int, continuation: CheckedContinuation<Void, Never>)]()))

    var count: Int { state.withLock { $0.count } }

    func add() {
        let met = state.withLock { state in
            state.count += 1
            let met = state.waiters.filter { $0.number <= state.count }
            state.waiters.removeAll { $0.number <= state.count }
            return met
        }
        for waiter in met { waiter.continuation.resume() }
    }

    /// Returns as soon as the count is so high.
    func reaches(_ number: Int) async {
        await withCheckedContinuation { continuation in
            let isMet = state.withLock { state in
                if state.count < number { state.waiters.append((number, continuation)) }
                return state.count >= number
            }
            if isMet { continuation.resume() }
        }
    }
}
