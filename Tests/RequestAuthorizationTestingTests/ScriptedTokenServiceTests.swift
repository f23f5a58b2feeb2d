// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationTesting
import Testing

private struct Offline: Error {}

struct ScriptedTokenServiceTests {
    let clock = ManualClock()

    @Test func `each call takes the next step, and tokens last from the call on`() async throws {
        let service = ScriptedTokenService(
            clock: clock, .token("a", lasts: .seconds(60)), .failure(Offline()), .token("b", lasts: .seconds(30)))
        let first = try await service.initialToken()
        #expect(first == TestToken("a", expiresAt: clock.now + 60))
        clock.advance(by: .seconds(61))
        await #expect(throws: Offline.self) { try await service.refresh(first) }
        #expect(try await service.refresh(first) == TestToken("b", expiresAt: clock.now + 30))
        #expect(service.calls == 3)
        #expect(service.history.map(\.input) == [nil, first, first])
        #expect(service.history.map(\.number) == [1, 2, 3])
    }

    @Test func `a call beyond the script fails with an error that names the script`() async throws {
        let service = ScriptedTokenService(.token("a"))
        _ = try await service.initialToken()
        let error = await #expect(throws: ScriptRanOut.self) { try await service.refresh(TestToken("a")) }
        #expect(
            "\(error!)"
                == "the script of ScriptedTokenService has 1 steps and none for call 2: add a step, or check why it was "
                + "called")
    }

    @Test func `a last step can be repeated without end`() async throws {
        let service = ScriptedTokenService(.token("a"), forever: .numberedToken())
        var names: [String] = []
        for _ in 0..<4 { names.append(try await service.initialToken().name) }
        #expect(names == ["a", "token-2", "token-3", "token-4"])
    }

    @Test func `steps can be added later`() async throws {
        let service = ScriptedTokenService(.token("a"), .token("b"))
        service.append(.token("c"), .token("d"))
        var names: [String] = []
        for _ in 0..<4 { names.append(try await service.initialToken().name) }
        #expect(names == ["a", "b", "c", "d"])
    }

    @Test func `a held call ends as the test decides`() async throws {
        let service = ScriptedTokenService<TestToken>(.held, .held)
        async let first = service.refresh(TestToken("a"))
        let call = try await service.nextCall()
        #expect(call.input == TestToken("a"))
        #expect(call.succeed(TestToken("b")))
        #expect(try await first == TestToken("b"))
        #expect(!call.succeed(TestToken("c")))

        let second = Task { try await service.refresh(TestToken("b")) }
        try await service.nextCall().fail(Offline())
        await #expect(throws: Offline.self) { try await second.value }
    }

    @Test func `held calls come in order, each once`() async throws {
        let service = ScriptedTokenService<TestToken>(.held, .held)
        let first = Task { try await service.initialToken() }
        await service.calls(atLeast: 1)
        let second = Task { try await service.initialToken() }
        await service.calls(atLeast: 2)
        let calls = [try await service.nextCall(), try await service.nextCall()]
        #expect(calls.map(\.number) == [1, 2])
        calls[1].succeed(TestToken("second"))
        calls[0].succeed(TestToken("first"))
        #expect(try await first.value.name == "first")
        #expect(try await second.value.name == "second")
    }

    @Test func `a held call ends when its task is cancelled, and reports that`() async throws {
        let service = ScriptedTokenService<TestToken>(.held)
        let task = Task { try await service.initialToken() }
        let call = try await service.nextCall()
        #expect(!call.isCancelled)
        task.cancel()
        await call.cancellation()
        #expect(!call.succeed(TestToken("late")))
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `a call that ignores cancellation goes on until the test decides`() async throws {
        let service = ScriptedTokenService<TestToken>(.heldIgnoringCancellation)
        let task = Task { try await service.initialToken() }
        let call = try await service.nextCall()
        task.cancel()
        await call.cancellation()
        #expect(call.isCancelled)
        #expect(call.succeed(TestToken("late")))
        #expect(try await task.value.name == "late")
    }

    @Test func `a task that stops waiting for a call takes none away`() async throws {
        let service = ScriptedTokenService<TestToken>(.held)
        let impatient = Task { try await service.nextCall() }
        impatient.cancel()
        await #expect(throws: CancellationError.self) { try await impatient.value }
        let task = Task { try await service.initialToken() }
        try await service.nextCall().succeed(TestToken("a"))
        #expect(try await task.value.name == "a")
    }

    @Test func `a step can be code`() async throws {
        let service = ScriptedTokenService<TestToken>(
            forever: .run { call in
                #expect(!call.succeed(TestToken("not held")))
                return TestToken("call \(call.number)")
            })
        #expect(try await service.initialToken().name == "call 1")
    }

    @Test func `discarded tokens are recorded`() async {
        let service = ScriptedTokenService<TestToken>()
        await service.discard(TestToken("late"))
        #expect(service.discarded == [TestToken("late")])
        async let two: Void = service.discards(atLeast: 2)
        await service.discard(TestToken("later"))
        await two
        #expect(service.discarded.map(\.name) == ["late", "later"])
        #expect(service.calls == 0)
    }
}
