// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Dispatch

/// The system call that keeps a process from being suspended, as a value: `ProcessInfo` on iOS, a substitute in tests.
package protocol ExpiringActivities: Sendable {
    /// `ProcessInfo.performExpiringActivity(withReason:using:)`: calls the block with `false` on a thread of its own,
    /// and keeps the process running until the block returns. If no time is granted, or it is over, it calls the block
    /// with `true`, and suspends the process when that returns.
    func perform(reason: String, _ block: @escaping @Sendable (_ isExpired: Bool) -> Void)
}

extension ExpiringActivities {
    /// Asks the system not to suspend the process until the closure has returned. It runs even without that time.
    func stayAwake(for reason: String, while body: @escaping @Sendable () async -> Void) {
        let isOver = DispatchSemaphore(value: 0)
        perform(reason: reason) { isExpired in
            if isExpired { isOver.signal() } else { isOver.wait() }
        }
        Task.detached {
            await body()
            isOver.signal()
        }
    }
}
