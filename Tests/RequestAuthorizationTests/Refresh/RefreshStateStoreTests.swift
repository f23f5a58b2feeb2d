// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import Testing

@testable import RequestAuthorization

/// Single decisions of the state about storage, most of them found by exploring it.
struct RefreshStateStoreTests {
    typealias Bench = RefreshStateBench

    private let other = ExploredWorld.session(9)

    // MARK: Signing out

    @Test func `signing out twice is announced once, and the first tombstone stays`() {
        var bench = Bench.make(storage: .shared)
        bench.does { $0.reset(newSession: other, &$1) }
        #expect(bench.does { $0.reset(newSession: ExploredWorld.session(8), &$1) } == ["write"])
        #expect(bench.log == ["session ended", "announce signed out", "write", "write"])
        guard case .tombstone(let version, _, .session(let session))? = bench.state.vault.unsaved?.content else {
            Issue.record("no tombstone is to be saved")
            return
        }
        #expect(version == TokenVersion(session: Bench.session, generation: 1))
        #expect(session == Bench.session)
    }

    @Test(arguments: [
        (stored: 2, next: 3, condition: TokenSaveCondition.older(session: Bench.session, generation: 3)),
        (stored: .max, next: .max, condition: .session(Bench.session)),
    ])
    func `a sign-out after a revocation revokes what a sibling has stored since, before it is stored`(
        stored: Int, next: Int, condition: TokenSaveCondition
    ) {
        var bench = Bench.make(storage: .shared)
        let revoked = bench.state.heldVersion
        let isDone = bench.gives { [other] in $0.reset(after: revoked, newSession: other, &$1) }
        #expect(isDone)
        #expect(bench.replaced == .older(session: Bench.session, generation: 1))
        let later = bench.stored(3, generation: stored)
        let log = bench.write(.refused(later))
        #expect(log == ["token discarded", "discard 3", "write"])
        #expect(bench.unsaved == "tombstone \(next)")
        #expect(bench.replaced == condition)
        // It is not repeated for ever, even if the number cannot grow, or the store is wrong.
        let again = bench.write(.refused(next == stored ? later : bench.stored(3, generation: 0)))
        #expect(again == [])
    }

    @Test(arguments: [true, false], [true, false])
    func `a sibling's token that a sign-out has found is revoked once, also if a sign-in overtakes the sign-out`(
        isOvertaken: Bool, isSignedOutAgain: Bool
    ) throws {
        var bench = Bench.make(storage: .shared)
        let revoked = bench.state.heldVersion
        bench.does { [other] in $0.reset(after: revoked, newSession: other, &$1) }
        let begun = bench.state.vault.begin()
        let job = try #require(begun)
        let next = ExploredWorld.session(8)
        if isOvertaken { bench.setToken(2, session: next) } else { bench.does { $0.reset(newSession: next, &$1) } }
        if isSignedOutAgain { bench.does { $0.reset(newSession: ExploredWorld.session(7), &$1) } }
        let later = bench.stored(3, generation: 2)
        let log = bench.does { $0.endWrite(job, .refused(later), &$1) }
        #expect(log == (isOvertaken ? ["token discarded", "discard 3"] : []))
        if !isOvertaken { #expect(bench.write(.refused(later)) == ["token discarded", "discard 3", "write"]) }
    }

    @Test func `signing out discards a token that is being saved`() {
        var bench = Bench.make(storage: .plain)
        let flight = bench.refuse()
        bench.advance(flight, .token(bench.held(2, generation: 1)))
        #expect(
            bench.does { $0.reset(newSession: other, &$1) }
                == ["refresh ended", "token discarded", "session ended", "announce signed out", "discard 2", "write"])
    }

