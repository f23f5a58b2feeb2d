// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

@testable import RequestAuthorization

/// A state that is moved by hand, and what it asked for, in words.
struct RefreshStateBench {
    typealias State = RefreshState<ExploredToken, Int>
    typealias Held = HeldToken<ExploredToken>
    typealias Stored = StoredToken<ExploredToken>

    static let session = ExploredWorld.session(1)

    var state: State
    var now = Moment(date: Date(timeIntervalSinceReferenceDate: 1_000_000), uptime: .seconds(1_000))
    /// All that was to be done, in order.
    var log: [String] = []

    /// - Parameter token: the number of the token that is held; `nil` for none.
    static func make(holding token: Int? = 1, storage: State.Storage = .none, policy: RefreshPolicy = .explored) -> Self
    {
        var bench = Self(state: State(.absent, session: session, storage: storage, policy: policy))
        if let token { bench.state.credential = .held(bench.held(token)) }
        return bench
    }

    func token(_ number: Int) -> ExploredToken {
        ExploredToken(number: number, expiresAt: now.date.addingTimeInterval(ExploredToken.lifetime))
    }

    func held(_ number: Int, session: UUID = session, generation: Int = 0) -> Held {
        let version = TokenVersion(session: session, generation: generation)
        return Held(token(number), version: version, obtainedAt: now.date, policy: state.policy, random: 1)
    }

    func stored(_ number: Int, session: UUID = session, generation: Int) -> Stored {
        held(number, session: session, generation: generation).stored
    }

    func tombstone(session: UUID = session, generation: Int) -> Stored {
        Stored(.signedOut, version: TokenVersion(session: session, generation: generation), obtainedAt: now.date)
    }

    mutating func pass(_ seconds: Double) {
        now = Moment(date: now.date.addingTimeInterval(seconds), uptime: now.uptime + .seconds(seconds))
    }

    // MARK: Events

    /// - Returns: what the log has gained.
    @discardableResult
    mutating func does(_ event: (inout State, Moment) -> [State.Action]) -> [String] {
        let words = event(&state, now).map(Self.words)
        log += words
        return words
    }

    /// A server refuses the token that is held, and a request waits for the refresh.
    @discardableResult
    mutating func refuse(waiter: Int? = nil) -> FlightID? {
        if case .held(let held) = state.credential { does { $0.unauthorized(held.header, at: $1).1 } }
        if let waiter { wait(waiter) }
        return state.flight?.id
    }

    mutating func wait(_ waiter: Int) {
        let (decision, actions) = state.request(at: now)
        log += actions.map(Self.words)
        if case .wait(let place) = decision { _ = state.hold(waiter, at: place) } else { log.append("no waiting") }
    }

    /// Steps of a flight end.
    @discardableResult
    mutating func advance(_ id: FlightID?, _ outcomes: State.Outcome...) -> [String] {
        guard let id else { return [] }
        let before = log.count
        for outcome in outcomes { does { $0.advance(id, outcome, at: $1, random: 1).1 } }
        return Array(log[before...])
    }

    /// The flight becomes a stray.
    mutating func overdue(_ id: FlightID?) {
        guard let id else { return }
        does { $0.deadlinePassed(id, at: $1, random: 1) }
        does { $0.hardLimitPassed(id, at: $1) }
    }

    mutating func beginManual(waiter: Int? = nil) -> FlightID {
        let id = state.nextFlightID()
        _ = state.beginManual(id, waiter: waiter, at: now)
        return id
    }

    /// A manual refresh brings a token of a new session, which is then to be saved.
    mutating func bring(_ number: Int, by id: FlightID) {
        let (token, session) = (token(number), ExploredWorld.session(number))
        does { $0.manualSucceeded(id, token, requestedAt: $1.date, newSession: session, at: $1, random: 1).1 }
    }

    /// How a request fares now.
    mutating func answer() -> String {
        let (decision, actions) = state.request(at: now)
        log += actions.map(Self.words)
        return switch decision {
        case .use(let held): "token \(held.token.number)"
        case .wait: "wait"
        case .fail(let error): Self.words(error)
        }
    }

    /// What is on its way to the store.
    var unsaved: String? {
        switch state.unsaved?.content {
        case nil: nil
        case .clear: "nothing"
        case .save(let stored, let condition):
            (stored.token.map { "token \($0.number)" } ?? "tombstone \(stored.version.generation)")
                + (condition == .anything ? " for anything" : "")
        }
    }

    // MARK: Words

    private static func words(_ action: State.Action) -> String {
        switch action {
        case .resume(let waiters, .success(let held)): "resume \(waiters) with \(held.token.number)"
        case .resume(let waiters, .failure(let error)): "resume \(waiters) with \(words(error))"
        case .keep(_, .success(let held)): "keep \(held.token.number)"
        case .keep(_, .failure(let error)): "keep \(words(error))"
        case .fly: "fly"
        case .cancel(let id): "cancel \(id.number)"
        case .write: "write"
        case .unlock: "unlock"
        case .announce(.tokenUpdated(let token)): "announce \(token.number)"
        case .announce(.tokenInvalidated(let error)): "announce \(error.reason)"
        case .emit(let event): event.kind.description
        case .discard(let token): "discard \(token.number)"
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

extension RefreshState.Outcome {
    static var nothingStored: Self { .loaded(nil, nil) }
    static func failed(
        _ kind: TokenFailureKind, retryAfter: Duration? = nil, _ delivery: TokenRequestDelivery = .answered
    ) -> Self {
        .failed(RefreshFailure(ExploredFailure(kind: kind, retryAfter: retryAfter, delivery: delivery)))
    }
}
