// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import TestProviders
import Testing

/// `validToken(lasting:)`: a token for a program that passes it on.
@Suite(.timeLimit(.minutes(5))) struct LastingTokenTests {
    private func name(_ bench: Bench, lasting seconds: Int) async throws -> String {
        try await bench.auth.validToken(lasting: .seconds(seconds)).name
    }

    @Test func `a token that lasts long enough is returned, and one that lasts less is refreshed`() async throws {
        let bench = Bench.make(.token("new", lasts: .seconds(200)))
        #expect(try await name(bench, lasting: 100) == "old")
        #expect(bench.service.calls == 0)
        bench.clock.advance(by: .milliseconds(1))
        #expect(try await name(bench, lasting: 100) == "new")
        #expect(try await name(bench, lasting: 100) == "new")
        #expect(bench.service.calls == 1)
    }

    @Test func `a token without an end lasts for as long as anybody asks`() async throws {
        let bench = Bench.make(holding: nil)
        try await bench.auth.setToken(TestToken("endless"))
        for ever in [Duration.seconds(Int64.max), .seconds(Int64.max) * 2, .seconds(Int64.min) * 2] {
            #expect(try await bench.auth.validToken(lasting: ever).name == "endless")
        }
        #expect(bench.service.calls == 0)
    }

    @Test func `callers during the refresh share it, and other requests do not wait for it`() async throws {
        let bench = Bench.make(.held)
        let first = Task { try await name(bench, lasting: 150) }
        await bench.held.reaches(1)
        let second = Task { try await name(bench, lasting: 120) }
        await bench.held.reaches(2)
        #expect(try await bench.name() == "old")
        try await bench.service.nextCall().succeed(TestToken("new"))
        #expect(try await first.value == "new")
        #expect(try await second.value == "new")
        #expect(bench.service.calls == 1)
    }

    @Test func `a successor that also lasts less is returned after one refresh`() async throws {
        let bench = Bench.make(.token("short", lasts: .seconds(50)), .token("shorter", lasts: .seconds(40)))
        #expect(try await name(bench, lasting: 150) == "short")
        // The service has never given a longer one.
        #expect(try await name(bench, lasting: 150) == "short")
        #expect(bench.service.calls == 1)
        bench.clock.advance(by: .seconds(1))
        #expect(try await name(bench, lasting: 150) == "shorter")
    }

    @Test(arguments: [true, false])
    func `another session may have tokens that last longer`(isOfSibling: Bool) async throws {
        let bench = SharedBench.make(
            lasts: 100, .token("short", lasts: .seconds(50)), .token("long", lasts: .seconds(200)))
        let sibling = bench.sibling()
        #expect(try await bench.name() == "old")
        #expect(try await bench.auth.validToken(lasting: .seconds(150)).name == "short")
        let next = TestToken("next", expiresAt: bench.clock.now + 100)
        if isOfSibling {
            _ = await bench.event(.tokenAdopted) { try? await sibling.auth.setToken(next) }
        } else {
            try await bench.auth.setToken(next)
        }
        #expect(try await bench.auth.validToken(lasting: .seconds(150)).name == "long")
    }

    @Test func `a refresh that fails throws although the token is valid for a shorter time, and the slot stays closed`()
        async throws
    {
        let bench = Bench.make(.failure(Offline()), .token("new", lasts: .seconds(200)))
        for _ in 0..<3 {
            let error = await #expect(throws: RefreshFailed.self) { try await name(bench, lasting: 150) }
            #expect(error?.underlying is Offline)
        }
        #expect(bench.service.calls == 1)
        #expect(try await bench.name() == "old")
        bench.clock.advance(by: .seconds(1))
        #expect(try await name(bench, lasting: 150) == "new")
    }

    @Test func `a stored token that lasts less is refreshed at a cold start too`() async throws {
        let bench = Bench.make(store: InMemoryTokenStore(.make("stored")), .token("new", lasts: .seconds(200)))
        bench.clock.advance(by: .seconds(1))
        #expect(try await name(bench, lasting: 100) == "new")
        #expect(bench.service.calls == 1)
    }

    @Test func `a stored token that lasts long enough is returned at a cold start`() async throws {
        let bench = Bench.make(store: InMemoryTokenStore(.make("stored")))
        bench.clock.advance(by: .seconds(1))
        #expect(try await name(bench, lasting: 99) == "stored")
        #expect(bench.service.calls == 0)
    }

    @Test func `a token that is obtained at a cold start is returned, even if it lasts less`() async throws {
        let bench = Bench.make(store: InMemoryTokenStore(.make("stored")), .token("short", lasts: .seconds(50)))
        bench.clock.advance(by: .seconds(100))
        #expect(try await name(bench, lasting: 150) == "short")
        #expect(bench.service.calls == 1)
    }

    @Test func `at a cold start refreshNow() refreshes a valid stored token, and an expired one once`() async throws {
        for (age, calls) in [(1, 1), (100, 1)] {
            let bench = Bench.make(store: InMemoryTokenStore(.make("stored")), .token("new"))
            bench.clock.advance(by: .seconds(age))
            #expect(try await bench.auth.refreshNow().name == "new")
            #expect(bench.service.calls == calls)
        }
    }

    @Test func `the storm guard counts refreshes of young tokens, and then what is held is returned`() async throws {
        let bench = Bench.make()
        for number in 1...6 { bench.service.append(.token("\(number)", lasts: .seconds(10))) }
        for number in [1, 2, 3, 4, 5, 5, 5] {
            #expect(try await name(bench, lasting: 150) == "\(number)")
            bench.clock.advance(by: .milliseconds(100))
        }
        #expect(bench.service.calls == 5)
        #expect(try await bench.name() == "5")
    }
}

