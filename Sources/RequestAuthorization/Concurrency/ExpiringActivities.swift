// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Dispatch

/// The one call of the system that keeps a process from being suspended, as a value.
///
/// `ProcessInfo` makes it on iOS; tests have a system of their own.
package protocol ExpiringActivities: Sendable {
    /// `ProcessInfo.performExpiringActivity(withReason:using:)`: calls the block with `false` on a thread of its own, and does
    /// not suspend the process until it returns. If there is no time, or it is over, calls it with `true`: the process is
    /// suspended when that returns.
    func perform(reason: String, _ block: @escaping @Sendable (_ isExpired: Bool) -> Void)
}

extension ExpiringActivities {
    /// Asks the system not to suspend the process until the closure has returned. The closure begins and goes on whether or
    /// not the system has time to give.
    func stayAwake(for reason: String, while body: @escaping @Sendable () async -> Void) {
        let isOver = DispatchSemaphore(value: 0)
        perform(reason: reason) { isExpired in
            if isExpired { isOver.signal() } else { isOver.wait() }
        }
        Task {
            await body()
            isOver.signal()
        }
    }
}
