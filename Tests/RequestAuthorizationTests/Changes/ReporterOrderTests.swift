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
}