    @Test func `signing out during a sign-in that is being saved replaces any stored item`() {
        var bench = Bench.make(storage: .shared)
        let manual = bench.beginManual(isAwaited: true)
        bench.bring(2, by: manual)
        #expect(
            bench.does { $0.reset(newSession: other, &$1) } == [
                "token discarded", "session ended", "announce signed out", "discard 2", "answer signed out", "write",
            ])
        #expect(bench.unsaved == "tombstone 1 for anything")
    }

    @Test func `signing out of a session that was never saved replaces any stored item`() {
        var bench = Bench.make(storage: .shared)
        bench.setToken(2, session: other)
        bench.does { $0.reset(newSession: ExploredWorld.session(8), &$1) }
        #expect(bench.unsaved == "tombstone 1 for anything")
    }

    @Test(arguments: [false, true])
    func `signing out while the first token is being saved ends its session in the store`(isLost: Bool) throws {
        var bench = Bench.make(holding: nil, storage: .shared)
        bench.wait(7)
        bench.advance(bench.state.flight?.id, .done, .nothingStored, .token(bench.held(2)))
        let begun = bench.state.vault.begin()
        let job = try #require(begun)
        bench.does { $0.reset(newSession: other, &$1) }
        bench.does { _ = $0.endWrite(job, isLost ? .failed(ExploredFailure()) : .saved, &$1) }
        #expect(bench.unsaved == "tombstone 0 for nothing")
        #expect(bench.write(.refused(bench.stored(2, generation: 0))) == ["write"])
        #expect(bench.replaced == .session(Bench.session))
        #expect(bench.write() == ["unlock"])
        #expect(bench.answer() == "signed out")
    }

    // MARK: The end by the server

    @Test func `the end of a session is announced after the first try to store it, however late it came`() {
        var bench = Bench.make(storage: .plain)
        let flight = bench.refuse()
        bench.overdue()
        let item = bench.stored(1, generation: 0)
        #expect(bench.advance(flight, .failed(.terminal), .loaded(item, nil)) == ["write"])
        #expect(
            bench.write(.failed(ExploredFailure())) == [
                "clear failed", "session ended", "announce rejected by the token endpoint", "refresh ended",
            ])
        #expect(bench.answer() == "rejected by the token endpoint")
    }

    @Test func `a sibling's sign-in counts if it came before the end by the server was stored`() {
        var bench = Bench.make(storage: .shared)
        let flight = bench.refuse()
        let item = bench.stored(1, generation: 0)
        bench.advance(flight, .done, .loaded(item, nil), .done, .failed(.terminal), .loaded(item, nil))
        bench.write(.failed(ExploredFailure()))
        let sibling = bench.stored(2, session: other, generation: 0)
        // The end is not stored yet, as far as this provider knows.
        #expect(bench.notice(sibling) == [])
        bench.pass(1)
        bench.does { $0.timePassed(&$1) }
        #expect(bench.write(.refused(sibling)) == ["token adopted", "announce 2", "token installed"])
        #expect(bench.answer() == "token 2")
    }

    @Test func `a sign-out after the end by the server stays one, whoever has signed in before it is stored`() {
        var bench = Bench.make(storage: .shared)
        let flight = bench.refuse()
        let item = bench.stored(1, generation: 0)
        bench.advance(flight, .done, .loaded(item, nil), .done, .failed(.terminal), .loaded(item, nil))
        bench.write(.failed(ExploredFailure()))
        bench.pass(1)
        let sibling = bench.stored(2, session: other, generation: 0)
        bench.does { $0.reset(newSession: ExploredWorld.session(8), &$1) }
        #expect(bench.write(.refused(sibling)) == [])
        #expect(bench.answer() == "rejected by the token endpoint")
    }

    // MARK: Flights

    @Test func `the successor of a token that was never saved replaces any stored item`() {
        var bench = Bench.make(storage: .shared)
        bench.setToken(2, session: other)
        let flight = bench.refuse()
        bench.advance(flight, .done, .loaded(bench.stored(1, generation: 0), nil), .done)
        bench.advance(flight, .token(bench.held(3, session: other, generation: 1)))
        #expect(bench.unsaved == "token 3 for anything")
    }

    @Test func `a sibling's newer token is refreshed with an intent of its own`() {
        var bench = Bench.make(storage: .shared)
        guard let flight = bench.refuse() else { Issue.record("no refresh begins"); return }
        bench.advance(flight, .done, .loaded(bench.stored(1, generation: 0), nil), .done, .failed(.terminal))
        let newer = bench.stored(2, generation: 1)
        bench.pass(ExploredToken.lifetime)
        let intent = RefreshIntent(session: Bench.session, generation: 1, beganAt: bench.now.date)
        #expect(bench.gives { $0.advance(flight, .loaded(newer, nil), &$1) } == .intent(intent))
    }

    @Test func `a stored token that has expired is announced when it is loaded`() {
        var bench = Bench.make(holding: nil, storage: .plain)
        bench.state.holding = .unknown
        bench.wait(7)
        let old = bench.stored(1, generation: 3)
        bench.pass(ExploredToken.lifetime)
        #expect(bench.advance(bench.state.flight?.id, .loaded(old, nil)) == ["announce 1", "token installed"])
    }

    @Test func `a read-only store is known to be empty once it has been read`() {
        var bench = Bench.make(holding: nil, storage: .readOnly)
        bench.state.holding = .unknown
        bench.wait(7)
        bench.advance(bench.state.flight?.id, .nothingStored)
        #expect(bench.state.holding == .absent)
    }

    @Test(arguments: [TokenAbsence.gone, .setAside, .placeMissing])
    func `a token that was removed from a read-only store ends the session, one that was lost does not`(
        absence: TokenAbsence
    ) {
        var bench = Bench.make(storage: .readOnly)
        bench.pass(ExploredToken.lifetime)
        bench.wait(7)
        let told = bench.advance(bench.state.flight?.id, .loaded(nil, nil, absence))
        #expect(told.contains("announce signed out") == (absence == .gone), "\(told)")
        #expect((bench.state.heldVersion == nil) == (absence == .gone))
    }

    @Test func `a sibling's first token replaces one that could not be saved`() {
        var bench = Bench.make(holding: nil, storage: .shared)
        bench.wait(7)
        bench.advance(bench.state.flight?.id, .done, .nothingStored, .token(bench.held(2)))
        let item = bench.stored(3, session: other, generation: 0)
        #expect(
            bench.write(.refused(item)) == [
                "token discarded", "token adopted", "announce 3", "token installed", "refresh ended", "discard 2",
                "resume [7] with 3", "unlock",
            ])
    }

    @Test(arguments: [false, true])
    func `a token is saved although the first of its session was stored while that was refreshed`(isLate: Bool) {
        var bench = Bench.make(holding: nil, storage: .shared)
        bench.wait(7)
        bench.advance(bench.state.flight?.id, .done, .nothingStored, .token(bench.held(2)))
        bench.write(.failed(ExploredFailure()))
        let first = bench.stored(2, generation: 0)
        bench.pass(200)
        let flight = bench.refuse()
        bench.advance(flight, .nothingStored, .done, .token(bench.held(3, generation: 1)))
        #expect(bench.unsaved == "token 3 for nothing")
        if isLate { bench.write(.failed(ExploredFailure())) }
        // A sibling's token of that number counts.
        var other = bench
        #expect(!other.write(.refused(bench.stored(4, generation: 1))).contains("write"))
        #expect(bench.write(.refused(first)) == ["write"])
        #expect(bench.unsaved == "token 3")
        #expect(bench.write().contains("announce 3") == !isLate)
        #expect(bench.answer() == "token 3")
    }

    @Test(arguments: [false, true])
    func `a save that was given up and is made all the same is not made again`(isDue: Bool) {
        var bench = Bench.make(storage: .shared)
        bench.setToken(2, session: other)
        guard let job = bench.state.vault.begin() else { Issue.record("no write begins"); return }
        bench.does { _ = $0.endWrite(job, .failed(ExploredFailure()), &$1) }
        if isDue {
            bench.pass(5)
            #expect(bench.does { $0.timePassed(&$1) } == ["write"])
        }
        let basis = bench.state.basis
        #expect(bench.gives { state, _ in state.vault.endLate(job) })
        #expect(bench.unsaved == nil && bench.state.basis != basis)
        // A sibling has signed out since. Its tombstone may have been removed by now.
        var later = bench
        #expect(bench.notice(bench.tombstone(session: other, generation: 1)).contains("announce signed out"))
        #expect(later.does { $0.noticed(nil, nil, .gone, &$1) }.contains("announce signed out"))
    }

    @Test func `a sign-out that was given up and is made all the same is not made again, although it was repeated`() {
        var bench = Bench.make(holding: nil, storage: .shared)
        bench.state.holding = .unknown
        bench.does { $0.reset(newSession: other, &$1) }
        guard let job = bench.state.vault.begin() else { Issue.record("no write begins"); return }
        bench.does { _ = $0.endWrite(job, .failed(ExploredFailure()), &$1) }
        bench.pass(1)
        bench.does { $0.reset(newSession: ExploredWorld.session(8), &$1) }
        #expect(bench.unsaved == "tombstone 0 for anything")
        #expect(bench.gives { state, _ in state.vault.endLate(job) })
        #expect(bench.unsaved == nil)
    }

    @Test func `a save that is made late has ended its intent`() {
        var bench = Bench.make(storage: .shared)
        let flight = bench.refuse()
        let item = bench.stored(1, generation: 0)
        bench.advance(flight, .done, .loaded(item, nil), .done, .token(bench.held(2, generation: 1)))
        guard let job = bench.state.vault.begin() else { Issue.record("no write begins"); return }
        bench.does { _ = $0.endWrite(job, .failed(ExploredFailure()), &$1) }
        #expect(job.ends != nil && bench.state.vault.access != nil)
        #expect(bench.does { state, _ in _ = state.vault.endLate(job) } == ["unlock"])
    }

    @Test func `a save that is made too late leaves a newer order alone`() {
        var bench = Bench.make(storage: .shared)
        bench.setToken(2, session: other)
        guard let job = bench.state.vault.begin() else { Issue.record("no write begins"); return }
        bench.does { _ = $0.endWrite(job, .failed(ExploredFailure()), &$1) }
        // A second try that has begun ends by itself.
        var again = bench
        _ = again.state.vault.begin()
        #expect(!again.gives { state, _ in state.vault.endLate(job) })
        bench.does { $0.reset(newSession: ExploredWorld.session(8), &$1) }
        #expect(!bench.gives { state, _ in state.vault.endLate(job) })
        #expect(bench.unsaved == "tombstone 1 for anything")
    }

    @Test(arguments: [false, true])
    func `a token to which the store gives another number is reported once, as the provider's own`(isLate: Bool) {
        var bench = Bench.make(storage: .shared)
        let flight = bench.refuse(waiter: 7)
        bench.advance(flight, .done, .loaded(bench.stored(1, generation: 0), nil), .done)
        bench.advance(flight, .token(bench.held(2, generation: 1)))
        let report = ["announce 2", "token installed", "refresh ended", "resume [7] with 2"]
        if isLate { #expect(bench.write(.failed(ExploredFailure())) == ["save failed"] + report) }
        let told = bench.write(.refused(bench.stored(2, generation: 2)))
        #expect(told == (isLate ? [] : report) + ["unlock, end intent"])
        #expect(bench.state.heldVersion?.generation == 2)
        #expect(bench.answer() == "token 2")
    }

    @Test(arguments: [false, true])
    func `a token to which the store gives another number is not refreshed again for its claims`(isLate: Bool) {
        var bench = Bench.make(storage: .shared)
        let flight = bench.refuse()
        bench.advance(flight, .done, .loaded(bench.stored(1, generation: 0), nil), .done)
        bench.advance(flight, .token(bench.held(2, generation: 1, isFetched: true, claims: "{}")))
        if isLate { bench.write(.failed(ExploredFailure())) }
        bench.write(.refused(bench.stored(2, generation: 2)))
        let demand = AuthenticationChallenge(
            scheme: "Bearer", parameters: ["error": "insufficient_claims", "claims": "e30="])
        let error = bench.gives { $0.unauthorized("Bearer 2", by: demand, &$1) }
        #expect(error?.reason == .needsInteraction)
        #expect(bench.answer() == "token 2")
        #expect(bench.state.held?.isFetched == true && bench.state.heldVersion?.generation == 2)
    }

    @Test(arguments: [false, true])
    func `a call goes on although the store gives another number to the token that it has spent`(isNoticed: Bool) {
        var bench = Bench.make(storage: .shared)
        let first = bench.refuse()
        let item = bench.stored(1, generation: 0)
        bench.advance(first, .done, .loaded(item, nil), .done, .token(bench.held(2, generation: 1)))
        bench.write(.failed(ExploredFailure()))
        let renumbered = bench.stored(2, generation: 2)
        bench.pass(200)
        let second = bench.refuse()
        bench.advance(second, .loaded(item, nil), .done)
        #expect(bench.write(.refused(renumbered)) == [])
        if isNoticed { #expect(bench.notice(renumbered) == []) }
        bench.advance(second, .token(bench.held(3, generation: 2)))
        #expect(bench.write(.refused(bench.stored(3, generation: 3))).contains("announce 3"))
        #expect(bench.answer() == "token 3" && bench.state.heldVersion?.generation == 3)
    }

    @Test(arguments: [false, true], [false, true])
    func `a token is saved although the store gives its number to the one that it replaces`(
        isLost: Bool, isLate: Bool
    ) {
        var bench = Bench.make(storage: .shared)
        let first = bench.refuse()
        let item = bench.stored(1, generation: 0)
        bench.advance(first, .done, .loaded(item, nil), .done, .token(bench.held(2, generation: 1)))
        bench.write(.failed(ExploredFailure()))
        let renumbered = bench.stored(2, generation: 2)
        bench.pass(200)
        let second = bench.refuse(waiter: 7)
        bench.advance(second, .loaded(item, nil), .done)
        if !isLost { #expect(bench.write(.refused(renumbered)) == []) }
        bench.advance(second, .token(bench.held(3, generation: 2, replacing: bench.state.held)))
        if isLate { #expect(bench.write(.failed(ExploredFailure())).contains("resume [7] with 3")) }
        // A sibling's token of that number counts.
        var other = bench
        #expect(!other.write(.refused(bench.stored(4, generation: 2))).contains("write"))
        // Exclusive access was lost meanwhile.
        #expect(bench.write(.refused(renumbered)) == ["write"])
        #expect(bench.unsaved == "token 3")
        // A store that refuses that, too, is not asked for ever, and the spent token is news to nobody.
        var stuck = bench
        let told = stuck.write(.refused(renumbered))
        #expect(!told.contains("write") && !told.contains("token adopted"))
        #expect(bench.write().contains("resume [7] with 3") == !isLate)
        #expect(bench.answer() == "token 3" && bench.state.heldVersion?.generation == 3)
    }

    @Test func `the token of a forgotten call is used although the store gives its number to the former one`() {
        var bench = Bench.make(storage: .shared)
        let first = bench.refuse()
        let item = bench.stored(1, generation: 0)
        bench.advance(first, .done, .loaded(item, nil), .done, .token(bench.held(2, generation: 1)))
        bench.write(.failed(ExploredFailure()))
        let renumbered = bench.stored(2, generation: 2)
        bench.pass(200)
        let call = bench.refuse()
        bench.advance(call, .loaded(item, nil), .done)
        let late = bench.held(3, generation: 2, replacing: bench.state.held)
        bench.overdue(isForgotten: true)
        bench.write(.refused(renumbered))
        #expect(bench.advance(call, .token(late)) == ["write"])
        bench.write()
        #expect(bench.answer() == "token 3" && bench.state.heldVersion?.generation == 3)
    }

    @Test(arguments: [false, true])
    func `a token that the store holds under another number is still refreshed, and its claims are known`(
        isRefused: Bool
    ) {
        var bench = Bench.make(storage: .shared)
        let first = bench.refuse()
        bench.advance(first, .done, .loaded(bench.stored(1, generation: 0), nil), .done)
        bench.advance(first, .token(bench.held(2, generation: 1, claims: "{}")))
        // It is saved, and the answer is lost.
        bench.write(.failed(ExploredFailure()))
        let renumbered = bench.stored(2, generation: 2)
        bench.pass(isRefused ? 200 : ExploredToken.lifetime - 99)
        if isRefused { bench.refuse() } else { #expect(bench.answer() == "token 2") }
        #expect(bench.advance(bench.state.flight?.id, .loaded(renumbered, nil)) == [])
        let intent = RefreshIntent(session: Bench.session, generation: 2, beganAt: bench.now.date)
        #expect(bench.state.calling?.step == .intent(intent))
        #expect(bench.state.held?.claims == "{}" && bench.answer() == (isRefused ? "wait" : "token 2"))
    }

    @Test func `a refused token that the store holds under another number is not sent once more`() {
        var bench = Bench.make(storage: .shared)
        let first = bench.refuse()
        let item = bench.stored(1, generation: 0)
        bench.advance(first, .done, .loaded(item, nil), .done, .token(bench.held(2, generation: 1)))
        bench.write(.failed(ExploredFailure()))
        let renumbered = bench.stored(2, generation: 2)
        bench.pass(200)
        guard let second = bench.refuse() else { Issue.record("no refresh begins"); return }
        bench.advance(second, .loaded(item, nil), .done, .failed(.terminal))
        let step = bench.gives { $0.advance(second, .loaded(renumbered, nil), &$1) }
        #expect(step == nil)
        // The end of the session follows the number of the store.
        #expect(bench.unsaved == "tombstone 3")
    }

    // MARK: The lock and the intent

    @Test func `a lock that is acquired after a sibling's token is released`() {
        var bench = Bench.make(storage: .shared)
        let flight = bench.refuse()
        bench.notice(bench.stored(2, generation: 1), nil)
        #expect(bench.advance(flight, .done) == ["refresh ended", "unlock"])
    }

    @Test func `a flight past its hard limit keeps the lock while a token is unsaved`() {
        var bench = Bench.make(storage: .shared)
        bench.setToken(2, session: other)
        bench.write(.failed(ExploredFailure()))
        let flight = bench.refuse()
        bench.advance(flight, .done, .loaded(bench.stored(1, generation: 0), nil), .done)
        #expect(!bench.overdue(isForgotten: true).contains("unlock"))
        #expect(bench.write() == ["unlock"])
    }

    @Test func `a flight uses the lock that an unsaved token has kept`() {
        var bench = Bench.make(storage: .shared)
        let first = bench.refuse()
        bench.advance(first, .done, .loaded(bench.stored(1, generation: 0), nil), .done)
        bench.advance(first, .token(bench.held(2, generation: 1)))
        bench.write(.failed(ExploredFailure()))
        bench.pass(200)
        let second = bench.refuse()
        #expect(second != nil && bench.state.vault.access?.user == second)
        #expect(bench.state.flight?.step == .reread)
    }

    @Test func `the intent of a call stays while an older token is stored beside it`() {
        var bench = Bench.make(storage: .shared)
        bench.setToken(2, session: other)
        let flight = bench.refuse()
        bench.advance(flight, .done, .loaded(bench.stored(1, generation: 0), nil), .done)
        #expect(bench.state.vault.begin()?.ends == nil)
    }

    /// Stores take what ends an intent for a refresh, and tell no sibling.
    @Test(arguments: [false, true])
    func `a sign-in ends no intent of a refresh, which ends with the lock`(isAnswered: Bool) {
        var bench = Bench.make(storage: .shared)
        let flight = bench.refuse()
        bench.advance(flight, .done, .loaded(bench.stored(1, generation: 0), nil), .done)
        if isAnswered {
            bench.advance(flight, .token(bench.held(2, generation: 1)))
            bench.write(.failed(ExploredFailure()))
        }
        bench.bring(3, by: bench.beginManual())
        guard let job = bench.state.vault.begin() else { Issue.record("no write begins"); return }
        #expect(job.content.token?.number == 3 && job.ends == nil)
        #expect(bench.does { _ = $0.endWrite(job, .saved, &$1) }.last == "unlock, end intent")
    }

    @Test func `the intent of an answer that was lost stays when the next try is not sent`() {
        var bench = Bench.make(storage: .shared)
        let (item, date) = (bench.stored(1, generation: 0), bench.now.date)
        let intent = RefreshIntent(session: Bench.session, generation: 0, beganAt: date)
        let lost = Exchange.Outcome.failed(.transient, .mayHaveBeenProcessed)
        let first = bench.refuse()
        #expect(bench.advance(first, .done, .loaded(item, nil), .done, lost).last == "unlock")
        bench.pass(1)
        bench.wait(7)
        let second = bench.state.flight?.id
        let unsent = Exchange.Outcome.failed(.transient, .notSent)
        #expect(bench.advance(second, .done, .loaded(item, intent), .done, unsent).last == "unlock")
        bench.pass(90)
        bench.wait(8)
        let third = bench.state.flight?.id
        bench.advance(third, .done, .loaded(item, intent), .done, .token(bench.held(2, generation: 1)))
        #expect(bench.state.vault.begin()?.ends != nil)
    }

    // MARK: Sessions that were removed, and sessions that were lost

    @Test func `a session that was removed is over under the lock`() {
        var bench = Bench.make(storage: .shared)
        let flight = bench.refuse(waiter: 7)
        #expect(
            bench.advance(flight, .done, .nothingStored)
                == ["session ended", "announce signed out", "refresh ended", "resume [7] with signed out", "unlock"])
    }

    @Test(arguments: [TokenAbsence.setAside, .placeMissing])
    func `a session that was lost is refreshed under the lock and saved again`(absence: TokenAbsence) {
        var bench = Bench.make(storage: .shared)
        let flight = bench.refuse()
        bench.advance(flight, .done, .loaded(nil, nil, absence), .done, .token(bench.held(2, generation: 1)))
        #expect(bench.unsaved == "token 2")
        #expect(bench.write() == ["announce 2", "token installed", "refresh ended", "unlock"])
    }

    @Test(arguments: [Vault.Kind.plain, .shared])
    func `a damaged item that is noticed is replaced by the held token`(storage: Vault.Kind) {
        var bench = Bench.make(storage: storage)
        bench.does { $0.noticed(nil, nil, .setAside, &$1) }
        #expect(bench.unsaved == "token 1")
        // The next notice comes from setting the item aside.
        #expect(bench.does { $0.noticed(nil, nil, .gone, &$1) } == [])
        // A sibling was quicker. It has saved the same token.
        #expect(bench.write(.refused(bench.stored(1, generation: 0))) == [])
        #expect(bench.state.heldVersion == bench.held(1).version && bench.unsaved == nil)
    }

    @Test func `no damage brings back a session that has ended, and a missing place is left to the next refresh`() {
        var bench = Bench.make(storage: .shared)
        bench.does { $0.noticed(nil, nil, .placeMissing, &$1) }
        #expect(bench.unsaved == nil && bench.state.heldVersion != nil)
        bench.does { $0.reset(newSession: other, &$1) }
        bench.write()
        bench.does { $0.noticed(nil, nil, .setAside, &$1) }
        #expect(bench.unsaved == nil)
        var reader = Bench.make(storage: .readOnly)
        reader.does { $0.noticed(nil, nil, .setAside, &$1) }
        #expect(reader.unsaved == nil && reader.state.heldVersion != nil)
    }

    @Test func `a refresh saves the held token in place of a damaged item, before it brings another`() {
        var bench = Bench.make(storage: .shared)
        let flight = bench.refuse()
        bench.advance(flight, .done, .loaded(nil, nil, .setAside))
        #expect(bench.unsaved == "token 1")
        // The intent stays: the answer is not known yet.
        #expect(bench.state.vault.begin()?.ends == nil)
    }

    @Test func `a session that was never stored does not count as removed`() {
        var bench = Bench.make(holding: nil, storage: .shared)
        bench.holds(1, isStored: false)
        let flight = bench.refuse()
        bench.advance(flight, .done, .nothingStored, .done, .token(bench.held(2, generation: 1)))
        #expect(bench.unsaved == "token 2 for nothing")
    }

    @Test func `a session that is removed before its token is saved is over, and the token is revoked`() {
        var bench = Bench.make(storage: .shared)
        let flight = bench.refuse(waiter: 7)
        let item = bench.stored(1, generation: 0)
        bench.advance(flight, .done, .loaded(item, nil), .done, .token(bench.held(2, generation: 1)))
        #expect(
            bench.write(.refused(nil)) == [
                "token discarded", "session ended", "announce signed out", "refresh ended", "discard 2",
                "resume [7] with signed out",
                "unlock, end intent",
            ])
    }

    @Test func `a removed session is over before a verdict is requested`() {
        var bench = Bench.make(storage: .shared)
        let flight = bench.refuse()
        bench.advance(flight, .done, .loaded(bench.stored(1, generation: 0), nil), .done, .failed(.terminal))
        #expect(
            bench.advance(flight, .nothingStored) == [
                "session ended", "announce signed out", "refresh ended", "unlock, end intent",
            ])
    }

    @Test func `the end by the server is announced if the session was removed`() {
        var bench = Bench.make(storage: .shared)
        let flight = bench.refuse()
        let item = bench.stored(1, generation: 0)
        bench.advance(flight, .done, .loaded(item, nil), .done, .failed(.terminal), .loaded(item, nil))
        #expect(
            bench.write(.refused(nil))
                == ["session ended", "announce rejected by the token endpoint", "refresh ended", "unlock, end intent"])
    }

    @Test func `a session that was moved is over, and late tokens are not revoked`() {
        var bench = Bench.make(storage: .shared)
        let flight = bench.refuse()
        let item = bench.stored(1, generation: 0)
        bench.advance(flight, .done, .loaded(item, nil), .done, .token(bench.held(2, generation: 1)))
        let marker = StoredItem(content: .moved(to: "there"), version: item.version, obtainedAt: item.obtainedAt)
        let told = bench.write(.refused(marker))
        #expect(told.contains("announce signed out") && !told.contains("discard 2"))
    }

    // MARK: Siblings

    @Test func `a newer token of the session does not stop the service call, and the call's token is not revoked`() {
        var bench = Bench.make(storage: .plain)
        let flight = bench.refuse(waiter: 7)
        #expect(
            bench.notice(bench.stored(2, generation: 1), nil)
                == ["token adopted", "announce 2", "token installed", "resume [7] with 2"])
        #expect(
            bench.advance(flight, .token(bench.held(3, generation: 1))) == ["token discarded", "refresh ended"])
    }

    @Test func `a token that is being written is not replaced by the stored one`() {
        var bench = Bench.make(storage: .plain)
        let flight = bench.refuse()
        bench.advance(flight, .token(bench.held(2, generation: 1)))
        let item = bench.stored(5, session: other, generation: 0)
        #expect(bench.does { $0.noticed(item, nil, .gone, &$1) } == [])
    }

    @Test func `a read from before a write is outdated after it`() {
        var bench = Bench.make(storage: .plain)
        bench.setToken(2, session: other)
        let basis = bench.state.basis
        bench.write()
        #expect(bench.state.basis != basis)
        bench.does { $0.reset(newSession: ExploredWorld.session(8), &$1) }
        let second = bench.state.basis
        bench.write(.refused(bench.stored(3, session: ExploredWorld.session(3), generation: 0)))
        #expect(bench.state.basis != second)
    }

    @Test func `an adopted token whose answer was lost is given to no waiter`() {
        var bench = Bench.make(storage: .shared)
        bench.refuse(waiter: 7)
        bench.advance(bench.state.flight?.id, .failed(.transient))
        bench.pass(90)
        bench.wait(8)
        let intent = RefreshIntent(session: Bench.session, generation: 1, beganAt: bench.now.date)
        #expect(
            bench.notice(bench.stored(2, generation: 1), intent)
                == ["token adopted", "announce 2", "token installed"])
    }

    // MARK: By hand

    @Test func `cancelling a sign-in whose token is being saved comes too late`() {
        var bench = Bench.make(storage: .plain)
        let manual = bench.beginManual(isAwaited: true)
        bench.bring(2, by: manual)
        #expect(bench.does { $0.cancelSignIn(manual, &$1) } == [])
        #expect(bench.write() == ["announce 2", "token installed", "answer 2"])
    }

    @Test func `a sign-in whose answer was lost ends, and goes on with what a sibling has made of it`() {
        var bench = Bench.make(storage: .shared)
        let manual = bench.beginManual(isAwaited: true)
        bench.wait(7)
        bench.bring(2, by: manual)
        let newer = bench.stored(3, session: ExploredWorld.session(2), generation: 1)
        #expect(
            bench.write(.refused(newer)) == [
                "announce 2", "token installed", "token adopted", "announce 3", "token installed", "answer 2",
                "resume [7] with 3",
            ])
    }

    @Test func `a sign-in after a sign-out ends if its answer was lost`() {
        var bench = Bench.make(storage: .shared)
        bench.does { $0.reset(newSession: other, &$1) }
        bench.write()
        let manual = bench.beginManual(isAwaited: true)
        bench.bring(2, by: manual)
        let newer = bench.stored(3, session: ExploredWorld.session(2), generation: 1)
        #expect(bench.write(.refused(newer)).contains("answer 2"))
        #expect(bench.answer() == "token 3")
    }

    @Test func `a sign-in whose answer was lost ends, and a sibling's sign-out after it counts`() {
        var bench = Bench.make(storage: .shared)
        let manual = bench.beginManual(isAwaited: true)
        bench.wait(7)
        bench.bring(2, by: manual)
        let end = bench.tombstone(session: ExploredWorld.session(2), generation: 1)
        let told = bench.write(.refused(end))
        #expect(told.contains("answer 2") && told.contains("resume [7] with signed out"), "\(told)")
        #expect(bench.answer() == "signed out")
    }

    @Test func `a sign-in whose answer was lost is not saved again once a sibling has signed out of it`() {
        var bench = Bench.make(storage: .shared)
        bench.bring(2, by: bench.beginManual(isAwaited: true))
        #expect(bench.write(.failed(ExploredFailure())).contains("answer 2"))
        bench.notice(bench.tombstone(session: ExploredWorld.session(2), generation: 1))
        #expect(bench.unsaved == nil && bench.answer() == "signed out")
    }

    @Test func `a sign-out whose answer was lost is not stored again over a sibling's sign-in`() {
        var bench = Bench.make(holding: nil, storage: .shared)
        bench.state.holding = .unknown
        bench.does { $0.reset(newSession: other, &$1) }
        bench.write(.failed(ExploredFailure()))
        // Neither the token that was signed out of nor another sign-out shows it.
        bench.notice(bench.stored(1, generation: 0))
        bench.notice(bench.tombstone(generation: 1))
        #expect(bench.unsaved == "tombstone 0 for anything")
        bench.notice(bench.tombstone(generation: 0))
        bench.pass(1)
        let sibling = bench.stored(3, session: ExploredWorld.session(3), generation: 0)
        #expect(bench.write(.refused(sibling)).contains("announce 3"))
    }

    @Test func `a sign-out that the store shows is stored again in its own place, because it may not be durable`() {
        var bench = Bench.make(holding: nil, storage: .shared)
        bench.state.holding = .unknown
        bench.does { $0.reset(newSession: other, &$1) }
        bench.write(.failed(ExploredFailure()))
        bench.notice(bench.tombstone(generation: 0))
        #expect(bench.unsaved == "tombstone 0" && bench.replaced == .session(Bench.session))
        #expect(bench.write() == [] && bench.unsaved == nil)
    }

    @Test func `a sign-in that the store shows is saved again, because it may not be durable`() {
        var bench = Bench.make(storage: .shared)
        bench.bring(2, by: bench.beginManual(isAwaited: true))
        bench.write(.failed(ExploredFailure()))
        bench.notice(bench.stored(2, session: ExploredWorld.session(2), generation: 0))
        #expect(bench.unsaved == "token 2")
        bench.notice(bench.stored(3, session: ExploredWorld.session(2), generation: 1))
        #expect(bench.unsaved == nil && bench.answer() == "token 3")
    }

    @Test func `a sign-in that the store shows is not saved again over a sibling's next sign-in`() {
        var bench = Bench.make(storage: .shared)
        let session = ExploredWorld.session(2)
        bench.bring(2, by: bench.beginManual(isAwaited: true))
        bench.write(.failed(ExploredFailure()))
        bench.notice(bench.stored(2, session: session, generation: 0))
        #expect(bench.replaced == .older(session: session, generation: 0))
        let sibling = bench.stored(3, session: ExploredWorld.session(3), generation: 0)
        #expect(bench.write(.refused(sibling)).contains("announce 3"))
        #expect(bench.answer() == "token 3")
    }

    @Test func `a refreshed token stays unsaved although the sign-in before it was stored after all`() {
        var bench = Bench.make(storage: .shared)
        bench.bring(2, by: bench.beginManual(isAwaited: true))
        bench.write(.failed(ExploredFailure()))
        let next = bench.held(3, session: ExploredWorld.session(2), generation: 1)
        bench.does { $0.order($0.vault.successor(next), &$1) }
        bench.write(.failed(ExploredFailure()))
        bench.notice(bench.stored(2, session: ExploredWorld.session(2), generation: 0))
        #expect(bench.unsaved == "token 3")
        // A sibling that holds the first token has signed out.
        bench.notice(bench.tombstone(session: ExploredWorld.session(2), generation: 1))
        #expect(bench.unsaved == nil && bench.answer() == "signed out")
    }

    @Test func `a sign-in that another one has overtaken is discarded`() {
        var bench = Bench.make(storage: .plain)
        let first = bench.beginManual(isAwaited: true)
        bench.bring(2, by: first)
        let second = bench.beginManual()
        #expect(bench.bring(3, by: second) == ["token discarded", "discard 2", "answer CancellationError", "write"])
        #expect(bench.unsaved == "token 3 for anything")
    }

    @Test func `a manual token that must not be sent is discarded`() {
        var bench = Bench.make(storage: .plain)
        let manual = bench.beginManual(isAwaited: true)
        let bad = bench.held(2, session: other, isMalformed: true)
        bench.does { $0.signedIn(manual, bad, &$1) }
        #expect(bench.log == ["token discarded", "discard 2", "answer malformed credential"])
    }

    // MARK: After the end of a session

    @Test(arguments: [Vault.Kind.shared, .readOnly])
    func `requests of a session that is over look for a sign-in once a second`(storage: Vault.Kind) {
        var bench = RefreshStateBench.make(storage: storage)
        bench.does { $0.reset(newSession: ExploredWorld.session(2), &$1) }
        bench.write()
        for _ in 0..<2 {
            bench.log = []
            for _ in 0..<10 { #expect(bench.answer() == "signed out") }
            #expect(bench.log == ["look"])
            bench.pass(1)
        }
    }

    @Test(arguments: [Vault.Kind.none, .plain])
    func `no other process signs in to a store of one's own`(storage: Vault.Kind) {
        var bench = RefreshStateBench.make(storage: storage)
        bench.does { $0.reset(newSession: ExploredWorld.session(2), &$1) }
        bench.write()
        bench.log = []
        #expect(bench.answer() == "signed out" && bench.log.isEmpty)
    }

    @Test func `a read-only store brings back no session that was signed out here`() {
        var bench = RefreshStateBench.make(storage: .readOnly)
        bench.does { $0.reset(newSession: ExploredWorld.session(2), &$1) }
        #expect(bench.notice(bench.stored(2, generation: 1)) == [])
        #expect(bench.notice(bench.stored(3, session: ExploredWorld.session(3), generation: 0)).contains("announce 3"))
    }

    @Test(arguments: [false, true])
    func `a read-only store that was not read before a sign-out does not bring that session back`(isRevoked: Bool) {
        var bench = Bench.make(holding: nil, storage: .readOnly)
        bench.state.holding = .unknown
        let old = bench.stored(1, generation: 0)
        bench.pass(1)
        if isRevoked {
            #expect(bench.gives { $0.reset(after: old.version, newSession: other, &$1) })
        } else {
            bench.does { $0.reset(newSession: other, &$1) }
            // A damaged item is saved again.
            #expect(bench.does { $0.noticed(nil, nil, .setAside, &$1) } == [])
            #expect(bench.notice(old) == [])
        }
        #expect(bench.log.contains("look"))
        bench.pass(1)
        #expect(bench.notice(bench.stored(2, generation: 1)) == [])
        bench.log = []
        #expect(bench.answer() == "signed out" && bench.log == ["look"])
        #expect(bench.notice(bench.stored(3, session: ExploredWorld.session(3), generation: 0)).contains("announce 3"))
    }

    @Test(arguments: [nil, TokenAbsence.gone])
    func `after a sign-out before the first read of a read-only store a sibling's sign-in counts`(
        empty: TokenAbsence?
    ) {
        var bench = Bench.make(holding: nil, storage: .readOnly)
        bench.state.holding = .unknown
        // The clock of the sibling may be behind.
        let early = bench.stored(3, session: ExploredWorld.session(3), generation: 0)
        bench.pass(1)
        bench.does { $0.reset(newSession: other, &$1) }
        if let empty { bench.does { $0.noticed(nil, nil, empty, &$1) } }
        let item = empty == nil ? bench.stored(3, session: ExploredWorld.session(3), generation: 0) : early
        bench.log = []
        #expect(bench.answer() == "signed out" && bench.log == ["look"])
        #expect(bench.notice(item).contains("announce 3"))
    }

    @Test func `after a sign-out before the first read of a read-only store a token from the future is the old one`() {
        var bench = Bench.make(holding: nil, storage: .readOnly)
        bench.state.holding = .unknown
        let old = bench.stored(1, generation: 0)
        // The clock is set back.
        bench.now.date -= 5
        bench.does { $0.reset(newSession: other, &$1) }
        #expect(bench.notice(old) == [])
        #expect(bench.answer() == "signed out")
    }

    /// What a read-only store held when it was read first; or a sign-in came before that.
    enum FirstRead: CaseIterable { case tombstone, nothing, never }

    @Test(arguments: FirstRead.allCases)
    func `a read-only store of which no session is known is looked at for a sign-in`(firstRead: FirstRead) {
        var bench = Bench.make(holding: nil, storage: .readOnly)
        bench.state.holding = .unknown
        let (old, tombstone) = (bench.stored(1, generation: 0), bench.tombstone(generation: 1))
        bench.pass(1)
        if firstRead == .never {
            bench.setToken(2, session: ExploredWorld.session(2))
        } else {
            bench.wait(7)
            bench.advance(bench.state.flight?.id, .loaded(firstRead == .tombstone ? tombstone : nil, nil))
        }
        if firstRead != .tombstone {
            #expect(bench.gives { $0.reset(after: $0.heldVersion, newSession: other, &$1) })
            #expect(bench.notice(old) == [])
        }
        bench.log = []
        #expect(bench.answer() == "signed out" && bench.log == ["look"])
        #expect(bench.notice(bench.stored(3, session: ExploredWorld.session(3), generation: 0)).contains("announce 3"))
    }

    @Test(arguments: [false, true], [false, true])
    func `a session of a read-only store that was signed out here leaves the sign-in after it alone`(
        wasRead: Bool, isNoticed: Bool
    ) {
        var bench = Bench.make(holding: wasRead ? 1 : nil, storage: .readOnly)
        if !wasRead { bench.state.holding = .unknown }
        let old = bench.stored(1, generation: 0)
        bench.pass(1)
        bench.does { $0.reset(newSession: other, &$1) }
        bench.setToken(2, session: ExploredWorld.session(2))
        if isNoticed {
            #expect(bench.notice(old) == [])
            // Its end is none of the new session.
            #expect(bench.notice(bench.tombstone(generation: 1)) == [])
        } else {
            bench.pass(ExploredToken.lifetime)
            bench.wait(7)
            bench.advance(bench.state.flight?.id, .loaded(old, nil))
        }
        #expect(bench.state.held?.number == 2)
        // Signing out again does not bring it back either.
        bench.does { $0.reset(newSession: ExploredWorld.session(8), &$1) }
        #expect(bench.notice(old) == [])
        #expect(bench.notice(bench.stored(3, session: ExploredWorld.session(3), generation: 0)).contains("announce 3"))
    }

    @Test func `a sibling's sign-in counts if it is later than the sign-out that it overtakes`() {
        var bench = RefreshStateBench.make(storage: .shared)
        bench.does { $0.reset(newSession: ExploredWorld.session(2), &$1) }
        bench.pass(1)
        let other = bench.stored(3, session: ExploredWorld.session(3), generation: 0)
        #expect(bench.write(.refused(other)).contains("announce 3"))
        #expect(bench.answer() == "token 3")
    }

    @Test func `after a shutdown and a sign-out a sibling's later sign-in is announced to nobody`() {
        var bench = RefreshStateBench.make(storage: .shared)
        bench.does { $0.shutDown(&$1) }
        bench.does { $0.reset(newSession: ExploredWorld.session(2), &$1) }
        bench.pass(1)
        #expect(bench.write(.refused(bench.stored(3, session: ExploredWorld.session(3), generation: 0))) == [])
        #expect(bench.state.held == nil && bench.state.isSettled)
    }

    @Test func `a sign-out that overtakes a sibling's sign-in counts until the store is read again`() {
        var bench = RefreshStateBench.make(storage: .shared)
        bench.does { $0.reset(newSession: ExploredWorld.session(2), &$1) }
        let other = bench.stored(3, session: ExploredWorld.session(3), generation: 0)
        bench.write(.refused(other))
        bench.log = []
        #expect(bench.answer() == "signed out" && bench.log == ["look"])
        #expect(bench.notice(other).contains("announce 3"))
    }
}
