// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
import LoopbackServer
import RequestAuthorization
import RequestAuthorizationTesting
import TestProviders
import Testing

extension ScenarioRun {
    /// Of all requests that were sent one is answered, and the session ends. Then the others are answered.
    func endedSessionIsThrown() async throws {
        let service = ScriptedTokenService<TestToken>(
            .failure(TokenEndpointError(status: 400, code: "invalid_grant")))
        let auth = holding(service)
        let (arrived, ended) = (Tally(), Tally())
        try await withServer { request in
            arrived.add()
            await arrived.reaches(50)
            if request.target != "/0" { await ended.reaches(1) }
            return Self.refusal
        } body: { server in
            try await withThrowingTaskGroup(of: NotAuthorized?.self) { group in
                for number in 0..<50 {
                    group.addTask {
                        do {
                            _ = try await client.send(Call(server.url("/\(number)")), authorizedBy: auth)
                            return nil
                        } catch let error as NotAuthorized {
                            ended.add()
                            return error
                        }
                    }
                }
                for try await error in group {
                    #expect(error?.reason == .rejected)
                    #expect(error?.challenge?.error == "invalid_token")
                }
            }
            #expect(await server.requests.count == 50)
            #expect(service.calls == 1)
        }
    }

    /// Two providers over one shared store stand for two processes.
    func replacedSessionIsNotSent() async throws {
        let place = InMemorySharedTokenStore<TestToken>()
        let service = ScriptedTokenService<TestToken>()
        let auth = RefreshableTokenAuthorization(service: service, store: place)
        let sibling = RefreshableTokenAuthorization(service: service, store: place.sibling())
        try await auth.signIn { TestToken("a") }
        let replaced = Tally()
        try await withServer { request in
            await replaced.reaches(1)
            return try await Self.refusesA(request)
        } body: { server in
            let call = Call(server.url("/"))
            let reply = Task { try await client.send(call, authorizedBy: auth) }
            await server.waitForRequests(1)
            try await sibling.signIn { TestToken("b") }
            _ = await auth.tokenChanges.first { _ in auth.currentToken?.name == "b" }
            replaced.add()
            let error = await #expect(throws: NotAuthorized.self) { try await reply.value }
            #expect(error?.reason == .sessionReplaced && error?.needsSignIn == false)
            #expect(try await client.send(Call(server.url("/next")), authorizedBy: auth).status == 200)
            #expect(await server.requests.map { $0["Authorization"] } == ["Bearer a", "Bearer b"])
            #expect(service.calls == 0)
        }
    }

    func nextPersonSendsNothing() async throws {
        let changes: [@Sendable (RefreshableTokenAuthorization<TestToken>) async throws -> Void] = [
            { auth in
                await auth.reset()
                try await auth.signIn { TestToken("b") }
            },
            { try await $0.setToken(TestToken("b")) },
        ]
        for change in changes {
            let service = ScriptedTokenService<TestToken>()
            let auth = holding(service)
            let changed = Tally()
            try await withServer { request in
                await changed.reaches(1)
                return try await Self.refusesA(request)
            } body: { server in
                let reply = Task { [call = Call(server.url("/"))] in try await client.send(call, authorizedBy: auth) }
                await server.waitForRequests(1)
                try await change(auth)
                changed.add()
                let error = await #expect(throws: NotAuthorized.self) { try await reply.value }
                #expect(error?.reason == .sessionReplaced)
                #expect(try await client.send(Call(server.url("/next")), authorizedBy: auth).status == 200)
                #expect(await server.requests.map { $0["Authorization"] } == ["Bearer a", "Bearer b"])
            }
            #expect(service.calls == 0)
        }
    }
}
#endif
