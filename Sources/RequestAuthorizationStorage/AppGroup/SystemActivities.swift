// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(Security) && !os(macOS)
import Foundation

// Not compiled on Linux, where CI checks its types against declarations of these calls: nothing but the call. What it means is
// decided in `ActivityHold`.

/// https://developer.apple.com/documentation/foundation/processinfo/performexpiringactivity(withreason:using:)
struct SystemActivities: ExpiringActivities {
    func perform(reason: String, _ block: @escaping @Sendable (_ isExpired: Bool) -> Void) {
        ProcessInfo.processInfo.performExpiringActivity(withReason: reason, using: block)
    }
}
#endif
