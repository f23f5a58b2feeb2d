// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import Testing

@testable import RequestAuthorization

/// Single decisions of the state about what is stored, most of them found by exploring it.
struct RefreshStateStoreTests {
    typealias Bench = RefreshStateBench

    private let other = ExploredWorld.session(9)

    // MARK: Signing out

    @Test func `signing out twice is told once, and the first tombstone stays`() {
        var bench = Bench.make(storage: .shared)
        bench.does { $0.reset(newSession: other, at: $1) }
        #expect(bench.does { $0.reset(newSession: ExploredWorld.session(8), at: $1) } == ["write"])
        #expect(bench.log == ["write", "announce signed out", "write"])
        guard case .save(let stored, .session(let session)) = bench.state.unsaved?.content else {
            Issue.record("nothing is to be saved")
            return
        }
        #expect(stored == bench.tombstone(generation: 1))
        #expect(session == Bench.session)
    }

    @Test func `signing out gives up a token that is being saved`() {
        var bench = Bench.make(storage: .plain)
        let flight = bench.refuse()
        bench.advance(flight, .token(bench.token(2), requestedAt: bench.now.date))
        #expect(
            bench.does { $0.reset(newSession: other, at: $1) }
                == ["refresh ended", "discard 2", "token discarded", "write", "announce signed out"])
    }

    @Test func `signing out during a sign-in that is being saved replaces whatever is stored`() {
        var bench = Bench.make(storage: .shared)
        let manual = bench.beginManual(waiter: 7)
        bench.bring(2, by: manual)
        #expect(
            bench.does { $0.reset(newSession: other, at: $1) } == [
                "cancel \(manual.number)", "resume [7] with signed out", "discard 2", "token discarded", "write",
                "announce signed out",
            ])
        #expect(bench.unsaved == "tombstone 1 for anything")
    }

    @Test func `signing out of a session that was never saved replaces whatever is stored`() {
        var bench = Bench.make(storage: .shared)
        let held = bench.held(2, session: other)
        bench.does { $0.setToken(held, at: $1) }
        bench.does { $0.reset(newSession: ExploredWorld.session(8), at: $1) }
        #expect(bench.unsaved == "tombstone 1 for anything")
    }

    // MARK: Flights

    @Test func `the successor of a token that was never saved replaces whatever is stored`() {
        var bench = Bench.make(storage: .shared)
        let held = bench.held(2, session: other)
        bench.does { $0.setToken(held, at: $1) }
        let flight = bench.refuse()
        bench.advance(flight, .done, .loaded(bench.stored(1, generation: 0), nil), .done)
        bench.advance(flight, .token(bench.token(3), requestedAt: bench.now.date))
        guard case .save(_, replacing: .anything) = bench.state.flight?.step else {
            Issue.record("an older session would win")
            return
        }
    }

    @Test func `a sibling's newer token is refreshed with an intent of its own`() {
        var bench = Bench.make(storage: .shared)
        guard let flight = bench.refuse() else { return }
        bench.advance(flight, .done, .loaded(bench.stored(1, generation: 0), nil), .done, .failed(.terminal))
        let newer = bench.stored(2, generation: 1)
        bench.pass(ExploredToken.lifetime)
        let (next, _) = bench.state.advance(flight, .loaded(newer, nil), at: bench.now, random: 1)
        let intent = RefreshIntent(session: Bench.session, generation: 1, beganAt: bench.now.date)
        #expect(next == .intent(intent))
    }

    @Test func `requests do not wait until the intent beside an adopted token is gone`() {
        var bench = Bench.make(storage: .shared)
        let flight = bench.refuse(waiter: 7)
        bench.advance(flight, .done, .loaded(bench.stored(1, generation: 0), nil), .done, .failed(.terminal))
        #expect(
            bench.advance(flight, .loaded(bench.stored(2, generation: 1), nil))
                == ["token adopted", "announce 2", "token installed", "resume [7] with 2"])
        #expect(bench.advance(flight, .done) == ["refresh ended"])
    }

    @Test func `a stored token that has expired is announced when it is loaded`() {
        var bench = Bench.make(holding: nil, storage: .plain)
        bench.state.credential = .unknown
        bench.wait(7)
        let old = bench.stored(1, generation: 3)
        bench.pass(ExploredToken.lifetime)
        #expect(bench.advance(bench.state.flight?.id, .loaded(old, nil)) == ["announce 1", "token installed"])
    }

    @Test func `an older flight that saves late is overwritten by the token in use`() {
        var bench = Bench.make(storage: .plain)
        let stray = bench.refuse()
        bench.overdue(stray)
        bench.advance(stray, .token(bench.token(2), requestedAt: bench.now.date))
        bench.pass(1)
        bench.wait(7)
        bench.advance(bench.state.flight?.id, .token(bench.token(3), requestedAt: bench.now.date), .saved(nil))
        #expect(bench.advance(stray, .saved(nil)) == ["token discarded", "write"])
        #expect(bench.unsaved == "token 3")
    }

    @Test func `a token is saved once more if an older one was written beside it`() {
        var bench = Bench.make(storage: .plain)
        let older = bench.held(2, session: other)
        bench.does { $0.setToken(older, at: $1) }
        let flight = bench.refuse()
        bench.advance(flight, .token(bench.token(3), requestedAt: bench.now.date))
        guard let written = bench.state.beginWrite() else { return }
        bench.does { $0.endWrite(written.number, .success(nil), at: $1, random: 1).1 }
        #expect(
            bench.advance(flight, .saved(nil)) == [
                "write", "announce 3", "token installed", "resume [] with 3", "refresh ended",
            ])
        #expect(bench.unsaved == "token 3 for anything")
    }

    @Test func `a session that is left revokes what it brought, but nothing that may be in use`() {
        var bench = Bench.make(storage: .plain)
        let stray = bench.refuse()
        bench.advance(stray, .token(bench.token(2), requestedAt: bench.now.date))
        bench.overdue(stray)
        bench.pass(1)
        bench.wait(7)
        bench.advance(bench.state.flight?.id, .token(bench.token(3), requestedAt: bench.now.date))
        bench.advance(stray, .saved(nil))
        let actions = bench.does { $0.reset(newSession: other, at: $1) }
        #expect(actions == ["refresh ended", "token discarded", "write", "announce signed out"])
    }

    // MARK: Siblings

    @Test func `a newer token of the session leaves the service call alone, and what that brings is not revoked`() {
        var bench = Bench.make(storage: .plain)
        let flight = bench.refuse(waiter: 7)
        let newer = bench.stored(2, generation: 1)
        #expect(
            bench.does { $0.noticed(newer, nil, at: $1, random: 1) }
                == ["token adopted", "announce 2", "token installed", "resume [7] with 2"])
        #expect(
            bench.advance(flight, .token(bench.token(3), requestedAt: bench.now.date))
                == ["token discarded", "refresh ended"])
    }

    @Test func `what a flight or a manual refresh has just saved is no news`() {
        var bench = Bench.make(storage: .plain)
        let flight = bench.refuse()
        bench.advance(flight, .token(bench.token(2), requestedAt: bench.now.date))
        let manual = bench.beginManual()
        bench.bring(3, by: manual)
        for stored in [
            bench.stored(2, generation: 1), bench.stored(3, session: ExploredWorld.session(3), generation: 0),
        ] {
            #expect(bench.does { $0.noticed(stored, nil, at: $1, random: 1) } == [])
        }
    }

    @Test func `an adopted token whose answer was lost is given to nobody who waits`() {
        var bench = Bench.make(storage: .shared)
        bench.refuse(waiter: 7)
        bench.advance(bench.state.flight?.id, .failed(.transient))
        bench.pass(1)
        let newer = bench.stored(2, generation: 1)
        let intent = RefreshIntent(session: Bench.session, generation: 1, beganAt: bench.now.date)
        bench.wait(8)
        #expect(
            bench.does { $0.noticed(newer, intent, at: $1, random: 1) }
                == ["token adopted", "announce 2", "token installed"])
    }

    @Test func `what an older flight has just saved is no news`() {
        var bench = Bench.make(storage: .plain)
        let stray = bench.refuse()
        bench.advance(stray, .token(bench.token(2), requestedAt: bench.now.date))
        bench.overdue(stray)
        let own = bench.stored(2, generation: 1)
        #expect(bench.does { $0.noticed(own, nil, at: $1, random: 1) } == [])
    }

    @Test func `what becomes of a sign-in in the store waits until the sign-in is told`() {
        var bench = Bench.make(storage: .shared)
        let manual = bench.beginManual()
        bench.bring(3, by: manual)
        let newer = bench.stored(4, session: ExploredWorld.session(3), generation: 1)
        #expect(bench.does { $0.noticed(newer, nil, at: $1, random: 1) } == [])
    }

    // MARK: By hand

    @Test func `cancelling a sign-in whose token is being saved comes too late`() {
        var bench = Bench.make(storage: .plain)
        let manual = bench.beginManual(waiter: 7)
        bench.bring(2, by: manual)
        #expect(bench.does { $0.cancelManual(manual, at: $1) } == [])
        #expect(
            bench.does { $0.manualSaved(manual, error: nil, at: $1, random: 1) }
                == ["resume [7] with 2", "announce 2", "token installed", "resume [] with 2"])
    }

    @Test func `a sign-in that another one has overtaken is given up, and the winner is saved once more`() {
        var bench = Bench.make(storage: .plain)
        let (first, second) = (bench.beginManual(waiter: 7), bench.beginManual())
        bench.bring(2, by: first)
        bench.bring(3, by: second)
        #expect(
            bench.does { $0.manualSaved(second, error: nil, at: $1, random: 1) } == [
                "cancel \(first.number)", "resume [7] with CancellationError", "discard 2", "token discarded", "write",
                "announce 3", "token installed", "resume [] with 3",
            ])
        #expect(bench.unsaved == "token 3 for anything")
    }

    @Test func `a sign-in is saved once more if a refresh was saved beside it`() {
        var bench = Bench.make(storage: .plain)
        let flight = bench.refuse()
        let manual = bench.beginManual()
        bench.bring(3, by: manual)
        bench.advance(flight, .token(bench.token(2), requestedAt: bench.now.date), .saved(nil))
        bench.does { $0.manualSaved(manual, error: nil, at: $1, random: 1) }
        #expect(bench.unsaved == "token 3 for anything")
    }

    @Test func `a token by hand that must not be sent is given up`() {
        var bench = Bench.make(storage: .plain)
        let manual = bench.beginManual(waiter: 7)
        let bad = ExploredToken(number: 2, expiresAt: .distantFuture, isMalformed: true)
        bench.does { $0.manualSucceeded(manual, bad, requestedAt: $1.date, newSession: other, at: $1, random: 1).1 }
        #expect(bench.log == ["discard 2", "token discarded", "resume [7] with malformed credential"])
    }
}
