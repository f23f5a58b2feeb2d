// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The inputs of a transition of ``RefreshState``, and its notices and effects.
struct Turn {
    /// The time, a random number and the provider.
    struct Inputs {
        let now: Moment
        /// 0 to 1, for jitter and back-off.
        let random: Double
        /// The provider, kept alive while a token is unsaved.
        var owner: AnyObject?
    }

    private let inputs: Inputs
    /// Whether any request waits.
    private(set) var isAwaited: Bool
    /// Whether a request waits that is bound to no session.
    private let isAwaitedByUnbound: Bool

    /// Notices, posted under the lock in this order.
    private(set) var notices: [Notice] = []
    /// Effects, performed after the lock has been released, in this order.
    private(set) var effects: [Effect] = []

    init(_ inputs: Inputs, isAwaited: Bool, byUnbound isAwaitedByUnbound: Bool) {
        (self.inputs, self.isAwaited, self.isAwaitedByUnbound) = (inputs, isAwaited, isAwaitedByUnbound)
    }

    var now: Moment { inputs.now }
    var random: Double { inputs.random }

    mutating func tell(_ notice: TokenNotice) { notices.append(.token(notice)) }
    mutating func emit(_ event: AuthorizationEvent) { notices.append(.event(event)) }
    mutating func emit(_ kind: AuthorizationEvent.Kind, error: (any Error)? = nil) { emit(.init(kind, error: error)) }
    mutating func perform(_ effect: Effect) { effects.append(effect) }

    /// Fails the waiters of the former session, because a sibling has replaced it.
    mutating func dismissFormer() {
        guard isAwaited else { return }
        perform(.dismissFormer)
        isAwaited = isAwaitedByUnbound
    }
}

/// A message for observers or listeners. It is posted under the lock, so that all see the same order.
enum Notice {
    case token(TokenNotice)
    case event(AuthorizationEvent)
}

/// A ``TokenChange`` without the type of the token.
enum TokenNotice: Sendable {
    case updated(HeldToken)
    case invalidated(NotAuthorized)
}

/// An action to be performed after the state has been stored.
enum Effect {
    case resume(Waiters, Result<HeldToken, any Error>)
    /// Fail the waiters of a session that a sibling has replaced.
    case dismissFormer
    /// Begin a refresh with its first step.
    case start(RefreshState.Flight)
    /// Cancel a service call or a manual refresh.
    case cancel(RefreshID)
    /// Write ``RefreshState/desired`` to the store.
    case write
    /// Release the lock that this refresh took.
    case unlock(RefreshID, endsIntent: Bool)
    /// Resume the caller that awaits a manual refresh.
    case answer(RefreshID, Result<HeldToken, any Error>)
    /// Ask the service to revoke a token that came too late.
    case discard(HeldToken, number: Int)
    /// Resume callers that wait for the provider to settle.
    case settled([Int])

    enum Waiters: Hashable {
        /// Requests that accept any valid token.
        case ordinary
        /// Requests that need a token that lasts longer than the held one.
        case lasting
    }
}

/// The user's objects that a state holds, kept until the lock is released: neither a token nor an error of a user is
/// released under the lock.
struct UserObjects {
    /// A pending token is the desired one too.
    let tokens: (HeldToken?, HeldToken?, HeldToken?, HeldToken?)
    let errors: ((any Error)?, (any Error)?, (any Error)?, (any Error)?, (any Error)?)
}

extension RefreshState {
    var userObjects: UserObjects {
        UserObjects(
            tokens: (held, flight?.token, stray?.token, desired?.token),
            errors: (
                failure?.error, flight?.verified?.error, stray?.verified?.error, desired?.error?.error, ending?.error
            ))
    }

    private var ending: Ending? { if case .ended(let ending) = credential { ending } else { nil } }
}

/// The work that a ``ProviderCore`` leaves to be done after it has released its lock.
struct Aftermath {
    /// Waiters to resume, with their result.
    struct Resumption {
        let waiters: ArraySlice<ProviderCore.Waiter?>
        let result: Result<HeldToken, any Error>

        func perform() { for waiter in waiters { waiter?.continuation.resume(with: result) } }
    }

    /// Events for the reporter of the provider.
    struct Report {
        let events: [AuthorizationEvent]
        let reporter: any AuthorizationReporter

        func deliver() { for event in events { reporter.note(event) } }
    }

    var effects: [Effect] = []
    var resumptions: [Resumption] = []
    /// Wakes observers and listeners.
    var deliveries: [@Sendable () -> Void] = []
    var report: Report?
    /// When the timer must fire, as uptime.
    var wake: Duration?
    /// The provider, if it was kept alive until the store held its token.
    var formerOwner: AnyObject?
    private let former: (UserObjects, RefreshState.Status?)?

    init() { former = nil }
    init(keeping objects: UserObjects, _ status: RefreshState.Status?) { former = (objects, status) }
}
