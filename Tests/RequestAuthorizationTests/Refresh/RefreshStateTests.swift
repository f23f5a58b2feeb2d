// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import Testing

@testable import RequestAuthorization

/// Single decisions of the state, most of them found by exploring it.
struct RefreshStateTests {
    typealias Bench = RefreshStateBench

    // MARK: Requests

    @Test func `a 401 during a manual refresh is not forgotten when that fails`() {
        var bench = Bench.make()
        let manual = bench.beginManual()
        bench.refuse(waiter: 7)
        #expect(bench.log.isEmpty)
        let actions = bench.does { $0.manualFailed(manual, CancellationError(), at: $1) }
        #expect(actions == ["refresh failed", "refresh started", "fly"])
    }

    @Test func `nobody waits for a flight past its deadline, also after a token has come from an older one`() {
        var bench = Bench.make()
        let stray = bench.refuse()
        bench.overdue(stray)
        bench.pass(1)
        bench.wait(7)
        let second = bench.state.flight?.id
        second.map { id in _ = bench.does { $0.deadlinePassed(id, at: $1, random: 1) } }
        bench.advance(stray, .token(bench.token(2), requestedAt: bench.now.date))
        bench.refuse()
        #expect(bench.answer() == "failed")
    }

    @Test func `the next try is never said to be in the past`() {
        var bench = Bench.make()
        guard let flight = bench.refuse() else { return }
        bench.does { $0.deadlinePassed(flight, at: $1, random: 1) }
        bench.does { $0.retryNow(at: $1) }
        guard case (.fail(let error as RefreshFailed), _) = bench.state.request(at: bench.now) else {
            Issue.record("a request waits")
            return
        }
        #expect(error.nextTryAt == bench.now.date)
    }

    // MARK: Deadlines

    @Test func `a flight past its deadline begins nothing any more`() {
        var bench = Bench.make(storage: .shared)
        guard let flight = bench.refuse(waiter: 7) else { return }
        #expect(
            bench.does { $0.deadlinePassed(flight, at: $1, random: 1) }
                == ["refresh failed", "resume [7] with failed, not sent", "cancel \(flight.number)"])
        #expect(bench.advance(flight, .done) == ["refresh ended"])
    }

    @Test func `a flight past its deadline removes its intent before it ends`() {
        var bench = Bench.make(storage: .shared)
        guard let flight = bench.refuse() else { return }
        bench.advance(flight, .done, .loaded(bench.stored(1, generation: 0), nil))
        bench.does { $0.deadlinePassed(flight, at: $1, random: 1) }
        #expect(bench.state.advance(flight, .done, at: bench.now, random: 1).0 == .clearIntent)
    }

    @Test func `a flight past its hard limit leaves locks and intents to others`() {
        var bench = Bench.make(storage: .shared)
        let flight = bench.refuse()
        bench.advance(flight, .done, .loaded(bench.stored(1, generation: 0), nil), .done)
        bench.overdue(flight)
        bench.advance(flight, .token(bench.token(2), requestedAt: bench.now.date))
        #expect(
            bench.advance(flight, .failed(.transient)) == [
                "save failed", "announce 2", "token installed", "resume [] with 2",
            ])
        #expect(bench.state.unsaved?.keepsLock == false)
    }

    @Test func `what the server asks for counts also when it answers late`() {
        var bench = Bench.make()
        guard let flight = bench.refuse() else { return }
        bench.does { $0.deadlinePassed(flight, at: $1, random: 1) }
        bench.advance(flight, .failed(.transient, retryAfter: .seconds(5)))
        bench.pass(4)
        #expect(bench.answer() == "failed")
        bench.pass(1)
        #expect(bench.answer() == "wait")
    }

    @Test func `a forgotten flight is cancelled at its deadline`() {
        var bench = Bench.make()
        guard let flight = bench.refuse() else { return }
        bench.does { $0.reset(newSession: ExploredWorld.session(2), at: $1) }
        #expect(bench.does { $0.deadlinePassed(flight, at: $1, random: 1) } == ["cancel \(flight.number)"])
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

    @Test func `the refusal of an old flight ends nothing while a newer one is under way`() {
        var bench = Bench.make()
        let stray = bench.refuse()
        bench.overdue(stray)
        bench.pass(1)
        bench.wait(7)
        #expect(bench.advance(stray, .failed(.terminal)) == [])
        let token = bench.token(2)
        #expect(
            bench.advance(bench.state.flight?.id, .token(token, requestedAt: bench.now.date))
                == ["announce 2", "token installed", "resume [7] with 2", "refresh ended"])
    }

    @Test func `the end of a session ends the flights beside it, and gives up what they bring`() {
        var bench = Bench.make()
        let stray = bench.refuse()
        bench.overdue(stray)
        bench.pass(1)
        bench.wait(7)
        bench.advance(bench.state.flight?.id, .failed(.terminal))
        #expect(
            bench.advance(stray, .token(bench.token(2), requestedAt: bench.now.date)) == [
                "discard 2", "token discarded",
            ])
    }

    @Test func `a refresh is said to have ended before the next is said to begin`() {
        var bench = Bench.make()
        let stray = bench.refuse()
        bench.overdue(stray)
        bench.pass(1)
        bench.wait(7)
        let flight = bench.state.flight?.id
        bench.advance(stray, .token(bench.token(2), requestedAt: bench.now.date))
        bench.refuse(waiter: 8)
        #expect(
            bench.advance(flight, .token(bench.token(3), requestedAt: bench.now.date))
                == ["token discarded", "refresh ended", "refresh started", "fly"])
    }

    @Test func `a flight that is left is said to have ended`() {
        var bench = Bench.make()
        bench.refuse()
        let held = bench.held(2, session: ExploredWorld.session(2))
        #expect(
            bench.does { $0.setToken(held, at: $1) }
                == ["refresh ended", "announce 2", "token installed", "resume [] with 2"])
    }
}
