// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

/// The details of a refresh in events: its cause, its duration, and the time of the next one.
@Suite(.timeLimit(.minutes(5))) struct EventDetailTests {
    enum Beginning: CaseIterable {
        case coldStart, expiry, unauthorized, byHand

        /// The token lasts 100 s, and a refresh ahead of its expiry begins after 92 s.
        var expiresIn: Duration? {
            switch self {
            case .coldStart: nil
            case .expiry: .seconds(8)
            case .unauthorized, .byHand: .seconds(100)
            }
        }

        var cause: RefreshCause {
            switch self {
            case .coldStart: .coldStart
            case .expiry: .expiry
            case .unauthorized: .unauthorized
            case .byHand: .byHand
            }
        }
    }

    private func begin(_ beginning: Beginning, of bench: Bench) async throws {
        switch beginning {
        case .coldStart: _ = await bench.hold(1)
        case .expiry:
            bench.clock.advance(by: .seconds(92))
            #expect(try await bench.name() == "old")
        case .unauthorized:
            try await bench.auth.setNeedsRefreshAfterUnauthorizedResponse(for: bench.sent(with: "old"))
        case .byHand: Task { try await bench.auth.refreshNow() }
        }
    }

    @Test(arguments: Beginning.allCases, [true, false])
    func `events have the cause and the duration of the refresh`(beginning: Beginning, succeeds: Bool) async throws {
        let bench = Bench.make(holding: beginning == .coldStart ? nil : .seconds(100), .held)
        var events = bench.auth.events.makeAsyncIterator()
        try await begin(beginning, of: bench)
        let call = try await bench.service.nextCall()
        bench.clock.advance(by: .seconds(3))
        if succeeds { call.succeed(TestToken("new")) } else { call.fail(Offline()) }
        var told: [AuthorizationEvent] = []
        while told.last?.kind != .refreshEnded, let event = await events.next() {
            if event.kind != .unauthorized { told.append(event) }
        }
        #expect(told.map(\.kind) == [.refreshStarted, succeeds ? .tokenInstalled : .refreshFailed, .refreshEnded])
        #expect(told.map(\.cause) == [beginning.cause, succeeds ? nil : beginning.cause, beginning.cause])
        #expect(told.map(\.duration) == [nil, succeeds ? nil : .seconds(3), .seconds(3)])
        #expect(told.map(\.outcome) == [nil, nil, succeeds ? .refreshed : .failed])
        #expect(told.map(\.expiresIn) == [beginning.expiresIn, nil, nil])
    }

    @Test func `a refresh by hand within Retry-After is an event, and begins nothing`() async throws {
        let bench = Bench.make(.failure(TokenEndpointError(status: 503, retryAfter: .seconds(60))))
        await #expect(throws: RefreshFailed.self) { try await bench.auth.refreshNow() }
        let called = OneShot<Void>()
        let event = await bench.event(.refreshFailed) {
            await bench.auth.refresh {
                called.fulfill()
                return TestToken("new")
            }
        }
        #expect(event?.cause == .byHand)
        #expect(event?.nextTryAt == bench.clock.now.addingTimeInterval(60))
        #expect((event?.error as? RefreshFailed)?.nextTryAt == bench.clock.now.addingTimeInterval(60))
        try await bench.auth.settle(within: .seconds(1))
        #expect(!called.isFulfilled)
        bench.clock.advance(by: .seconds(60))
        _ = await bench.event(.tokenInstalled) { await bench.auth.refresh { TestToken("new") } }
        #expect(try await bench.name() == "new")
    }

    @Test func `signing out has the policy's deadline, and loses nothing`() async throws {
        let clock = ManualClock()
        let auth = RefreshableTokenAuthorization(service: NeverRevoking(), token: TestToken("a"), clock: clock)
        let signOut = Task { try await auth.signOut() }
        await clock.sleeper(for: .seconds(30))
        clock.advance(by: .seconds(30))
        await #expect(throws: DeadlineExceeded.self) { try await signOut.value }
        #expect(try await auth.validToken().name == "a")
    }
}

/// A server that does not answer a revocation.
private struct NeverRevoking: RefreshableTokenService {
    func refresh(_ token: TestToken) async throws -> TestToken { throw Offline() }
    func revoke(_ token: TestToken) async throws { try await OneShot<Void>().valueIgnoringCancellation() }
}

/// The time of day is set back by two hours: only expiry is a date.
@Suite(.timeLimit(.minutes(5))) struct WallClockTests {
    private func setBack(_ clock: ManualClock) { clock.setWallClock(to: clock.now.addingTimeInterval(-7_200)) }

    @Test func `a failed save is tried again all the same`() async throws {
        let store = ScriptedTokenStore(InMemoryTokenStore<TestToken>(.make("stored", lasts: 10)))
        store.fail(next: .save, with: DiskFull())
        let bench = Bench.make(store: store, .token("new", lasts: .seconds(10_000)))
        bench.clock.advance(by: .seconds(10))
        #expect(try await bench.name() == "new")
        setBack(bench.clock)
        let save = store.hold(next: .save)
        await bench.clock.sleeper(for: .seconds(1))
        bench.clock.advance(by: .seconds(1))
        await save.begins()
        save.release()
        try await bench.auth.settle(within: .seconds(1))
        #expect(store.base.stored?.token?.name == "new")
    }

    @Test func `the slot opens all the same, and the next try is not announced for two hours later`() async throws {
        let bench = Bench.make(.failure(Offline()), .failure(Offline()), .token("new"))
        try await bench.auth.setNeedsRefreshAfterUnauthorizedResponse(for: bench.sent(with: "old"))
        await #expect(throws: RefreshFailed.self) { try await bench.name() }
        setBack(bench.clock)
        let error = await #expect(throws: RefreshFailed.self) { try await bench.name() }
        #expect(error?.nextTryAt == bench.clock.now.addingTimeInterval(1))
        #expect(bench.service.calls == 1)
        bench.clock.advance(by: .seconds(1))
        let next = await #expect(throws: RefreshFailed.self) { try await bench.name() }
        #expect(next?.nextTryAt == bench.clock.now.addingTimeInterval(2))
        bench.clock.advance(by: .seconds(2))
        #expect(try await bench.name() == "new")
    }
}
