// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

// The API that Foundation has only on Apple's platforms, with the types of Apple's reference. It is compiled as a part of each
// module, because a module with the name Foundation would hide the real one.

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
