// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

@testable import RequestAuthorization

/// A state and what surrounds it, as the provider, its service, its store and siblings of it would: all that can happen to
/// the state is an ``Event`` of this world, and what must never happen is its ``violation``.
struct ExploredWorld {
    typealias State = RefreshState<ExploredToken, Int>
    typealias Stored = StoredToken<ExploredToken>
    typealias Held = HeldToken<ExploredToken>

    /// A request that waits or is about to.
    struct Caller {
        enum Stage { case reserved, waiting }
        let number: Int
        let place: WaiterQueue<Int>.ID
        var stage = Stage.reserved
    }

    /// What performs the steps of a flight; it goes on when the state has forgotten the flight.
    struct Runner {
        let id: FlightID
        let session: UUID
        var step: State.Step
        /// What the store has done already, before the state is told.
        var landed: State.Outcome?
        /// 1 after the deadline, 2 after the hard limit.
        var limits = 0
    }

    /// What performs a manual refresh.
    struct Hand {
        let id: FlightID
        /// Somebody awaits it.
        let isAwaited: Bool
        /// What is being saved.
        var saving: Stored?
        /// The store has done so, or has failed.
        var landed: Result<Void, ExploredFailure>?
    }

    enum LockOwner: Equatable { case nobody, flight(FlightID), kept }

    enum Announcement: Equatable { case nothing, updated(ExploredToken), invalidated }

    var state: State
    /// Whether the store may have done something that the state has not been told yet.
    var hasRaces = false
    var callerLimit = 3
    var now = Moment(date: Date(timeIntervalSinceReferenceDate: 1_000_000), uptime: .seconds(1_000))

    /// In order of arrival.
    var callers: [Caller] = []
    var runners: [Runner] = []
    var hands: [Hand] = []

    var stored: Stored?
    var intent: RefreshIntent?
    var lock = LockOwner.nobody
    /// What is being written, and whether the store has done so.
    var writing: (unsaved: State.Unsaved, landed: Result<TokenSaveConflict<ExploredToken>?, any Error>?)?
    var isWriteDue = false
    /// Nobody else has changed the store since the provider did.
    var isStoreOurs = true

    var announced = Announcement.nothing
    var isRefreshing = false
    /// Sessions that have been left.
    var over: [UUID] = []
    /// Tokens that came from the service and are neither in use nor given up yet.
    var fresh: [ExploredToken] = []
    var names = 0
    /// The numbers of manual refreshes that somebody awaits.
    var awaited: [Int] = []
    /// In this event a token that came too late was dropped.
    var isDiscarding = false
    /// What must not be and is.
    var violation: String?

    mutating func newToken(isMalformed: Bool = false) -> ExploredToken {
        names += 1
        return ExploredToken(
            number: names, expiresAt: now.date.addingTimeInterval(ExploredToken.lifetime), isMalformed: isMalformed)
    }

    mutating func newSession() -> UUID {
        names += 1
        return Self.session(names)
    }

    static func session(_ number: Int) -> UUID {
        let (high, low) = (UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number))
        return UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, high, low))
    }

    mutating func demand(_ condition: Bool, _ broken: StaticString) {
        if !condition, violation == nil { violation = "\(broken)" }
    }
}

/// A token of which only the name and the life matter.
struct ExploredToken: AuthorizationToken, Hashable {
    static let lifetime: TimeInterval = 1_000

    let number: Int
    let expiresAt: Date
    var isMalformed = false

    var authorizationHeaderValue: String { isMalformed ? "Bearer \n" : "Bearer \(number)" }
}

struct ExploredFailure: TokenServiceFailure {
    var kind = TokenFailureKind.transient
    var retryAfter: Duration?
    var delivery = TokenRequestDelivery.answered
}

extension RefreshPolicy {
    /// Few enough of everything, and every time a different one.
    static var explored: RefreshPolicy {
        var policy = RefreshPolicy()
        policy.jitter = 0
        policy.backOff = BackOff(initial: .seconds(1), maximum: .seconds(1), maximumRetryAfter: .seconds(5))
        policy.storm = Storm(limit: 1, window: .seconds(30), youth: 0.1)
        policy.rejectionLimit = 2
        return policy
    }
}

// MARK: - Beginnings

extension ExploredWorld {
    /// Nothing is known yet.
    static func cold(_ storage: State.Storage) -> Self {
        let credential: State.Credential = storage == .none ? .absent : .unknown
        return Self(state: State(credential, session: session(0), storage: storage, policy: .explored))
    }

    /// A token is in use, and saved.
    static func warm(_ storage: State.Storage) -> Self {
        var world = cold(storage)
        world.apply(.setToken)
        if storage != .none {
            world.apply(.beginWrite)
            world.apply(.endWrite(.ok))
        }
        return world
    }
}
