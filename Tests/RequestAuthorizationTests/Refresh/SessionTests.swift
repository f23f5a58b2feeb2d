// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization
import RequestAuthorizationTesting
import Testing

/// A refresh is tied to its session: signing out and switching accounts win over late answers.
@Suite struct SessionTests {
    @Test func `reset fails all waiters, and a late answer is dropped and discarded`() async throws {
        let bench = Bench.make(.heldIgnoringCancellation)
        bench.clock.advance(by: .seconds(100))
        let requests = await bench.hold(3)
        let call = try await bench.service.nextCall()
        await bench.auth.reset()
        for request in requests {
            let error = await #expect(throws: NotAuthorized.self) { try await request.value }
            #expect(error?.reason == .signedOut)
        }
        _ = await bench.event(.tokenDiscarded) { call.succeed(TestToken("late")) }
        await #expect(throws: NotAuthorized.self) { try await bench.name() }
        #expect(bench.service.calls == 1)
    }

    @Test func `after reset the service is not asked for a first token`() async throws {
        let bench = Bench.make(holding: nil, .token("first"))
        #expect(try await bench.name() == "first")
        await bench.auth.reset()
        let error = await #expect(throws: NotAuthorized.self) { try await bench.name() }
        #expect(error?.reason == .signedOut)
        #expect(bench.service.calls == 1)
    }

    @Test func `setToken serves all waiters, and a late answer does not replace it`() async throws {
        let bench = Bench.make(.heldIgnoringCancellation)
        bench.clock.advance(by: .seconds(100))
        let requests = await bench.hold(3)
        let call = try await bench.service.nextCall()
        try await bench.auth.setToken(TestToken("other"))
        for request in requests { #expect(try await request.value == "other") }
        _ = await bench.event(.tokenDiscarded) { call.succeed(TestToken("late")) }
        #expect(try await bench.name() == "other")
    }

    @Test func `setToken refuses a token that must not be sent and changes nothing`() async throws {
        let bench = Bench.make()
        let error = await #expect(throws: NotAuthorized.self) { try await bench.auth.setToken(TestToken("a\nb")) }
        #expect(error?.reason == .malformedCredential)
        #expect(try await bench.name() == "old")
    }

    @Test func `a sign-in holds requests, and they go on with its token`() async throws {
        let bench = Bench.make()
        let gate = OneShot<TestToken>()
        let signIn = Task { try await bench.auth.signIn { try await gate.value() } }
        await bench.clock.sleepers(1)
        let requests = await bench.hold(3)
        gate.fulfill(with: .success(TestToken("signed-in")))
        for request in requests { #expect(try await request.value == "signed-in") }
        try await signIn.value
    }

    @Test func `a sign-in after reset begins a new session`() async throws {
        let bench = Bench.make()
        await bench.auth.reset()
        try await bench.auth.signIn { TestToken("signed-in") }
        #expect(try await bench.name() == "signed-in")
    }

    @Test func `a sign-in that fails leaves a valid token unchanged`() async throws {
        let bench = Bench.make()
        await #expect(throws: Offline.self) { try await bench.auth.signIn { throw Offline() } }
        #expect(try await bench.name() == "old")
        let event = await bench.event(.refreshFailed) { await bench.auth.refresh { throw Offline() } }
        #expect(event?.error is Offline)
        #expect(try await bench.name() == "old")
    }

    @Test func `a sign-in that is cancelled returns at once and changes nothing`() async throws {
        let bench = Bench.make()
        let gate = OneShot<TestToken>()
        let signIn = Task { try await bench.auth.signIn { try await gate.valueIgnoringCancellation() } }
        await bench.clock.sleepers(1)
        let request = await bench.hold(1)[0]
        signIn.cancel()
        await #expect(throws: CancellationError.self) { try await signIn.value }
        #expect(try await request.value == "old")
        _ = await bench.event(.tokenDiscarded) { gate.fulfill(with: .success(TestToken("late"))) }
        #expect(try await bench.name() == "old")
    }

    @Test func `a refresh beside a sign-in that fails still counts`() async throws {
        let bench = Bench.make(.held)
        bench.clock.advance(by: .seconds(100))
        let request = await bench.hold(1)[0]
        let call = try await bench.service.nextCall()
        let gate = OneShot<TestToken>()
        let hasBegun = OneShot<Void>()
        let signIn = Task {
            try await bench.auth.signIn {
                hasBegun.fulfill()
                _ = try await gate.value()
                throw Offline()
            }
        }
        try await hasBegun.value()
        _ = await bench.event(.tokenInstalled) { call.succeed(TestToken("rotated")) }
        gate.fulfill(with: .success(TestToken("any")))
        await #expect(throws: Offline.self) { try await signIn.value }
        #expect(try await request.value == "rotated")
        #expect(bench.service.calls == 1)
    }

    @Test func `after a failed sign-in its waiters get a refresh if one is needed`() async throws {
        let bench = Bench.make(.token("new"))
        bench.clock.advance(by: .seconds(100))
        let gate = OneShot<TestToken>()
        let signIn = Task {
            try await bench.auth.signIn {
                _ = try await gate.value()
                throw Offline()
            }
        }
        await bench.clock.sleepers(1)
        let request = await bench.hold(1)[0]
        #expect(bench.service.calls == 0)
        gate.fulfill(with: .success(TestToken("any")))
        await #expect(throws: Offline.self) { try await signIn.value }
        #expect(try await request.value == "new")
    }

    @Test func `of two sign-ins the one that began last wins`() async throws {
        let bench = Bench.make()
        let (gateA, gateB) = (OneShot<TestToken>(), OneShot<TestToken>())
        let (hasBegunA, hasBegunB) = (OneShot<Void>(), OneShot<Void>())
        let a = Task {
            try await bench.auth.signIn {
                hasBegunA.fulfill()
                return try await gateA.valueIgnoringCancellation()
            }
        }
        try await hasBegunA.value()
        let b = Task {
            try await bench.auth.signIn {
                hasBegunB.fulfill()
                return try await gateB.value()
            }
        }
        try await hasBegunB.value()
        gateB.fulfill(with: .success(TestToken("b")))
        try await b.value
        await #expect(throws: CancellationError.self) { try await a.value }
        _ = await bench.event(.tokenDiscarded) { gateA.fulfill(with: .success(TestToken("a"))) }
        #expect(try await bench.name() == "b")
    }

    @Test func `a sign-in with a token that must not be sent fails and changes nothing`() async throws {
        let bench = Bench.make()
        let error = await #expect(throws: NotAuthorized.self) { try await bench.auth.signIn { TestToken("a\u{0}b") } }
        #expect(error?.reason == .malformedCredential)
        #expect(try await bench.name() == "old")
    }
}
