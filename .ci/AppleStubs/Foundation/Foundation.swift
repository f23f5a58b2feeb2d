// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

// What Foundation has on Apple's platforms only, in the shapes of Apple's reference; checked as part of the module, for a
// stub of Foundation would hide the real one.

import Foundation

extension ProcessInfo {
    // https://developer.apple.com/documentation/foundation/processinfo/performexpiringactivity(withreason:using:)
    func performExpiringActivity(withReason reason: String, using block: @escaping @Sendable (Bool) -> Void) {}
}

extension FileManager {
    // https://developer.apple.com/documentation/foundation/filemanager/containerurl(forsecurityapplicationgroupidentifier:)
    func containerURL(forSecurityApplicationGroupIdentifier groupIdentifier: String) -> URL? { nil }
}

extension NotificationCenter {
    // https://developer.apple.com/documentation/foundation/notificationcenter/notifications(named:object:)
    func notifications(
        named name: Notification.Name, object: (any AnyObject & Sendable)? = nil
    ) -> AsyncStream<Notification> {
        AsyncStream { $0.finish() }
    }
}
