// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Synchronization

/// Who is to be killed as soon as the server has exchanged its refresh token, before it is answered.
final class Condemned: Sendable {
    private let process = Mutex<WorkerProcess?>(nil)

    func condemn(_ process: WorkerProcess) { self.process.withLock { $0 = process } }

    /// The server's exchange for this process is in its log.
    func commit(by name: ProcessName) {
        process.withLock { process in
            guard let victim = process, victim.name == name else { return }
            victim.kill()
            process = nil
        }
    }
}
