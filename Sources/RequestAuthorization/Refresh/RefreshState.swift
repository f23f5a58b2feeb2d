// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What is held, what is under way and who waits: the decisions of ``RefreshableTokenAuthorization``, without any waiting.
///
/// Each event is one mutating function. Time, random numbers and new names come in as values; what is to be done comes out as
/// ``Action`` values, performed when the state has been stored. So it can be explored exhaustively.
///
/// `Waiter` is whatever is resumed later: a continuation in the provider, a number in tests.
struct RefreshState<Token: AuthorizationToken, Waiter> {
    /// What is held.
    enum Credential {
        /// The store has not been read yet.
        case unknown
        /// Nothing is held, and nobody signed out.
        case absent
        case held(HeldToken<Token>)
        case ended(Ending)
    }

    /// Why the session is over.
    struct Ending {
        let error: NotAuthorized
    }

    /// What is held, without the token.
    struct Basis: Hashable {
        let session: UUID
        let held: TokenVersion?
    }

    /// What kind of store there is.
    enum Storage { case none, plain, shared, readOnly }

    let policy: RefreshPolicy
    let storage: Storage
    /// A part of flights' names: providers must not take each other's flights for their own.
    let provider: Int

    var credential: Credential
    /// The session that is held or, before there is one, the one that the first token will begin.
    var session: UUID
    /// The ordinary refresh that is under way.
    var flight: Flight?
    /// Flights of this session that took longer than the hard limit and may still bring a token.
    var strays: [Flight] = []
    /// Manual refreshes and sign-ins that are under way, in the order in which they were begun.
    var manuals: [Manual] = []
    var waiters = WaiterQueue<Waiter>()
    /// Why there was no token last time, and when the next try is due.
    var failure: RefreshFailure?
    var backOff = BackOff()
    /// Refusals in a row of the token endpoint without a known reason.
    var rejections = 0
    /// When 401s on young tokens caused refreshes.
    var storm: [Duration] = []
    /// What the store does not hold yet.
    var unsaved: Unsaved?
    var flightCount = 0

    init(_ credential: Credential, session: UUID, storage: Storage, policy: RefreshPolicy, provider: Int = 0) {
        self.credential = credential
        self.session = session
        self.storage = storage
        self.policy = policy
        self.provider = provider
    }

    mutating func nextFlightID() -> FlightID {
        flightCount += 1
        return FlightID(provider: provider, number: flightCount)
    }
}

// MARK: - Requests

extension RefreshState {
    /// What a request does next.
    enum Decision {
        case use(HeldToken<Token>)
        case wait(WaiterQueue<Waiter>.ID)
        case fail(any Error)
    }

    /// A request needs a token.
    ///
    /// - Parameter flights: the flights in whose service calls the request is made: it must not wait for those.
    mutating func request(at now: Moment, within flights: [FlightID] = []) -> (Decision, [Action]) {
        var actions = writeIfDue(at: now)
        if isHolding { return (wait(within: flights), actions) }
        switch credential {
        case .ended(let ending):
            return (.fail(ending.error), actions)
        case .held(let held) where held.isUsable(at: now.date):
            if now.date >= held.refreshAt, flight == nil, backOff.isOpen(at: now) { actions += start() }
            return (.use(held), actions)
        case .unknown, .absent, .held:
            if let flight, !flight.isDraining { return (wait(within: flights), actions) }
            if let failed = closedSlot(at: now) { return (.fail(failed), actions) }
            actions += start()
            return (wait(within: flights), actions)
        }
    }

    /// The task of a request that was told to wait has been suspended.
    ///
    /// - Returns: whether it waits; otherwise its outcome has been kept for it.
    mutating func hold(_ waiter: Waiter, at place: WaiterQueue<Waiter>.ID) -> Bool {
        waiters.fill(place, with: waiter)
    }

    /// A request that waits was cancelled. The refresh goes on.
    ///
    /// - Returns: the waiter, to be resumed with `CancellationError`.
    mutating func cancel(_ place: WaiterQueue<Waiter>.ID) -> Waiter? { waiters.remove(place) }

