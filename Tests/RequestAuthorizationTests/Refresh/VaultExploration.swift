// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import Testing

@testable import RequestAuthorization

/// All states of the vault: the last order wins, news are told once, and access outlives its token.
struct VaultExploration {
    @Test(arguments: [Vault.Kind.plain, .shared])
    func `no order of events breaks a promise of the vault`(kind: Vault.Kind) {
        let fixpoint = Fixpoint<ExploredVault, ExploredVault.Key>(
            key: { $0.key }, events: { $0.events }, violation: { $0.violation })
        let count = fixpoint.explore("Vault, \(kind)", from: [ExploredVault(kind)])
        #expect(count > 500)
    }
}

/// A vault, and what must be true of it.
struct ExploredVault {
    private static let bench = RefreshStateBench.make()
    private static let tokens = [
        bench.held(1), bench.held(2, generation: 1), bench.held(3, session: ExploredWorld.session(2)),
        bench.held(4, session: ExploredWorld.session(2), generation: 1),
    ]
    private static let (first, second) = (RefreshID(), RefreshID())
    private static let intents = [0, 1].map {
        RefreshIntent(session: RefreshStateBench.session, generation: $0, beganAt: bench.now.date)
    }

    var vault: Vault
    private var now = Self.bench.now
    /// The content that was ordered last, until it is stored.
    private var wanted: Vault.Content?
    private var news: News?
    private var job: Vault.Job?
    private(set) var violation: String?

    init(_ kind: Vault.Kind) {
        vault = Vault(kind)
    }

    /// Neither the number of tries nor the absolute time matters.
    struct Key: Hashable {
        struct Order: Hashable {
            let content: Vault.Content
            let news: News?
            let hasFailed: Bool

            init(_ order: Vault.Order) {
                (content, news, hasFailed) = (order.content, order.news, order.failure != nil)
            }
        }

        let current: Order?
        let next: Order?
        let kind: Int
        let access: Vault.Access?
        let session: UUID?
        let isClosed: Bool
        let isDue: Bool
        let ends: RefreshIntent?
    }

    var key: Key {
        let (kind, current, next): (Int, Vault.Order?, Vault.Order?) =
            switch vault.writer {
            case .idle: (0, nil, nil)
            case .due(let order): (1, order, nil)
            case .writing(let order, let next): (2, order, next)
            case .waiting(let order): (3, order, nil)
            }
        return Key(
            current: current.map(Key.Order.init), next: next.map(Key.Order.init), kind: kind, access: vault.access,
            session: vault.session, isClosed: vault.isClosed, isDue: vault.slot.map { $0 <= now.uptime } ?? false,
            ends: job?.ends)
    }

    // MARK: Events

    var events: [(name: String, world: ExploredVault)] {
        var all: [(String, (inout ExploredVault) -> Void)] = [
            ("take news", { $0.takeNews() }), ("begin", { $0.begin() }), ("time passes", { $0.pass() }),
            ("wake", { $0.wake() }), ("lift", { $0.vault.lift() }),
        ]
        let end = vault.end(
            of: RefreshStateBench.session, after: Self.tokens[0].version, at: Self.bench.now.date,
            replacing: .session(RefreshStateBench.session))
        let signIn = SignIn(id: Self.second, beganAt: .zero, isAwaited: true)
        var orders: [(String, Vault.Content, News?)] = [
            ("refreshed", vault.successor(Self.tokens[1]), .refreshed(Self.tokens[1])), ("signed out", end, nil),
        ]
        all += [
            ("close", { $0.vault.close() }), ("reopen", { $0.vault.reopen() }),
            ("note", { $0.note(StoredItem(Self.tokens[0])) }),
            ("note the sign-in", { $0.note(StoredItem(Self.tokens[2])) }),
            ("note the token after the sign-in", { $0.note(StoredItem(Self.tokens[3])) }),
            ("note the sign-out", { $0.note(Self.bench.tombstone(generation: 1)) }),
        ]
        orders += [
            ("set", .token(Self.tokens[2], replacing: .anything), nil),
            ("signed in", .token(Self.tokens[2], replacing: .anything), .signedIn(Self.tokens[2], signIn)),
            ("ended", end, .ended(Ending(error: NotAuthorized(.signedOut)))),
        ]
        all += orders.map { order in (order.0, { $0.order(order.1, order.2) }) }
        if job != nil {
            let item = StoredItem(Self.tokens[2])
            let results: [(String, Vault.Written)] = [
                ("saved", .saved), ("refused", .refused(item)), ("removed", .refused(nil)),
                ("failed", .failed(ExploredFailure())),
            ]
            all += results.map { result in (result.0, { $0.end(result.1) }) }
        }
        if vault.kind == .shared { all += accessEvents }
        return all.map { name, change in
            var world = self
            change(&world)
            world.check()
            return (name, world)
        }
    }

    private var accessEvents: [(String, (inout ExploredVault) -> Void)] {
        var all: [(String, (inout ExploredVault) -> Void)] = [
            ("answer came", { $0.vault.answerCame() }), ("answer was lost", { $0.vault.answerWasLost() }),
            (
                "another refresh uses it",
                { world in
                    let hadAccess = world.vault.access != nil
                    world.demand(world.vault.reuse(for: Self.second) == hadAccess, "access comes from nowhere")
                }
            ),
        ]
        if vault.access == nil { all.append(("lock", { $0.vault.take(for: Self.first) })) }
        for (index, intent) in Self.intents.enumerated() where vault.access != nil {
            for isAfterLoss in [false, true] {
                all.append(
                    ("announce \(index) \(isAfterLoss)", { $0.vault.announce(intent, isAfterLoss: isAfterLoss) }))
            }
        }
        for (name, user) in [("nobody", nil), ("the first", Self.first), ("the second", Self.second)] {
            for isCalling in [false, true] where user != nil || !isCalling {
                all.append(("release, used by \(name) \(isCalling)", { $0.release(user, isCalling) }))
            }
        }
        return all
    }

