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

    @Test func `a kill explains a second call, unless the new token was in use or stored`() {
        let call = [Event.asked(call: 1, process: 1, Self.first), committed(1, by: 1), .delivered(call: 1)]
        let again = [Event.killed(process: 1), .asked(call: 2, process: 2, Self.first), reused(2, by: 2)]
        #expect(broken(call[0], call[1], call[2], again[0], again[1], again[2]) == [])
        #expect(
            broken(call[0], call[1], call[2], used(1, Self.second), again[0], again[1], again[2])
                == [.duplicateCall, .sessionLost])
        let saved = stored(Self.second, 1)
        #expect(broken(call + [saved] + again) == [.duplicateCall, .sessionLost])
        // The store showed it after the kill, or lost power.
        #expect(broken(call + [again[0], saved, again[1], again[2]]) == [])
        #expect(broken(call + [saved, .powerLost] + again) == [])
    }

    @Test func `a full disk explains nothing once the faults have ended`() {
        let call = [Event.asked(call: 1, process: 1, Self.first), committed(1, by: 1), .delivered(call: 1)]
        let again = [Event.killed(process: 1), .asked(call: 2, process: 2, Self.first), reused(2, by: 2)]
        let full = Event.trouble(.full, until: 60_000_000_000)
        #expect(broken([full] + call + [used(1, Self.second)] + again) == [])
        #expect(broken([full, .calm] + call + [used(1, Self.second)] + again) == [.duplicateCall, .sessionLost])
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

    @Test func `a request that was given up arrives late, and ends the session within the grace period`() {
        #expect(
            broken(
                .asked(call: 1, process: 1, Self.first), .answerLost(call: 1), .asked(call: 2, process: 1, Self.first),
                .answerLost(call: 2), committed(1, by: 1), reused(2, by: 1), grace: 60_000_000_000) == [])
    }

    @Test func `the only copy of a token and its successor is lost within the grace period`() {
        let call = [Event.asked(call: 1, process: 1, Self.first), committed(1, by: 1), .delivered(call: 1)]
        let next = Event.presented(
            call: 2, process: 1, Self.second, .committed(next: 3), isRepeated: false)
        let again = [Event.killed(process: 1), .asked(call: 3, process: 2, Self.first), reused(3, by: 2)]
        let full = Event.trouble(.full, until: 9_000_000_000)
        #expect(
            broken(call[0], call[1], call[2], full, next, again[0], again[1], again[2], grace: 60_000_000_000) == [])
        #expect(
            broken(call[0], call[1], call[2], next, again[0], again[1], again[2], grace: 60_000_000_000)
                == [.sessionLost])
    }

    @Test func `a host that was stopped sends its request, and gives it up at once`() {
        let call = [Event.asked(call: 1, process: 1, Self.first), committed(1, by: 1), .delivered(call: 1)]
        func broken(_ pause: Int64) -> Set<Violation.Promise> {
            let times: [Int64] = [0, 1, 2, 3, 4, 4_000 + pause, 5_000]
            let events =
                [.stopped(process: 2, until: 4_000_000_000)] + call
                + [.asked(call: 2, process: 2, Self.first), .answerLost(call: 2), reused(2, by: 2)]
            let facts = zip(times, events).map { Fact(time: $0 * 1_000_000, $1) }
            return Set(Verdict.of(facts, Setting(store: .leased, grace: 0)).violations.map(\.promise))
        }
        #expect(broken(-3_996) == [])
        #expect(broken(100) == [.duplicateCall, .sessionLost])
    }

    @Test func `the system ends the exclusive access of a process during its call`() {
        let call = [Event.asked(call: 1, process: 1, Self.first), committed(1, by: 1)]
        let again = [Event.asked(call: 2, process: 2, Self.first), reused(2, by: 2)]
        #expect(broken(call[0], .accessEnded(process: 1), call[1], again[0], again[1]) == [])
        #expect(broken(call[0], call[1], .accessEnded(process: 2), again[0], again[1]) == [])
        #expect(broken(call[0], call[1], again[0], again[1]) == [.duplicateCall, .sessionLost])
        // The one that went on without access was the last to ask, and the first to arrive.
        #expect(broken(again[0], .accessEnded(process: 1), call[0], call[1], again[1]) == [])
        #expect(broken(again[0], call[0], call[1], again[1]) == [.duplicateCall, .sessionLost])
    }

    private func change(_ number: Int, to value: Int?, over: Int? = nil) -> [Event] {
        [
            .itemChangeBegan(change: number, process: number, value: value, over: over),
            .itemChangeEnded(change: number, isMade: true),
        ]
    }

    private func read(_ value: Int?) -> [Event] {
        [.itemReadBegan(read: 9, process: 9), .itemRead(read: 9, value: value)]
    }

    private func broken(_ events: [Event], store: Setting.Store = .files) -> Set<Violation.Promise> {
        let facts = events.enumerated().map { Fact(time: Int64($0.offset) * 1_000_000_000, $0.element) }
        return Set(Verdict.of(facts, Setting(store: store, grace: 0)).violations.map(\.promise))
    }

    @Test func `a read finds another value than the last one`() {
        #expect(broken(change(1, to: 1) + read(1)) == [])
        #expect(broken(change(1, to: 1) + [.powerLost] + read(nil)) == [.itemLost])
        #expect(broken(change(1, to: 1) + change(2, to: 2) + read(1)) == [.itemLost])
        #expect(broken(change(1, to: 1) + change(2, to: nil) + read(1)) == [.itemLost])
        #expect(broken(change(1, to: 1) + read(-1)) == [.itemLost])
    }

    @Test func `a change that nobody knows of may have been made`() {
        let unknown = [Event.itemChangeBegan(change: 2, process: 2, value: 2, over: nil)]
        #expect(broken(change(1, to: 1) + unknown + read(1)) == [])
        #expect(broken(change(1, to: 1) + unknown + read(2)) == [])
        #expect(broken(unknown + [.killed(process: 2)] + change(1, to: 1) + read(2)) == [.itemLost])
    }

    @Test func `a save without an answer may be made twice before it returns, unless it has a condition`() {
        func broken(over: Int?, returnsLate: Bool, hasTrouble: Bool = true) -> Set<Violation.Promise> {
            let trouble: [Event] = hasTrouble ? [.trouble(.database, until: 60_000_000_000)] : []
            let begin = Event.itemChangeBegan(change: 1, process: 1, value: 1, over: over)
            let end = Event.itemChangeEnded(change: 1, isMade: true)
            let events = returnsLate ? change(2, to: 2, over: 1) + [end] : [end] + change(2, to: 2, over: 1)
            return self.broken(trouble + [begin] + events + change(3, to: 3, over: 1), store: .leased)
        }
        #expect(broken(over: nil, returnsLate: true) == [])
        #expect(broken(over: nil, returnsLate: false) == [.itemLost])
        #expect(broken(over: 9, returnsLate: true) == [.itemLost])
        #expect(broken(over: nil, returnsLate: true, hasTrouble: false) == [.itemLost])
    }

    @Test func `two changes replace one value`() {
        #expect(broken(change(1, to: 1) + change(2, to: 2, over: 1) + change(3, to: 3, over: 1)) == [.itemLost])
        #expect(broken(change(1, to: 1) + change(2, to: 2, over: 1) + change(3, to: 3, over: 2)) == [])
    }

    @Test func `a process cannot use a session that goes on`() {
        let end = Event.requestEnded(request: 1, .failed("no token"))
        #expect(broken(stored(Self.first, 0), .calm, began(1, isProbe: true), end) == [.sessionLost])
        #expect(
            broken(
                stored(Self.first, 0), .revoked(family: 1, isUnexpected: true), .calm, began(1, isProbe: true), end)
                == [])
    }

    @Test func `a process that was stopped when its session had ended may miss the next one`() {
        let end = Event.requestEnded(request: 1, .failed("no token"))
        let session = Place(family: 2, serial: 3)
        func verdict(_ first: Event) -> Set<Violation.Promise> {
            broken([
                .revoked(family: 1, isUnexpected: true), first, .issued(session, user: "bob"), stored(session, 0),
                .signedIn(process: 2, family: 2), .calm, began(1, isProbe: true), end,
            ])
        }
        #expect(verdict(.stopped(process: 1, until: 9_000_000_000)) == [])
        #expect(verdict(.stopped(process: 3, until: 9_000_000_000)) == [.sessionLost])
    }

    @Test func `other hosts need not hear of a sign-in that nobody was told of`() {
        let end = Event.requestEnded(request: 1, .failed("no token"))
        let probe = [stored(Self.first, 0), .calm, began(1, isProbe: true), end]
        #expect(broken(probe[0], probe[1], probe[2], probe[3], store: .leased) == [])
        #expect(
            broken(.signedIn(process: 2, family: 1), probe[0], probe[1], probe[2], probe[3], store: .leased)
                == [.sessionLost])
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
        #expect(
            broken(
                committed(1, by: 2), .delivered(call: 1), stored(Self.second, 1), .killed(process: 2), began(1),
                used(1, Self.second), .requestEnded(request: 1, .answered(200)), .powerLost, .recovered(old),
                .asked(call: 3, process: 3, Self.first), reused(3, by: 3)) == [])
    }

    @Test func `a full disk keeps a token unsaved, and with it access that the system has ended`() {
        let first = [Event.asked(call: 1, process: 1, Self.first), committed(1, by: 1), .delivered(call: 1)]
        let again = [Event.asked(call: 2, process: 2, Self.first), reused(2, by: 2)]
        let pause = (1...11).map { began($0) } + (1...11).map { Event.requestEnded(request: $0, .answered(200)) }
        func broken(until end: Int64) -> Set<Violation.Promise> {
            self.broken([.trouble(.full, until: end), .accessEnded(process: 2)] + pause + first + again)
        }
        #expect(broken(until: 60_000_000_000) == [])
        #expect(broken(until: 10_000_000_000) == [.duplicateCall, .sessionLost])
    }

    @Test func `a power failure during a stop in a save loses a token in use, and another process fetches it again`() {
        let old = StoredView(.token, session: "A", generation: 0, place: Self.first)
        func broken(isStopped: Bool) -> Set<Violation.Promise> {
            let stop: [Event] = isStopped ? [.stopped(process: 2, until: 60_000_000_000)] : []
            let before: [Event] =
                [.asked(call: 1, process: 2, Self.first), committed(1, by: 2), .delivered(call: 1)] + stop
            let use: [Event] = [stored(Self.second, 1), began(1), used(1, Self.second)]
            let after: [Event] = [
                .requestEnded(request: 1, .answered(200)), .powerLost, .recovered(old),
                .asked(call: 3, process: 3, Self.first),
                .presented(call: 3, process: 3, Self.first, .replayed(next: 2), isRepeated: false),
            ]
            return self.broken(before + use + after)
        }
        #expect(broken(isStopped: true) == [])
        #expect(broken(isStopped: false) == [.olderOverNewer, .duplicateCall])
    }

    @Test func `a token after a tombstone of its session`() {
        let tombstone = Event.stored(StoredView(.tombstone, session: "A", generation: 1))
        #expect(broken(stored(Self.first, 0), tombstone, stored(Self.second, 2)) == [.resurrected])
        let back = Event.recovered(StoredView(.token, session: "A", generation: 0, place: Self.first))
        let began = Event.signOutBegan(process: 1)
        #expect(broken(stored(Self.first, 0), began, tombstone, back, stored(Self.second, 1)) == [])
        #expect(broken(stored(Self.first, 0), began, tombstone, .signedOut(process: 1), back) == [.resurrected])
    }

    @Test func `a token of a session that another sign-in has replaced`() {
        let other = StoredView(.token, session: "B", generation: 0, place: Place(family: 2, serial: 3))
        let signIn: [Event] = [
            .issued(Self.first, user: "ada"), stored(Self.first, 0), .signedIn(process: 1, family: 1), .stored(other),
        ]
        let late = stored(Self.second, 1)
        #expect(broken(signIn + [late]) == [.resurrected])
        // The sign-in does not know of its save, or the other one was lost.
        #expect(broken([.trouble(.database, until: 60_000_000_000)] + signIn + [late]) == [])
        let back = Event.recovered(StoredView(.token, session: "A", generation: 0, place: Self.first))
        #expect(broken(signIn + [back, late]) == [])
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

    @Test func `the library revokes a session that nobody has signed out`() {
        let before = [Event.signInBegan(process: 1), stored(Self.first, 0)]
        let revoked = Event.revoked(family: 1, isUnexpected: false)
        #expect(broken(before + [revoked]) == [.sessionLost])
        #expect(broken(before + [.revoked(family: 1, isUnexpected: true)]) == [])
        #expect(broken(before + [.signOutBegan(process: 2), revoked]) == [])
        #expect(broken(before + [.signInBegan(process: 2), revoked]) == [])
        #expect(broken([before[0], revoked]) == [])
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
