// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Dispatch
import Foundation
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorization

@Suite struct ReporterOrderTests {
    /// Records events. While the first one is being reported, it lets a body run.
    private final class Recorder: AuthorizationReporter {
        private let recorded = Lock<[Int?]>([])
        private let duringFirst: @Sendable () -> Void

        init(duringFirst: @escaping @Sendable () -> Void) { self.duringFirst = duringFirst }

        var counts: [Int?] { recorded.withLock { $0 } }

        func note(_ event: AuthorizationEvent) {
            if event.count == 1 { duringFirst() }
            recorded.withLock { $0.append(event.count) }
        }

        func decorated<Token: AuthorizationToken>(
            _ service: any RefreshableTokenService<Token>
        ) -> any RefreshableTokenService<Token> { service }
    }

    @Test func `an event during the report of another one is reported after it, and its thread does not wait`() {
        let auth = RefreshableTokenAuthorization(service: ScriptedTokenService(), token: TestToken("a"))
        let reporter = Recorder {
            let isTold = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                auth.tell(.requestsReleased(2))
                isTold.signal()
            }
            isTold.wait()
        }
        auth.report(to: reporter)
        auth.tell(.requestsReleased(1))
        auth.tell(.requestsReleased(3))
        #expect(reporter.counts == [1, 2, 3])
    }

    /// Changes the provider while the beginning of a refresh is being reported.
    private struct Intruder: AuthorizationReporter {
        let auth: RefreshableTokenAuthorization<TestToken>
        let change: @Sendable (inout RefreshState, inout Turn) -> Void

        func note(_ event: AuthorizationEvent) { if event.kind == .refreshStarted { auth.change(change) } }

        func decorated<Token: AuthorizationToken>(
            _ service: any RefreshableTokenService<Token>
        ) -> any RefreshableTokenService<Token> { service }
    }

    /// By a sign-out, or by the end of the program.
    @Test(.timeLimit(.minutes(5)), arguments: [false, true])
    func `a refresh that was overtaken before its task began calls nobody`(endsProgram: Bool) async throws {
        let clock = ManualClock()
        let service = ScriptedTokenService<TestToken>(clock: clock)
        service.append(.token("new"))
        let store = InMemoryTokenStore<TestToken>(.make("old", lasts: 10))
        let auth = RefreshableTokenAuthorization(service: service, store: store, clock: clock)
        #expect(try await auth.validToken().name == "old")
        clock.advance(by: .seconds(11))
        auth.report(
            to: Intruder(auth: auth) { state, turn in
                guard endsProgram else { return state.reset(newSession: UUID(), &turn) }
                state.shutDown(&turn)
                state.giveUpWriting(&turn)
            })
        await #expect(throws: NotAuthorized.self) { try await auth.validToken() }
        try await auth.settle(within: .seconds(60))
        #expect(service.calls == 0)
    }
}
