// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import TestProviders

@testable import RequestAuthorization

/// A state that is moved by hand, and a log of its announcements and actions, in words.
struct RefreshStateBench {
    typealias State = RefreshState

    static let session = ExploredWorld.session(1)

    var state: State
    var now = Moment(date: Date(timeIntervalSinceReferenceDate: 1_000_000), uptime: .seconds(1_000))
    /// The waiters, by name.
    var waiting: [Waiters: [Int]] = [:]
    /// The waiters that were queued while a token was held.
    var bound: Set<Int> = []
    /// All announcements and actions, in order.
    var log: [String] = []

    /// - Parameter token: the number of the initial token; `nil` for none.
    static func make(holding token: Int? = 1, storage: Vault.Kind = .none, policy: RefreshPolicy = .explored.impatient)
        -> Self
    {
        var bench = Self(state: State(.absent, session: session, storage: storage, policy: FixedPolicy(policy)))
        if let token { bench.holds(token) }
        return bench
    }

    /// A token is held, and stored.
    mutating func holds(_ token: Int, isStored: Bool = true) {
        let held = held(token)
        state.hold(held)
        if isStored { state.vault.note(StoredItem(held)) }
    }

    func held(
        _ number: Int, session: UUID = session, generation: Int = 0, isMalformed: Bool = false, isFetched: Bool = false,
        claims: String? = nil, replacing former: HeldToken? = nil
    ) -> HeldToken {
        let token = ExploredToken(
            number: number, expiresAt: now.date.addingTimeInterval(ExploredToken.lifetime), isMalformed: isMalformed)
        let version = TokenVersion(session: session, generation: generation)
        return TypedToken(
            token, version: version, obtainedAt: now.date, isFetched: isFetched, claims: claims, replacing: former,
            policy: state.policy, random: 1)
    }

    func stored(_ number: Int, session: UUID = session, generation: Int) -> StoredItem {
        StoredItem(held(number, session: session, generation: generation))
    }

    func tombstone(session: UUID = session, generation: Int) -> StoredItem {
        let version = TokenVersion(session: session, generation: generation)
        return StoredItem(content: .signedOut, version: version, obtainedAt: now.date)
    }

    mutating func pass(_ seconds: Double) {
        now = Moment(date: now.date.addingTimeInterval(seconds), uptime: now.uptime + .seconds(seconds))
    }

    // MARK: Events

    private mutating func change<Result>(_ body: (inout State, inout Turn) -> Result) -> (Result, [String]) {
        let waiters = waiting.values.flatMap { $0 }
        var turn = Turn(
            Turn.Inputs(now: now, random: 1), isAwaited: !waiters.isEmpty,
            byUnbound: waiters.contains { !bound.contains($0) })
        let result = body(&state, &turn)
        state.finish(&turn)
        let told = turn.notices.map(Self.words) + turn.effects.compactMap { self.words($0) }
        log += told
        return (result, told)
    }

    /// - Returns: the new lines of the log.
    @discardableResult
    mutating func does<Result>(_ event: (inout State, inout Turn) -> Result) -> [String] { change(event).1 }

    mutating func gives<Result>(_ event: (inout State, inout Turn) -> Result) -> Result { change(event).0 }

    /// A server refuses the token, and a request waits for the refresh.
    @discardableResult
    mutating func refuse(waiter: Int? = nil) -> RefreshID? {
        if let held = state.held { does { $0.unauthorized(held.header, &$1) } }
        if let waiter { wait(waiter) }
        return state.flight?.id
    }

    mutating func wait(_ waiter: Int, need: TokenNeed = .now) {
        guard case .wait(let kind) = gives({ $0.request(need, &$1) }) else { return log.append("no waiting") }
        waiting[kind, default: []].append(waiter)
        if state.lineOfWaiters == nil { bound.remove(waiter) } else { bound.insert(waiter) }
    }

    /// Steps of a flight end.
    @discardableResult
    mutating func advance(_ id: RefreshID?, _ outcomes: Exchange.Outcome...) -> [String] {
        guard let id else { return [] }
        let before = log.count
        for outcome in outcomes { does { $0.advance(id, outcome, &$1) } }
        return Array(log[before...])
    }

    /// The next turn of the writer ends.
    @discardableResult
    mutating func write(_ written: Vault.Written = .saved) -> [String] {
        guard let job = state.vault.begin() else { return ["nothing to write"] }
        return does { $0.endWrite(job, written, &$1) }
    }

    /// A token of another session is set.
    mutating func setToken(_ number: Int, session: UUID) {
        let held = held(number, session: session)
        does { $0.setToken(held, &$1) }
    }

