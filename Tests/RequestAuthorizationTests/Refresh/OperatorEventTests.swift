// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

/// Events for the operators of a server.
@Suite(.timeLimit(.minutes(5))) struct OperatorEventTests {
    /// The events from now on, up to and including the first of a kind.
    private func events(
        of auth: RefreshableTokenAuthorization<TestToken>, until last: AuthorizationEvent.Kind,
        while body: () async throws -> Void
    ) async rethrows -> [AuthorizationEvent] {
        var events = auth.events.makeAsyncIterator()
        try await body()
        var told: [AuthorizationEvent] = []
        while told.last?.kind != last, let event = await events.next() { told.append(event) }
        return told
    }

    // MARK: Outcomes

    @Test func `a refresh that ends the session reports that, and why`() async {
        let bench = Bench.make(holding: .zero, .failure(TokenEndpointError(status: 400, code: "invalid_grant")))
        let told = await events(of: bench.auth, until: .refreshEnded) { _ = try? await bench.name() }
        #expect(told.map(\.kind) == [.refreshStarted, .sessionEnded, .refreshEnded])
        #expect(told.last?.outcome == .sessionEnded)
        #expect((told[1].error as? NotAuthorized)?.reason == .rejected)
    }

    @Test func `a first use without a sign-in has no token, and nothing has failed`() async {
        let bench = Bench.make(holding: nil, .failure(NotAuthorized(.noToken)))
        let told = await events(of: bench.auth, until: .refreshEnded) { _ = try? await bench.name() }
        #expect(told.map(\.kind) == [.refreshStarted, .refreshEnded])
        #expect(told.last?.outcome == .noToken)
        #expect(told.first?.expiresIn == nil)
    }

    @Test func `a token from the store is loaded, not refreshed`() async throws {
        let bench = Bench.make(store: InMemoryTokenStore(.make("stored", lasts: 100)))
        let told = try await events(of: bench.auth, until: .refreshEnded) { _ = try await bench.name() }
        #expect(told.last?.outcome == .loaded)
    }

    @Test func `a sign-out supersedes the refresh that is under way, and ends the session once`() async throws {
        let bench = Bench.make(.held)
        let told = try await events(of: bench.auth, until: .sessionEnded) {
            bench.clock.advance(by: .seconds(95))
            _ = try await bench.name()
            await bench.auth.reset()
            await bench.auth.reset()
        }
        #expect(told.map(\.kind) == [.refreshStarted, .refreshEnded, .sessionEnded])
        #expect(told[1].outcome == .superseded)
        #expect((told.last?.error as? NotAuthorized)?.reason == .signedOut)
        let again = try await events(of: bench.auth, until: .tokenInstalled) {
            await bench.auth.reset()
            try await bench.auth.setToken(TestToken("next"))
        }
        #expect(again.map(\.kind) == [.tokenInstalled])
    }

    // MARK: The lock

    @Test func `a provider that adopts a token reports that, and how long it waited for the lock`() async throws {
        let bench = SharedBench.make(.held)
        let sibling = bench.sibling(follows: false)
        bench.clock.advance(by: .seconds(10))
        let first = Task { try await bench.name() }
        let call = try await bench.service.nextCall()
        let told = try await events(of: sibling.auth, until: .requestsReleased) {
            let second = Task { try await sibling.name() }
            await bench.clock.sleeper(for: .seconds(20))
            bench.clock.advance(by: .seconds(3))
            call.succeed(TestToken("new"))
            _ = try await second.value
        }
        #expect(try await first.value == "new")
        let wait = try #require(told.first { $0.kind == .lockAwaited })
        #expect(wait.duration == .seconds(3))
        #expect(wait.error == nil)
        #expect(told.first { $0.kind == .refreshEnded }?.outcome == .adopted)
    }

    @Test func `a lock that was not acquired is reported`() async throws {
        let bench = SharedBench.make()
        let holder = bench.place.sibling()
        let lock = try await holder.lock(within: .seconds(1))
        bench.clock.advance(by: .seconds(10))
        let told = await events(of: bench.auth, until: .refreshEnded) {
            let request = Task { try await bench.name() }
            await bench.clock.sleeper(for: .seconds(20))
            bench.clock.advance(by: .seconds(20))
            _ = await request.result
        }
        let wait = try #require(told.first { $0.kind == .lockAwaited })
        #expect(wait.duration == .seconds(20))
        #expect(wait.error != nil)
        #expect(told.last?.outcome == .failed)
        await lock.unlock()
    }

    // MARK: Requests

    @Test func `held requests are counted, cancelled ones are not`() async throws {
        let bench = Bench.make(holding: .zero, .held)
        let told = try await events(of: bench.auth, until: .requestsReleased) {
            let requests = await bench.hold(4)
            requests[1].cancel()
            _ = await requests[1].result
            try await bench.service.nextCall().succeed(TestToken("new"))
            for request in requests { _ = await request.result }
        }
        #expect(told.last?.count == 3)
    }

    @Test func `a request that fails before the next try is counted, one that waits for it is not`() async throws {
        let busy = TokenEndpointError(status: 503)
        let bench = Bench.make(holding: .zero, policy: .default, .failure(busy), .failure(busy), .token("new"))
        let told = await events(of: bench.auth, until: .requestsReleased) {
            let early = await bench.hold(1)[0]
            await bench.clock.sleeper(for: .seconds(1))
            let late = await bench.hold(1)[0]
            bench.clock.advance(by: .seconds(1))
            await #expect(throws: RefreshFailed.self) { try await early.value }
            late.cancel()
        }
        #expect(told.last?.count == 1)
    }

    @Test func `a 401 is reported, and so is the request that is sent once more`() async throws {
        let bench = Bench.make(.token("new", lasts: .seconds(100)))
        let transport = ScriptedTransport<TestRequest, TestResponse>(.response(401), .response(200))
        let told = try await events(of: bench.auth, until: .requestRetried) {
            let response = try await bench.auth.send(TestRequest()) { try await transport.send($0) }
            #expect(response.statusCode == 200)
        }
        #expect(told.filter { [.unauthorized, .requestRetried].contains($0.kind) }.count == 2)
        #expect(told.first?.kind == .unauthorized)
    }

    @Test func `each try is reported once, and a try that is not sent is not reported`() async throws {
        let bench = Bench.make(.numberedToken(), .numberedToken(), .failure(Offline()))
        let transport = ScriptedTransport<TestRequest, TestResponse>(forever: .response(401))
        var events = bench.auth.events.makeAsyncIterator()
        await #expect(throws: RefreshFailed.self) {
            try await bench.auth.send(TestRequest(), refreshCount: 3) { try await transport.send($0) }
        }
        var told: [AuthorizationEvent.Kind] = []
        while told.count(where: { $0 == .refreshEnded }) < 3, let event = await events.next() {
            told.append(event.kind)
        }
        #expect(told.count { $0 == .unauthorized } == 3)
        #expect(told.count { $0 == .requestRetried } == 2)
    }

    @Test func `a 401 that no refresh can help is reported too`() async throws {
        let bench = Bench.make()
        let challenge = UnauthorizedResponse(
            fields: ["WWW-Authenticate": ["Bearer error=\"insufficient_user_authentication\""]])
        let told = await events(of: bench.auth, until: .unauthorized) {
            try? await bench.auth.setNeedsRefreshAfterUnauthorizedResponse(challenge, for: bench.sent(with: "old"))
        }
        #expect(told.map(\.kind) == [.unauthorized])
    }

    @Test func `a storm is reported`() async throws {
        let bench = Bench.make()
        for number in 0..<6 { bench.service.append(.token("t\(number)", lasts: .seconds(1_000))) }
        let told = await events(of: bench.auth, until: .refreshedTooOften) {
            for _ in 0..<6 {
                guard let name = try? await bench.name() else { return }
                try? await bench.auth.setNeedsRefreshAfterUnauthorizedResponse(for: bench.sent(with: name))
            }
        }
        #expect(told.count { $0.kind == .unauthorized } == 6)
        #expect(told.count { $0.kind == .refreshedTooOften } == 1)
    }

    @Test func `a reset without a session ends none`() async throws {
        let bench = Bench.make(holding: nil)
        let told = try await events(of: bench.auth, until: .tokenInstalled) {
            await bench.auth.reset()
            try await bench.auth.setToken(TestToken("next"))
        }
        #expect(told.map(\.kind) == [.tokenInstalled])
    }

    // MARK: Task locals

    @TaskLocal static var request = "none"

    @Test(arguments: [true, false])
    func `the service is called with the task locals of the request that began the refresh`(isFirst: Bool) async throws
    {
        let bench = Bench.make(
            holding: isFirst ? nil : .zero, .run { _ in TestToken(Self.request) })
        let name = try await Self.$request.withValue("checkout") { try await bench.name() }
        #expect(name == "checkout")
    }

    @Test func `a 401 passes on its task locals too`() async throws {
        let bench = Bench.make(.run { _ in TestToken(Self.request) })
        try await Self.$request.withValue("checkout") {
            try await bench.auth.setNeedsRefreshAfterUnauthorizedResponse(for: bench.sent(with: "old"))
        }
        #expect(try await bench.name() == "checkout")
    }
}
