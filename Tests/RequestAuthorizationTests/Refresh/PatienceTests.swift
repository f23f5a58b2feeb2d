// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationTesting
import TestProviders
import Testing

@testable import RequestAuthorization

/// After a failed refresh a request waits for the next slot if that is near, and for no longer than its patience.
@Suite(.timeLimit(.minutes(5))) struct PatienceTests {
    @TaskLocal static var request: String?

    private struct Busy: TokenServiceFailure {
        let kind = TokenFailureKind.transient
        let delivery = TokenRequestDelivery.notSent
        var retryAfter: Duration?
    }

    /// A provider whose token has expired. Each back-off is whole: 1, 2, 4 s.
    private static func bench(_ script: ScriptedTokenService<TestToken>.Step...) -> Bench {
        let bench = Bench.make(policy: .default)
        for step in script { bench.service.append(step) }
        bench.clock.advance(by: .seconds(100))
        return bench
    }

    @Test func `those who waited, and those who come before the slot, share the next call`() async throws {
        let bench = Self.bench(.failure(Busy()), .token("new"))
        let first = await bench.hold(1)
        await bench.clock.sleeper(for: .seconds(1))
        let later = await bench.hold(2)
        bench.clock.advance(by: .milliseconds(999))
        let last = await bench.hold(1)
        #expect(bench.service.calls == 1)
        bench.clock.advance(by: .milliseconds(1))
        for request in first + later + last { #expect(try await request.value == "new") }
        #expect(bench.service.calls == 2)
    }

    @Test(arguments: [(Duration.seconds(2), true), (.milliseconds(2_001), false)])
    func `a time that the server names is waited for only if it is near`(after: Duration, waits: Bool) async throws {
        let bench = Self.bench(.failure(Busy(retryAfter: after)), .token("new"))
        let request = Task { try await bench.name() }
        if waits {
            await bench.clock.sleeper(for: after)
            bench.clock.advance(by: after)
            #expect(try await request.value == "new")
        } else {
            await #expect(throws: RefreshFailed.self) { try await request.value }
            await #expect(throws: RefreshFailed.self) { try await bench.name() }
        }
    }

    @Test func `the patience of a request counts from its first failure, and is used up once`() async throws {
        let bench = Self.bench(.failure(Busy()), .failure(Busy()), .token("new"))
        let early = await bench.hold(1)[0]
        await bench.clock.sleeper(for: .seconds(1))
        let late = await bench.hold(1)[0]
        bench.clock.advance(by: .seconds(1))
        // The second failure closes the slot for 2 s: the first request has waited for 1 s of its 2.
        let failure = await #expect(throws: RefreshFailed.self) { try await early.value }
        #expect(failure?.underlying is Busy)
        #expect(failure?.nextTryAt == bench.clock.now + 2)
        await bench.clock.sleeper(for: .seconds(2))
        bench.clock.advance(by: .seconds(2))
        #expect(try await late.value == "new")
        #expect(bench.service.calls == 3)
    }

    @Test func `without patience a request fails at once`() async throws {
        var policy = RefreshPolicy.default
        policy.backOff.patience = .zero
        let bench = Bench.make(policy: policy, .failure(Busy()))
        bench.clock.advance(by: .seconds(100))
        for _ in 1...2 { await #expect(throws: RefreshFailed.self) { try await bench.name() } }
    }

    @Test func `a cancelled request leaves at once, and nobody calls the service for it`() async throws {
        var policy = RefreshPolicy.default
        policy.backOff.patience = .seconds(Int64.max)
        let bench = Bench.make(policy: policy, .failure(Busy()), .token("new"))
        bench.clock.advance(by: .seconds(100))
        let request = await bench.hold(1)[0]
        await bench.clock.sleeper(for: .seconds(1))
        request.cancel()
        await #expect(throws: CancellationError.self) { try await request.value }
        bench.clock.advance(by: .seconds(1))
        bench.timerFires()
        #expect(bench.auth.core.read { $0.flight == nil })
        #expect(bench.service.calls == 1)
    }

    @Test func `a sign-in, a token that is set, a sign-out and a shutdown end the wait`() async throws {
        let ends: [(@Sendable (Bench) async throws -> Void, String)] = [
            ({ try await $0.auth.signIn { TestToken("signed-in") } }, "signed-in"),
            ({ try await $0.auth.setToken(TestToken("set")) }, "set"),
            ({ await $0.auth.reset() }, "signed out"), ({ try await $0.auth.shutdown(within: .zero) }, "shut down"),
            ({ await $0.auth.retryNow() }, "new"), ({ _ = try await $0.auth.refreshNow() }, "new"),
        ]
        for (end, result) in ends {
            let bench = Self.bench(.failure(Busy()), .token("new"))
            let request = await bench.hold(1)[0]
            await bench.clock.sleeper(for: .seconds(1))
            try await end(bench)
            do {
                let name = try await request.value
                #expect(name == result)
            } catch let error as NotAuthorized { #expect("\(error.reason)".contains(result)) }
        }
    }

    @Test func `the timer's refresh has the task-local values of no request`() async throws {
        let (seen, seer) = AsyncStream.makeStream(of: String.self)
        let bench = Self.bench(
            .run { _ in
                seer.yield(Self.request ?? "none")
                throw Busy()
            },
            .run { _ in
                seer.yield(Self.request ?? "none")
                return TestToken("new")
            })
        let request = Self.$request.withValue("a") { Task { try await bench.name() } }
        await bench.clock.sleeper(for: .seconds(1))
        bench.clock.advance(by: .seconds(1))
        #expect(try await request.value == "new")
        var calls = seen.makeAsyncIterator()
        #expect(await calls.next() == "a")
        #expect(await calls.next() == "none")
    }

    @Test func `a program with a live token waits for a longer one`() async throws {
        let bench = Bench.make(policy: .default, .failure(Busy()), .token("new", lasts: .seconds(300)))
        let request = Task { try await bench.auth.validToken(lasting: .seconds(200)).name }
        await bench.clock.sleeper(for: .seconds(1))
        #expect(try await bench.name() == "old")
        bench.clock.advance(by: .seconds(1))
        #expect(try await request.value == "new")
    }
}
