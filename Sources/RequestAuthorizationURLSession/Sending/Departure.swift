// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Takes and gives back the slot of a call whose request gets a connection of its own.
final class Departure: Sendable {
    let host: Origin
    private let slots: ConnectionSlots
    private let limit: Int
    private let settings: SessionSettings
    private let state: Lock<State>

    private struct State {
        var holdsSlot = false
        var limits: SessionLimits?
    }

    /// - Parameter limits: the time-outs of the call, if it has begun already.
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

/// Waits for a slot and then authorizes the request, so that a queued request is sent with a current credential.
struct DepartingAuthorization: AuthorizationProvider, RedactedDescription {
    let provider: any AuthorizationProvider
    /// `nil` for a request that shares connections.
    let departure: Departure?

    func authorize<Request: AuthorizableRequest>(_ request: Request) async throws -> Request {
        // No slot is held here, because this may wait for a refresh.
        let first = try await provider.authorize(request)
        guard let departure, !departure.beginsAtOnce() else { return first }
        guard let synchronous = provider as? any SynchronousAuthorization,
            synchronous.credentialFields(for: request) != nil
        else {
            try await departure.wait()
            do {
                return try await provider.authorize(request)
            } catch {
                departure.end()
                throw error
            }
        }
        try await departure.wait()
        var last = first
        while true {
            do {
                // While the request was queued, this process may have signed out, or a sibling may have signed in.
                if synchronous.isReplaced(first) { throw NotAuthorized(.sessionReplaced) }
                if let authorized = try synchronous.authorizeAtOnce(request) { return authorized }
                if let authorized = try await synchronous.prove(last, ifValidNow: true) { return authorized }
            } catch {
                departure.end()
                throw error
            }
            departure.end()
            let renewed = try await provider.authorize(request)
            if departure.beginsAtOnce(isReturning: true) {
                guard !synchronous.isReplaced(first) else {
                    departure.end()
                    throw NotAuthorized(.sessionReplaced)
                }
                return renewed
            }
            last = renewed
            try await departure.wait(isReturning: true)
        }
    }

    func setNeedsRefreshAfterUnauthorizedResponse<Request: AuthorizableRequest>(
        _ response: UnauthorizedResponse, for request: Request
    ) async throws {
        try await provider.setNeedsRefreshAfterUnauthorizedResponse(response, for: request)
    }

    func setNeedsRefreshAfterUnauthorizedResponse<Request: AuthorizableRequest>(for request: Request) async throws {
        try await provider.setNeedsRefreshAfterUnauthorizedResponse(for: request)
    }

    func learn<Response: AuthorizableResponse, Request: AuthorizableRequest>(
        from response: Response, to request: Request
    ) -> Bool { provider.learn(from: response, to: request) }
}
