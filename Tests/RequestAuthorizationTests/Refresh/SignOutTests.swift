// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationTesting
import TestProviders
import Testing

@testable import RequestAuthorization

@Suite struct SignOutTests {
    @Test func `signing out revokes, then clears the store and memory`() async throws {
        let store = ScriptedTokenStore(InMemoryTokenStore<TestToken>())
        let bench = Bench.make(store: store)
        try await bench.auth.setToken(TestToken("a"))
        try await bench.auth.signOut()
        #expect(bench.service.revoked.map(\.name) == ["a"])
        #expect(store.base.stored == nil)
        await #expect { try await bench.name() } throws: { ($0 as? NotAuthorized)?.reason == .signedOut }
    }

    @Test func `signing out before anything was loaded revokes the stored token, without a refresh`() async throws {
        let store = InMemoryTokenStore<TestToken>()
        let before = Bench.make(store: store)
        try await before.auth.setToken(TestToken("a", expiresAt: before.clock.now.addingTimeInterval(-1)))
        let bench = Bench.make(store: store)
        try await bench.auth.signOut()
        #expect(bench.service.revoked.map(\.name) == ["a"])
        #expect(bench.service.calls == 0)
        #expect(store.stored == nil)
    }

    @Test func `an unreachable server loses nothing`() async throws {
        let store = InMemoryTokenStore<TestToken>()
        let bench = Bench.make(store: store)
        try await bench.auth.setToken(TestToken("a"))
        bench.service.failRevocation(with: Offline())
        await #expect(throws: Offline.self) { try await bench.auth.signOut() }
        #expect(store.stored?.token?.name == "a")
        #expect(try await bench.name() == "a")
        try await bench.auth.signOut()
        #expect(bench.service.revoked.map(\.name) == ["a", "a"])
        #expect(store.stored == nil)
    }

    @Test func `a store that cannot be read signs no user out`() async throws {
        let store = ScriptedTokenStore(InMemoryTokenStore<TestToken>(.make("stored")))
        store.fail(all: .load, with: Offline())
        let bench = Bench.make(store: store)
        await #expect(throws: Offline.self) { try await bench.auth.signOut() }
        #expect(store.operations.map(\.kind) == [.load])
        store.fail(all: .load, with: nil)
        #expect(try await bench.name() == "stored")
    }

    @Test(arguments: [
        TokenEndpointError(status: 400, code: "unsupported_token_type"), TokenEndpointError(status: 404, code: "gone"),
        TokenEndpointError(status: 401, code: "invalid_client"), TokenEndpointError(status: 501, kind: .client),
    ])
    func `a refusal of the server stops no sign-out, and listeners get an event`(refusal: TokenEndpointError)
        async throws
    {
        let bench = Bench.make()
        bench.service.failRevocation(with: refusal)
        let event = try await bench.event(.revocationRefused) { try await bench.auth.signOut() }
        #expect(event?.error as? TokenEndpointError == refusal)
        await #expect { try await bench.name() } throws: { ($0 as? NotAuthorized)?.reason == .signedOut }
    }

    @Test(arguments: [200, 302, 401, 403, 404])
    func `an answer without an error code is no refusal, and the session stays`(status: Int) async throws {
        let bench = Bench.make()
        let answer = TokenEndpointError(status: status)
        bench.service.failRevocation(with: answer)
        await #expect(throws: answer) { try await bench.auth.signOut() }
        #expect(try await bench.name() == "old")
    }

    @Test func `RFC 7009 §2.2.1: until the time that a 503 names the server gets no request`() async throws {
        let bench = Bench.make(holding: .seconds(10_000))
        let busy = TokenEndpointError(status: 503, retryAfter: .seconds(86_400))
        bench.service.failRevocation(with: busy)
        await #expect(throws: busy) { try await bench.auth.signOut() }
        bench.clock.advance(by: .seconds(299))
        await #expect(throws: busy) { try await bench.auth.signOut() }
        #expect(bench.service.revoked.count == 1)
        #expect(try await bench.name() == "old")
        bench.clock.advance(by: .seconds(1))  // At most 5 minutes of it are honoured.
        try await bench.auth.signOut()
        #expect(bench.service.revoked.count == 2)
    }

