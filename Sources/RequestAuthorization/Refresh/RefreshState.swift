// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The decisions of ``RefreshableTokenAuthorization``: what is held, what is under way, what the store is to hold.
///
/// Each event is one mutating function. A ``Turn`` brings time and chance in and takes out what is to be told and done. Nothing
/// here waits, calls a user's code or knows the type of the token, so that the state can be explored exhaustively.
struct RefreshState: Hashable {
    /// What is held.
    enum Credential: Hashable {
        /// The store has not been read yet.
        case unknown
        /// Nothing is held, and no session has ended.
        case absent
        case held(HeldToken)
        case ended(Ending)
    }

    /// Why the session is over.
    struct Ending {
        let error: NotAuthorized
    }

    /// What a look at the store is compared with.
    struct Basis: Hashable {
        let session: UUID
        let held: TokenVersion?
        /// What was read before a write is outdated after it.
        let stored: Int
    }

    /// What kind of store there is.
    enum Storage { case none, plain, shared, readOnly }

    let policy: RefreshPolicy
    let storage: Storage
    /// A part of the names of refreshes; see ``RefreshID``.
    let provider: Int

    var credential: Credential { didSet { if case .held(let held) = credential { line.note(held) } } }
    /// Sessions that hand their requests over to one another.
    var line = SessionLine()
    /// A server refused the token, or an answer that replaces it was lost: it is refreshed, and never sent again.
    var isRefused = false
    /// The service has nothing to refresh the token with: it is used until it expires.
    var hasNoSuccessor = false
    /// The session that is held or, before there is one, the one that the first token will begin.
    var session: UUID
    /// The ordinary refresh that is under way.
    var flight: Flight?
    /// A flight of this session that took longer than the hard limit and may still bring a token.
    var stray: Flight?
    /// When a flight became a stray for the last time.
    var strayedAt: Duration?
    /// Strays that a newer one has replaced: their tokens are dropped.
    var forgotten: [RefreshID] = []
    /// Manual refreshes and sign-ins that are under way, in the order in which they were begun.
    var manuals: [Manual] = []
    /// What is told as soon as the store holds it, or could not be made to hold it.
    var pending: Pending?
    /// What the store does not hold yet.
    var desired: Desired?
    /// The session that the store has been seen to hold: what is gone there has been ended by somebody.
    var storedSession: UUID?
    /// The session that the service began by itself: it can begin another.
    var fetchedSession: UUID?
    /// The number of what was stored last.
    var lastStored = 0
    /// Exclusive access to a shared store.
    var access: Access?
    /// Why there was no token last time.
    var failure: RefreshFailure?
    /// Refusals of the token endpoint in a row, without a verdict.
    var refusals: Refusals?
    var backOff = BackOff()
    var storm = StormGuard()
    /// Tokens that the service has been given to revoke, by number.
    var discards: Set<Int> = []
    var settlers: [Settler] = []
    var isBackgroundStopped = false
    var isShutDown = false
    /// The writer has stopped.
    var isClosed = false
    /// The last number that was given to something.
    var lastNumber = 0

    init(_ credential: Credential, session: UUID, storage: Storage, policy: RefreshPolicy, provider: Int = 0) {
        self.credential = credential
        self.session = session
        self.storage = storage
        self.policy = policy
        self.provider = provider
        guard case .held(let held) = credential else { return }
        isRefused = held.problem != nil
        line.note(held)
    }

    mutating func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    mutating func nextID() -> RefreshID { RefreshID(provider: provider, number: nextNumber()) }

    /// Every transition ends with this.
    mutating func finish(_ turn: inout Turn) {
        giveUpAccess(&turn)
        checkSettlers(&turn)
    }
}

// MARK: - Parts

extension RefreshState {
    /// The ordinary refresh: it loads, refreshes and saves, one step at a time.
    struct Flight: Hashable {
        let id: RefreshID
        let cause: RefreshCause
        /// Uptime.
        var beganAt: Duration
        /// A result for another session is dropped.
        var session: UUID
        /// The token that it replaces.
        var basis: TokenVersion?
        var step: Step
        /// Requests with a valid token wait for it no longer.
        var isOutOfPatience = false
        /// The deadline has passed: no request waits for it.
        var isDraining = false
        /// The hard limit has passed: another flight may be under way.
        var isStray = false
    }

    /// What a flight does next.
    enum Step: Hashable {
        /// Read the store for the first time.
        case load
        /// Get exclusive access to the shared store.
        case lock
        /// Read it again: a sibling may have left a newer token.
        case reread
        /// Leave an intent.
        case intent(RefreshIntent)
        /// Ask the service for a successor.
        case refresh(HeldToken)
        /// Ask the service for a first token.
        case initial
        /// Read the store again before a failure is believed that ends the session.
        case verify(RefreshFailure)
        /// The writer brings the outcome to the store.
        case save

        /// Whether the service has not been called yet.
        var isBeforeService: Bool {
            switch self {
            case .load, .lock, .reread, .intent: true
            case .refresh, .initial, .verify, .save: false
            }
        }

        /// Whether it does more than to bring home what there is.
        var beginsSomething: Bool {
            switch self {
            case .load, .lock, .reread, .intent, .refresh, .initial: true
            case .verify, .save: false
            }
        }
    }

    /// What a step brought.
    enum Outcome {
        case done
        case loaded(StoredItem?, RefreshIntent?, TokenAbsence = .gone)
        case token(HeldToken)
        case failed(RefreshFailure)
    }

    /// A refresh by hand or a sign-in.
    struct Manual: Hashable {
        let id: RefreshID
        let beganAt: Duration
        let isAwaited: Bool
        /// Requests wait for it, until its deadline.
        var isHolding = true
    }

    /// What became of a try to store something.
    enum Written {
        case saved
        /// What stands in the store instead; `nil` if the session is gone.
        case refused(StoredItem?)
        case failed(any Error)
    }

    /// A token, or the end of the session, that is told after the first try to store it.
    struct Pending: Hashable {
        enum News: Hashable {
            case refreshed(HeldToken)
            case signedIn(HeldToken, Manual)
            case ended(Ending)
        }

        let news: News
        /// The number of the ``Desired`` content.
        let number: Int
    }

    /// What the store is to hold.
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

        /// Whether it could not be stored, and waits for its slot.
        var isWaiting: Bool { error != nil && !isWriting && !isDue }

        var replacesAnything: Bool {
            switch content {
            case .save(_, let condition), .signOut(_, _, let condition): condition == .anything
            case .clear: false
            }
        }

        /// The token on its way.
        var token: HeldToken? { if case .save(let held, _) = content { held } else { nil } }
    }

    /// One turn of the writer.
    struct WriterJob: Hashable {
        let content: Desired.Content
        let number: Int
        /// The intent of a refresh that is over with it.
        let ends: RefreshIntent?
    }

    /// Exclusive access to a shared store, and the intent that was left there.
    struct Access: Hashable {
        /// The flight that got it.
        let owner: RefreshID
        /// The flight that uses it.
        var user: RefreshID
        var intent: RefreshIntent?
        /// The answer was lost: the intent stays for whoever comes next.
        var leavesIntent = false
    }
}

// MARK: - Comparing

extension RefreshState.Ending: Hashable {
    static func == (left: Self, right: Self) -> Bool { left.error.reason == right.error.reason }
    func hash(into hasher: inout Hasher) { hasher.combine(error.reason) }
}

/// Why the store does not hold yet what it is to hold. All failures of a store are alike to the state.
struct StoreFailure: Hashable {
    let error: any Error

    static func == (left: Self, right: Self) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
}