    /// A server answered 401 to a request with this credential.
    ///
    /// - Returns: why another try is pointless, or `nil` if it is not.
    mutating func unauthorized(_ header: String?, at now: Moment) -> (NotAuthorized?, [Action]) {
        guard case .held(var held) = credential, held.header == header, !held.isRefused else {
            if case .ended(let ending) = credential { return (ending.error, []) }
            // It was for a token that is no longer current, or others have said so already.
            return (nil, [])
        }
        if held.isYoung(at: now.date, policy: policy.storm), flight == nil {
            storm = storm.filter { $0 + policy.storm.window > now.uptime }
            guard storm.count < policy.storm.limit else { return (NotAuthorized(.refreshedTooOften), []) }
            storm.append(now.uptime)
        }
        held.isRefused = true
        credential = .held(held)
        guard flight == nil, backOff.isOpen(at: now), !isHolding else { return (nil, []) }
        return (nil, start())
    }

    /// Somebody who knows that the network is back does not want to wait for the slot.
    mutating func retryNow(at now: Moment) -> [Action] {
        backOff.lift()
        unsaved?.backOff.lift()
        var actions = writeIfDue(at: now)
        switch credential {
        case .ended: break
        case .held(let held) where held.isUsable(at: now.date) && now.date < held.refreshAt: break
        case .unknown, .absent, .held:
            if flight == nil, backOff.isOpen(at: now), !isHolding { actions += start() }
        }
        return actions
    }

    /// Whether a flight or a manual refresh still counts.
    func isUnderWay(_ id: FlightID) -> Bool {
        flight?.id == id || strays.contains { $0.id == id } || manuals.contains { $0.id == id }
    }

    // MARK: Helpers

    /// Whether a manual refresh holds all requests.
    ///
    /// A closure, not a key path: in generic code that is made anew each time, which takes longer than everything else here.
    var isHolding: Bool { manuals.contains { $0.isHolding } }

    /// Whether requests wait for this flight.
    private func isAwaited(_ id: FlightID) -> Bool {
        flight?.id == id || manuals.contains { $0.isHolding && $0.id == id }
    }

    private mutating func wait(within flights: [FlightID]) -> Decision {
        if flights.contains(where: isAwaited) { return .fail(NotAuthorized(.reentrantRefresh)) }
        return .wait(waiters.reserve())
    }

    /// The error for those who come before the next slot; `nil` if a try may begin.
    func closedSlot(at now: Moment) -> (any Error)? {
        if let flight, flight.isDraining { return error(for: failure ?? overdue(at: flight.step), at: now) }
        guard let failure, !backOff.isOpen(at: now) else { return nil }
        return error(for: failure, at: now)
    }

    func error(for failure: RefreshFailure, at now: Moment) -> any Error {
        if let error = failure.error as? NotAuthorized { return error }
        return RefreshFailed(
            underlying: failure.error, nextTryAt: max(now.date, backOff.slot.date), delivery: failure.delivery)
    }

    /// Whoever waits gets what can be had now; nobody is left waiting for nothing.
    mutating func releaseWaiters(at now: Moment) -> [Action] {
        guard !isHolding, waiters.count > 0 else { return [] }
        switch credential {
        case .ended(let ending): return resumeAll(.failure(ending.error))
        case .held(let held) where held.isUsable(at: now.date): return resumeAll(.success(held))
        case .unknown, .absent, .held:
            if let flight, !flight.isDraining { return [] }
            if let failed = closedSlot(at: now) { return resumeAll(.failure(failed)) }
            return start()
        }
    }

    /// Lets all who wait go on, in order of arrival.
    mutating func resumeAll(_ result: Result<HeldToken<Token>, any Error>) -> [Action] {
        let (waiting, reserved) = waiters.drain()
        return [.resume(waiting, result)] + (reserved.isEmpty ? [] : [.keep(reserved, result)])
    }

    /// The token that requests may use without asking, and until when.
    var warm: (header: String, until: Date)? {
        guard !isHolding, case .held(let held) = credential, !held.isRefused else { return nil }
        var until = held.token.expiresAt
        if flight == nil { until = min(until, max(held.refreshAt, backOff.slot.date)) }
        if let unsaved, !unsaved.isWriting { until = min(until, unsaved.backOff.slot.date) }
        return (held.header, until)
    }
}

// MARK: - Comparing

extension RefreshState.Ending: Hashable {
    static func == (left: Self, right: Self) -> Bool { left.error.reason == right.error.reason }
    func hash(into hasher: inout Hasher) { hasher.combine(error.reason) }
}
extension RefreshState.Credential: Equatable where Token: Equatable {}
extension RefreshState.Credential: Hashable where Token: Hashable {}
extension RefreshState: Equatable where Token: Equatable, Waiter: Equatable {}
extension RefreshState: Hashable where Token: Hashable, Waiter: Hashable {}
