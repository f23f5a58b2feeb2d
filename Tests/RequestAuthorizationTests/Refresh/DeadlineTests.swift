// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization
import RequestAuthorizationTesting
import Testing

/// A service that hangs releases all waiters by the deadline, and its late answers are not lost.
@Suite struct DeadlineTests {
    @Test func `a hung service releases all waiters at the deadline and is cancelled`() async throws {
        let bench = Bench.make(holding: nil, .held)
        let requests = await bench.hold(100)
        let call = try await bench.service.nextCall()
        await bench.clock.sleepers(1)
        #expect(bench.clock.sleeping == [.seconds(30)])
        bench.clock.advance(by: .seconds(30))
        for request in requests {
            let error = await #expect(throws: RefreshFailed.self) { try await request.value }
            #expect(error?.underlying is DeadlineExceeded && error?.delivery == .mayHaveBeenProcessed)
        }
        await call.cancellation()
        #expect(bench.service.calls == 1)
    }

    @Test func `a hung call that a sign-out has overtaken is cancelled in the end, too`() async throws {
        let bench = Bench.make(holding: nil, .held)
        let request = await bench.hold(1)[0]
        let call = try await bench.service.nextCall()
        await bench.auth.reset()
        await #expect(throws: NotAuthorized.self) { try await request.value }
        await bench.clock.sleepers(1)
        bench.clock.advance(by: .seconds(60))
        await call.cancellation()
    }

    @Test func `no second refresh begins while the first drains`() async throws {
        let bench = Bench.make(holding: nil, .heldIgnoringCancellation, .token("second"))
        let request = await bench.hold(1)[0]
        _ = try await bench.service.nextCall()
        await bench.clock.sleepers(1)
        bench.clock.advance(by: .seconds(30))
        await #expect(throws: RefreshFailed.self) { try await request.value }
        bench.clock.advance(by: .seconds(2))
        await #expect(throws: RefreshFailed.self) { try await bench.name() }
        #expect(bench.service.calls == 1)
        await bench.clock.sleepers(1)
        _ = await bench.event(.refreshEnded) { bench.clock.advance(by: .seconds(30)) }
        #expect(try await bench.name() == "second")
        #expect(bench.service.calls == 2)
    }

    @Test func `a request after the deadline begins its own refresh, even if the timer is late`() async throws {
        for _ in 1...20 {
            let bench = Bench.make(holding: nil, policy: .default, .held, .token("second"))
            let request = await bench.hold(1)[0]
            _ = try await bench.service.nextCall()
            // The next slot counts from the deadline, and comes within a second.
            bench.clock.advance(by: .seconds(31))
            #expect(try await bench.name() == "second")
            await #expect(throws: RefreshFailed.self) { try await request.value }
            #expect(bench.service.calls == 2)
        }
    }

    @Test func `after the deadline requests wait for a call that goes on, for a short while`() async throws {
        let bench = Bench.make(holding: nil, policy: .default, .heldIgnoringCancellation)
        let request = await bench.hold(1)[0]
        let call = try await bench.service.nextCall()
        bench.clock.advance(by: .seconds(30))
        let (later, last) = (await bench.hold(1)[0], await bench.hold(1)[0])
        await #expect(throws: RefreshFailed.self) { try await request.value }
        await bench.clock.sleeper(for: .seconds(2))
        bench.clock.advance(by: .seconds(2))
        for request in [later, last] { await #expect(throws: RefreshFailed.self) { try await request.value } }
        await #expect(throws: RefreshFailed.self) { try await bench.name() }
        _ = await bench.event(.tokenInstalled) { call.succeed(TestToken("late")) }
        #expect(try await bench.name() == "late")
    }

    @Test func `a late success of the same session is published`() async throws {
        let bench = Bench.make(holding: nil, .heldIgnoringCancellation)
        let request = await bench.hold(1)[0]
        let call = try await bench.service.nextCall()
        await bench.clock.sleepers(1)
        bench.clock.advance(by: .seconds(30))
        await #expect(throws: RefreshFailed.self) { try await request.value }
        _ = await bench.event(.tokenInstalled) { call.succeed(TestToken("late")) }
        #expect(try await bench.name() == "late")
        #expect(bench.service.calls == 1)
    }

    @Test func `a success after the hard limit is published unless there is a newer token`() async throws {
        let bench = Bench.make(holding: nil, .heldIgnoringCancellation)
        let request = await bench.hold(1)[0]
        let call = try await bench.service.nextCall()
        await bench.clock.sleepers(1)
        bench.clock.advance(by: .seconds(30))
        await #expect(throws: RefreshFailed.self) { try await request.value }
        await bench.clock.sleepers(1)
        _ = await bench.event(.refreshEnded) { bench.clock.advance(by: .seconds(30)) }
        _ = await bench.event(.tokenInstalled) { call.succeed(TestToken("late")) }
        #expect(try await bench.name() == "late")
        #expect(bench.service.calls == 1)
    }

    @Test func `a late success of a session that was reset is discarded`() async throws {
        let bench = Bench.make(holding: nil, .heldIgnoringCancellation)
        let request = await bench.hold(1)[0]
        let call = try await bench.service.nextCall()
        await bench.auth.reset()
        await #expect(throws: NotAuthorized.self) { try await request.value }
        _ = await bench.event(.tokenDiscarded) { call.succeed(TestToken("late")) }
        await #expect(throws: NotAuthorized.self) { try await bench.name() }
    }

    @Test func `requests wait for a sign-in until the deadline, and it goes on without them`() async throws {
        let bench = Bench.make()
        let gate = OneShot<TestToken>()
        await bench.auth.refresh { try await gate.value() }
        let request = await bench.hold(1)[0]
        await bench.clock.sleepers(1)
        bench.clock.advance(by: .seconds(30))
        #expect(try await request.value == "old")
        _ = await bench.event(.tokenInstalled) { gate.fulfill(with: .success(TestToken("signed-in"))) }
        #expect(try await bench.name() == "signed-in")
    }
}
