// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// What the store must hold, what it is known to have held, and exclusive access to it.
///
/// There is one writer: it saves the last order, and tries again until the store holds that. The vault decides nothing
/// about sessions. Tests explore all of its states.
struct Vault: Hashable {
    enum Kind { case none, plain, shared, readOnly }

    enum Content: Hashable {
        case token(HeldToken, replacing: TokenSaveCondition)
        case tombstone(TokenVersion, obtainedAt: Date, replacing: TokenSaveCondition)
        case nothing
    }

    /// Content to store, what is announced after the first try, and what the last try came to.
    struct Order: Hashable {
        fileprivate(set) var content: Content
        fileprivate(set) var news: News?
        /// The state treats all failures alike.
        fileprivate(set) var failure: Uncompared<any Error>?
        fileprivate(set) var backOff = BackOff()
    }

    /// A write that is under way ends before the next one begins. Indirect, because most writers are idle.
    indirect enum Writer: Hashable {
        case idle
        case due(Order)
        case writing(Order, next: Order?)
        /// The last try has failed, and the next one is due later.
        case waiting(Order)
    }

    struct Job: Hashable {
        let content: Content
        /// The intent to remove together with the write.
        let ends: RefreshIntent?
    }

    enum Written {
        case saved
        /// What the store holds instead; `nil` if the session is gone.
        case refused(StoredItem?)
        case failed(any Error)
    }

    /// What follows a write.
    enum Sequel {
        /// Newer content is to be written at once.
        case another
        case stored(News?)
        case refused(StoredItem?, News?)
        case failed(any Error, isToken: Bool, News?)
    }

    /// The note in a shared store that a refresh has begun. Indirect, because most providers have none.
    indirect enum Intent: Hashable {
        case absent
        /// The call is under way.
        case open(RefreshIntent)
        /// The call is over. The intent ends with the next save, or with the access.
        case answered(RefreshIntent)
        /// The answer was lost. The intent stays in the store until there is another answer.
        case lost(RefreshIntent)
    }

    /// Exclusive access to a shared store. It outlives its refresh until the store holds what that has brought:
    /// otherwise a sibling would get the lock and find only the spent token.
    struct Access: Hashable {
        /// The refresh that took the lock.
        let owner: RefreshID
        /// The refresh that uses it now.
        fileprivate(set) var user: RefreshID
        fileprivate(set) var intent = Intent.absent
    }

    let kind: Kind
    private(set) var writer = Writer.idle
    private(set) var access: Access?
    /// The last session that the store is known to have held. If it is gone later, it was ended elsewhere.
    private(set) var session: UUID?
    /// The session that was signed out here, and that a read-only store may still hold. It never comes back.
    private(set) var left: UUID?
    /// When such a session was left that is not known; `nil` if there is none.
    private(set) var leftAt: Date?
    /// Counts what was stored. An earlier read is outdated then.
    private(set) var revision = 0
    /// The writer has stopped.
    private(set) var isClosed = false

    init(_ kind: Kind) { self.kind = kind }

    // MARK: Writing

    /// Whether this provider writes to the store.
    var isKept: Bool { (kind == .plain || kind == .shared) && !isClosed }

    /// The last order, until it is stored.
    var unsaved: Order? {
        switch writer {
        case .idle: nil
        case .due(let order), .writing(_, let order?), .writing(let order, nil), .waiting(let order): order
        }
    }

    /// What is announced after the first try to store it.
    var news: News? { unsaved?.news }

    /// The sign-in that waits to be stored.
    var signIn: SignIn? { if case .signedIn(_, let signIn)? = news { signIn } else { nil } }

    var isWriting: Bool { if case .writing = writer { true } else { false } }
    /// Whether the last order will never be written.
    var isAbandoned: Bool { isClosed && !isWriting }
    /// Whether nothing is left to write.
    var isSettled: Bool { writer == .idle || isAbandoned }
    /// Whether nobody waits for a try to store the last order: it has ended, or the vault is closed.
    var isTried: Bool { writer == .idle || isClosed || unsaved?.failure != nil }
    /// Whether a token would be lost with the provider.
    var holdsToken: Bool { unsaved?.content.token != nil && !isClosed }
    /// When a failed write is tried again, as uptime.
    var slot: Duration? { if case .waiting(let order) = writer, !isClosed { order.backOff.slot } else { nil } }

