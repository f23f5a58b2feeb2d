// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import TestProviders
import Testing

@testable import RequestAuthorization

/// Duties of the state that break no promise of the exploration if they are left out: reports, and the end of a session.
struct RefreshStateDutyTests {
    private typealias Bench = RefreshStateBench

    private let other = ExploredWorld.session(2)

    // MARK: Reports

    @Test func `an intent that cannot be written is reported, and the refresh goes on`() {
        var bench = Bench.make(storage: .shared)
        let flight = bench.refuse()
        bench.advance(flight, .done, .loaded(bench.stored(1, generation: 0), nil))
        #expect(bench.advance(flight, .failed(.transient)) == ["save failed"])
        #expect(bench.state.calling?.id == flight)
    }

    @Test func `a sibling's token that is found under the lock is reported`() {
        var bench = Bench.make(storage: .shared)
        let flight = bench.refuse()
        #expect(bench.advance(flight, .done, .loaded(bench.stored(2, generation: 1), nil)).contains("token adopted"))
    }

    // MARK: The end of a session

    @Test func `while the end of a session is stored, its token is not sent, and the back-off is over`() {
        var bench = Bench.make(storage: .shared, policy: .explored)
        bench.pass(ExploredToken.lifetime - 99)
        #expect(bench.answer() == "token 1")
        let item = bench.stored(1, generation: 0)
        bench.advance(bench.state.flight?.id, .done, .loaded(item, nil), .done, .failed(.transient))
        bench.pass(90)
        #expect(bench.state.pace.failure != nil)
        #expect(bench.answer() == "token 1")
        bench.advance(bench.state.flight?.id, .done, .loaded(item, nil), .done, .failed(.terminal), .loaded(item, nil))
        #expect(bench.unsaved == "tombstone 1")
        #expect(bench.answer() == "wait")
        #expect(bench.state.pace.failure == nil)
    }

    @Test func `the refresh of a session that was removed ends before the session`() {
        var bench = Bench.make(storage: .shared)
        bench.refuse(waiter: 7)
        #expect(
            bench.does { $0.noticed(nil, nil, .gone, &$1) } == [
                "refresh ended", "session ended", "announce signed out", "resume [7] with signed out",
            ])
    }

    @Test func `the back-off of a session that was removed is over`() {
        var bench = Bench.make(storage: .shared)
        let item = bench.stored(1, generation: 0)
        bench.advance(bench.refuse(), .done, .loaded(item, nil), .done, .failed(.transient))
        #expect(bench.state.pace.failure != nil)
        bench.does { $0.noticed(nil, nil, .gone, &$1) }
        #expect(bench.state.pace.failure == nil)
    }

    @Test func `a sign-out before the store was read ends what it holds, and one that has found nothing ends nothing`()
    {
        for hasLooked in [false, true] {
            var bench = Bench.make(holding: nil, storage: .shared)
            bench.state.holding = .unknown
            if hasLooked {
                #expect(bench.gives { $0.reset(after: nil, newSession: other, &$1) })
            } else {
                bench.does { $0.reset(newSession: other, &$1) }
            }
            #expect(bench.unsaved == "tombstone 0 for \(hasLooked ? "nothing" : "anything")")
        }
    }

    @Test(arguments: [false, true])
    func `a new session forgets that fresh tokens of the former one were refused`(isSignIn: Bool) {
        var bench = Bench.make()
        bench.advance(bench.refuse(), .token(bench.held(2, generation: 1)))
        bench.refuse()
        #expect(bench.state.flight == nil)
        if isSignIn { bench.bring(3, by: bench.beginManual()) } else { bench.setToken(3, session: other) }
        bench.refuse()
        #expect(bench.state.flight != nil)
    }

    // MARK: Patience

    @Test func `while a token is stored, a request with a valid one waits no longer than its patience`() {
        var bench = Bench.make(storage: .plain, policy: .exploredTool.impatient)
        bench.pass(ExploredToken.lifetime - 99)
        bench.wait(7)
        bench.advance(bench.state.flight?.id, .token(bench.held(2, generation: 1)))
        #expect(bench.unsaved == "token 2")
        bench.pass(5)
        #expect(bench.does { $0.timePassed(&$1) } == ["resume [7] with 1"])
        // The timer does not fire again at once.
        #expect(bench.state.nextWake(at: bench.now).map { $0 > bench.now.uptime } == true)
    }
}