    private mutating func order(_ content: Vault.Content, _ new: News?) {
        let former = vault.unsaved?.content
        let displaced = vault.order(content, announcing: new)
        demand(displaced == news, "an order displaces other news than were to be told")
        news = new
        wanted = vault.unsaved?.content
        demand(wanted?.token == content.token, "another token is ordered")
        let mayReplace = content.replacesAnything || former?.replacesAnything == true
        demand(
            vault.unsaved?.content.replacesAnything == (mayReplace && content != .nothing),
            "what may replace anything is not inherited")
    }

    private mutating func takeNews() {
        demand(vault.takeNews() == news, "other news are told")
        news = nil
    }

    private mutating func begin() {
        let isFree = job == nil && vault.unsaved != nil && !vault.isClosed
        let new = vault.begin()
        demand((new != nil) == isFree, "a write begins beside another, or of nothing, or none begins")
        guard let new else { return }
        job = new
        demand(new.content == wanted, "something else is written than was ordered last")
        if let ends = new.ends {
            demand(vault.access?.intent == .answered(ends), "an intent ends with a write before its answer has come")
            demand(!new.content.replacesAnything, "a sign-in ends an intent, as a refresh does")
        }
    }

    private mutating func end(_ written: Vault.Written) {
        guard let job else { return }
        self.job = nil
        let isLast = vault.unsaved?.content == job.content && vault.unsaved.map { $0.content } == wanted
        let hasNext = if case .writing(_, .some) = vault.writer { true } else { false }
        let sequel = vault.end(job, written, at: now, random: 1)
        if case .saved = written, let token = job.content.token {
            demand(vault.session == token.version.session, "the session that was stored is not known")
        }
        switch sequel {
        case .another: demand(hasNext && !vault.isClosed, "a write is repeated without need")
        case .stored(let told), .refused(_, let told), .failed(_, _, let told):
            demand(told == news, "other news are told")
            demand(!hasNext || vault.isClosed, "newer content is forgotten")
            news = nil
        }
        if !hasNext, case .failed = written {
        } else if !hasNext {
            demand(isLast && vault.writer == .idle, "what was stored is still to be written")
            wanted = nil
        }
    }

    private mutating func note(_ item: StoredItem) {
        // A try that failed has stored that, or a token before it. A sibling may have gone on from there.
        if case .waiting = vault.writer {
            switch wanted {
            case .token(let held, _)? where held.version.session == item.version.session:
                let (session, generation) = (held.version.session, held.version.generation)
                let older = TokenSaveCondition.older(session: session, generation: generation)
                let isFollowed = item.token == nil || item.version.generation > generation
                wanted = isFollowed ? nil : .token(held, replacing: older)
            case .tombstone(item.version, let date, _)? where item.token == nil:
                wanted = .tombstone(item.version, obtainedAt: date, replacing: .session(item.version.session))
            case .token, .tombstone, .nothing, nil: break
            }
        }
        vault.note(item)
    }

    private mutating func wake() {
        let isDue = vault.slot.map { $0 <= now.uptime } ?? false
        demand(vault.wake(at: now) == isDue, "a failed write is tried too early, or forgotten")
    }

    private mutating func pass() {
        now = Moment(date: now.date.addingTimeInterval(5), uptime: now.uptime + .seconds(5))
    }

    private mutating func release(_ user: RefreshID?, _ isCalling: Bool) {
        let before = vault
        guard let release = vault.release(unlessUsedBy: user, isCalling: isCalling) else {
            if let access = before.access {
                let isNeeded = before.unsaved.map { $0.content.token != nil || $0.failure == nil } ?? false
                demand(access.user == user || isNeeded && !before.isAbandoned, "access is kept that nothing needs")
            }
            return
        }
        demand(before.access?.owner == release.owner && before.access?.user != user, "access is taken away")
        demand(before.unsaved?.content.token == nil || before.isAbandoned, "access ends before its token is stored")
        if case .lost = before.access?.intent { demand(!release.endsIntent, "the intent of a lost answer ends") }
        if case .absent = before.access?.intent { demand(!release.endsIntent, "an intent ends that is not there") }
    }

    // MARK: Promises

    private mutating func check() {
        demand(vault.unsaved?.content == wanted, "the last order does not win")
        demand(vault.news == news, "news are lost, or come twice")
        demand(vault.isWriting == (job != nil), "two writes at a time, or one that is forgotten")
        demand(news == nil || vault.unsaved?.failure == nil, "news wait although the first try has ended")
        demand(vault.isSettled || vault.unsaved != nil, "nothing is to be written, and it is not settled")
        demand(vault.holdsToken == (wanted?.token != nil && !vault.isClosed), "a token would be lost")
        demand(vault.isKept == !vault.isClosed, "a closed vault is written to")
    }

    private mutating func demand(_ condition: Bool, _ broken: String) {
        if !condition, violation == nil { violation = broken }
    }
}
