// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationTesting
import TestProviders
import Testing

@testable import RequestAuthorization

/// One refresh at a time, through every entry point; the waiters are held in order.
@Suite struct SingleFlightTests {
    @Test func `a cold start with five callers fetches one token`() async throws {
        let bench = Bench.make(holding: nil, .held)
        let requests = await bench.hold(5)
        #expect(try await bench.service.nextCall().succeed(TestToken("first")))
        for request in requests { #expect(try await request.value == "first") }
        #expect(bench.service.calls == 1)
        #expect(bench.service.history.map(\.input) == [nil])
    }

    @Test func `an expiry, a 401, a retry by hand and new requests lead to one refresh`() async throws {
        let bench = Bench.make(.held)
        bench.clock.advance(by: .seconds(100))
        let requests = await bench.hold(2)
        try await bench.auth.setNeedsRefreshAfterUnauthorizedResponse(for: bench.sent(with: "old"))
        await bench.auth.retryNow()
        let later = await bench.hold(2)
        #expect(try await bench.service.nextCall().succeed(TestToken("new")))
        for request in requests + later { #expect(try await request.value == "new") }
        #expect(bench.service.calls == 1)
    }

    @Test func `no request goes out with a token that has expired`() async throws {
        let bench = Bench.make(.token("new"))
        #expect(try await TokenBearer().authorized(using: bench.auth).header == "Bearer old")
        bench.clock.advance(by: .seconds(100))
        #expect(try bench.auth.credentialAtHand(for: TokenBearer()) == nil)
        #expect(try await TokenBearer().authorized(using: bench.auth).header == "Bearer new")
        #expect(try bench.auth.credentialAtHand(for: TokenBearer())?.fields.map(\.value) == ["Bearer new"])
    }

    @Test func `a request that comes during a refresh after a 401 is held`() async throws {
        let bench = Bench.make(.held)
        #expect(try await bench.name() == "old")
        try await bench.auth.setNeedsRefreshAfterUnauthorizedResponse(for: bench.sent(with: "old"))
        let request = await bench.hold(1)[0]
        #expect(try await bench.service.nextCall().succeed(TestToken("new")))
        #expect(try await request.value == "new")
    }

    @Test func `a cancelled request leaves at once, and the refresh goes on`() async throws {
        let bench = Bench.make(holding: nil, .held)
        let requests = await bench.hold(2)
        requests[0].cancel()
        await #expect(throws: CancellationError.self) { try await requests[0].value }
        #expect(try await bench.service.nextCall().succeed(TestToken("first")))
        #expect(try await requests[1].value == "first")
        #expect(bench.service.calls == 1)
    }

    @Test func `the refresh goes on when the last waiter has left`() async throws {
        let bench = Bench.make(holding: nil, .held)
        let request = await bench.hold(1)[0]
        request.cancel()
        await #expect(throws: CancellationError.self) { try await request.value }
        let call = try await bench.service.nextCall()
        #expect(!call.isCancelled)
        let event = await bench.event(.tokenInstalled) { call.succeed(TestToken("first")) }
        #expect(event != nil)
        #expect(try await bench.name() == "first")
        #expect(bench.service.calls == 1)
    }

    @Test func `a request that is cancelled before it waits throws and is not held`() async throws {
        let bench = Bench.make(holding: nil, .held)
        let first = await bench.hold(1)[0]
        let request = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await bench.name()
        }
        await #expect(throws: CancellationError.self) { try await request.value }
        #expect(bench.held.count == 1)
        #expect(try await bench.service.nextCall().succeed(TestToken("first")))
        #expect(try await first.value == "first")
    }
}
