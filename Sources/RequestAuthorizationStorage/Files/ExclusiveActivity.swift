// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A period in which the system does not suspend the process, so that it may hold a lock.
///
/// A suspended process with a lock would block all others, and iOS ends one that has a lock in an app group. The
/// default is `.none`, for systems that do not suspend processes.
public struct ExclusiveActivity: Sendable {
    /// Whether files may be locked within the activity only, even for a moment.
    let isNeeded: Bool
    let begin: @Sendable (_ expire: @escaping @Sendable () -> Void) async throws -> @Sendable () -> Void
}

extension ExclusiveActivity {
    /// Creates the activity of a system that suspends processes.
    ///
    /// - Parameter begin: asks the system for time, and throws if it refuses. `expire` releases the access at once;
    ///   call it when the time ends. The returned function is called once the access is released.
    public init(
        begin: @escaping @Sendable (_ expire: @escaping @Sendable () -> Void) async throws -> @Sendable () -> Void
    ) {
        self.init(isNeeded: true, begin: begin)
    }

    /// No activity: access is held for as long as needed.
    public static let none = ExclusiveActivity(isNeeded: false) { _ in {} }
}
