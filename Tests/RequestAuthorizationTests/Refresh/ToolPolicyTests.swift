// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationTesting
import TestProviders
import Testing

@testable import RequestAuthorization

/// Programs that end: no refresh begins in the background.
@Suite(.timeLimit(.minutes(5))) struct ToolPolicyTests {
    private let due = Duration.seconds(92)

    @Test func `ahead of expiry a request waits for the refresh`() async throws {
        let bench = Bench.make(policy: .tool, .held)
        bench.clock.advance(by: due - .milliseconds(1))
        #expect(try await bench.name() == "old")
        bench.clock.advance(by: .milliseconds(1))
        let requests = await bench.hold(2)
        try await bench.service.nextCall().succeed(TestToken("new"))
        for request in requests { #expect(try await request.value == "new") }
        #expect(bench.service.calls == 1)
    }

    @Test func `after 5 s a request goes on with the valid token, and so does the refresh`() async throws {
        let bench = Bench.make(holding: .seconds(1_000), policy: .tool, .held)
        bench.clock.advance(by: .seconds(980))
        let request = await bench.hold(1)[0]
        let call = try await bench.service.nextCall()
        await bench.clock.sleeper(for: .seconds(5))
        bench.clock.advance(by: .seconds(5))
        #expect(try await request.value == "old")
        #expect(try await bench.name() == "old")
        _ = await bench.event(.tokenInstalled) { call.succeed(TestToken("new")) }
        #expect(try await bench.name() == "new")
        #expect(bench.service.calls == 1)
    }

    @Test func `in the last seconds of a token a request waits for half of what is left`() async throws {
        let bench = Bench.make(policy: .tool, .held)
        bench.clock.advance(by: .seconds(98))
        let request = await bench.hold(1)[0]
        await bench.clock.sleeper(for: .seconds(1))
        bench.clock.advance(by: .seconds(1))
        #expect(try await request.value == "old")
    }

    @Test(arguments: [true, false])
    func `retrying by hand begins no refresh that no caller waits for`(isTool: Bool) async throws {
        let bench = Bench.make(policy: isTool ? .tool.impatient : .impatient, .failure(Offline()), .token("new"))
        if !isTool { bench.auth.stopBackgroundRefresh() }
        bench.clock.advance(by: .seconds(101))
        await #expect(throws: RefreshFailed.self) { try await bench.name() }
        await bench.auth.retryNow()
        try await bench.auth.settle(within: .seconds(60))
        #expect(bench.service.calls == 1)
        #expect(try await bench.name() == "new")
    }

    @Test func `if the refresh fails a request goes on with the valid token`() async throws {
        let bench = Bench.make(policy: .tool, .failure(Offline()), .token("new"))
        bench.clock.advance(by: due)
        let event = try await bench.event(.refreshFailed) {
            let name = try await bench.name()
            #expect(name == "old")
        }
        #expect(event?.error is Offline)
        #expect(try await bench.name() == "old")
        #expect(bench.service.calls == 1)
        bench.clock.advance(by: .seconds(1))
        bench.timerFires()
        #expect(try await bench.name() == "new")
    }

    @Test func `a 401 begins no refresh without a waiter`() async throws {
        let bench = Bench.make(policy: .tool, .token("new"))
        try await bench.auth.setNeedsRefreshAfterUnauthorizedResponse(for: bench.sent(with: "old"))
        #expect(bench.auth.core.read { $0.flight == nil })
        #expect(try await bench.name() == "new")
    }

    @Test func `once background refreshes are stopped, only waiting callers cause one`() async throws {
        let bench = Bench.make(.held)
        bench.auth.stopBackgroundRefresh()
        bench.clock.advance(by: due)
        #expect(try await bench.name() == "old")
        #expect(bench.auth.core.read { $0.flight == nil })
        bench.clock.advance(by: .seconds(8))
        let request = await bench.hold(1)[0]
        try await bench.service.nextCall().succeed(TestToken("new"))
        #expect(try await request.value == "new")
    }
}

extension Bench {
    /// Does at once what the provider's timer does: once a slot is open, requests may begin a refresh again.
    func timerFires() { auth.perform(auth.core.timePassed(auth.clock.uptime, auth.inputs)) }
}
