// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import Testing

@testable import RequestAuthorization

/// Single decisions of the state, most of them found by exploring it.
struct RefreshStateTests {
    typealias Bench = RefreshStateBench

    // MARK: Requests

    @Test func `a 401 during a manual refresh is still handled when that fails`() {
        var bench = Bench.make()
        let manual = bench.beginManual()
        bench.refuse(waiter: 7)
        #expect(bench.log.isEmpty)
        let actions = bench.does { $0.manualFailed(manual, CancellationError(), &$1) }
        #expect(actions == ["refresh failed", "refresh started", "start unauthorized"])
    }

    @Test func `the next try is never announced for the past`() {
        var bench = Bench.make()
        bench.refuse()
        bench.overdue()
        bench.does { $0.retryNow(&$1) }
        guard case .fail(let error as RefreshFailed) = bench.gives({ $0.request(.now, &$1) }) else {
            Issue.record("a request waits")
            return
        }
        #expect(error.nextTryAt == bench.now.date)
    }

    @Test func `a read of a token that others refresh is not repeated with each request`() {
        var bench = Bench.make(storage: .readOnly)
        bench.pass(ExploredToken.lifetime - 1)
        #expect(bench.answer() == "token 1")
        let item = bench.state.credential == .absent ? nil : StoredItem(bench.held(1))
        bench.advance(bench.state.flight?.id, .loaded(item, nil))
        #expect(bench.answer() == "token 1")
        #expect(bench.state.flight == nil)
    }

