// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The state machine of ``RefreshableTokenAuthorization``: who is signed in, what is under way, and who waits.
///
/// Each event is one mutating function. A ``Turn`` passes in the time and a random number, and collects notices and
/// effects. Nothing here waits, calls user code or knows the type of the token, so tests can explore all states.
/// ``Pace``, ``Vault`` and ``Exchange`` decide when, what is stored, and in which steps.
struct RefreshState: Hashable {
    /// The held token, or why there is none.
    enum Holding: Hashable {
        /// The store has not been read yet.
        case unknown
        /// No token is held, and no session has ended.
        case absent
        case held(HeldToken, Use)
        indirect case ended(Ending)
    }

    /// What may be done with the held token.
    enum Use: Hashable {
        /// It is sent, and refreshed when it is due.
        case good
        /// It is sent until it expires: the service cannot refresh it.
        case last
        /// It had expired on arrival. It is sent until an uptime all the same: the clock of this machine may be wrong.
        case trusted(until: Duration)
        /// It is refreshed, and never sent again: a server refused it, or the answer that replaces it was lost.
        indirect case refused(by: AuthenticationChallenge? = nil)

        var isRefused: Bool { if case .refused = self { true } else { false } }
    }

    /// Indirect, because most states are idle.
    indirect enum Activity: Hashable {
        case idle
        case refreshing(Flight)
        /// The refresh has its outcome, and the store is about to hold it.
        case saving(Flight)
    }

    enum Life: Hashable {
        case running
        /// Only waiting callers begin refreshes.
        case draining
        /// No refresh and no sign-in begins.
        case shutDown
    }

    /// What must not change while the store is read; if it changes, the store is read again.
    struct Basis: Hashable {
        let session: UUID
        let held: TokenVersion?
        let revision: Int
    }

    private let fixedPolicy: FixedPolicy
    var holding: Holding
    var activity = Activity.idle
    /// The manual refresh or the sign-in that is under way.
    var signIn: SignIn?
    var line: SessionLine
    var pace = Pace()
    var vault: Vault
    /// Who calls the store to write. What it asks for in that call must not wait.
    var writer: RefreshID?
    var life = Life.running
    var leftovers = Leftovers()

    init(_ holding: Holding, session: UUID, storage: Vault.Kind, policy: FixedPolicy) {
        (self.holding, fixedPolicy) = (holding, policy)
        (line, vault) = (SessionLine(session), Vault(storage))
        if case .held(let held, _) = holding { hold(held) }
    }

    var policy: RefreshPolicy { fixedPolicy.value }

    // MARK: The token

    var held: HeldToken? { if case .held(let held, _) = holding { held } else { nil } }
    var heldVersion: TokenVersion? { held?.version }
    /// Whether the last session has ended and no other has begun.
    var isOver: Bool { if case .ended = holding { true } else { false } }

    /// Whether requests may be sent with the held token.
    func isUsable(at now: Moment) -> Bool {
        guard case .held(let held, let use) = holding else { return false }
        return switch use {
        case .good, .last: !held.isExpired(at: now.date)
        case .trusted(let end): now.uptime < end
        case .refused: false
        }
    }

    /// Until when the held token is sent although it had expired on arrival, as uptime.
    var trustEnd: Duration? { if case .held(_, .trusted(let end)) = holding { end } else { nil } }

    /// The challenge with which a resource has refused the held token.
    var challenge: AuthenticationChallenge? {
        if case .held(_, .refused(let challenge)) = holding { challenge } else { nil }
    }

    /// When a refresh ahead of expiry is due.
    func refreshAt(of held: HeldToken) -> Date {
        if case .held(_, .last) = holding { held.expiresAt } else { held.refreshAt }
    }

    mutating func hold(_ held: HeldToken) {
        holding = .held(held, held.problem == nil ? .good : .refused())
        line.note(held)
    }

    mutating func mark(_ use: Use) { if case .held(let held, _) = holding { holding = .held(held, use) } }

    var basis: Basis { Basis(session: line.session, held: heldVersion, revision: vault.revision) }

    // MARK: What is under way

    /// The refresh that is under way.
    var flight: Flight? {
        switch activity {
        case .idle: nil
        case .refreshing(let flight), .saving(let flight): flight
        }
    }

    /// The refresh that has no outcome yet.
    var calling: Flight? { if case .refreshing(let flight) = activity { flight } else { nil } }

    mutating func changeFlight(_ change: (inout Flight) -> Void) {
        guard var flight else { return }
        change(&flight)
        activity = calling == nil ? .saving(flight) : .refreshing(flight)
    }

    /// Whether no refresh is under way, and no news waits for the store.
    var isQuiet: Bool { if case .idle = activity { vault.news == nil } else { false } }

    /// Whether requests without a token wait: for a refresh, or until the store holds what a late one has brought.
    var isExpecting: Bool { flight?.isExpected ?? (vault.news != nil) }

    /// Whether all requests wait: for a manual refresh, or until a sign-in is in the store.
    var isHolding: Bool { signIn?.isHolding == true || vault.signIn != nil }

    var isShutDown: Bool { life == .shutDown }

    /// Whether a refresh may begin that no caller waits for.
    var startsUnasked: Bool { policy.aheadOfExpiry == .inBackground && life == .running }

    /// Completes every transition.
    mutating func finish(_ turn: inout Turn) {
        guard let release = vault.release(unlessUsedBy: flight?.id, isCalling: calling != nil) else { return }
        turn.perform(.unlock(release.owner, endsIntent: release.endsIntent))
    }
}
