// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import ClientScenarios
import RequestAuthorizationGRPC
import RequestAuthorizationTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct CancellationTests {
    @Test(.shows(.cancelledBeforehand)) func `a task that is cancelled already sends nothing`() async throws {
        let echo = EchoService()
        try await withEcho(echo, Auth.holdingA(ScriptedTokenService())) { client in
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await Way.unary.call(client)
            }
            await #expect(throws: (any Error).self) { try await task.value }
        }
        #expect(echo.calls.isEmpty)
    }

    @Test(.shows(.cancelledWhileHeld))
    func `cancelled while it waits for the refresh: it ends at once, the refresh goes on`() async throws {
        let service = ScriptedTokenService<TestToken>(.held)
        let held = Arrivals(1)
        let auth = Auth(service: service, token: nil, store: nil, clock: ManualClock(), onHold: { held.add() })
        let echo = EchoService()
        try await withEcho(echo, auth) { client in
            let task = Task { try await Way.unary.call(client) }
            try await held.all()
            task.cancel()
            await expectCancelled(task)
            #expect(echo.calls.isEmpty)
            let refresh = try await service.nextCall()
            #expect(!refresh.isCancelled)
            refresh.succeed(TestToken("b"))
            _ = try await Way.unary.call(client)
        }
        #expect(echo.calls.map(\.credential) == ["Bearer b"])
    }

    @Test(.shows(.cancelledAfterRefusal))
    func `cancelled while it waits after a refusal: it ends at once, the refresh goes on`() async throws {
        let service = ScriptedTokenService<TestToken>(.held)
        let held = Arrivals(1)
        let echo = EchoService(accepting: "Bearer b")
        try await withEcho(echo, Auth.holdingA(service, onHold: { held.add() })) { client in
            let task = Task { try await Way.unary.call(client) }
            let refresh = try await service.nextCall()
            try await held.all()
            task.cancel()
            await expectCancelled(task)
            #expect(!refresh.isCancelled)
            refresh.succeed(TestToken("b"))
            _ = try await Way.unary.call(client)
        }
        #expect(echo.calls.map(\.credential) == ["Bearer a", "Bearer b"])
    }

    @Test(.shows(.cancelledWhileSending), arguments: ["Bearer a", "Bearer b"])
    func `cancelled while the server is silent, at the first or the second try: it ends at once`(
        silent: String
    ) async throws {
        let arrived = Arrivals(1)
        let released = Arrivals(1)
        let echo = EchoService { call in
            if call.credential == silent {
                arrived.add()
                // The server sees the cancellation: then this throws.
                do { try await released.all() } catch { released.add() }
            }
            return .atOnce()
        }
        try await withEcho(echo, Auth.holdingA(ScriptedTokenService(.token("b")))) { client in
            let task = Task { try await Way.unary.call(client) }
            try await arrived.all()
            task.cancel()
            await expectCancelled(task)
            released.add()
        }
        #expect(echo.calls.last?.credential == silent)
    }

    @Test(.shows(.cancelledDuringBody)) func `cancelled while messages come: it ends at once`() async throws {
        let echo = EchoService()
        let received = Arrivals(1)
        let never = Arrivals(1)
        try await withEcho(echo, Auth.holdingA(ScriptedTokenService())) { client in
            let task = Task {
                let request = StreamingClientRequest<Message> { writer in
                    try await writer.write(Message("one"))
                    try await never.all()
                }
                return try await client.bidirectionalStreaming(
                    request: request, descriptor: Way.bidirectional.method, serializer: Bytes(), deserializer: Bytes(),
                    options: .defaults
                ) { response in
                    try await response.messages.reduce(into: [Message]()) {
                        $0.append($1)
                        received.add()
                    }
                }
            }
            try await received.all()
            task.cancel()
            await #expect(throws: (any Error).self) { try await task.value }
        }
    }

    @Test func `a time-out spans both tries and the wait between them`() async throws {
        let service = ScriptedTokenService<TestToken>(.held)
        let echo = EchoService(accepting: "Bearer b")
        try await withEcho(echo, Auth.holdingA(service)) { client in
            // On a busy machine the first may run out before the server has refused anything.
            for timeout in [0.3, 3, 20] where service.calls == 0 {
                var options = CallOptions.defaults
                options.timeout = .seconds(timeout)
                let error = await #expect(throws: RPCError.self) {
                    try await Way.unary.call(client, options: options)
                }
                #expect(error?.code == .deadlineExceeded)
            }
            try #require(service.calls == 1)
            let refresh = try await service.nextCall()
            #expect(!refresh.isCancelled)
            refresh.succeed(TestToken("b"))
        }
        #expect(Set(echo.calls.map(\.credential)) == ["Bearer a"])
    }

    private func expectCancelled(_ task: Task<[Message], any Error>) async {
        let error = await #expect(throws: (any Error).self) { try await task.value }
        #expect(error is CancellationError || (error as? RPCError)?.code == .cancelled, "\(error as Any)")
    }
}
#endif
