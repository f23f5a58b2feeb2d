// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import ClientScenarios
import RequestAuthorizationGRPC
import RequestAuthorizationTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct StreamTests {
    @Test(.shows(.bodyIsSentAgain), arguments: [Way.clientStreaming, .bidirectional])
    func `messages that are sent twice are the same byte for byte`(
        way: Way
    ) async throws {
        let messages = (0..<64).map { number in (0..<2_000).map { UInt8(truncatingIfNeeded: number &* 31 &+ $0) } }
        let echo = EchoService(accepting: "Bearer b", otherwise: .afterMessages(messages.count))
        try await withEcho(echo, Auth.holdingA(ScriptedTokenService(.token("b")))) { client in
            let answer = try await way.call(client, messages)
            #expect(answer == (way == .bidirectional ? messages : [messages.flatMap { $0 }]))
        }
        #expect(echo.calls.map(\.messages) == [messages, messages])
    }

    @Test func `a producer that waits for answers goes on with the second try`() async throws {
        let echo = EchoService(accepting: "Bearer b", otherwise: .afterMessages(1))
        let answered = Arrivals(1)
        let runs = Lock(0)
        try await withEcho(echo, Auth.holdingA(ScriptedTokenService(.token("b")))) { client in
            let request = StreamingClientRequest<Message> { writer in
                runs.withLock { $0 += 1 }
                try await writer.write(Message("one"))
                try await answered.all()
                try await writer.write(Message("two"))
            }
            let way = Way.bidirectional
            let answers = try await client.bidirectionalStreaming(
                request: request, descriptor: way.method, serializer: Bytes(), deserializer: Bytes(),
                options: .defaults
            ) { response in
                try await response.messages.reduce(into: [Message]()) {
                    $0.append($1)
                    if $0.count == 1 { answered.add() }
                }
            }
            #expect(answers == [Message("one"), Message("two")])
        }
        #expect(echo.calls.map(\.messages) == [[Message("one")], [Message("one"), Message("two")]])
        #expect(runs.withLock { $0 } == 1)
    }

    @Test(.shows(.oneShotBodyIsSentOnce), arguments: [65, 200])
    func `messages that cannot be replayed are not sent twice, and the next call has a new credential`(
        count: Int
    ) async throws {
        let messages = (0..<count).map { Message("\($0)") }
        let echo = EchoService(accepting: "Bearer b", otherwise: .afterMessages(messages.count))
        let service = ScriptedTokenService<TestToken>(.token("b"))
        let runs = Lock(0)
        try await withEcho(echo, Auth.holdingA(service)) { client in
            let request = StreamingClientRequest<Message> { writer in
                runs.withLock { $0 += 1 }
                for message in messages { try await writer.write(message) }
            }
            let error = await #expect(throws: RPCError.self) {
                try await Way.bidirectional.stream(client, request)
            }
            #expect(error?.code == .unauthenticated && error?.message == "no")
            #expect(error?.pushback == ["0"], "making the call again is worth a try")
            #expect(echo.calls.map(\.messages) == [messages])
            let answer = try await Way.bidirectional.stream(client, request)
            #expect(answer == messages)
        }
        #expect(echo.calls.map(\.credential) == ["Bearer a", "Bearer b"])
        #expect(runs.withLock { $0 } == 2 && service.calls == 1)
    }

    @Test(arguments: [Way.unary, .serverStreaming, .bidirectional])
    func `a refusal after messages is thrown once they are read, and the next call has a new credential`(
        way: Way
    ) async throws {
        let echo = EchoService(accepting: "Bearer b", otherwise: .afterEcho())
        let service = ScriptedTokenService<TestToken>(.token("b"))
        try await withEcho(echo, Auth.holdingA(service)) { client in
            let error = await #expect(throws: RPCError.self) { try await way.call(client) }
            #expect(error?.code == .unauthenticated && error?.pushback == ["0"])
            #expect(echo.calls.count == 1)
            let answer = try await way.call(client)
            #expect(answer == way.answer)
        }
        #expect(echo.calls.map(\.credential) == ["Bearer a", "Bearer b"])
        #expect(service.calls == 1)
    }

    @Test func `messages before the refusal are delivered`() async throws {
        let echo = EchoService(accepting: "Bearer b", otherwise: .afterEcho())
        try await withEcho(echo, Auth.holdingA(ScriptedTokenService(.token("b")))) { client in
            let way = Way.bidirectional
            let request = StreamingClientRequest<Message> { writer in
                for message in way.messages { try await writer.write(message) }
            }
            let received = try await client.bidirectionalStreaming(
                request: request, descriptor: way.method, serializer: Bytes(), deserializer: Bytes(),
                options: .defaults
            ) { response in
                var received: [Message] = []
                do {
                    for try await message in response.messages { received.append(message) }
                    Issue.record("the refusal is lost")
                } catch let error as RPCError {
                    #expect(error.code == .unauthenticated)
                }
                return received
            }
            #expect(received == way.messages)
        }
    }
}
#endif
