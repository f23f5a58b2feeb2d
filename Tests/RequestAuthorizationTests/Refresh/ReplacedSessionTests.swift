// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationTesting
import TestProviders
import Testing

@testable import RequestAuthorization

/// No request of one session is sent in another one that a sibling process has begun.
@Suite(.timeLimit(.minutes(5))) struct ReplacedSessionTests {
    private static let other = ExploredWorld.session(7)

    // MARK: - Requests that are held

    @Test func `requests that were queued in a session fail when a sibling replaces it`() {
        var bench = RefreshStateBench.make(storage: .shared)
        bench.refuse(waiter: 1)
        bench.wait(2, need: .refreshed)
        let told = bench.notice(bench.stored(2, session: Self.other, generation: 0))
        #expect(told.filter { $0.hasPrefix("dismiss") || $0.hasPrefix("resume") } == ["dismiss [1, 2]"])
    }

    @Test func `requests that were queued before anything was known go on with a sibling's token`() {
        var bench = RefreshStateBench.make(holding: nil, storage: .shared)
        bench.wait(1)
        let told = bench.notice(bench.stored(2, session: Self.other, generation: 0))
        #expect(told.filter { $0.hasPrefix("dismiss") || $0.hasPrefix("resume") } == ["resume [1] with 2"])
    }

    @Test func `a newer token of the same session serves the waiting requests`() {
        var bench = RefreshStateBench.make(storage: .shared)
        bench.refuse(waiter: 1)
        let told = bench.notice(bench.stored(2, generation: 1))
        #expect(told.filter { $0.hasPrefix("dismiss") || $0.hasPrefix("resume") } == ["resume [1] with 2"])
    }

    @Test func `twenty-one requests of one session are not sent in another one`() async throws {
        let bench = SharedBench.make(.held)
        #expect(try await bench.name() == "old")
        bench.clock.advance(by: .seconds(10))
        let requests = (0..<21).map { _ in Task { try await bench.name() } }
        // The first request, which loaded the token, was held too.
        await bench.held.reaches(1 + 21)
        let released = await bench.event(.requestsReleased) {
            _ = try? await bench.sibling().auth.signIn { TestToken("other") }
        }
        #expect(released?.count == 21)
        for request in requests {
            let error = await #expect(throws: NotAuthorized.self) { try await request.value }
            #expect(error?.reason == .sessionReplaced && error?.needsSignIn == false)
        }
        #expect(try await bench.name() == "other")
    }

    @Test func `a request from the launch goes on, while one of the former session fails`() async throws {
        let bench = SharedBench.make(lasts: -1, .held)
        let early = Task { try await bench.name() }
        await bench.held.reaches(1)
        let call = try await bench.service.nextCall()
        let late = Task { try await bench.name() }
        await bench.held.reaches(2)
        try await bench.sibling().auth.signIn { TestToken("other") }
        await #expect(throws: NotAuthorized.self) { try await late.value }
        #expect(try await early.value == "other")
        // Without a waiter a sibling's token is not refreshed, although it has expired.
        let adopted = await bench.event(.tokenAdopted) {
            try? await bench.sibling().auth.setToken(TestToken("third", expiresAt: bench.clock.now))
        }
        #expect(adopted != nil)
        // The call of the former session counts until it has ended.
        call.fail(TokenEndpointError(status: 503))
        try await bench.auth.settle(within: .seconds(30))
        #expect(bench.service.calls == 1)
    }

    @Test func `for a cancelled request from the launch a sibling's token is not refreshed`() async throws {
        let bench = SharedBench.make(lasts: -1, .held)
        let early = Task { try await bench.name() }
        await bench.held.reaches(1)
        let call = try await bench.service.nextCall()
        early.cancel()
        await #expect(throws: CancellationError.self) { try await early.value }
        let late = Task { try await bench.name() }
        await bench.held.reaches(2)
        let adopted = await bench.event(.tokenAdopted) {
            try? await bench.sibling().auth.setToken(TestToken("other", expiresAt: bench.clock.now))
        }
        #expect(adopted != nil)
        await #expect(throws: NotAuthorized.self) { try await late.value }
        // The call of the former session counts until it has ended.
        call.fail(TokenEndpointError(status: 503))
        try await bench.auth.settle(within: .seconds(30))
        #expect(bench.service.calls == 1)
    }

    @Test func `requests from the launch are counted until they go on or are cancelled`() async {
        for (held, counts) in [(nil, [3, 2, 0]), (1, [0, 0, 0])] as [(Int?, [Int])] {
            let bench = RefreshStateBench.make(holding: held, storage: .shared)
            _ = try? await withUnsafeThrowingContinuation { (continuation: WaitingRequest.Continuation) in
                var contents = ProviderContents(bench.state)
                let numbers = (0..<3).map { _ in contents.enqueue(continuation, as: .ordinary) }
                #expect(contents.unbound == counts[0])
                _ = contents.remove(numbers[1])
                #expect(contents.unbound == counts[1])
                _ = contents.take { $0.kind == .ordinary }
                #expect(contents.unbound == counts[2])
                continuation.resume(throwing: CancellationError())
            }
        }
    }

    @Test func `a sign-in of this process keeps its queued requests`() async throws {
        let bench = SharedBench.make(.held)
        #expect(try await bench.name() == "old")
        bench.clock.advance(by: .seconds(10))
        let request = Task { try await bench.name() }
        await bench.held.reaches(1 + 1)
        try await bench.auth.signIn { TestToken("mine") }
        #expect(try await request.value == "mine")
    }

    // MARK: - Requests that were sent

    @Test func `a 401 for the token of a session that a sibling has replaced is not retried`() async throws {
        let bench = SharedBench.make(lasts: 1_000)
        let error = await #expect(throws: NotAuthorized.self) {
            try await bench.sends { _ in
                try await bench.sibling().auth.signIn { TestToken("other") }
                await bench.holds("other")
            }
        }
        #expect(error?.reason == .sessionReplaced && error?.challenge?.scheme == "Bearer")
    }

    @Test func `a 401 for an older token of that session is not retried either`() async throws {
        let bench = SharedBench.make(lasts: 1_000, .token("next"))
        let error = await #expect(throws: NotAuthorized.self) {
            try await bench.sends { _ in
                try await bench.auth.refreshNow()
                try await bench.sibling().auth.signIn { TestToken("other") }
                await bench.holds("other")
            }
        }
        #expect(error?.reason == .sessionReplaced)
    }

    @Test func `a session that a sibling begins after a sign-out is another session too`() async throws {
        let bench = SharedBench.make(lasts: 1_000)
        let error = await #expect(throws: NotAuthorized.self) {
            try await bench.sends { _ in
                await bench.auth.reset()
                try await bench.sibling().auth.signIn { TestToken("other") }
                await bench.holds("other")
            }
        }
        #expect(error?.reason == .sessionReplaced)
    }

    @Test func `a session that is replaced between the 401 and the new credential is not retried`()
        async throws
    {
        let bench = SharedBench.make(lasts: 1_000, .token("next"))
        let sent = Tally()
        let error = await #expect(throws: NotAuthorized.self) {
            try await bench.auth.send(
                FakeRequest.make(), refreshCount: 1, isReplayable: nil, head: { $0 },
                discard: { _ in
                    _ = try? await bench.name()
                    try? await bench.sibling().auth.signIn { TestToken("other") }
                    await bench.holds("other")
                }
            ) { _ in
                sent.add()
                return FakeResponse.unauthorized("Bearer")
            }
        }
        #expect(error?.reason == .sessionReplaced)
        #expect(sent.count == 1)
    }

    @Test func `a request of the new session is retried as usual`() async throws {
        let bench = SharedBench.make(lasts: 1_000, .token("next"))
        #expect(try await bench.name() == "old")
        try await bench.sibling().auth.signIn { TestToken("other", expiresAt: .distantFuture) }
        await bench.holds("other")
        let sent = Lock<[String?]>([])
        let response = try await bench.auth.send(FakeRequest.make()) { request in
            sent.withLock { $0.append(request.fields["authorization"]) }
            return sent.withLock { $0.count } == 1 ? FakeResponse.unauthorized("Bearer") : FakeResponse()
        }
        #expect(response.statusCode == 200)
        #expect(sent.withLock { $0 } == ["Bearer other", "Bearer next"])
    }

    @Test func `a provider behind another one is found`() async throws {
        let bench = SharedBench.make(lasts: 1_000)
        let restricted = bench.auth.restricted(to: "https://api.example.com")
        let error = await #expect(throws: NotAuthorized.self) {
            try await bench.sends(by: restricted) { _ in
                try await bench.sibling().auth.signIn { TestToken("other") }
                await bench.holds("other")
            }
        }
        #expect(error?.reason == .sessionReplaced)
    }

    @Test func `a credential says in which session its request may go on, whichever provider chose it`() async throws {
        let bench = SharedBench.make(lasts: 1_000)
        let (mine, others) = (FakeRequest.make(), FakeRequest.make(to: "https://api.example.org"))
        let providers: [any AuthorizationProvider] = [
            bench.auth.restricted(to: "https://api.example.com", elsewhere: .use(.bearer("abc"))),
            OriginAuthorization(["https://api.example.com": bench.auth, "https://api.example.org": .bearer("abc")]),
            BearerTokenAuthorization(token: "abc")
                .restricted(to: "https://api.example.org", elsewhere: .use(bench.auth)),
        ]
        let constant = try await providers[0].credential(for: others)
        for provider in providers {
            let sent = try await provider.credential(for: mine).adding("tenant", in: "X-Tenant")
            try sent.admit(try await bench.auth.credential(for: mine))
            #expect(throws: NotAuthorized.self) { try sent.admit(constant) }
            try constant.admit(sent)
        }
        let sent = try await providers[0].credential(for: mine)
        #expect(sent.isCurrent)
        try await bench.sibling().auth.signIn { TestToken("other") }
        await bench.holds("other")
        #expect(!sent.isCurrent && constant.isCurrent)
        for provider in providers {
            let next = try await provider.credential(for: mine)
            let error = #expect(throws: NotAuthorized.self) { try sent.admit(next) }
            #expect(error?.reason == .sessionReplaced)
        }
    }

    @Test func `of a replaced session at most sixteen tokens are remembered`() {
        let bench = RefreshStateBench.make()
        var line = SessionLine(RefreshStateBench.session)
        line.note(bench.held(1))
        #expect(line.includes("Bearer 99"))
        for number in 2...18 {
            let held = bench.held(number, session: Self.other, generation: number)
            line.note(held)
        }
        #expect(line.number == 1)
        #expect((1...18).filter { line.includes("Bearer \($0)") } == Array(3...18))
        #expect(line.includes(nil))
    }
}

extension SharedBench {
    /// Suspends until the provider holds this token.
    fileprivate func holds(_ name: String) async {
        _ = await auth.tokenChanges.first { change in
            if case .tokenUpdated(let token) = change { token.name == name } else { false }
        }
    }

    /// Sends a request whose first answer, a 401, comes after a change.
    ///
    /// - Returns: the credentials that were sent.
    @discardableResult
    fileprivate func sends(
        by provider: (any AuthorizationProvider)? = nil, meanwhile: (FakeRequest) async throws -> Void
    ) async throws -> [String?] {
        let sent = Lock<[String?]>([])
        _ = try await (provider ?? auth).send(FakeRequest.make()) { request in
            sent.withLock { $0.append(request.fields["authorization"]) }
            guard sent.withLock({ $0.count }) == 1 else { return FakeResponse() }
            try await meanwhile(request)
            return .unauthorized("Bearer")
        }
        return sent.withLock { $0 }
    }
}
