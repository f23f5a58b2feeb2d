// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Synchronization

/// The process to kill or stop after the server has exchanged its refresh token, and before the server answers.
final class Condemned: Sendable {
    private let process = Mutex<(victim: WorkerProcess, stops: Bool)?>(nil)
    private let struck = Mutex<[(name: ProcessName, isStopped: Bool)]>([])

    /// - Parameter stops: whether to stop it instead of killing it.
    func condemn(_ process: WorkerProcess, stops: Bool = false) { self.process.withLock { $0 = (process, stops) } }

    /// Spares the condemned process.
    func pardon() { process.withLock { $0 = nil } }

    /// Returns the processes that were killed or stopped since the last call.
    func takeStruck() -> [(name: ProcessName, isStopped: Bool)] {
        struck.withLock { struck in
            defer { struck = [] }
            return struck
        }
    }

    /// Called when the exchange for this process is in the server's log.
    func commit(by name: ProcessName) {
        process.withLock { process in
            guard let (victim, stops) = process, victim.name == name else { return }
            if stops { victim.stop() } else { victim.kill() }
            struck.withLock { $0.append((name, stops)) }
            process = nil
        }
    }
}
