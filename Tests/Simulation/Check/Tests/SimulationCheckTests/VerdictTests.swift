// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import SimulationCheck
import Testing

/// Each promise is seen to be broken in a ledger made by hand, and a ledger beside it keeps it.
struct VerdictTests {
    private static let first = Place(family: 1, serial: 1)
    private static let second = Place(family: 1, serial: 2)

    /// The promises that a ledger breaks. Its lines are a second apart.
    private func broken(
        _ events: Event..., store: Setting.Store = .files, grace: Int64 = 0
    ) -> Set<Violation.Promise> {
        let facts = events.enumerated().map { Fact(time: Int64($0.offset) * 1_000_000_000, $0.element) }
        return Set(Verdict.of(facts, Setting(store: store, grace: grace)).violations.map(\.promise))
    }

    private func committed(_ call: Int, by process: Int) -> Event {
        .presented(call: call, process: process, Self.first, .committed(next: 2), isRepeated: false)
    }

    private func reused(_ call: Int, by process: Int) -> Event {
        .presented(call: call, process: process, Self.first, .reused, isRepeated: false)
    }

    private func stored(_ place: Place, _ generation: Int) -> Event {
        .stored(StoredView(.token, session: "A", generation: generation, place: place))
    }

    private func used(_ request: Int, _ place: Place, isOurs: Bool = true) -> Event {
        .used(request: request, process: 1, place, origin: "api.example", isOurs: isOurs)
    }

    private func began(_ request: Int, isProbe: Bool = false) -> Event {
        .requestBegan(request: request, process: 1, isProbe: isProbe)
    }

    @Test func `a second call for a token whose answer came`() {
        #expect(
            broken(
                .asked(call: 1, process: 1, Self.first), committed(1, by: 1), .delivered(call: 1),
                .asked(call: 2, process: 2, Self.first), reused(2, by: 2)) == [.duplicateCall, .sessionLost])
    }

    @Test func `a second call after a lost answer`() {
        #expect(
            broken(
                .asked(call: 1, process: 1, Self.first), committed(1, by: 1), .answerLost(call: 1),
                .asked(call: 2, process: 2, Self.first), reused(2, by: 2)) == [])
    }

    @Test func `a kill explains a second call, unless the new token was in use`() {
        let call = [Event.asked(call: 1, process: 1, Self.first), committed(1, by: 1), .delivered(call: 1)]
        let again = [Event.killed(process: 1), .asked(call: 2, process: 2, Self.first), reused(2, by: 2)]
        #expect(broken(call[0], call[1], call[2], again[0], again[1], again[2]) == [])
        #expect(
            broken(call[0], call[1], call[2], used(1, Self.second), again[0], again[1], again[2])
                == [.duplicateCall, .sessionLost])
    }

    @Test func `a stop explains a second call under a lease only`() {
        let events = [
            Event.asked(call: 1, process: 1, Self.first), committed(1, by: 1), .delivered(call: 1),
            .stopped(process: 1, until: 30_000_000_000), .asked(call: 2, process: 2, Self.first), reused(2, by: 2),
        ]
        #expect(broken(events[0], events[1], events[2], events[3], events[4], events[5], store: .leased) == [])
        #expect(
            broken(events[0], events[1], events[2], events[3], events[4], events[5]) == [.duplicateCall, .sessionLost])
    }

    @Test func `a session lost within the grace period`() {
        #expect(
            broken(
                .asked(call: 1, process: 1, Self.first), committed(1, by: 1), .answerLost(call: 1),
                .asked(call: 2, process: 2, Self.first), reused(2, by: 2), grace: 60_000_000_000) == [.sessionLost])
    }

    @Test func `a process cannot use a session that goes on`() {
        let end = Event.requestEnded(request: 1, .failed("no token"))
        #expect(broken(stored(Self.first, 0), .calm, began(1, isProbe: true), end) == [.sessionLost])
        #expect(
            broken(
                stored(Self.first, 0), .revoked(family: 1, isUnexpected: true), .calm, began(1, isProbe: true), end)
                == [])
    }

    @Test func `an older token over a newer one, and two tokens for one generation`() {
        #expect(broken(stored(Self.second, 1), stored(Self.first, 0)) == [.olderOverNewer])
        #expect(broken(stored(Self.first, 1), stored(Self.second, 1)) == [.olderOverNewer])
        #expect(broken(stored(Self.first, 0), stored(Self.second, 1)) == [])
    }

    @Test func `a power failure loses a token in use, or damages it`() {
        let old = StoredView(.token, session: "A", generation: 0, place: Self.first)
        #expect(
            broken(
                stored(Self.second, 1), began(1), used(1, Self.second), .requestEnded(request: 1, .answered(200)),
                .recovered(old)) == [.olderOverNewer])
        #expect(broken(stored(Self.second, 1), .recovered(old)) == [])
        #expect(broken(.recovered(StoredView(.damaged))) == [.olderOverNewer])
    }

    @Test func `a token after a tombstone of its session`() {
        let tombstone = Event.stored(StoredView(.tombstone, session: "A", generation: 1))
        #expect(broken(stored(Self.first, 0), tombstone, stored(Self.second, 2)) == [.resurrected])
    }

    @Test func `a request goes to another origin, or in another session`() {
        let other = Place(family: 2, serial: 3)
        let end = Event.requestEnded(request: 1, .answered(200))
        #expect(broken(began(1), used(1, Self.first, isOurs: false), end) == [.otherOrigin])
        #expect(broken(began(1), used(1, Self.first), used(1, other), end) == [.otherPerson])
    }

    @Test func `a credential after a sign-out`() {
        let known = [began(1), used(1, Self.first), Event.requestEnded(request: 1, .answered(200))]
        let out = [Event.signOutBegan(process: 1), .signedOut(process: 1)]
        let end = Event.requestEnded(request: 2, .answered(200))
        #expect(
            broken(known[0], known[1], known[2], out[0], out[1], began(2), used(2, Self.first), end) == [.afterSignOut])
        #expect(broken(stored(Self.first, 0), known[0], known[1], known[2], out[0], out[1]) == [.afterSignOut])
    }

    @Test func `a request does not end, or takes too long`() {
        #expect(broken(began(1)) == [.requestWithoutEnd])
        #expect(broken(began(1), .killed(process: 1)) == [])
        let late = Fact(time: 200_000_000_000, .requestEnded(request: 1, .answered(200)))
        let verdict = Verdict.of([Fact(time: 0, began(1)), late], Setting(store: .files, grace: 0))
        #expect(verdict.violations.map(\.promise) == [.requestWithoutEnd])
    }

    @Test func `something is left`() { #expect(broken(.left(process: 1, what: "1 sleeps")) == [.leftover]) }
}
