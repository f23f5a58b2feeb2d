// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

// When a pool may drop the provider: a new one for the same key then behaves as after a restart of the program.
extension RefreshState {
    /// Whether dropping this state loses nothing and lets no server be called earlier than it asked.
    func isDispensable(at now: Moment) -> Bool {
        isSettled && access == nil && manuals.isEmpty && settlers.isEmpty && isRestorable && backOff.isOpen(at: now)
            && storm.isQuiet(at: now.uptime, policy: policy.storm)
    }

    /// Whether ``settle()`` would have nothing to wait for.
    var isSettled: Bool {
        flights.isEmpty && pending == nil && discards.isEmpty && (desired == nil || isAbandoned)
    }

    /// Whether a new provider can get the session again: from the store, or from a service that needs no user.
    private var isRestorable: Bool {
        if isClosed { return true }
        return switch credential {
        case .unknown, .absent: true
        case .held(let held): [storedSession, fetchedSession].contains(held.version.session)
        // With a read-only store a sign-out counts in this process only. A new provider would load the token again.
        case .ended: storage != .readOnly
        }
    }
}
