// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import Synchronization

/// Kills the worker's process at one of the ``KillPoint``s.
final class Execution: Sendable {
    private struct State {
        var armed: KillPoint?
        /// Whether this process has sent a refresh since it was armed.
        var hasSent = false
        var lockWaits: [Double] = []
        var requests = 0
    }

    private let state = Mutex(State())
    private let onLock: @Sendable () -> Void

    /// - Parameter onLock: called when an armed process has got exclusive access and is alive.
    init(onLock: @escaping @Sendable () -> Void = {}) { self.onLock = onLock }

    /// The process will die at this point.
    func arm(_ point: KillPoint) { state.withLock { ($0.armed, $0.hasSent) = (point, false) } }

    /// Notes how long exclusive access took.
    func note(lockWait: Duration) { state.withLock { $0.lockWaits.append(lockWait / .seconds(1)) } }

    /// Returns the waits since the last call, in seconds.
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

    /// Dies if this is the armed point. Nothing is flushed, closed or released, as after a SIGKILL.
    func pass(_ point: KillPoint) {
        let (isDue, isArmed) = state.withLock { state in
            if point == .beforeSend { state.hasSent = true }
            // A process that adopts a sibling's token has not published one.
            return (state.armed == point && (point != .publish || state.hasSent), state.armed != nil)
        }
        if isDue { kill(getpid(), SIGKILL) }
        if isArmed, point == .lock { onLock() }
    }
}