    @discardableResult
    mutating func notice(_ item: StoredItem, _ intent: RefreshIntent? = nil) -> [String] {
        does { $0.noticed(item, intent, .gone, &$1) }
    }

    /// The deadline of the flight passes, or the hard limit too.
    @discardableResult
    mutating func overdue(isForgotten: Bool = false) -> [String] {
        pass(isForgotten ? 60 : 30)
        return does { $0.timePassed(&$1) }
    }

    /// A refresh is forgotten, and 90 seconds later a request begins the next one.
    mutating func leaveCall(waiter: Int) -> RefreshID? {
        let call = refuse()
        overdue(isForgotten: true)
        pass(90)
        wait(waiter)
        return call
    }

    mutating func beginManual(isAwaited: Bool = false) -> RefreshID {
        let id = RefreshID()
        does { _ = $0.beginSignIn(id, isAwaited: isAwaited, &$1) }
        return id
    }

    /// A manual refresh brings a token of a new session.
    @discardableResult
    mutating func bring(_ number: Int, by id: RefreshID) -> [String] {
        let held = held(number, session: ExploredWorld.session(number))
        return does { $0.signedIn(id, held, &$1) }
    }

    /// The result for a request now.
    mutating func answer(_ need: TokenNeed = .now) -> String {
        switch gives({ $0.request(need, &$1) }) {
        case .use(let held): "token \(held.number)"
        case .wait: "wait"
        case .fail(let error): Self.words(error)
        }
    }

    /// The item that is being written to the store.
    var unsaved: String? {
        switch state.vault.unsaved?.content {
        case nil: nil
        case .nothing: "nothing"
        case .token(let held, let condition): "token \(held.number)" + Self.words(condition)
        case .tombstone(let version, _, let condition): "tombstone \(version.generation)" + Self.words(condition)
        }
    }

    /// What the store must hold for the next write.
    var replaced: TokenSaveCondition? {
        switch state.vault.unsaved?.content {
        case .token(_, let condition), .tombstone(_, _, let condition): condition
        case .nothing, nil: nil
        }
    }

    // MARK: Words

    private static func words(_ condition: TokenSaveCondition) -> String {
        switch condition {
        case .anything: " for anything"
        case .nothing: " for nothing"
        case .session, .older: ""
        }
    }

    private static func words(_ notice: Notice) -> String {
        switch notice {
        case .token(.updated(let held)): "announce \(held.number)"
        case .token(.invalidated(let error)): "announce \(error.reason)"
        case .event(let event): event.kind.description
        }
    }

    /// - Returns: `nil` if no waiter is resumed.
    private mutating func words(_ effect: Effect) -> String? {
        switch effect {
        case .resume(let kind, let result):
            let kinds = kind.map { [$0] } ?? [.ordinary, .lasting]
            let waiters = kinds.flatMap { waiting.removeValue(forKey: $0) ?? [] }
            if waiters.isEmpty { return nil }
            return "resume \(waiters) with \(Self.words(result))"
        case .dismissFormer:
            let former = [Waiters.ordinary, .lasting].flatMap { waiting[$0, default: []] }.filter(bound.contains)
            for kind in waiting.keys { waiting[kind]?.removeAll(where: bound.contains) }
            return former.isEmpty ? nil : "dismiss \(former)"
        // All who wait here have just seen their first failure.
        case .postpone: return "postpone"
        case .start(let flight, _): return "start \(flight.cause)"
        case .cancel: return "cancel"
        case .write: return "write"
        case .look: return "look"
        case .unlock(_, let endsIntent): return endsIntent ? "unlock, end intent" : "unlock"
        case .answer(_, let result): return "answer \(Self.words(result))"
        case .discard(let held): return "discard \(held.number)"
        }
    }

    private static func words(_ result: Result<HeldToken, any Error>) -> String {
        switch result {
        case .success(let held): "\(held.number)"
        case .failure(let error): words(error)
        }
    }

    private static func words(_ error: any Error) -> String {
        switch error {
        case let error as NotAuthorized: "\(error.reason)"
        case let error as RefreshFailed: error.delivery == .notSent ? "failed, not sent" : "failed"
        default: "\(type(of: error))"
        }
    }
}

extension Exchange.Outcome {
    static var nothingStored: Self { .loaded(nil, nil) }
    static func failed(
        _ kind: TokenFailureKind, retryAfter: Duration? = nil, _ delivery: TokenRequestDelivery = .answered
    ) -> Self {
        .failed(RefreshFailure(ExploredFailure(kind: kind, retryAfter: retryAfter, delivery: delivery)))
    }
}
