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
        let actions = bench.does { $0.failSignIn(manual, CancellationError(), &$1) }
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

    @Test func `the next try is announced by the present time of day, also if the clock was set back`() {
        var bench = Bench.make()
        bench.refuse()
        bench.pass(30)
        bench.now.date -= 3600
        var turn = Turn(Turn.Inputs(now: bench.now, random: 1), isAwaited: false, byUnbound: false)
        bench.state.timePassed(&turn)
        let dates = turn.notices.compactMap { if case .event(let event) = $0 { event.nextTryAt } else { nil } }
        #expect(dates == [bench.state.pace.backOff.date(at: bench.now)])
    }

    @Test func `a read of a token that others refresh is not repeated with each request`() {
        var bench = Bench.make(storage: .readOnly)
        bench.pass(ExploredToken.lifetime - 1)
        #expect(bench.answer() == "token 1")
        let item = bench.state.holding == .absent ? nil : StoredItem(bench.held(1))
        bench.advance(bench.state.flight?.id, .loaded(item, nil))
        #expect(bench.answer() == "token 1")
        #expect(bench.state.flight == nil)
    }

    @Test func `a damaged item that others keep is not read again with each request`() {
        var bench = Bench.make(storage: .readOnly)
        bench.pass(ExploredToken.lifetime - 1)
        #expect(bench.answer() == "token 1")
        bench.advance(bench.state.flight?.id, .loaded(nil, nil, .setAside))
        #expect(bench.answer() == "token 1")
        #expect(bench.state.flight == nil)
    }

    @Test func `the end of a read of a sibling's token is announced once`() {
        var bench = Bench.make(holding: nil, storage: .readOnly)
        bench.state.holding = .unknown
        bench.wait(7)
        let item = bench.stored(2, generation: 0)
        #expect(
            bench.advance(bench.state.flight?.id, .loaded(item, nil))
                == ["announce 2", "token installed", "refresh ended", "resume [7] with 2"])
    }

    @Test func `retrying by hand begins a refresh as soon as one is due`() {
        var bench = Bench.make()
        guard let held = bench.state.held else { Issue.record("no token is held"); return }
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
        #expect(bench.state.pace.failure == nil)
        #expect(bench.state.pace.backOff == BackOff())
    }

    @Test func `a time that the server named for one session does not delay a sign-in after it`() {
        var bench = Bench.make()
        let flight = bench.refuse(waiter: 7)
        bench.advance(flight, .failed(.transient, retryAfter: .seconds(100)))
        #expect(bench.gives { $0.beginSignIn(RefreshID(), isAwaited: true, &$1) } != nil)
        bench.does { $0.reset(newSession: ExploredWorld.session(9), &$1) }
        #expect(bench.gives { $0.beginSignIn(RefreshID(), isAwaited: true, &$1) } == nil)
    }

    @Test func `the refusal of a former token of the session leaves the present one in use`() {
        var bench = Bench.make()
        let former = bench.held(9)
        let verdict = bench.gives { state, turn in try? state.refused(former, afterRefresh: false, &turn) }
        #expect(verdict == .anew)
        #expect(bench.state.isUsable(at: bench.now) && bench.state.flight == nil)
    }

    // MARK: Time

    @Test func `a timer that comes late passes deadline and hard limit in one turn`() {
        var bench = Bench.make()
        bench.refuse(waiter: 7)
        #expect(
            bench.overdue(isForgotten: true) == [
                "refresh failed", "refresh ended", "cancel", "resume [7] with failed",
            ])
        #expect(bench.state.flight == nil)
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
    }

    // MARK: Late answers

    @Test func `a call that is forgotten leaves its place, and its refusal ends nothing`() {
        var bench = Bench.make()
        let call = bench.leaveCall(waiter: 7)
        #expect(bench.state.flight != nil && bench.state.flight?.id != call)
        #expect(bench.advance(call, .failed(.terminal)) == [])
        #expect(
            bench.advance(bench.state.flight?.id, .token(bench.held(2, generation: 1)))
                == ["announce 2", "token installed", "refresh ended", "resume [7] with 2"])
    }

    @Test func `the token of a forgotten call is used, and the call beside it counts no more`() {
        var bench = Bench.make()
        let call = bench.leaveCall(waiter: 7)
        let second = bench.state.flight?.id
        #expect(
            bench.advance(call, .token(bench.held(2, generation: 1)))
                == ["announce 2", "token installed", "refresh ended", "resume [7] with 2"])
        #expect(bench.advance(second, .failed(.terminal)) == [])
        #expect(bench.answer() == "token 2")
    }

    @Test func `the token of a forgotten call is used if no other call was made`() {
        var bench = Bench.make(storage: .plain)
        let call = bench.refuse()
        bench.overdue(isForgotten: true)
        #expect(bench.advance(call, .token(bench.held(2, generation: 1))) == ["write"])
        bench.wait(7)
        bench.does { $0.retryNow(&$1) }
        #expect(bench.state.flight == nil)
        #expect(bench.write() == ["announce 2", "token installed", "resume [7] with 2"])
    }

    @Test func `a late token that had expired on arrival closes the slot`() {
        var bench = Bench.make()
        let call = bench.refuse()
        let held = bench.held(2, generation: 1)
        bench.overdue(isForgotten: true)
        bench.pass(ExploredToken.lifetime)
        #expect(
            bench.advance(call, .token(held))
                == ["announce 2", "token installed", "token expired on arrival, check the clock"])
        #expect(bench.answer() == "token 2")
        bench.pass(90)
        #expect(bench.answer() == "wait")
    }

    @Test func `the token of a forgotten call is dropped, not revoked, if a newer one has replaced it`() {
        var bench = Bench.make()
        let call = bench.leaveCall(waiter: 7)
        bench.advance(bench.state.flight?.id, .token(bench.held(2, generation: 1)))
        #expect(bench.advance(call, .token(bench.held(3, generation: 1))) == ["token discarded"])
        #expect(bench.answer() == "token 2")
    }

    @Test func `the end of a session ends the calls beside it, and discards their tokens`() {
        var bench = Bench.make()
        let call = bench.leaveCall(waiter: 7)
        bench.advance(bench.state.flight?.id, .failed(.terminal))
        #expect(bench.advance(call, .token(bench.held(2, generation: 1))) == ["token discarded", "discard 2"])
    }

    @Test func `a late token is revoked while the end of its session, or a sign-in, is being stored`() {
        var bench = Bench.make(storage: .plain)
        let call = bench.refuse()
        bench.overdue(isForgotten: true)
        bench.bring(2, by: bench.beginManual())
        #expect(bench.advance(call, .token(bench.held(3, generation: 1))) == ["token discarded", "discard 3"])
        #expect(bench.unsaved == "token 2 for anything")
    }

    @Test func `a refresh waits for a late answer that is being stored, and spends no token beside it`() {
        var bench = Bench.make(storage: .plain)
        let call = bench.leaveCall(waiter: 7)
        let flight = bench.state.flight?.id
        #expect(bench.advance(call, .token(bench.held(2, generation: 1))) == ["write"])
        #expect(bench.advance(flight, .failed(.transient)) == [])
        #expect(bench.answer() == "wait")
        #expect(bench.write() == ["announce 2", "token installed", "refresh ended", "resume [7] with 2"])
    }

    @Test func `of two answers for one token the earlier one counts`() {
        var bench = Bench.make(storage: .plain)
        let call = bench.leaveCall(waiter: 7)
        let flight = bench.state.flight?.id
        bench.advance(call, .token(bench.held(2, generation: 1)))
        #expect(bench.advance(flight, .token(bench.held(3, generation: 1))) == ["token discarded"])
        #expect(bench.write() == ["announce 2", "token installed", "refresh ended", "resume [7] with 2"])
    }

    @Test func `a newer sign-in cancels the one under way, also if it then fails`() {
        var bench = Bench.make()
        let first = bench.beginManual(isAwaited: true)
        let second = bench.beginManual(isAwaited: true)
        #expect(bench.log == ["cancel", "answer CancellationError"])
        #expect(bench.bring(2, by: first) == ["token discarded", "discard 2"])
        #expect(bench.does { $0.failSignIn(second, ExploredFailure(), &$1) } == ["answer ExploredFailure"])
        #expect(bench.answer() == "token 1")
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
            slots.append(bench.state.pace.backOff.slot - bench.now.uptime)
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

    @Test(arguments: [true, false])
    func `no waiter waits for a provider that is closed`(isHanging: Bool) {
        var bench = Bench.make(storage: .plain)
        bench.setToken(2, session: ExploredWorld.session(2))
        if isHanging { #expect(bench.gives { state, _ in state.vault.begin() } != nil) }
        #expect(!bench.state.vault.isTried && !bench.state.isSettled)
        bench.does { $0.shutDown(&$1) }
        bench.does { $0.giveUpWriting(&$1) }
        #expect(bench.state.vault.isTried && bench.state.isSettled != isHanging)
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

    @Test(arguments: [true, false])
    func `a sign-out is stored all the same if the provider is closed while a slow store holds it up`(isSaved: Bool) {
        var bench = Bench.make(storage: .plain)
        bench.setToken(2, session: ExploredWorld.session(2))
        guard let job = bench.gives({ state, _ in state.vault.begin() }) else {
            Issue.record("no write begins")
            return
        }
        bench.does { $0.shutDown(&$1) }
        bench.does { $0.reset(newSession: ExploredWorld.session(3), &$1) }
        bench.does { $0.giveUpWriting(&$1) }
        // The write of the token ends.
        let goesOn = bench.gives { $0.endWrite(job, isSaved ? .saved : .failed(ExploredFailure()), &$1) }
        #expect(goesOn && bench.unsaved == "nothing")
        #expect(bench.write() == [] && bench.state.isSettled)
        bench.does { $0.giveUpWriting(&$1) }
        #expect(bench.state.vault.isClosed)
    }

    @Test func `a sign-in after a sign-out is given up if the provider is closed while a store hangs`() {
        var bench = Bench.make(storage: .plain)
        bench.does { $0.reset(newSession: ExploredWorld.session(3), &$1) }
        bench.write()
        let manual = bench.beginManual()
        bench.bring(2, by: manual)
        #expect(bench.gives { state, _ in state.vault.begin() } != nil)
        bench.does { $0.shutDown(&$1) }
        #expect(bench.does { $0.giveUpWriting(&$1) } == ["announce 2", "token installed"])
        #expect(bench.state.vault.isClosed && !bench.state.vault.holdsToken)
    }

    @Test func `no waiter gets a token that a store which hangs may never hold`() {
        var bench = Bench.make(storage: .plain)
        let manual = bench.beginManual(isAwaited: true)
        bench.wait(7)
        bench.bring(2, by: manual)
        #expect(bench.gives { state, _ in state.vault.begin() } != nil)
        bench.does { $0.shutDown(&$1) }
        #expect(
            bench.does { $0.giveUpWriting(&$1) }
                == ["announce 2", "token installed", "resume [7] with shut down", "answer 2"])
    }

    @Test func `a provider that is closed releases its lock, and leaves the intent of an unsaved token`() {
        var bench = Bench.make(storage: .shared)
        let flight = bench.refuse()
        bench.advance(flight, .done, .loaded(bench.stored(1, generation: 0), nil), .done)
        bench.advance(flight, .token(bench.held(2, generation: 1)))
        bench.write(.failed(ExploredFailure()))
        #expect(bench.state.vault.access != nil)
        bench.does { $0.shutDown(&$1) }
        #expect(bench.does { $0.giveUpWriting(&$1) } == ["unlock"])
    }

    /// It has the lock, or the call for a token is under way.
    @Test(arguments: [false, true])
    func `a provider that is closed begins no call, and leaves the intent of a token that it cannot store`(
        isCalling: Bool
    ) {
        var bench = Bench.make(storage: .shared)
        let flight = bench.refuse()
        if isCalling { bench.advance(flight, .done, .loaded(bench.stored(1, generation: 0), nil), .done) }
        bench.does { $0.shutDown(&$1) }
        bench.does { $0.giveUpWriting(&$1) }
        let told = bench.advance(flight, isCalling ? .token(bench.held(2, generation: 1)) : .done)
        #expect(told.last == "unlock")
        #expect(bench.state.flight == nil)
    }

    @Test func `a late token after the close leaves the intent of the call that it overtakes`() {
        var bench = Bench.make(storage: .shared)
        let call = bench.leaveCall(waiter: 7)
        bench.advance(bench.state.flight?.id, .done, .loaded(bench.stored(1, generation: 0), nil), .done)
        #expect(bench.state.calling?.step == bench.state.held.map { .refresh($0) })
        bench.does { $0.shutDown(&$1) }
        bench.does { $0.giveUpWriting(&$1) }
        #expect(bench.advance(call, .token(bench.held(2, generation: 1))).last == "unlock")
    }

    @Test func `a provider that is closed ignores the tokens of siblings, also after a sign-out`() {
        var bench = Bench.make(storage: .shared)
        bench.does { $0.shutDown(&$1) }
        bench.does { $0.giveUpWriting(&$1) }
        let item = bench.stored(3, session: ExploredWorld.session(3), generation: 0)
        #expect(bench.does { $0.noticed(item, nil, .gone, &$1) } == [])
        bench.does { $0.reset(newSession: ExploredWorld.session(2), &$1) }
        bench.write()
        #expect(bench.does { $0.noticed(item, nil, .gone, &$1) } == [])
    }
}