    @Test(.timeLimit(.minutes(5)))
    func `a sign-out without a token returns once the store has been cleared`() async throws {
        let store = ScriptedTokenStore(InMemoryTokenStore<TestToken>())
        let clear = store.hold(next: .clear)
        let (bench, thread, course) = (Bench.make(store: store), OneThread(), Lock<[String]>([]))
        let out = Task(executorPreference: thread) {
            try await bench.auth.signOut()
            course.withLock { $0.append("signed out") }
        }
        await clear.begins()
        // The thread is free once the sign-out has returned, or waits.
        await Task(executorPreference: thread) { course.withLock { $0.append("cleared") } }.value
        clear.release()
        try await out.value
        #expect(course.withLock { $0 } == ["cleared", "signed out"])
    }

    @Test func `reset sends nothing to the server`() async throws {
        let bench = Bench.make()
        await bench.auth.reset()
        #expect(bench.service.revoked.isEmpty)
        try await bench.auth.signOut()
        #expect(bench.service.revoked.isEmpty)
    }

    @Test func `a refresh that ends after the sign-out is dropped and its token discarded`() async throws {
        let clock = ManualClock()
        let service = DiscardingService(script: ScriptedTokenService(clock: clock, .held))
        var auth: RefreshableTokenAuthorization? = .init(
            service: service, token: TestToken("old", expiresAt: clock.now), clock: clock)
        var events = try #require(auth).events.makeAsyncIterator()
        let waiting = Task { [auth] in try await auth?.validToken() }
        let call = try await service.nextCall()
        try await auth?.signOut()
        #expect(service.script.revoked.map(\.name) == ["old"])
        await #expect { try await waiting.value } throws: { ($0 as? NotAuthorized)?.reason == .signedOut }
        call.succeed(TestToken("late"))
        // The provider goes once nothing is under way, and its events end, whatever the outcome for the token.
        auth = nil
        while let event = await events.next() { #expect(event.kind != .tokenInstalled) }
        #expect(service.discarded == ["late"])
    }

    @Test func `a token that a refresh fetches during the revocation of the old one is revoked too`() async throws {
        let service = GatedRevocation()
        let clock = ManualClock()
        let auth = RefreshableTokenAuthorization(
            service: service, token: TestToken("a", expiresAt: clock.now.addingTimeInterval(10)), clock: clock)
        let out = Task { try await auth.signOut() }
        await service.begins("a")
        clock.advance(by: .seconds(11))
        #expect(try await auth.validToken().name == "b")
        service.finish("a")
        let next = Task {
            await service.begins("b")
            service.finish("b")
        }
        try await out.value
        next.cancel()  // If b were not revoked, no call would begin.
        await next.value
        #expect(service.revoked == ["a", "b"])
        await #expect(throws: NotAuthorized.self) { try await auth.validToken() }
    }

    @Test func `a sign-in during a sign-out's request stays signed in`() async throws {
        let service = GatedRevocation()
        let auth = RefreshableTokenAuthorization(service: service, token: TestToken("a"), clock: ManualClock())
        let out = Task { try await auth.signOut() }
        await service.begins("a")
        try await auth.signIn { TestToken("c") }
        service.finish("a")
        try await out.value
        #expect(try await auth.validToken().name == "c")
    }

    @Test func `a sibling's sign-in during a sign-out's request stays, also if nothing was loaded before`() async throws
    {
        let (service, clock) = (GatedRevocation(), ManualClock())
        let place = InMemorySharedTokenStore<TestToken>(.make("a"), clock: clock)
        let auth = RefreshableTokenAuthorization(service: service, store: place, clock: clock)
        let sibling = RefreshableTokenAuthorization(service: service, store: place.sibling(), clock: clock)
        let out = Task { try await auth.signOut() }
        await service.begins("a")
        try await sibling.signIn { TestToken("c") }
        service.finish("a")
        try await out.value
        #expect(place.stored?.token?.name == "c")
        await #expect(throws: NotAuthorized.self) { try await auth.validToken() }
    }

    @Test func `a sign-in that is over before its task begins shows no page`() async {
        let auth = RefreshableTokenAuthorization(service: GatedRevocation(), token: TestToken("a"))
        await auth.runSignIn(RefreshID()) {
            Issue.record("a page is shown")
            return TestToken("b")
        }
        #expect(auth.currentToken?.name == "a")
    }

    @Test(.timeLimit(.minutes(5)))
    func `a sibling's sign-in stays, also if a sign-out that found nothing is stored after it`() async throws {
        let clock = ManualClock()
        let place = InMemorySharedTokenStore<TestToken>(clock: clock)
        let store = ScriptedTokenStore(place)
        let auth = RefreshableTokenAuthorization(service: GatedRevocation(), store: store, clock: clock)
        let sibling = RefreshableTokenAuthorization(service: GatedRevocation(), store: place.sibling(), clock: clock)
        let save = store.hold(next: .save)
        let out = Task { try await auth.signOut() }
        await save.begins()
        try await sibling.signIn { TestToken("c") }
        save.release()
        try await out.value
        #expect(place.stored?.token?.name == "c")
    }

    @Test(.timeLimit(.minutes(5)), arguments: [true, false])
    func `a sign-in that begins during a sign-out's request goes on`(isSaving: Bool) async throws {
        let service = GatedRevocation()
        let store = ScriptedTokenStore(InMemorySharedTokenStore<TestToken>(.make("a"), clock: ManualClock()))
        let auth = RefreshableTokenAuthorization(service: service, store: store, clock: ManualClock())
        #expect(try await auth.validToken().name == "a")
        let out = Task { try await auth.signOut() }
        await service.begins("a")
        let (begun, answered, save) = (OneShot<Void>(), OneShot<Void>(), isSaving ? store.hold(next: .save) : nil)
        let signIn = Task {
            try await auth.signIn {
                begun.fulfill()
                try await answered.value()
                return TestToken("c")
            }
        }
        try await begun.value()
        if let save {
            answered.fulfill()
            await save.begins()
            // The sign-out waits until the sign-in is stored.
            service.finish("a")
            save.release()
            try await out.value
        } else {
            service.finish("a")
            try await out.value
            answered.fulfill()
        }
        try await signIn.value
        #expect(try await auth.validToken().name == "c")
        #expect(store.base.stored?.token?.name == "c")
        #expect(service.revoked == ["a"])
    }

    @Test(.timeLimit(.minutes(5)))
    func `a sign-out ends a sign-in that began before it`() async throws {
        let service = GatedRevocation()
        let auth = RefreshableTokenAuthorization(service: service, token: TestToken("a"), clock: ManualClock())
        let begun = OneShot<Void>()
        let signIn = Task {
            try await auth.signIn {
                begun.fulfill()
                try await OneShot<Void>().value()
                return TestToken("c")
            }
        }
        try await begun.value()
        let out = Task { try await auth.signOut() }
        await service.begins("a")
        service.finish("a")
        try await out.value
        let error = await #expect(throws: NotAuthorized.self) { try await signIn.value }
        #expect(error?.reason == .signedOut)
    }

    @Test func `a sign-out that is cancelled during its request changes nothing`() async throws {
        let service = GatedRevocation()
        let auth = RefreshableTokenAuthorization(service: service, token: TestToken("a"), clock: ManualClock())
        let out = Task { try await auth.signOut() }
        await service.begins("a")
        out.cancel()
        service.fail("a", with: CancellationError())
        await #expect(throws: CancellationError.self) { try await out.value }
        #expect(try await auth.validToken().name == "a")
    }

    @Test func `cancelling a sign-out cancels the request to the server`() async throws {
        let service = PatientRevocation()
        let auth = RefreshableTokenAuthorization(service: service, token: TestToken("a"), clock: ManualClock())
        let out = Task { try await auth.signOut() }
        try await service.begun.value()
        out.cancel()
        try await service.cancelled.value()
        await #expect(throws: CancellationError.self) { try await out.value }
    }

    @Test func `signing out counts although no token is held`() async throws {
        let bench = Bench.make(holding: nil)
        try await bench.auth.signOut()
        await #expect { try await bench.name() } throws: { ($0 as? NotAuthorized)?.reason == .signedOut }
        #expect(bench.service.calls == 0)
    }

    @Test func `a sign-out with a read-only store counts in this process alone`() async throws {
        let store = InMemoryTokenStore<TestToken>()
        try await Bench.make(store: store).auth.setToken(TestToken("a"))
        let bench = Bench.make(store: store.readOnly)
        #expect(try await bench.name() == "a")
        try await bench.auth.signOut()
        #expect(bench.service.revoked.isEmpty)
        #expect(store.stored?.token?.name == "a")
        await #expect { try await bench.name() } throws: { ($0 as? NotAuthorized)?.reason == .signedOut }
    }

    @Test func `a sibling's newer token is revoked`() async throws {
        let first = SharedBench.make(follows: false)
        let second = first.sibling(.token("b"))
        #expect(try await first.name() == "old")
        first.clock.advance(by: .seconds(11))
        #expect(try await second.name() == "b")
        try await first.auth.signOut()
        #expect(first.service.script.revoked.map(\.name) == ["b"])
        #expect(first.place.stored?.token == nil)
        await #expect(throws: NotAuthorized.self) { try await first.name() }
    }

    @Test(.timeLimit(.minutes(5)), arguments: [true, false])
    func `a token that a sibling stores after the revocation is revoked too`(isLoaded: Bool) async throws {
        let first = SharedBench.make(follows: false)
        let second = first.sibling(follows: false, .token("b"))
        if isLoaded { #expect(try await first.name() == "old") }
        first.clock.advance(by: .seconds(11))
        let save = first.store.hold(next: .save)
        let out = Task { try await first.auth.signOut() }
        await save.begins()
        #expect(first.service.script.revoked.map(\.name) == ["old"])
        #expect(try await second.name() == "b")
        save.release()
        try await out.value
        #expect(first.place.stored?.token == nil)
        await first.service.discards.reaches(1)
        #expect(first.service.discarded == ["b"])
        await #expect(throws: NotAuthorized.self) { try await first.name() }
    }

    @Test func `no call that began after a sign-out had returned gets the old token`() async throws {
        let auth = RefreshableTokenAuthorization(service: CountingService(), clock: ManualClock())
        let lastSignOut = SharedCount(-1)
        let (tokens, violations) = (SharedCount(0), SharedCount(0))
        let isOver = SharedCount(0)
        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    while isOver.value == 0 {
                        await Task.yield()
                        let over = lastSignOut.value
                        guard let name = try? await auth.validToken().name, let number = Int(name) else { continue }
                        tokens.add(1)
                        if number <= over { violations.add(1) }
                    }
                }
            }
            group.addTask {
                for number in 0..<2_000 {
                    try? await auth.setToken(TestToken("\(number)"))
                    await Task.yield()
                    try? await auth.signOut()
                    lastSignOut.add(1)
                    _ = number
                }
                isOver.add(1)
            }
        }
        #expect(violations.value == 0 && tokens.value > 0)
    }
}

/// A service whose revocations go on until they are cancelled.
private struct PatientRevocation: RefreshableTokenService {
    let begun = OneShot<Void>()
    let cancelled = OneShot<Void>()

    func refresh(_ token: TestToken) async throws -> TestToken { TestToken("b") }
    func revoke(_ token: TestToken) async throws {
        begun.fulfill()
        do {
            try await OneShot<Void>().value()
        } catch {
            cancelled.fulfill()
            throw error
        }
    }
}

/// A service whose revocations wait for the test.
private final class GatedRevocation: RefreshableTokenService {
    private let gates = ScriptedTransport<String, Void>(forever: .held)
    private let open = Lock<[String: ScriptedTransport<String, Void>.Call]>([:])

    func refresh(_ token: TestToken) async throws -> TestToken { TestToken("b") }
    func revoke(_ token: TestToken) async throws { try await gates.send(token.name) }

    func begins(_ name: String) async {
        guard let call = try? await gates.nextCall() else { return }
        open.withLock { $0[call.input] = call }
    }
    var revoked: [String] { gates.requests }
    func finish(_ name: String) { open.withLock { $0[name] }?.succeed(()) }
    func fail(_ name: String, with error: any Error) { open.withLock { $0[name] }?.fail(error) }
}
