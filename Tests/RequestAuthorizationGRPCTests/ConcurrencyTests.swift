// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import ClientScenarios
import RequestAuthorizationGRPC
import RequestAuthorizationTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct ConcurrencyTests {
    @Test(.shows(.fiftyRefusalsRefreshOnce)) func `50 concurrent refusals make one refresh`() async throws {
        let all = Arrivals(50)
        let service = ScriptedTokenService<TestToken>(.token("b"))
        let echo = EchoService { call in
            guard call.credential == "Bearer a" else { return nil }
            try await all.meet()
            return .atOnce()
        }
        try await withEcho(echo, Auth.holdingA(service)) { client in
            try await withThrowingTaskGroup { group in
                for _ in 0..<50 { group.addTask { try await Way.unary.call(client) } }
                for try await answer in group { #expect(answer == Way.unary.answer) }
            }
        }
        #expect(service.calls == 1)
        #expect(
            echo.calls.map(\.credential).sorted() == Array(repeating: "Bearer a", count: 50)
                + Array(repeating: "Bearer b", count: 50))
    }

    @Test(.shows(.endedSessionIsThrown))
    func `when a session has ended, 50 concurrent refusals all have that end as their cause`() async throws {
        let all = Arrivals(50)
        let ended = Arrivals(1)
        let service = ScriptedTokenService<TestToken>(.failure(TokenEndpointError(status: 400, code: "invalid_grant")))
        let echo = EchoService { call in
            try await all.meet()
            if Array(call.metadata[stringValues: "number"]) != ["0"] { try await ended.all() }
            return .atOnce(.unauthenticated(("www-authenticate", "Bearer error=\"invalid_token\"")))
        }
        try await withEcho(echo, Auth.holdingA(service)) { client in
            await withTaskGroup(of: RPCError?.self) { group in
                for number in 0..<50 {
                    group.addTask {
                        do {
                            _ = try await Way.unary.call(client, metadata: ["number": "\(number)"])
                            return nil
                        } catch {
                            if number == 0 { ended.add() }
                            return error as? RPCError
                        }
                    }
                }
                for await error in group {
                    #expect(error?.code == .unauthenticated && error?.pushback == ["-1"])
                    #expect((error?.cause as? NotAuthorized)?.reason == .rejected)
                }
            }
        }
        #expect(echo.calls.count == 50 && service.calls == 1)
    }

    /// Two providers over one shared store stand for two processes.
    @Test(.shows(.replacedSessionIsNotSent))
    func `a call is not made again in a session that a sibling process has begun`() async throws {
        let place = InMemorySharedTokenStore<TestToken>()
        let service = ScriptedTokenService<TestToken>()
        let auth = Auth(service: service, store: place)
        let sibling = Auth(service: service, store: place.sibling())
        try await auth.signIn { TestToken("a") }
        let (arrived, replaced) = (Arrivals(1), Arrivals(1))
        let echo = EchoService { call in
            guard call.credential == "Bearer a" else { return nil }
            arrived.add()
            try await replaced.all()
            return .atOnce()
        }
        try await withEcho(echo, auth) { client in
            let call = Task { try await Way.unary.call(client) }
            try await arrived.all()
            try await sibling.signIn { TestToken("b") }
            _ = await auth.tokenChanges.first { _ in auth.currentToken?.name == "b" }
            replaced.add()
            let error = await #expect(throws: RPCError.self) { try await call.value }
            #expect(error?.pushback == ["-1"])
            #expect((error?.cause as? NotAuthorized)?.reason == .sessionReplaced)
        }
        #expect(echo.calls.map(\.credential) == ["Bearer a"])
    }

    /// - Parameter pushback: the server's own advice to call again.
    @Test(.shows(.nextPersonSendsNothing), arguments: [[], [("grpc-retry-pushback-ms", "0")]])
    func `a call is not made again as the person who signs in next`(pushback: [(String, String)]) async throws {
        let auth = Auth.holdingA(ScriptedTokenService<TestToken>())
        let (arrived, changed) = (Arrivals(1), Arrivals(1))
        let echo = EchoService { call in
            guard call.credential == "Bearer a" else { return nil }
            arrived.add()
            try await changed.all()
            return .atOnce(.unauthenticated(pushback))
        }
        try await withEcho(echo, auth) { client in
            let call = Task { try await Way.unary.call(client) }
            try await arrived.all()
            await auth.reset()
            try await auth.signIn { TestToken("b") }
            changed.add()
            let error = await #expect(throws: RPCError.self) { try await call.value }
            #expect(error?.pushback == ["-1"])
            #expect((error?.cause as? NotAuthorized)?.reason == .sessionReplaced)
            let answer = try await Way.unary.call(client)
            #expect(answer == Way.unary.answer)
        }
        #expect(echo.calls.map(\.credential) == ["Bearer a", "Bearer b"])
    }

    @Test(.shows(.staleRefusalRefreshesNothing)) func `a refusal for an old token refreshes nothing`() async throws {
        let arrived = Arrivals(1)
        let release = Arrivals(1)
        let service = ScriptedTokenService<TestToken>(.token("b"))
        let echo = EchoService { call in
            guard call.credential == "Bearer a" else { return nil }
            if call.way == .serverStreaming {
                arrived.add()
                try await release.all()
            }
            return .atOnce()
        }
        try await withEcho(echo, Auth.holdingA(service)) { client in
            async let slow = Way.serverStreaming.call(client)
            try await arrived.all()
            let answer = try await Way.unary.call(client)
            #expect(answer == Way.unary.answer)
            release.add()
            let slowAnswer = try await slow
            #expect(slowAnswer == Way.serverStreaming.answer)
        }
        #expect(service.calls == 1)
        #expect(echo.calls.map(\.credential) == ["Bearer a", "Bearer a", "Bearer b", "Bearer b"])
    }

    @Test(.shows(.requestsAreHeldDuringRefresh))
    func `calls during a refresh after a refusal are held: none is wasted`() async throws {
        let service = ScriptedTokenService<TestToken>(.held)
        let held = Arrivals(21)
        let echo = EchoService(accepting: "Bearer b")
        try await withEcho(echo, Auth.holdingA(service, onHold: { held.add() })) { client in
            async let first = Way.unary.call(client)
            let refresh = try await service.nextCall()
            try await withThrowingTaskGroup { group in
                for number in 0..<20 {
                    let way = Way.allCases[number % 4]
                    group.addTask {
                        let answer = try await way.call(client)
                        #expect(answer == way.answer)
                    }
                }
                try await held.all()
                #expect(echo.calls.map(\.credential) == ["Bearer a"])
                refresh.succeed(TestToken("b"))
                try await group.waitForAll()
            }
            let firstAnswer = try await first
            #expect(firstAnswer == Way.unary.answer)
        }
        #expect(echo.calls.map(\.credential) == ["Bearer a"] + Array(repeating: "Bearer b", count: 21))
        #expect(service.calls == 1)
    }
}
#endif
