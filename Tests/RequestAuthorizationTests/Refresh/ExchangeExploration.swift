// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import Testing

@testable import RequestAuthorization

/// All states of the steps of a refresh.
struct ExchangeExploration {
    @Test(arguments: ExploredStorage.allCases)
    func `no answer leads a refresh to a step that must not be`(storage: ExploredStorage) {
        let fixpoint = Fixpoint<ExploredExchange, ExploredExchange.Key>(
            key: { $0.key }, events: { $0.events }, violation: { $0.violation })
        let count = fixpoint.explore("Exchange, \(storage.name)", from: ExploredExchange.beginnings(storage.kind))
        #expect(count > 4)
    }
}

/// An exchange, and what must be true of it.
struct ExploredExchange {
    struct Key: Hashable {
        let exchange: Exchange
        let isRead: Bool
        let isLocked: Bool
        let isAnnounced: Bool
        let isOver: Bool
    }

    private static let bench = RefreshStateBench.make()
    private static let (old, new) = (bench.held(1), bench.held(2, generation: 1))
    private static let brought = bench.held(3, generation: 2)
    private static let date = bench.now.date
    private static let failures = [
        ExploredFailure(), ExploredFailure(delivery: .mayHaveBeenProcessed), ExploredFailure(kind: .terminal),
        ExploredFailure(kind: .noRefreshToken), ExploredFailure(kind: .client),
    ].map { RefreshFailure($0) }

    private var exchange: Exchange
    /// The store was read since there is exclusive access.
    private var isRead = false
    private var isLocked = false
    /// The intent was written last.
    private var isAnnounced = false
    private var isOver = false
    private(set) var violation: String?

    var key: Key {
        Key(exchange: exchange, isRead: isRead, isLocked: isLocked, isAnnounced: isAnnounced, isOver: isOver)
    }

    static func beginnings(_ kind: Vault.Kind) -> [Self] {
        [nil, old].flatMap { held in
            [(false, false), (true, false), (true, true)].map { isKnown, hasAccess in
                let isHeld = held != nil
                let exchange = Exchange(
                    kind, replacing: held, isKnown: isKnown || isHeld, hasAccess: hasAccess && kind == .shared)
                return Self(exchange: exchange, isLocked: hasAccess && kind == .shared)
            }
        }
    }

    private init(exchange: Exchange, isLocked: Bool) { (self.exchange, self.isLocked) = (exchange, isLocked) }

    // MARK: Events

    var events: [(name: String, world: ExploredExchange)] {
        guard !isOver else { return [] }
        var all: [(String, (inout ExploredExchange) -> Void)] = []
        switch exchange.step {
        case .load, .reread, .verify:
            let intents = [nil, 0, 1].map { generation in
                generation.map { RefreshIntent(session: RefreshStateBench.session, generation: $0, beganAt: Self.date) }
            }
            for intent in intents {
                for reading in [Exchange.Reading.nothingNew, .gone, .news(StoredItem(Self.new))] {
                    all.append(("read \(reading)", { $0.read(reading, intent) }))
                }
            }
        case .lock, .intent: all.append(("done", { $0.end(.done) }))
        case .refresh, .initial: all.append(("token", { $0.end(.token(Self.brought)) }))
        }
        for failure in Self.failures {
            // Without a store, or once it is closed, nothing is verified.
            for verifies in exchange.kind == .plain || exchange.kind == .shared ? [true, false] : [false] {
                all.append(("failed, \(failure.kind)", { $0.end(.failed(failure), verifies: verifies) }))
            }
        }
        all.append(("deadline", { $0.exchange.passDeadline() }))
        return all.map { name, change in
            var world = self
            change(&world)
            return (name, world)
        }
    }

    private mutating func read(_ reading: Exchange.Reading, _ intent: RefreshIntent?) {
        isRead = isRead || isLocked
        follow(exchange.read(reading, intent, at: Self.date))
    }

    private mutating func end(_ outcome: Exchange.Outcome, verifies: Bool = true) {
        if case (.lock, .done) = (exchange.step, outcome) { isLocked = true }
        follow(exchange.end(outcome, verifies: verifies))
    }

    private mutating func follow(_ move: Exchange.Move) {
        switch move {
        case .perform(let step): begin(step)
        case .adopt(let item):
            var served = self
            if case .finish = served.exchange.adopted(item.token, isServed: true, at: Self.date) {
            } else {
                demand(false, "a refresh goes on that nobody needs")
            }
            follow(exchange.adopted(item.token, isServed: false, at: Self.date))
        case .use(let held):
            demand(held === Self.brought && exchange.step.callsService, "a token comes from nowhere")
            isOver = true
        case .judge(let failure):
            demand(failure.mayEndSession, "a failure is judged that ends nothing")
            isOver = true
        case .stop(let step):
            demand(exchange.isOverdue, "a step does not begin before the deadline")
            demand(!isVerifying(step), "a failure is not verified after the deadline")
            isOver = true
        case .fail, .gone: isOver = true
        case .finish: demand(false, "a refresh ends that is needed")
        }
    }

    private mutating func begin(_ step: Exchange.Step) {
        demand(!exchange.isOverdue || isVerifying(step), "a step begins after the deadline")
        switch (exchange.kind, step) {
        case (.none, .refresh), (.none, .initial), (.plain, .refresh), (.plain, .initial): break
        case (.plain, .verify), (.shared, .verify):
            demand(isRead || exchange.kind == .plain, "a verdict without a read")
        case (.shared, .refresh):
            demand(isLocked && isRead && isAnnounced, "a token is spent without lock, read and intent")
        case (.shared, .initial): demand(isLocked && isRead, "a first token is fetched without lock and read")
        case (.shared, .lock): demand(!isLocked, "a lock is taken twice")
        case (.shared, .reread): demand(isLocked, "the store is read again without its lock")
        case (.shared, .intent(let intent)):
            demand(isRead && intent.isOf(exchange.basis), "an intent for another token")
        case (.readOnly, .load): break
        default: demand(false, "this kind of store has no such step")
        }
        if case .refresh(let held) = step { demand(held === exchange.held, "another token is spent than the held one") }
        if case .initial = step { demand(exchange.held == nil, "a first token is fetched beside a held one") }
        isAnnounced = step.isIntent
    }

    private func isVerifying(_ step: Exchange.Step) -> Bool { if case .verify = step { true } else { false } }

    private mutating func demand(_ condition: Bool, _ broken: String) {
        if !condition, violation == nil { violation = broken }
    }
}