/// `refreshNow()` and `currentToken`.
@Suite(.timeLimit(.minutes(5))) struct RefreshNowTests {
    @Test func `refreshNow refreshes a token that is valid, in the same session`() async throws {
        let store = InMemoryTokenStore<TestToken>(.make("stored"))
        let bench = Bench.make(store: store, .token("new"))
        let session = store.stored?.version.session
        #expect(try await bench.name() == "stored")
        #expect(try await bench.auth.refreshNow().name == "new")
        #expect(store.stored?.token?.name == "new")
        #expect(store.stored?.version.session == session)
        #expect(store.stored?.version.generation == 1)
    }

    @Test func `refreshNow joins a refresh that is under way`() async throws {
        let bench = Bench.make(.held)
        bench.clock.advance(by: .seconds(92))
        #expect(try await bench.name() == "old")
        let call = try await bench.service.nextCall()
        let refresh = Task { try await bench.auth.refreshNow().name }
        await bench.held.reaches(1)
        call.succeed(TestToken("new"))
        #expect(try await refresh.value == "new")
        #expect(bench.service.calls == 1)
    }

    @Test func `whoever waits for a sign-in that fails gets a token that lasts`() async throws {
        for ask in [
            { @Sendable in try await $0.refreshNow() },
            { @Sendable in try await $0.validToken(lasting: .seconds(150)) },
        ] as [@Sendable (RefreshableTokenAuthorization<TestToken>) async throws -> TestToken] {
            let bench = Bench.make(.token("new", lasts: .seconds(200)))
            let (begun, failing) = (OneShot<Void>(), OneShot<Void>())
            let signIn = Task {
                try await bench.auth.signIn {
                    begun.fulfill()
                    try await failing.value()
                    throw Offline()
                }
            }
            try await begun.value()
            let token = Task { try await ask(bench.auth).name }
            await bench.held.reaches(1)
            failing.fulfill()
            await #expect(throws: Offline.self) { try await signIn.value }
            #expect(try await token.value == "new")
            #expect(bench.service.calls == 1)
        }
    }

    @Test func `refreshNow does not wait for the slot after a failure`() async throws {
        let bench = Bench.make(.failure(Offline()), .token("new"))
        await #expect(throws: RefreshFailed.self) { try await bench.auth.refreshNow() }
        #expect(try await bench.auth.refreshNow().name == "new")
    }

    @Test func `refreshNow does not wait for the slot after a store that could not be read`() async throws {
        let store = ScriptedTokenStore(InMemoryTokenStore<TestToken>(.make("stored")))
        store.fail(all: .load, with: Offline())
        let bench = Bench.make(store: store, .token("new"))
        for _ in 0..<3 {
            let error = await #expect(throws: RefreshFailed.self) { try await bench.auth.refreshNow() }
            #expect(error?.underlying is Offline)
        }
        #expect(store.operations.map(\.kind) == [.load, .load, .load])
        store.fail(all: .load, with: nil)
        bench.clock.advance(by: .seconds(1))  // The slot is later; the stored token is of an earlier moment.
        #expect(try await bench.auth.refreshNow().name == "new")
    }

    @Test func `refreshNow waits for the time that the server has named`() async throws {
        let bench = Bench.make(
            .failure(TokenEndpointError(status: 503, retryAfter: .seconds(60))), .token("new"))
        for _ in 0..<2 { await #expect(throws: RefreshFailed.self) { try await bench.auth.refreshNow() } }
        #expect(bench.service.calls == 1)
        #expect(try await bench.name() == "old")
        bench.clock.advance(by: .seconds(60))
        #expect(try await bench.auth.refreshNow().name == "new")
    }

    @Test func `currentToken asks neither the store nor the service`() async throws {
        let store = ScriptedTokenStore(InMemoryTokenStore<TestToken>(.make("stored")))
        let bench = Bench.make(store: store)
        #expect(bench.auth.currentToken == nil)
        #expect(store.operations.isEmpty)
        #expect(try await bench.name() == "stored")
        bench.clock.advance(by: .seconds(200))
        #expect(bench.auth.currentToken?.name == "stored")
        await bench.auth.reset()
        #expect(bench.auth.currentToken == nil)
        #expect(store.operations.map(\.kind) == [.load, .clear])
        #expect(bench.service.calls == 0)
    }
}
