// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The state machine of ``RefreshableTokenAuthorization``: the held token, the refreshes under way, and the content
/// that the store should have.
///
/// Each event is one mutating function. A ``Turn`` passes in the time and a random number, and collects notices and
/// effects. Nothing here waits, calls user code or knows the type of the token, so tests can explore all states.
struct RefreshState: Hashable {
    /// The held token, or why there is none.
    enum Credential: Hashable {
        /// The store has not been read yet.
        case unknown
        /// No token is held, and no session has ended.
        case absent
        case held(HeldToken)
        case ended(Ending)
    }

    /// Why the session is over.
    struct Ending { let error: NotAuthorized }

    /// What must not change while the store is read; if it changes, the store is read again.
    struct Basis: Hashable {
        let session: UUID
        let held: TokenVersion?
        /// The number of the last write. A write makes an earlier read outdated.
        let stored: Int
    }

    enum Storage { case none, plain, shared, readOnly }

    let policy: RefreshPolicy
    let storage: Storage
    /// Tells the refreshes of this provider from those of others; see ``RefreshID``.
    let provider: Int

    var credential: Credential { didSet { if case .held(let held) = credential { line.note(held) } } }
    /// The sessions that were held. A request is sent again within its session only.
    var line = SessionLine()
    /// A server refused the token, or the answer that replaces it was lost. It is refreshed, and never sent again.
    var isRefused = false
    /// The service cannot refresh the token. It is used until it expires.
    var hasNoSuccessor = false
    /// The current session or, before there is one, the session that the first token will begin.
    var session: UUID
    /// The ordinary refresh that is under way.
    var flight: Flight?
    /// A refresh of this session that has passed the hard limit. It may still bring a token.
    var stray: Flight?
    /// When a refresh last became a stray, as uptime.
    var strayedAt: Duration?
    /// Strays that a newer stray has replaced. Their tokens are dropped.
    var forgotten: [RefreshID] = []
    /// Manual refreshes and sign-ins under way, in the order in which they began.
    var manuals: [Manual] = []
    /// News to publish after the first attempt to store it.
    var pending: Pending?
    /// Content that the store does not hold yet.
    var desired: Desired?
    /// The last session that the store is known to have held. If it is gone later, it was ended elsewhere.
    var storedSession: UUID?
    /// The session that the service began by itself. The service can begin another in the same way.
    var fetchedSession: UUID?
    /// The number of the content that was stored last.
    var lastStored = 0
    /// Exclusive access to a shared store.
    var access: Access?
    /// The last failure; `nil` after a success.
    var failure: RefreshFailure?
    /// Consecutive refusals of the token endpoint that do not end the session.
    var refusals: Refusals?
    var backOff = BackOff()
    var storm = StormGuard()
    /// Numbers of tokens that the service is revoking.
    var discards: Set<Int> = []
    var settlers: [Settler] = []
    var isBackgroundStopped = false
    var isShutDown = false
    /// The writer has stopped.
    var isClosed = false
    /// The last number given to a refresh, a write, a settler or a revocation.
    var lastNumber = 0

    init(_ credential: Credential, session: UUID, storage: Storage, policy: RefreshPolicy, provider: Int = 0) {
        (self.credential, self.session, self.storage) = (credential, session, storage)
        (self.policy, self.provider) = (policy, provider)
        guard case .held(let held) = credential else { return }
        isRefused = held.problem != nil
        line.note(held)
    }

    mutating func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    mutating func nextID() -> RefreshID { RefreshID(provider: provider, number: nextNumber()) }

    /// Completes every transition.
    mutating func finish(_ turn: inout Turn) {
        giveUpAccess(&turn)
        checkSettlers(&turn)
    }
}

// MARK: - Parts

extension RefreshState {
    /// An ordinary refresh. It loads, refreshes and saves, one step at a time.
    struct Flight: Hashable {
        let id: RefreshID
        let cause: RefreshCause
        /// As uptime.
        var beganAt: Duration
        /// If the provider has another session by then, the result is dropped.
        var session: UUID
        /// The token that it replaces.
        var basis: TokenVersion?
        var step: Step
        /// Requests with a valid token no longer wait for it.
        var isOutOfPatience = false
        /// The deadline has passed. No request waits for it.
        var isDraining = false
        /// The hard limit has passed. Another refresh may be under way.
        var isStray = false