    /// Orders content in place of what is not stored yet. What may replace anything still may.
    ///
    /// - Returns: the news that it displaces.
    mutating func order(_ content: Content, announcing news: News? = nil) -> News? {
        let former = unsaved
        let order = Order(
            content: former?.content.replacesAnything == true ? content.replacingAnything : content, news: news)
        if case .writing(var current, _) = writer {
            current.news = nil
            writer = .writing(current, next: order)
        } else {
            writer = .due(order)
        }
        return former?.news
    }

    /// Takes the news out of the last order, to be announced or dropped now.
    mutating func takeNews() -> News? {
        guard var order = unsaved, let news = order.news else { return nil }
        order.news = nil
        switch writer {
        case .writing(let current, .some): writer = .writing(current, next: order)
        case .writing: writer = .writing(order, next: nil)
        case .due, .waiting, .idle: writer = .due(order)
        }
        return news
    }

    /// Begins a write; `nil` if there is nothing to write, or another write is under way.
    mutating func begin() -> Job? {
        guard !isClosed, !isWriting, let order = unsaved else { return nil }
        writer = .writing(order, next: nil)
        // Stores take what ends an intent for a refresh, of which nobody needs to hear. A sign-in ends none.
        let isSignIn = order.content.replacesAnything
        if case .answered(let intent)? = access?.intent, !isSignIn { return Job(content: order.content, ends: intent) }
        return Job(content: order.content, ends: nil)
    }

    mutating func end(_ job: Job, _ written: Written, at now: Moment, random: Double) -> Sequel {
        if case .saved = written, let held = job.content.token { session = held.version.session }
        guard case .writing(var order, let next) = writer else { return .stored(nil) }
        if let next {
            writer = .due(next)
            return isClosed ? .stored(takeNews()) : .another
        }
        let news = order.news
        if case .failed(let error) = written {
            order.news = nil
            order.failure = Uncompared(value: error)
            order.backOff.fail(at: now, policy: Self.backOff, random: random)
            writer = .waiting(order)
            return .failed(error, isToken: order.content.token != nil, news)
        }
        (writer, revision) = (.idle, revision + 1)
        if case .refused(let item) = written { return .refused(item, news) }
        if case .answered(let intent)? = access?.intent, intent == job.ends { access?.intent = .absent }
        return .stored(news)
    }

    /// A write that was given up has been made after all. It is not repeated: a sibling may have gone on from there.
    ///
    /// - Returns: whether the store needs no other write for it.
    mutating func endLate(_ job: Job) -> Bool {
        guard !isWriting, let order = unsaved, order.content.isSame(as: job.content) else { return false }
        if let held = job.content.token { session = held.version.session }
        (writer, revision) = (.idle, revision + 1)
        if case .answered(let intent)? = access?.intent, intent == job.ends { access?.intent = .absent }
        return true
    }

    /// Makes a failed write due, if its slot is open, and returns whether it is.
    mutating func wake(at now: Moment) -> Bool {
        guard case .waiting(let order) = writer, !isClosed, order.backOff.isOpen(at: now) else { return false }
        writer = .due(order)
        return true
    }

    mutating func lift() {
        guard case .waiting(var order) = writer else { return }
        order.backOff.lift()
        writer = .waiting(order)
    }

    mutating func close() { isClosed = true }
    mutating func reopen() { isClosed = false }

    /// At most five seconds, because siblings may be waiting for the lock.
    private static let backOff = RefreshPolicy.BackOff(initial: .seconds(1), maximum: .seconds(5))

    // MARK: Reading

    /// Remembers that the store has held the session. What it shows was stored, although no try had an answer. It may
    /// not be durable: it is saved again, in its own session only. What siblings have made of the session counts.
    mutating func note(_ item: StoredItem) {
        if item.token != nil { session = item.version.session }
        guard case .waiting(var order) = writer else { return }
        switch order.content {
        case .token(let held, _) where held.version.session == item.version.session:
            let own = held.version
            let isOwn = item.token.map { $0.version.generation <= own.generation || held.renumbered(as: $0) != nil }
            guard isOwn == true else { return (writer, revision) = (.idle, revision + 1) }
            order.content = .token(held, replacing: .older(session: own.session, generation: own.generation))
        case .tombstone(item.version, let date, _) where item.token == nil:
            order.content = .tombstone(item.version, obtainedAt: date, replacing: .session(item.version.session))
        case .token, .tombstone, .nothing: return
        }
        writer = .waiting(order)
    }

    /// A session is left that a read-only store may hold. If it is not known, the store must bring back nothing older.
    mutating func leave(_ session: UUID?, at date: Date) {
        if let session { left = session } else { leftAt = date }
    }