    @Test func `the end of a read of a sibling's token is announced once`() {
        var bench = Bench.make(holding: nil, storage: .readOnly)
        bench.state.credential = .unknown
        bench.wait(7)
        let item = bench.stored(2, generation: 0)
        #expect(
            bench.advance(bench.state.flight?.id, .loaded(item, nil))
                == ["announce 2", "token installed", "refresh ended", "resume [7] with 2"])
    }

    @Test func `retrying by hand begins a refresh as soon as one is due`() {
        var bench = Bench.make()
        guard case .held(let held) = bench.state.credential else { return }
        bench.now.date = held.refreshAt.addingTimeInterval(-1)
        #expect(bench.does { $0.retryNow(&$1) } == [])
        bench.now.date = held.refreshAt
        #expect(bench.does { $0.retryNow(&$1) } == ["refresh started", "start expiry"])
    }

    @Test func `retrying by hand does not wait for the store's slot either`() {
        var bench = Bench.make(storage: .plain)
        bench.setToken(2, session: ExploredWorld.session(9))
        bench.write(.failed(ExploredFailure()))
        #expect(bench.does { $0.retryNow(&$1) } == ["write"])
    }

    @Test func `a sibling's valid token ends a series of failures`() {
        var bench = Bench.make(storage: .plain)
        let flight = bench.refuse(waiter: 7)
        bench.advance(flight, .failed(.transient, retryAfter: .seconds(100)))
        bench.notice(bench.stored(2, generation: 1))
        #expect(bench.state.failure == nil)
        #expect(bench.state.backOff == BackOff())
    }

    @Test func `a time that the server named for one session does not delay a sign-in after it`() {
        var bench = Bench.make()
        let flight = bench.refuse(waiter: 7)
        bench.advance(flight, .failed(.transient, retryAfter: .seconds(100)))
        #expect(bench.gives { $0.beginManual($0.nextID(), isAwaited: true, &$1) } != nil)
        bench.does { $0.reset(newSession: ExploredWorld.session(9), &$1) }
        #expect(bench.gives { $0.beginManual($0.nextID(), isAwaited: true, &$1) } == nil)
    }

    // MARK: Time

    @Test func `a timer that comes late passes deadline and hard limit in one turn`() {
        var bench = Bench.make()
        bench.refuse(waiter: 7)
        #expect(
            bench.overdue(isStray: true) == [
                "refresh failed", "refresh ended", "cancel", "resume [7] with failed",
            ])
        #expect(bench.state.flight == nil)
        #expect(bench.state.stray != nil)
    }

    @Test func `a flight past its deadline begins no further step`() {
        var bench = Bench.make(storage: .shared)
        let flight = bench.refuse(waiter: 7)
        #expect(bench.overdue() == ["refresh failed", "cancel", "resume [7] with failed, not sent"])
        #expect(bench.advance(flight, .done) == ["refresh ended", "unlock"])
    }

    @Test func `a time that the server asks for counts also if its answer is late`() {
        var bench = Bench.make()
        let flight = bench.refuse()
        bench.overdue()
        bench.advance(flight, .failed(.transient, retryAfter: .seconds(200)))
        bench.pass(199)
        #expect(bench.answer() == "failed")
        bench.pass(1)
        #expect(bench.answer() == "wait")
    }

    @Test func `a token that waits for its store is used at the hard limit, and no other call begins`() {
        var bench = Bench.make(storage: .plain)
        let flight = bench.refuse()
        bench.overdue()
        bench.advance(flight, .token(bench.held(2, generation: 1)))
        bench.pass(30)
        #expect(
            bench.does { $0.timePassed(&$1) } == ["announce 2", "token installed", "refresh ended"])
        #expect(bench.state.stray == nil)
    }

    // MARK: Late answers

    @Test func `no call begins beside two late ones before the longest back-off has passed`() {
        var bench = Bench.make()
        bench.refuse()
        bench.overdue(isStray: true)
        bench.does { $0.retryNow(&$1) }
        let second = bench.state.flight?.id
        bench.overdue(isStray: true)
        #expect(bench.state.stray?.id == second)
        for _ in 0..<2 {
            bench.does { $0.retryNow(&$1) }
            #expect(bench.state.flight == nil)
        }
        #expect(bench.answer(.refreshed) == "failed")
        bench.pass(30)
        bench.does { $0.retryNow(&$1) }
        #expect(bench.state.flight != nil)
    }

    @Test func `the token of a late flight is dropped, not revoked, if a newer one has replaced it`() {
        var bench = Bench.make()
        let first = bench.refuse()
        bench.overdue(isStray: true)
        bench.does { $0.retryNow(&$1) }
        bench.overdue(isStray: true)
        #expect(bench.advance(first, .token(bench.held(2, generation: 1))) == ["token discarded"])
        #expect(bench.state.forgotten.isEmpty)
    }

    @Test func `the refusal of an old flight ends nothing while a newer one is under way`() {
        var bench = Bench.make()
        let stray = bench.leaveStray(waiter: 7)
        #expect(bench.advance(stray, .failed(.terminal)) == [])
        #expect(
            bench.advance(bench.state.flight?.id, .token(bench.held(2, generation: 1)))
                == ["announce 2", "token installed", "refresh ended", "resume [7] with 2"])
    }

    @Test func `the end of a session ends the flights beside it, and discards their tokens`() {
        var bench = Bench.make()
        let stray = bench.leaveStray(waiter: 7)
        bench.advance(bench.state.flight?.id, .failed(.terminal))
        #expect(bench.advance(stray, .token(bench.held(2, generation: 1))) == ["token discarded", "discard 2"])
    }

    @Test func `a refresh waits for a late answer that is being stored, and spends no token beside it`() {
        var bench = Bench.make(storage: .plain)
        let stray = bench.leaveStray(waiter: 7)
        let flight = bench.state.flight?.id
        #expect(bench.advance(stray, .token(bench.held(2, generation: 1))) == ["write"])
        #expect(bench.advance(flight, .failed(.transient)) == [])
        #expect(bench.answer() == "wait")
        #expect(bench.write() == ["announce 2", "token installed", "refresh ended", "resume [7] with 2"])
    }

    @Test func `of two answers for one token the earlier one counts`() {
        var bench = Bench.make(storage: .plain)
        let stray = bench.leaveStray(waiter: 7)
        let flight = bench.state.flight?.id
        bench.advance(stray, .token(bench.held(2, generation: 1)))
        #expect(bench.advance(flight, .token(bench.held(3, generation: 1))) == ["token discarded"])
        #expect(bench.write() == ["announce 2", "token installed", "refresh ended", "resume [7] with 2"])
    }

    @Test func `the end of a refresh is announced before the next one begins`() {
        var bench = Bench.make()
        let stray = bench.leaveStray(waiter: 7)
        let flight = bench.state.flight?.id
        bench.advance(stray, .token(bench.held(2, generation: 1)))
        bench.refuse(waiter: 8)
        #expect(
            bench.advance(flight, .token(bench.held(3, generation: 1)))
                == ["token discarded", "refresh ended", "refresh started", "start unauthorized"])
    }

    // MARK: Failures

    @Test func `a lost answer is tried again within a second, also after other failures`() {
        var policy = RefreshPolicy.explored
        policy.backOff = RefreshPolicy.BackOff(initial: .seconds(4), maximum: .seconds(60))
        var bench = Bench.make(policy: policy)
        var slots: [Duration] = []
        for delivery in [TokenRequestDelivery.notSent, .notSent, .mayHaveBeenProcessed, .mayHaveBeenProcessed] {
            let flight = bench.state.flight?.id ?? bench.refuse()
            bench.advance(flight, .failed(.transient, delivery))
            slots.append(bench.state.backOff.slot.uptime - bench.now.uptime)
            bench.pass(60)
            bench.wait(7)
        }
        #expect(slots == [.seconds(4), .seconds(8), .seconds(1), .seconds(32)])
    }

    @Test func `the end of an abandoned flight is announced`() {
        var bench = Bench.make()
        bench.refuse()
        let held = bench.held(2, session: ExploredWorld.session(2))
        #expect(
            bench.does { $0.setToken(held, &$1) } == ["refresh ended", "announce 2", "token installed"])
    }

    // MARK: Programs that end

    @Test func `no waiter waits for a provider that is closed`() {
        var bench = Bench.make(storage: .plain)
        bench.setToken(2, session: ExploredWorld.session(2))
        bench.does { state, _ in state.settleStore() }
        bench.does { $0.shutDown(&$1) }
        #expect(bench.does { $0.giveUpWriting(&$1) } == ["settled 1"])
        #expect(bench.does { state, _ in state.settleStore() } == ["settled 1"])
    }

    @Test func `announcements that wait for the store are made when the provider is closed`() {
        var bench = Bench.make(storage: .plain)
        let manual = bench.beginManual(isAwaited: true)
        bench.wait(7)
        bench.bring(2, by: manual)
        bench.does { $0.shutDown(&$1) }
        #expect(
            bench.does { $0.giveUpWriting(&$1) }
                == ["announce 2", "token installed", "answer 2", "resume [7] with 2"])
        #expect(bench.write() == ["nothing to write"])
    }

    @Test func `a provider that is closed releases its lock, and leaves the intent of an unsaved token`() {
        var bench = Bench.make(storage: .shared)
        let flight = bench.refuse()
        bench.advance(flight, .done, .loaded(bench.stored(1, generation: 0), nil), .done)
        bench.advance(flight, .token(bench.held(2, generation: 1)))
        bench.write(.failed(ExploredFailure()))
        #expect(bench.state.access != nil)
        bench.does { $0.shutDown(&$1) }
        #expect(bench.does { $0.giveUpWriting(&$1) } == ["unlock"])
    }

    @Test func `a provider that is closed ignores the tokens of siblings`() {
        var bench = Bench.make(storage: .plain)
        bench.does { $0.shutDown(&$1) }
        bench.does { $0.giveUpWriting(&$1) }
        let item = bench.stored(3, session: ExploredWorld.session(3), generation: 0)
        #expect(bench.does { $0.noticed(item, nil, .gone, &$1) } == [])
    }
}
