// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
import LoopbackServer
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

extension ScenarioRun {
    /// Of all that have been sent one is answered, and the session ends; the others are answered then.
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
}
#endif
