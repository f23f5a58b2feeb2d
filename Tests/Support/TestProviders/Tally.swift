// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization

/// A counter for which a test can wait.
package final class Tally: Sendable {
    private struct State {
        var count = 0
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Lock(State())

    package init() {}

    package var count: Int { state.withLock { $0.count } }

    package func add() {
        let due = state.withLock { state in
            state.count += 1
            let count = state.count
            defer { state.watchers.removeAll { $0.count <= count } }
            return state.watchers.filter { $0.count <= count }
        }
        for watcher in due { watcher.continuation.resume() }
    }

    /// Suspends until the count is at least this number.
    package func reaches(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isReached = state.withLock { state in
                if state.count < count { state.watchers.append((count, continuation)) }
                return state.count >= count
            }
            if isReached { continuation.resume() }
        }
    }
}
