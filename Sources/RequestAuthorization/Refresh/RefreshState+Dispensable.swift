// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

// What a provider must not be let go of with. One that is made anew starts as after a restart of the program.
extension RefreshState {
    /// Whether nothing is lost with this state, and no server is asked earlier than it wants to be.
    func isDispensable(at now: Moment) -> Bool {
        isSettled && access == nil && manuals.isEmpty && settlers.isEmpty && isRestorable && backOff.isOpen(at: now)
            && storm.isQuiet(at: now.uptime, policy: policy.storm)
    }

    /// Whether nothing is under way that ``settle()`` would wait for.
    var isSettled: Bool {
        flights.isEmpty && pending == nil && discards.isEmpty && (desired == nil || isAbandoned)
    }

    /// Whether the session can be had again: from the store, or from a service that needs no person.
    private var isRestorable: Bool {
        if isClosed { return true }
        return switch credential {
        case .unknown, .absent: true
        case .held(let held): [storedSession, fetchedSession].contains(held.version.session)
        // What is signed out in this process alone must not come back from a store that is read only.
        case .ended: storage != .readOnly
        }
    }
}
