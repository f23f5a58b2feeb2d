// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// What a transition of ``RefreshState`` is given, and what it asks for.
struct Turn {
    /// Time and chance, and the provider itself.
    struct Inputs {
        let now: Moment
        /// 0 to 1, for jitter and back-off.
        let random: Double
        /// What must live on while something is unsaved.
        var owner: AnyObject?
    }

    private let inputs: Inputs
    /// Whether requests are held at this moment.
    private(set) var isAwaited: Bool
    /// Whether requests are held that no session binds.
    private let isAwaitedByUnbound: Bool

    /// What is told under the lock, in this order.
    private(set) var notices: [Notice] = []
    /// What is done after the lock has been given up, in this order.
    private(set) var effects: [Effect] = []

    init(_ inputs: Inputs, isAwaited: Bool, byUnbound isAwaitedByUnbound: Bool) {
        self.inputs = inputs
        self.isAwaited = isAwaited
        self.isAwaitedByUnbound = isAwaitedByUnbound
    }

    var now: Moment { inputs.now }
    var random: Double { inputs.random }

    mutating func tell(_ notice: TokenNotice) { notices.append(.token(notice)) }
    mutating func emit(_ event: AuthorizationEvent) { notices.append(.event(event)) }
    mutating func perform(_ effect: Effect) { effects.append(effect) }

    /// A sibling has replaced the session: requests that were queued in the former one are not sent in the new one.
    mutating func dismissFormer() {
        guard isAwaited else { return }
        perform(.dismissFormer)
        isAwaited = isAwaitedByUnbound
    }
}

/// What observers and listeners hear. It is posted under the lock, so that all hear it in the same order.
enum Notice {
    case token(TokenNotice)
    case event(AuthorizationEvent)
}

/// A ``TokenChange`` without the type of the token.
enum TokenNotice: Sendable {
    case updated(HeldToken)
    case invalidated(NotAuthorized)
}

/// What is done once the state has been stored.
enum Effect {
    /// Resume the requests that are held.
    case resume(Waiters, Result<HeldToken, any Error>)
    /// Fail the requests that were queued in a session that a sibling has replaced.
    case dismissFormer
    /// Begin a refresh with its first step.
    case start(RefreshState.Flight)
    /// Cancel a service call, or a manual refresh, whose result is not waited for.
    case cancel(RefreshID)
    /// Bring ``RefreshState/desired`` to the store.
    case write
    /// Give up exclusive access to the store, which this flight got.
    case unlock(RefreshID, endsIntent: Bool)
    /// Tell the caller that awaits a manual refresh.
    case answer(RefreshID, Result<HeldToken, any Error>)
    /// Let the service revoke a token that came too late.
    case discard(HeldToken, number: Int)
    /// Resume those who wait for the provider to settle.
    case settled([Int])

    /// Which of the requests that are held.
    enum Waiters: Hashable {
        /// Those that go on with any valid token.
        case ordinary
        /// Those that asked for a token that lasts longer than the one that is held.
        case lasting
    }
}

/// The tokens that a state holds. They are kept until the lock has been given up: nothing of a user's ends under it.
///
/// What is pending is on its way to the store, too.
struct HeldTokens {
    var credential: HeldToken?
    var flight: HeldToken?
    var stray: HeldToken?
    var desired: HeldToken?
}

extension RefreshState {
    var tokens: HeldTokens {
        var tokens = HeldTokens(desired: desired?.token)
        if case .held(let held) = credential { tokens.credential = held }
        if case .refresh(let held)? = flight?.step { tokens.flight = held }
        if case .refresh(let held)? = stray?.step { tokens.stray = held }
        return tokens
    }
}
