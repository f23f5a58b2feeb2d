// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import ClientScenarios
import Foundation
import LoopbackServer
import RequestAuthorizationTesting
import TestProviders
import Testing

extension ScenarioRun {
    func connectionIsReused() async throws {
        let auth = holding(ScriptedTokenService(.token("b")))
        // So long that a client which does not read it has not got it all.
        let refusal = Answer.unauthorized("Bearer", body: String(repeating: "no", count: 30_000)).inPieces(of: 4_000)
        try await withServer { request in
            request["Authorization"] == "Bearer a" ? refusal : .text("hello")
        } body: { server in
            for _ in 0..<3 {
                let reply = try await client.send(Call(server.url("/")), authorizedBy: auth)
                #expect(reply.status == 200)
            }
            #expect(await server.requests.map(\.connection) == [1, 1, 1, 1])
            #expect(await server.connections == 1)
        }
    }

    /// In a process of its own, so that nothing else counts.
    func manyRequestsLeaveNothing() async throws {
        await #expect(processExitsWith: .success) {
            [name = name as ClientName] in
            let load = try Load(name)
            try await load.send(2_000)
            let before = Footprint()
            try await load.send(10_000)
            let growth = Footprint().growth(since: before)
            #expect(growth.descriptors <= 0)
            #expect(growth.bytes < load.client.growth + 2 << 20)
            try await load.client.close()
        }
    }
}

/// Sixteen tasks that send through one client; every hundredth answer is a 401.
private struct Load {
    let client: any TestedClient
    private let server: FastServer
    private let provider = CountingProvider()

    init(_ name: ClientName) throws {
        let makeClient = try #require(name.client)
        client = makeClient(nil)
        let hello = Data("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello".utf8)
        let refusal = Data("HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\nno".utf8)
        server = try FastServer { $0.isMultiple(of: 100) ? refusal : hello }
        server.start()
    }

    func send(_ count: Int) async throws {
        let tasks = 16
        try await withThrowingTaskGroup { group in
            for _ in 0..<tasks {
                group.addTask {
                    for _ in 0..<count / tasks {
                        let reply = try await client.send(Call(server.url("/")), authorizedBy: provider)
                        guard reply.text == "hello" else { throw UnexpectedReply(status: reply.status) }
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}

private struct UnexpectedReply: Error {
    let status: Int
}
#endif
