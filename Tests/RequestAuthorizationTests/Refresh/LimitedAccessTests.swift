// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationTesting
import TestProviders
import Testing

@testable import RequestAuthorization

/// Exclusive access that expires by itself, as a lease does. No request is sent whose answer could come too late.
@Suite struct LimitedAccessTests {
    @Test func `a token request is sent if access lasts for it and for one second more`() async throws {
        let bench = LimitedBench.make(accessFor: .seconds(6), .token("new"))
        #expect(try await bench.auth.validToken().name == "new")
        #expect(bench.service.calls == 1)
    }

    @Test func `if access lasts less nothing is sent, and the session is kept`() async throws {
        let bench = LimitedBench.make(accessFor: .milliseconds(5999), .token("new"))
        let error = await #expect(throws: RefreshFailed.self) { try await bench.auth.validToken() }
        let cause = error?.underlying as? TokenStoreAccessTooShort
        #expect(cause == TokenStoreAccessTooShort(remaining: .milliseconds(5999), needed: .seconds(6)))
        #expect(error?.delivery == .notSent)
        #expect(bench.service.calls == 0)
        await bench.unlocked()
        #expect(bench.place.intent == nil)
        #expect(bench.place.stored?.token?.name == "old")
    }

    @Test(.timeLimit(.minutes(5)))
    func `nothing is sent while the intent has no answer`() async throws {
        let bench = LimitedBench.make(accessFor: .seconds(60), .token("new"))
        let intent = bench.store.hold(next: .setIntent)
        let request = Task { try await bench.auth.validToken() }
        await intent.begins()
        await bench.clock.sleeper(for: .seconds(10))
        bench.clock.advance(by: .seconds(10))
        let error = await #expect(throws: RefreshFailed.self) { try await request.value }
        #expect(error?.delivery == .notSent)
        #expect(bench.service.calls == 0)
        intent.release()
    }

    @Test func `a first token needs access that lasts too`() async throws {
        let bench = LimitedBench.make(accessFor: .seconds(5), stored: nil, .token("first"))
        let error = await #expect(throws: RefreshFailed.self) { try await bench.auth.validToken() }
        #expect(error?.underlying is TokenStoreAccessTooShort)
        #expect(bench.service.calls == 0)
    }

    @Test func `at the end of access a token request is cancelled, and its answer counts as lost`() async throws {
        let bench = LimitedBench.make(accessFor: .seconds(10), .held)
        let request = Task { try await bench.auth.validToken() }
        _ = try await bench.service.nextCall()
        await bench.clock.sleeper(for: .seconds(5))
        bench.clock.advance(by: .seconds(5))
        let error = await #expect(throws: RefreshFailed.self) { try await request.value }
        #expect(error?.underlying is DeadlineExceeded)
        #expect(error?.delivery == .mayHaveBeenProcessed)
        await bench.unlocked()
        #expect(bench.place.intent != nil)
    }

    @Test func `a token that comes after the end of access is saved all the same`() async throws {
        let bench = LimitedBench.make(accessFor: .seconds(10), .heldIgnoringCancellation)
        let request = Task { try await bench.auth.validToken() }
        let call = try await bench.service.nextCall()
        await bench.clock.sleeper(for: .seconds(5))
        bench.clock.advance(by: .seconds(6))
        call.succeed(TestToken("late"))
        #expect(try await request.value.name == "late")
        #expect(bench.place.stored?.token?.name == "late")
    }

    @Test func `the end of access is forgotten with the lock`() async throws {
        let bench = LimitedBench.make(accessFor: .seconds(6), .token("new"))
        #expect(try await bench.auth.validToken().name == "new")
        await bench.unlocked()
        let access = try #require(bench.auth.limitedAccess)
        #expect(access.withLock { $0 == nil })
    }

    @Test func `an answer of the service before the end of access counts`() async throws {
        let refusal = TokenEndpointError(status: 503)
        let bench = LimitedBench.make(accessFor: .seconds(10), .failure(refusal))
        let error = await #expect(throws: RefreshFailed.self) { try await bench.auth.validToken() }
        #expect((error?.underlying as? TokenEndpointError)?.status == 503)
        #expect(error?.delivery == .answered)
    }

    @Test func `a service that cancels its own call has not missed a deadline`() async throws {
        let bench = LimitedBench.make(accessFor: .seconds(10), .failure(CancellationError()))
        let error = await #expect(throws: RefreshFailed.self) { try await bench.auth.validToken() }
        #expect(error?.underlying is CancellationError)
    }

    @Test func `the deadline of the policy ends a call under a lease, too`() async throws {
        let bench = LimitedBench.make(accessFor: .seconds(10), deadline: .seconds(3), .held)
        let request = Task { try await bench.auth.validToken() }
        let call = try await bench.service.nextCall()
        await bench.clock.sleeper(for: .seconds(3))
        bench.clock.advance(by: .seconds(3))
        await call.cancellation()
        await #expect(throws: RefreshFailed.self) { try await request.value }
    }
}

/// A provider whose store gives access for a limited time; the token has expired.
private struct LimitedBench {
    let clock: ManualClock
    let place: InMemorySharedTokenStore<TestToken>
    let store: ScriptedTokenStore<InMemorySharedTokenStore<TestToken>>
    let service: ScriptedTokenService<TestToken>
    let auth: RefreshableTokenAuthorization<TestToken>

    static func make(
        accessFor duration: Duration, stored: StoredToken<TestToken>? = .make("old", lasts: 0),
        deadline: Duration = .seconds(30), _ step: ScriptedTokenService<TestToken>.Step
    ) -> LimitedBench {
        let clock = ManualClock()
        let place = InMemorySharedTokenStore<TestToken>(stored, clock: clock)
        let service = ScriptedTokenService<TestToken>(clock: clock)
        service.append(step)
        var policy = RefreshPolicy.impatient
        policy.deadline = deadline
        let store = ScriptedTokenStore(place)
        return LimitedBench(
            clock: clock, place: place, store: store, service: service,
            auth: RefreshableTokenAuthorization(
                service: service, token: nil, store: LeasedStore(base: store, lease: duration, clock: clock),
                policy: policy, clock: clock, random: { 1 }))
    }

    /// Suspends until exclusive access is free.
    func unlocked() async { try? await place.sibling().lock(within: .seconds(1)).unlock() }
}

private struct LeasedStore: SharedTokenStore {
    let base: ScriptedTokenStore<InMemorySharedTokenStore<TestToken>>
    let lease: Duration
    let clock: ManualClock

    func lock(within limit: Duration) async throws -> TokenStoreLock {
        let end = clock.uptime + lease
        let lock = try await base.lock(within: limit)
        return TokenStoreLock(requestDeadline: .seconds(5), remaining: { end - clock.uptime }) { await lock.unlock() }
    }

    func load() async throws -> StoredToken<TestToken>? { try await base.load() }
    func save(_ stored: StoredToken<TestToken>) async throws { try await base.save(stored) }
    func clear() async throws { try await base.clear() }
    func loadWithIntent() async throws -> TokenWithIntent<TestToken> { try await base.loadWithIntent() }
    func setIntent(_ intent: RefreshIntent?) async throws { try await base.setIntent(intent) }
    func save(
        _ stored: StoredToken<TestToken>, replacing condition: TokenSaveCondition, ending intent: RefreshIntent?
    ) async throws -> SaveResult<StoredToken<TestToken>> {
        try await base.save(stored, replacing: condition, ending: intent)
    }
}
