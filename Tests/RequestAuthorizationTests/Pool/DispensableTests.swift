// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import Testing

@testable import RequestAuthorization

/// The states in which a provider must stay.
@Suite struct DispensableTests {
    typealias State = RefreshState

    private func isDispensable(
        _ storage: State.Storage = .plain, holding token: Int? = 1, after seconds: Double = 0,
        _ change: (inout State, RefreshStateBench) -> Void = { _, _ in }
    ) -> Bool {
        var bench = RefreshStateBench.make(holding: token, storage: storage)
        change(&bench.state, bench)
        bench.pass(seconds)
        return bench.state.isDispensable(at: bench.now)
    }

    private func flight(_ bench: RefreshStateBench) -> State.Flight {
        State.Flight(
            id: RefreshID(provider: 0, number: 1), cause: .expiry, beganAt: bench.now.uptime,
            session: RefreshStateBench.session, step: .initial)
    }

    private func unsaved(_ bench: RefreshStateBench) -> State.Desired {
        State.Desired(content: .save(bench.held(2), replacing: .anything), number: 1)
    }

    @Test func `a provider with a stored session, or without one, may go`() {
        for storage in [State.Storage.plain, .shared, .readOnly] {
            #expect(isDispensable(storage))
            #expect(isDispensable(storage, holding: nil))
            #expect(isDispensable(storage) { state, _ in state.credential = .unknown })
        }
    }

    @Test func `a provider with work under way stays`() {
        #expect(!isDispensable { $0.flight = flight($1) })
        #expect(!isDispensable { $0.stray = flight($1) })
        #expect(
            !isDispensable { state, bench in
                let id = RefreshID(provider: 0, number: 1)
                state.manuals = [State.Manual(id: id, beganAt: bench.now.uptime, isAwaited: true)]
            })
        #expect(!isDispensable { state, _ in state.discards = [1] })
        #expect(!isDispensable { state, _ in _ = state.settle() })
        #expect(
            !isDispensable { state, _ in
                state.access = State.Access(owner: .init(provider: 0, number: 1), user: .init(provider: 0, number: 1))
            })
        #expect(!isDispensable { $0.pending = State.Pending(news: .refreshed($1.held(2)), number: 1) })
    }

    @Test func `a provider with unsaved changes stays, until saving has been given up`() {
        #expect(!isDispensable { $0.desired = unsaved($1) })
        #expect(!isDispensable { state, _ in state.desired = State.Desired(content: .clear, number: 1) })
        #expect(
            isDispensable { state, bench in
                state.desired = unsaved(bench)
                state.isClosed = true
            })
    }

    @Test func `a session in memory alone stays, unless the service began it`() {
        #expect(!isDispensable(.none) { state, _ in state.storedSession = nil })
        #expect(!isDispensable(.readOnly) { state, _ in state.storedSession = nil })
        #expect(
            isDispensable(.none) { state, _ in
                (state.storedSession, state.fetchedSession) = (nil, RefreshStateBench.session)
            })
        #expect(
            isDispensable(.none) { state, _ in
                (state.storedSession, state.isClosed) = (nil, true)
            })
    }

    @Test func `a session that has ended may go, unless a store still holds it`() {
        let end = { (state: inout State, _: RefreshStateBench) in
            state.credential = .ended(State.Ending(error: NotAuthorized(.signedOut)))
        }
        for storage in [State.Storage.none, .plain, .shared] { #expect(isDispensable(storage, end)) }
        #expect(!isDispensable(.readOnly, end))
    }

    @Test func `a provider stays while the server has asked it to wait`() {
        let fail = { (state: inout State, bench: RefreshStateBench) in
            state.backOff.fail(retryAfter: .seconds(60), at: bench.now, policy: state.policy.backOff, random: 0)
        }
        #expect(!isDispensable(after: 59, fail))
        #expect(isDispensable(after: 61, fail))
    }

    @Test func `refusals of young tokens are kept within the window`() {
        let refuse = { (state: inout State, bench: RefreshStateBench) in
            _ = state.storm.admits(at: bench.now.uptime, policy: state.policy.storm)
        }
        let window = RefreshPolicy.explored.storm.window / .seconds(1)
        #expect(!isDispensable(after: window - 1, refuse))
        #expect(isDispensable(after: window, refuse))
    }
}