    /// Whether the store still holds the session that was left. If that was not known, its date tells. A date in the
    /// future is of a clock that was wrong.
    mutating func hasLeft(_ item: StoredItem?, _ absence: TokenAbsence, at now: Date) -> Bool {
        if let date = leftAt, item != nil || absence == .gone {
            leftAt = nil
            if let item, item.obtainedAt < date || item.obtainedAt > now {
                note(item)
                left = session
            }
        }
        return item != nil && item?.version.session == left
    }

    /// Whether the empty store means that the session was ended: the store held the session, and it was removed.
    ///
    /// A damaged item or a missing folder does not end the session: this process may hold the only copy.
    func isEnd(of session: UUID, _ absence: TokenAbsence) -> Bool {
        absence == .gone && self.session == session && writer == .idle
    }

    /// What the store must hold for a write of a session to be accepted.
    ///
    /// - Parameter known: the condition if the store is known to have held the session.
    func condition(of session: UUID, _ known: TokenSaveCondition) -> TokenSaveCondition {
        self.session == session ? known : .nothing
    }

    /// The content for the next token of a session.
    func successor(_ held: HeldToken) -> Content {
        let (session, generation) = (held.version.session, held.version.generation)
        // The store still holds an older session if the first token of this one could not be saved.
        if unsaved?.content.replacesAnything == true { return .token(held, replacing: .anything) }
        return .token(held, replacing: condition(of: session, .older(session: session, generation: generation)))
    }

    /// The content for the end of a session: a tombstone in a shared store, nothing in another.
    ///
    /// - Parameter condition: what a tombstone may replace.
    func end(of session: UUID, after held: TokenVersion?, at date: Date, replacing condition: TokenSaveCondition)
        -> Content
    {
        guard kind == .shared else { return .nothing }
        let version = TokenVersion(session: session, generation: held?.next.generation ?? 0)
        return .tombstone(version, obtainedAt: date, replacing: condition)
    }

    // MARK: Access

    mutating func take(for id: RefreshID) { access = Access(owner: id, user: id) }

    /// Lets a refresh use the access that an unsaved token has kept, and returns whether there is one.
    mutating func reuse(for id: RefreshID) -> Bool {
        access?.user = id
        return access != nil
    }

    /// A call is about to begin.
    ///
    /// - Parameter isAfterLoss: whether the answer to an earlier call was lost. Then the intent stays without an answer.
    mutating func announce(_ intent: RefreshIntent, isAfterLoss: Bool) {
        let wasLost = if case .lost? = access?.intent { true } else { isAfterLoss }
        access?.intent = wasLost ? .lost(intent) : .open(intent)
    }

    mutating func answerWasLost() { if case .open(let intent)? = access?.intent { access?.intent = .lost(intent) } }

    mutating func answerCame() {
        switch access?.intent {
        case .open(let intent), .lost(let intent): access?.intent = .answered(intent)
        case .answered, .absent, nil: break
        }
    }

    /// Gives up access once its refresh is over and the store holds what that has brought.
    ///
    /// - Parameters:
    ///   - user: the refresh that is under way, if any.
    ///   - isCalling: whether it has no outcome yet.
    /// - Returns: whose lock is to be released, and whether the intent ends with it.
    mutating func release(unlessUsedBy user: RefreshID?, isCalling: Bool) -> (owner: RefreshID, endsIntent: Bool)? {
        guard let access else { return nil }
        if case .open = access.intent, user != access.user || !isCalling { answerCame() }
        guard user != access.user else { return nil }
        if let unsaved, !isAbandoned, unsaved.content.token != nil || unsaved.failure == nil { return nil }
        let endsIntent = if case .answered? = self.access?.intent { unsaved?.content.token == nil } else { false }
        self.access = nil
        return (access.owner, endsIntent)
    }
}

extension Vault.Content {
    /// The token to save, if the content is one.
    var token: HeldToken? { if case .token(let held, _) = self { held } else { nil } }

    var replacesAnything: Bool {
        switch self {
        case .token(_, let condition), .tombstone(_, _, let condition): condition == .anything
        case .nothing: false
        }
    }

    /// Whether both are the same for the store: a sign-out that is repeated has a later date.
    fileprivate func isSame(as other: Self) -> Bool {
        if case .tombstone(let version, _, _) = self, case .tombstone(version, _, _) = other { return true }
        return self == other
    }

    fileprivate var replacingAnything: Self {
        switch self {
        case .token(let held, _): .token(held, replacing: .anything)
        case .tombstone(let version, let date, _): .tombstone(version, obtainedAt: date, replacing: .anything)
        case .nothing: .nothing
        }
    }
}
