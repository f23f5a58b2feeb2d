// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// What exclusive access has to be held within, where the system suspends processes.
///
/// A suspended process that holds a lock would keep all others waiting; iOS ends one that holds a lock in an app group.
/// `.none`, the default elsewhere, asks for nothing.
public struct ExclusiveActivity: Sendable {
    /// Whether files must not be locked outside of it, not even for a moment.
    let isNeeded: Bool
    let begin: @Sendable (_ expire: @escaping @Sendable () -> Void) async throws -> @Sendable () -> Void

    /// - Parameter begin: asks the system for time, and throws if there is none. It is given what is to be called when the time
    ///   is over: that gives the access up at once. It returns what is called when the access has been given up.
    public init(
        begin: @escaping @Sendable (_ expire: @escaping @Sendable () -> Void) async throws -> @Sendable () -> Void
    ) {
        self.init(isNeeded: true, begin)
    }

    private init(
        isNeeded: Bool,
        _ begin: @escaping @Sendable (_ expire: @escaping @Sendable () -> Void) async throws -> @Sendable () -> Void
    ) {
        (self.isNeeded, self.begin) = (isNeeded, begin)
    }

    /// Access is held as long as it takes.
    public static let none = ExclusiveActivity(isNeeded: false) { _ in {} }
}
