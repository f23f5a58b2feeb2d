// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import Testing

@testable import RequestAuthorization

/// The states in which a provider must stay.
@Suite struct DispensableTests {
    typealias Bench = RefreshStateBench

    private func isDispensable(
        _ storage: Vault.Kind = .plain, holding token: Int? = 1, isStored: Bool = true, after seconds: Double = 0,
        _ change: (inout Bench) -> Void = { _ in }
    ) -> Bool {
        var bench = Bench.make(holding: nil, storage: storage)
        if let token { bench.holds(token, isStored: isStored) }
        change(&bench)
        bench.pass(seconds)
        return bench.state.isDispensable(at: bench.now)
    }

    @Test func `a provider with a stored session, or without one, may go`() {
        for storage in [Vault.Kind.plain, .shared, .readOnly] {
            #expect(isDispensable(storage))
            #expect(isDispensable(storage, holding: nil))
            #expect(isDispensable(storage) { $0.state.holding = .unknown })
        }
    }

    @Test func `a provider with work under way stays`() {
        #expect(!isDispensable { $0.refuse() })
        #expect(!isDispensable { _ = $0.beginManual() })
        #expect(!isDispensable { $0.state.leftovers.beginRevocation() })
        #expect(!isDispensable(.shared) { $0.state.vault.take(for: RefreshID()) })
        #expect(
            !isDispensable {
                let flight = $0.refuse()
                $0.advance(flight, .token($0.held(2, generation: 1)))
            })
    }

    @Test func `a provider with unsaved changes stays, until saving has been given up`() {
        let sets = { (bench: inout Bench) in bench.setToken(2, session: ExploredWorld.session(2)) }
        #expect(!isDispensable { sets(&$0) })
        #expect(!isDispensable { $0.does { $0.reset(newSession: ExploredWorld.session(2), &$1) } })
        #expect(
            isDispensable { bench in
                sets(&bench)
                bench.does { $0.giveUpWriting(&$1) }
            })
    }

    @Test func `a session in memory alone stays, unless the service began it`() {
        #expect(!isDispensable(.none, isStored: false))
        #expect(!isDispensable(.readOnly, isStored: false))
        #expect(isDispensable(.none, isStored: false) { $0.does { $0.giveUpWriting(&$1) } })
        #expect(
            isDispensable(.none, holding: nil) { bench in
                bench.wait(7)
                bench.advance(bench.state.flight?.id, .token(bench.held(1, isFetched: true)))
            })
    }

    @Test func `a session that has ended may go, unless a store still holds it`() {
        let end = { (bench: inout Bench) in bench.state.holding = .ended(Ending(error: NotAuthorized(.signedOut))) }
        for storage in [Vault.Kind.none, .plain, .shared] { #expect(isDispensable(storage) { end(&$0) }) }
        #expect(!isDispensable(.readOnly) { end(&$0) })
    }

    @Test func `a provider stays while the server has asked it to wait`() {
        let fail = { (bench: inout Bench) in
            let flight = bench.refuse()
            bench.advance(flight, .failed(.transient, retryAfter: .seconds(200)))
        }
        #expect(!isDispensable(after: 199) { fail(&$0) })
        #expect(isDispensable(after: 201) { fail(&$0) })
    }

    @Test func `refusals of young tokens are kept within the window`() {
        let refuse = { (bench: inout Bench) in
            _ = bench.state.pace.admits(at: bench.now, policy: bench.state.policy.storm)
        }
        let window = RefreshPolicy.explored.storm.window / .seconds(1)
        #expect(!isDispensable(after: window - 1) { refuse(&$0) })
        #expect(isDispensable(after: window) { refuse(&$0) })
    }
}
