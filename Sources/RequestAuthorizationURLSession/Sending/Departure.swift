// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Takes and gives back the slot of a call whose request gets a connection of its own.
final class Departure: Sendable {
    /// The departure for which a provider is asked.
    @TaskLocal static var asking: Departure?

    /// Whether a provider is asked while a slot is held. What it sends meanwhile must not wait for that slot.
    ///
    /// Tasks that the provider leaves running keep the value. So the departure is asked whether it has the slot still.
    static var isHeld: Bool { asking?.state.withLock { $0.holdsSlot } ?? false }

    let host: Origin
    private let slots: ConnectionSlots
    private let limit: Int
    private let settings: SessionSettings
    private let state: Lock<State>

    private struct State {
        var holdsSlot = false
        var limits: SessionLimits?
    }

    /// - Parameter limits: the time-outs of the try, if it has begun already.
    init(
        to host: Origin, slots: ConnectionSlots, limit: Int, settings: SessionSettings, limits: SessionLimits? = nil
    ) {
        (self.host, self.slots, self.limit, self.settings) = (host, slots, limit, settings)
        state = Lock(State(limits: limits))
    }

    /// The time-outs of the current try, counted from when it could have been sent.
    var limits: SessionLimits { state.withLock { $0.limits } ?? SessionLimits(settings) }

    /// Takes a slot if that is possible without waiting.
    func beginsAtOnce(isReturning: Bool = false) -> Bool {
        let isTaken = slots.takeAtOnce(at: host, limit: limit, isReturning: isReturning)
        state.withLock { state in
            state.holdsSlot = isTaken
            if !isReturning { state.limits = SessionLimits(settings) }
        }
        return isTaken
    }

    func wait(isReturning: Bool = false) async throws {
        try await slots.take(at: host, limit: limit, isReturning: isReturning, until: limits.end)
        state.withLock { $0.holdsSlot = true }
    }

    /// Gives the slot back, if there is one.
    func end() {
        let heldSlot = state.withLock { state in
            defer { state.holdsSlot = false }
            return state.holdsSlot
        }
        if heldSlot { slots.give(at: host) }
    }
}

/// Waits for a slot, so that a queued request is sent with a credential that is current when its turn comes.
///
/// The call gives the slot back, also if this throws.
struct DepartingAuthorization: AuthorizationProvider, RedactedDescription {
    let provider: any AuthorizationProvider
    /// `nil` for a request that shares connections.
    let departure: Departure?

    func credential(for request: some AuthorizableRequest) async throws -> Credential {
        // No slot is held here, because this may wait for a refresh.
        let first = try await provider.credential(for: request)
        guard let departure, !departure.beginsAtOnce() else { return first }
        first.withdraw()
        try await departure.wait()
        var last = first
        while true {
            if let present = try await present(last, for: request, departure) {
                // While it was queued, another session may have begun.
                try first.allowsToGoOn(with: present)
                return present
            }
            departure.end()
            last = try await provider.credential(for: request)
            try first.allowsToGoOn(with: last)
            if departure.beginsAtOnce(isReturning: true) { return last }
            last.withdraw()
            try await departure.wait(isReturning: true)
        }
    }

    /// The credential for a request that has its slot; `nil` if the slot must be given back for the wait.
    private func present(
        _ last: Credential, for request: some AuthorizableRequest, _ departure: Departure
    ) async throws -> Credential? {
        if let atHand = try provider.credentialAtHand(for: request) { return atHand }
        guard last.isCurrent else { return nil }
        // A proof is made anew. A user's own provider is called while the slot is held.
        return try await Departure.$asking.withValue(departure) { try await provider.credential(for: request) }
    }
}
