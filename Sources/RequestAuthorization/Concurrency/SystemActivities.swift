// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(Security) && !os(macOS)
import Foundation

// Not compiled on Linux, where CI checks its types against declarations of these calls: nothing but the call. What it means is
// decided by those who make it.

/// https://developer.apple.com/documentation/foundation/processinfo/performexpiringactivity(withreason:using:)
package struct SystemActivities: ExpiringActivities {
    package init() {}

    package func perform(reason: String, _ block: @escaping @Sendable (_ isExpired: Bool) -> Void) {
        ProcessInfo.processInfo.performExpiringActivity(withReason: reason, using: block)
    }
}
#endif

/// Whether the system suspends processes.
package enum Suspension {
    /// What keeps it from that for a while; `nil` on platforms where no process is suspended.
    package static var activities: (any ExpiringActivities)? {
        #if canImport(Security) && !os(macOS)
        SystemActivities()
        #else
        nil
        #endif
    }
}
