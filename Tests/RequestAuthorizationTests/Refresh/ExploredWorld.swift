// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

@testable import RequestAuthorization

/// A state and what surrounds it, as the provider, its service, its store and siblings of it would.
///
/// All that can happen to the state is an ``Event`` of this world, and what must never happen is its ``violation``.
struct ExploredWorld {
    typealias State = RefreshState

    /// What more can happen than in the plainest world.
    struct Scope: OptionSet {
        let rawValue: Int
        /// The store may have done something that the state has not been told yet.
        static let races = Scope(rawValue: 1)
        /// Callers wait until the provider has settled, and the program ends.
        static let programs = Scope(rawValue: 2)
        /// Requests ask for tokens that last.
        static let lasting = Scope(rawValue: 4)
    }

    /// A request that waits.
    struct Caller {
        let number: Int
        let place: Int
        let kind: Effect.Waiters
        /// The session in which it was queued, if a token was held.
        let session: UUID?
    }

    /// What performs the steps of a flight; it goes on when the state has forgotten the flight.
    struct Runner {
        let id: RefreshID
        let session: UUID
        var step: State.Step
        /// What the store has answered already, before the state is told.
        var landed: State.Outcome?
    }

    /// What performs a manual refresh.
    struct Hand {
        let id: RefreshID
        let isAwaited: Bool
    }

    /// A caller that waits until the provider has settled.
    struct Settler {
        let number: Int
        /// The flights that were under way.
        let flights: [RefreshID]
        let discards: [Int]
        /// One try to store it will do.
        let acceptsFailure: Bool
        /// What was stored up to this number was decided before, or by those flights.
        var limit: Int
    }

    enum Announcement: Equatable { case nothing, updated(Int), invalidated }

    /// What the store is asked to hold, and what it has answered.
    struct Writing {
        let job: State.WriterJob
        var landed: State.Written?
    }

    /// What was read from the store when a sibling changed it.
    struct Look {
        let basis: State.Basis
        let item: StoredItem?
        let intent: RefreshIntent?
        let absence: TokenAbsence
    }

    var state: State
    var scope: Scope = []
    var callerLimit = 3
    var now = Moment(date: Date(timeIntervalSinceReferenceDate: 1_000_000), uptime: .seconds(1_000))

    var ordinary = WaiterQueue<Int>()
    var lasting = WaiterQueue<Int>()
    /// What must be in the queues, in order of arrival.
    var callers: [Caller] = []
    var runners: [Runner] = []
    var hands: [Hand] = []
    /// The numbers of manual refreshes that somebody awaits.
    var awaited: [Int] = []
    var settlers: [Settler] = []
    /// Revocations that are under way.
    var discards: [Int] = []
    /// The flights that were under way after the last event.
    var isFlying: [RefreshID] = []

    var stored: StoredItem?
    /// Why nothing is stored, if nothing is: whether a sibling has removed it, or the folder is missing.
    var absence = TokenAbsence.gone
    var intent: RefreshIntent?
    /// The intent was left by a flight of the provider.
    var isIntentOurs = false
    /// The flight that got the lock.
    var lock: RefreshID?
    /// The answer to the call that was made under the lock was lost.
    var isLost = false
    var writing: Writing?
    /// A write that was given up, and that the store may do yet.
    var lateWrite: State.WriterJob?
    var isWriteDue = false
    var look: Look?
    /// Nobody else has changed the store since the provider did.
    var isStoreOurs = true

    /// What requests may use without asking.
    var warm: (held: HeldToken, until: Date)?
    /// When the timer fires.
    var wake: Duration?
    var announced = Announcement.nothing
    var isRefreshing = false
    /// Sessions that siblings have begun.
    var sessionsOfSiblings: [UUID] = []
    /// Sessions that a sibling has removed from the store.
    var removed: [UUID] = []
    /// Sessions that have been left.
    var over: [UUID] = []
    /// Tokens that came from the service and are neither in use nor given up yet.
    var fresh: [HeldToken] = []
    /// Those of them whose first try to be stored has ended.
    var tried: [Int] = []
    /// Tokens that a server refused, or whose answer was lost to the last.
    var refused: [Int] = []
    /// When flights became strays.
    var strayings: [(id: RefreshID, at: Duration)] = []
    var names = 0
    /// What happens now.
    var event: Event?
    /// In this event the store said that there is no session any more.
    var isEndRead = false
    /// In this event a token was dropped, and listeners heard of it.
    var isDropping = false
    /// What must not be and is.
    var violation: String?

    /// The part of each back-off that is waited.
    static let chance = 0.02

    mutating func demand(_ condition: Bool, _ broken: StaticString) {
        if !condition, violation == nil { violation = "\(broken)" }
    }

    // MARK: Names

    mutating func newToken(_ answer: Answer = .ok, version: TokenVersion) -> HeldToken {
        names += 1
        let lifetime = answer == .expired ? -1 : ExploredToken.lifetime
        let token = ExploredToken(
            number: names, expiresAt: now.date.addingTimeInterval(lifetime), isMalformed: answer == .malformed)
        return TypedToken(token, version: version, obtainedAt: now.date, policy: .explored, random: 1)
    }

    mutating func newSession() -> UUID {
        names += 1
        return Self.session(names)
    }

    static func session(_ number: Int) -> UUID {
        let (high, low) = (UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number))
        return UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, high, low))
    }
}

// MARK: - Beginnings

extension ExploredWorld {
    /// Nothing is known yet.
    static func cold(_ storage: State.Storage, policy: RefreshPolicy = .explored) -> Self {
        let credential: State.Credential = storage == .none ? .absent : .unknown
        return Self(state: State(credential, session: session(0), storage: storage, policy: policy))
    }

    /// A token is in use, and saved.
    static func warm(_ storage: State.Storage, policy: RefreshPolicy = .explored) -> Self {
        cold(storage, policy: policy).after([.setToken] + (storage == .none ? [] : [.beginWrite, .endWrite(.ok)]))
    }

    func after(_ events: [Event]) -> Self {
        var world = self
        for event in events { world.apply(event) }
        return world
    }
}
