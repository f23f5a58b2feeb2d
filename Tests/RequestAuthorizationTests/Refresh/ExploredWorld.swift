// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

@testable import RequestAuthorization

/// A state and its surroundings: they behave as the provider, its service, its store and its siblings would.
///
/// All that can happen to the state is an ``Event`` of this world. A broken promise is its ``violation``.
struct ExploredWorld {
    typealias State = RefreshState

    /// Additional events beyond those of the simplest world.
    struct Scope: OptionSet {
        let rawValue: Int
        /// The store may have executed a call that the state does not know of yet.
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
        let kind: Waiters
        /// The session in which it was queued, if a token was held.
        let session: UUID?
        let arrival: Duration
        /// Until when it waits for a slot; `nil` before its first failure.
        var patience: Duration?
    }

    /// The task of a flight; it goes on after the state has forgotten the flight.
    struct Runner {
        let id: RefreshID
        let session: UUID
        let beganAt: Duration
        /// `nil` once it is over.
        var step: Exchange.Step?
        /// Its session ended before it did.
        var isLeftOver = false
        /// The store's answer, before the state has it.
        var landed: Exchange.Outcome?
    }

    /// The task of a manual refresh.
    struct Hand {
        let id: RefreshID
        let isAwaited: Bool
    }

    enum Announcement: Equatable { case nothing, updated(Int), invalidated }

    /// A write to the store, and its answer.
    struct Writing {
        let job: Vault.Job
        var landed: Vault.Written?
    }

    /// A read of the store after a sibling's change.
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
    /// The expected queues, in order of arrival.
    var callers: [Caller] = []
    var runners: [Runner] = []
    var hands: [Hand] = []
    /// The manual refreshes that a caller awaits.
    var awaited: [RefreshID] = []
    /// Revocations that are under way.
    var discards = 0

    var stored: StoredItem?
    /// Why nothing is stored, if so: a sibling has removed the item, or the folder is missing.
    var absence = TokenAbsence.gone
    var intent: RefreshIntent?
    /// The intent was left by a flight of the provider.
    var isIntentOurs = false
    /// The flight that holds the lock.
    var lock: RefreshID?
    /// The answer to the call under the lock was lost.
    var isLost = false
    /// Tokens of calls that were forgotten. Their intents stay, and name a token that has been replaced.
    var late: [Int] = []
    var writing: Writing?
    /// A write that was given up, and that the store may still execute.
    var lateWrite: Vault.Job?
    var isWriteDue = false
    var look: Look?
    /// No sibling has changed the store since the provider did.
    var isStoreOurs = true

    /// The token that requests may use without a transition.
    var warm: (held: HeldToken, until: Date)?
    /// When the timer fires.
    var wake: Duration?
    var announced = Announcement.nothing
    var isRefreshing = false
    /// Sessions that siblings have begun.
    var sessionsOfSiblings: [UUID] = []
    /// Sessions that sign-ins have begun.
    var signedIn: [UUID] = []
    /// Sessions that a sibling has removed from the store.
    var removed: [UUID] = []
    /// Sessions that this process has left.
    var over: [UUID] = []
    /// Those of them that were signed out here.
    var signedOut: [UUID] = []
    /// Tokens from the service that are neither in use nor discarded yet.
    var fresh: [HeldToken] = []
    /// Those of them that the store was asked to save once.
    var tried: [Int] = []
    /// Until when requests with a valid token may wait for the last flight.
    var patience: (id: RefreshID, end: Duration)?
    /// Until when a token is used that had expired on arrival, as uptime.
    var trusted: (number: Int, until: Duration)?
    /// Tokens that a server refused, or for which the last answer was lost.
    var refused: [Int] = []
    var names = 0
    /// The present event.
    var event: Event?
    /// In this event the store reported that the session has ended.
    var isEndRead = false
    /// In this event a token was dropped, and listeners were notified.
    var isDropping = false
    /// The first broken promise.
    var violation: String?

    /// The part of each back-off that is used.
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
    static func cold(_ storage: Vault.Kind, policy: RefreshPolicy = .explored) -> Self {
        let credential: State.Holding = storage == .none ? .absent : .unknown
        return Self(state: State(credential, session: session(0), storage: storage, policy: FixedPolicy(policy)))
    }

    /// A token is in use, and saved.
    static func warm(_ storage: Vault.Kind, policy: RefreshPolicy = .explored) -> Self {
        cold(storage, policy: policy).after([.setToken] + (storage == .none ? [] : [.beginWrite, .endWrite(.ok)]))
    }

    func after(_ events: [Event]) -> Self {
        var world = self
        for event in events { world.apply(event) }
        return world
    }
}
