// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import Synchronization

/// The end of a worker's process at one of the ``KillPoint``s.
final class Execution: Sendable {
    private struct State {
        var armed: KillPoint?
        /// A refresh of this process's own is on its way since.
        var hasSent = false
        var lockWaits: [Double] = []
        var requests = 0
    }

    private let state = Mutex(State())
    private let onLock: @Sendable () -> Void

    /// - Parameter onLock: called when an armed process has got exclusive access and lives.
    init(onLock: @escaping @Sendable () -> Void = {}) { self.onLock = onLock }

    /// From now on the process dies at this point.
    func arm(_ point: KillPoint) { state.withLock { ($0.armed, $0.hasSent) = (point, false) } }

    /// Exclusive access took so long.
    func note(lockWait: Duration) { state.withLock { $0.lockWaits.append(lockWait / .seconds(1)) } }

    /// In seconds, those since the last time.
    func takeLockWaits() -> [Double] {
        state.withLock { state in
            defer { state.lockWaits = [] }
            return state.lockWaits
        }
    }

    /// The number of the next request of this process.
    func nextRequest() -> Int {
        state.withLock { state in
            state.requests += 1
            return state.requests
        }
    }

    /// Dies if this is the point: nothing is flushed, closed or given back, as when the kernel or a person kills it.
    func pass(_ point: KillPoint) {
        let (isDue, isArmed) = state.withLock { state in
            if point == .beforeSend { state.hasSent = true }
            // Who adopts a sibling's token has published nothing.
            return (state.armed == point && (point != .publish || state.hasSent), state.armed != nil)
        }
        if isDue { kill(getpid(), SIGKILL) }
        if isArmed, point == .lock { onLock() }
    }
}
