// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(Security) && !os(macOS)
import Foundation

// Contains only the call: it is not compiled on Linux, where CI checks its types against declarations.

/// https://developer.apple.com/documentation/foundation/processinfo/performexpiringactivity(withreason:using:)
private struct SystemActivities: ExpiringActivities {
    func perform(reason: String, _ block: @escaping @Sendable (_ isExpired: Bool) -> Void) {
        ProcessInfo.processInfo.performExpiringActivity(withReason: reason, using: block)
    }
}
#endif

/// Whether the system suspends processes.
package enum Suspension {
    /// The call that prevents suspension for a while; `nil` on platforms that suspend no process.
    package static var activities: (any ExpiringActivities)? {
        #if canImport(Security) && !os(macOS)
        SystemActivities()
        #else
        nil
        #endif
    }
}
