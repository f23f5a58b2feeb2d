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
    func bodiesQueue() async throws {
        try await keepsToItsConnections()
        try await leavesTheQueue()
    }

    /// The server answers once two requests are there. So the client must use two connections, and never more.
    private func keepsToItsConnections() async throws {
        let open = Lock((now: 0, most: 0))
        let arrived = Tally()
        try await withOther(connections: 2) { other in
            try await withServer { _ in
                open.withLock { open in
                    open.now += 1
                    open.most = max(open.most, open.now)
                }
                arrived.add()
                await arrived.reaches(2)
                open.withLock { $0.now -= 1 }
                return .text("hello")
            } body: { server in
                try await withThrowingTaskGroup { group in
                    for number in 0..<10 {
                        let call = Call.post(server.url("/\(number)"), .bytes([1, 2, 3]))
                        group.addTask { try await other.send(call, authorizedBy: .bearer("abc")).status }
                    }
                    for try await status in group { #expect(status == 200) }
                }
                #expect(await server.requests.count == 10)
                #expect(open.withLock { $0.most } == 2)
            }
        }
    }

    /// A waiting request that is cancelled ends while the only connection is in use, and is never sent.
    private func leavesTheQueue() async throws {
        let isOver = Tally()
        try await withOther(connections: 1) { other in
            try await withServer { request in
                if request.target == "/first" { await isOver.reaches(1) }
                return .text("hello")
            } body: { server in
                let calls = ["/first", "/second", "/third"].map { Call.post(server.url($0), .bytes([1])) }
                let first = Task { try await other.send(calls[0], authorizedBy: .bearer("abc")).status }
                await server.waitForRequests(1)
                let second = Task { try await other.send(calls[1], authorizedBy: .bearer("abc")).status }
                second.cancel()
                await #expect(throws: CancellationError.self) { try await second.value }
                isOver.add()
                let firstStatus = try await first.value
                let thirdStatus = try await other.send(calls[2], authorizedBy: .bearer("abc")).status
                #expect(firstStatus == 200 && thirdStatus == 200)
                #expect(await server.requests.map(\.target) == ["/first", "/third"])
            }
        }
    }

    /// A request that a server can recognize as a repetition may be repeated by the client.
    func bodiesReuse() async throws {
        try await withServer { _ in
            .text("hello")
        } body: { server in
            for number in 0..<3 {
                var call = Call.post(server.url("/"), .bytes([1, 2, 3]))
                call.fields["Idempotency-Key"] = "8e03978e-\(number)"
                let status = try await client.send(call, authorizedBy: .bearer("abc")).status
                #expect(status == 200)
            }
            #expect(await server.requests.map(\.connection) == [1, 1, 1])
        }
    }

    /// Another client of the same kind with this many connections.
    private func withOther(connections: Int, _ body: (any TestedClient) async throws -> Void) async throws {
        let makeClient = try #require(name.client)
        let other = makeClient(connections, nil)
        do {
            try await body(other)
        } catch {
            try await other.close()
            throw error
        }
        try await other.close()
    }
}
#endif
