// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization
import RequestAuthorizationTesting
import Testing

/// A 401 is reported with its token.
@Suite struct UnauthorizedTests {
    @Test func `a 401 for an old token refreshes nothing`() async throws {
        let bench = Bench.make(.token("new"))
        try await bench.auth.setNeedsRefreshAfterUnauthorizedResponse(for: bench.sent(with: "old"))
        #expect(try await bench.name() == "new")
        for _ in 0..<5 { try await bench.auth.setNeedsRefreshAfterUnauthorizedResponse(for: bench.sent(with: "old")) }
        #expect(try await bench.name() == "new")
        #expect(bench.service.calls == 1)
    }

    @Test func `fifty 401s for one token make one refresh`() async throws {
        let bench = Bench.make(.held)
        try await withThrowingTaskGroup { group in
            for _ in 0..<50 {
                group.addTask {
                    try await bench.auth.setNeedsRefreshAfterUnauthorizedResponse(for: bench.sent(with: "old"))
                }
            }
            try await group.waitForAll()
        }
        let requests = await bench.hold(2)
        #expect(try await bench.service.nextCall().succeed(TestToken("new")))
        for request in requests { #expect(try await request.value == "new") }
        #expect(bench.service.calls == 1)
    }

    @Test func `a 401 during a background refresh joins it, and holds later requests`() async throws {
        let bench = Bench.make(.held)
        bench.clock.advance(by: .seconds(95))
        #expect(try await bench.name() == "old")
        let call = try await bench.service.nextCall()
        try await bench.auth.setNeedsRefreshAfterUnauthorizedResponse(for: bench.sent(with: "old"))
        let request = await bench.hold(1)[0]
        call.succeed(TestToken("new"))
        #expect(try await request.value == "new")
        #expect(bench.service.calls == 1)
    }

    @Test func `a 401 and a refresh that fails throw the refresh's error, and the token is not used again`()
        async throws
    {
        let bench = Bench.make(.failure(Offline()), .token("new"))
        try await bench.auth.setNeedsRefreshAfterUnauthorizedResponse(for: bench.sent(with: "old"))
        let error = await #expect(throws: RefreshFailed.self) { try await bench.name() }
        #expect(error?.underlying is Offline)
        bench.clock.advance(by: .seconds(1))
        #expect(try await bench.name() == "new")
    }

    @Test func `refused young tokens end in an error instead of a storm`() async throws {
        let bench = Bench.make(holding: nil)
        for number in 0..<7 { bench.service.append(.token("t\(number)", lasts: .seconds(1000))) }
        for number in 0..<5 {
            let name = try await bench.name()
            #expect(name == "t\(number)")
            try await bench.auth.setNeedsRefreshAfterUnauthorizedResponse(for: bench.sent(with: name))
        }
        #expect(try await bench.name() == "t5")
        let error = await #expect(throws: NotAuthorized.self) {
            try await bench.auth.setNeedsRefreshAfterUnauthorizedResponse(for: bench.sent(with: "t5"))
        }
        #expect(error?.reason == .refreshedTooOften)
        #expect(error?.needsSignIn == false)
        #expect(bench.service.calls == 6)
        bench.clock.advance(by: .seconds(30))
        try await bench.auth.setNeedsRefreshAfterUnauthorizedResponse(for: bench.sent(with: "t5"))
        #expect(try await bench.name() == "t6")
    }

    @Test func `refusals of old tokens are no storm`() async throws {
        let bench = Bench.make(holding: nil)
        for number in 0..<8 { bench.service.append(.token("t\(number)", lasts: .seconds(20))) }
        for number in 0..<8 {
            let name = try await bench.name()
            #expect(name == "t\(number)")
            bench.clock.advance(by: .seconds(3))
            if number < 7 { try await bench.auth.setNeedsRefreshAfterUnauthorizedResponse(for: bench.sent(with: name)) }
        }
        #expect(bench.service.calls == 8)
    }

    @Test(arguments: [401, 403], ["insufficient_scope", "insufficient_user_authentication"])
    func `a 401 that a refresh cannot help causes none`(status: Int, error: String) async throws {
        let bench = Bench.make()
        let response = try #require(
            FakeResponse(statusCode: status, fields: ["www-authenticate": ["Bearer error=\"\(error)\""]]).unauthorized)
        let thrown = await #expect(throws: NotAuthorized.self) {
            try await bench.auth.setNeedsRefreshAfterUnauthorizedResponse(response, for: bench.sent(with: "old"))
        }
        #expect(thrown?.reason == .needsInteraction)
        #expect(thrown?.challenge?.error == error)
        #expect(try await bench.name() == "old")
        #expect(bench.service.calls == 0)
    }

    @Test func `a 401 after the session has ended throws why it ended`() async throws {
        let bench = Bench.make()
        await bench.auth.reset()
        let error = await #expect(throws: NotAuthorized.self) {
            try await bench.auth.setNeedsRefreshAfterUnauthorizedResponse(for: bench.sent(with: "old"))
        }
        #expect(error?.reason == .signedOut)
    }
}
