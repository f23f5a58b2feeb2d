// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The inputs of a transition of ``RefreshState``, and its notices and effects.
struct Turn {
    /// The time, a random number and the provider.
    struct Inputs {
        let now: Moment
        /// 0 to 1, for jitter and back-off.
        let random: Double
        /// The provider, kept alive while a token or a sign-out is unsaved.
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

    /// Resumes all who wait.
    mutating func resumeAll(_ result: Result<HeldToken, any Error>) {
        guard isAwaited else { return }
        perform(.resume(nil, result))
        isAwaited = false
    }

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
    /// Resume the waiters of a kind, or all of them, in order of arrival.
    case resume(Waiters?, Result<HeldToken, any Error>)
    /// Fail the waiters whose patience ends before a slot, as uptime.
    case postpone(any Error, to: Duration)
    /// Fail the waiters of a session that a sibling has replaced.
    case dismissFormer
    /// Begin a refresh with its first step.
    ///
    /// - Parameter isAsked: whether a request begins it now. Then the service sees the task-local values of that.
    case start(Flight, isAsked: Bool)
    /// Cancel a service call or a sign-in.
    case cancel(RefreshID)
    /// Write what the vault has due.
    case write
    /// Read the store, as if it had told of a change.
    case look
    /// Release the lock that this refresh took.
    case unlock(RefreshID, endsIntent: Bool)
    /// Resume the caller that awaits a sign-in.
    case answer(RefreshID, Result<HeldToken, any Error>)
    /// Ask the service to revoke a token that came too late.
    case discard(HeldToken)
}
