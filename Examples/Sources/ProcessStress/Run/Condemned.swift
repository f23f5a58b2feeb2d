// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Synchronization

/// Who is to be killed, or stopped, as soon as the server has exchanged its refresh token, before it is answered.
final class Condemned: Sendable {
    private let process = Mutex<(victim: WorkerProcess, stops: Bool)?>(nil)
    private let struck = Mutex<[(name: ProcessName, isStopped: Bool)]>([])

    /// - Parameter stops: whether it is only stopped.
    func condemn(_ process: WorkerProcess, stops: Bool = false) { self.process.withLock { $0 = (process, stops) } }

    /// Spares whoever is condemned.
    func pardon() { process.withLock { $0 = nil } }

    /// Whom it has hit since the last time.
    func takeStruck() -> [(name: ProcessName, isStopped: Bool)] {
        struck.withLock { struck in
            defer { struck = [] }
            return struck
        }
    }

    /// The server's exchange for this process is in its log.
    func commit(by name: ProcessName) {
        process.withLock { process in
            guard let (victim, stops) = process, victim.name == name else { return }
            if stops { victim.stop() } else { victim.kill() }
            struck.withLock { $0.append((name, stops)) }
            process = nil
        }
    }
}