        /// The token that the service is asked to replace.
        var token: HeldToken? { if case .refresh(let held) = step { held } else { nil } }
        /// The failure that may end the session, once the store has been read again.
        var verified: RefreshFailure? { if case .verify(let failure) = step { failure } else { nil } }
    }

    /// The next action of a refresh.
    enum Step: Hashable {
        /// Read the store for the first time.
        case load
        /// Get exclusive access to the shared store.
        case lock
        /// Read the store again: a sibling may have saved a newer token.
        case reread
        case intent(RefreshIntent)
        /// Ask the service for a successor.
        case refresh(HeldToken)
        /// Ask the service for a first token.
        case initial
        /// Read the store again before a failure ends the session.
        case verify(RefreshFailure)
        /// Wait until the writer has saved the outcome.
        case save

        /// Whether the service has not been called yet.
        var isBeforeService: Bool {
            switch self {
            case .load, .lock, .reread, .intent: true
            case .refresh, .initial, .verify, .save: false
            }
        }

        /// Whether the step starts new work, which a refresh past its deadline must not do.
        var beginsSomething: Bool {
            switch self {
            case .load, .lock, .reread, .intent, .refresh, .initial: true
            case .verify, .save: false
            }
        }
    }

    enum Outcome {
        case done
        case loaded(StoredItem?, RefreshIntent?, TokenAbsence = .gone)
        case token(HeldToken)
        case failed(RefreshFailure)
    }

    /// A manual refresh or a sign-in.
    struct Manual: Hashable {
        let id: RefreshID
        let beganAt: Duration
        let isAwaited: Bool
        /// Requests wait for it, until its deadline.
        var isHolding = true
    }

    /// The result of one write to the store.
    enum Written {
        case saved
        /// What the store holds instead; `nil` if the session is gone.
        case refused(StoredItem?)
        case failed(any Error)
    }

    /// A token, or the end of the session, that is published after the first attempt to store it.
    struct Pending: Hashable {
        enum News: Hashable {
            case refreshed(HeldToken)
            case signedIn(HeldToken, Manual)
            case ended(Ending)
        }

        let news: News
        let number: Int
    }

    /// Content that the store should have.
    struct Desired: Hashable {
        enum Content: Hashable {
            case save(HeldToken, replacing: TokenSaveCondition)
            case signOut(TokenVersion, obtainedAt: Date, replacing: TokenSaveCondition)
            case clear
        }

        let content: Content
        let number: Int
        var isWriting = false
        /// The writer has been asked for another turn.
        var isDue = false
        var backOff = BackOff()
        var error: StoreFailure?

        /// Whether a write has failed and the next one is not due yet.
        var isWaiting: Bool { error != nil && !isWriting && !isDue }

        var replacesAnything: Bool {
            switch content {
            case .save(_, let condition), .signOut(_, _, let condition): condition == .anything
            case .clear: false
            }
        }

        /// The token to save, if the content is one.
        var token: HeldToken? { if case .save(let held, _) = content { held } else { nil } }
    }

    struct WriterJob: Hashable {
        let content: Desired.Content
        let number: Int
        /// The intent to remove together with the write.
        let ends: RefreshIntent?
    }

    /// Exclusive access to a shared store, and the intent written under it.
    struct Access: Hashable {
        /// The refresh that took the lock.
        let owner: RefreshID
        /// The refresh that uses it now.
        var user: RefreshID
        var intent: RefreshIntent?
        /// The answer was lost. The intent stays in the store.
        var leavesIntent = false
    }
}

// MARK: - Comparing

extension RefreshState.Ending: Hashable {
    static func == (left: Self, right: Self) -> Bool { left.error.reason == right.error.reason }
    func hash(into hasher: inout Hasher) { hasher.combine(error.reason) }
}

/// The error of a failed write. The state treats all of them alike.
struct StoreFailure: Hashable {
    let error: any Error

    static func == (left: Self, right: Self) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
}
