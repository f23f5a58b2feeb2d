// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import ClientScenarios
import Foundation
import LoopbackServer
import RequestAuthorization
import RequestAuthorizationTesting
import TestProviders
import Testing

extension ScenarioRun {
    func connectionIsReused() async throws {
        let auth = holding(ScriptedTokenService(.token("b")))
        // So long that a client has not received all of it if it does not read it.
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

    /// In a separate process, so that nothing else counts.
    func manyRequestsLeaveNothing() async throws {
        await #expect(processExitsWith: .success) {
            [name = name as ClientName] in
            let load = try Load(name)
            try await load.send(2_000)
            let before = try await load.footprint()
            try await load.send(10_000)
            let growth = try await load.footprint().growth(since: before)
            #expect(growth.descriptors <= 0, "\(growth)")
            #expect(growth.bytes < load.client.growth + 2 << 20, "\(growth)")
            try await load.client.close()
        }
    }
}

/// Sixteen tasks that send through one client with as many connections; every hundredth answer is a 401.
private struct Load {
    private static let tasks = 16

    let client: any TestedClient
    private let server: FastServer
    private let provider = CountingProvider()
    private let meeting = Meeting()

    init(_ name: ClientName) throws {
        let makeClient = try #require(name.client)
        client = makeClient(Self.tasks, nil)
        let hello = Data("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello".utf8)
        let refusal = Data("HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\nno".utf8)
        server = try FastServer { [meeting] number in
            if meeting.join() { return hello }
            return number.isMultiple(of: 100) ? refusal : hello
        }
        server.start()
    }

    /// Has each task send its share.
    func send(_ count: Int) async throws {
        try await withThrowingTaskGroup { group in
            for _ in 0..<Self.tasks {
                group.addTask {
                    for _ in 0..<count / Self.tasks {
                        let reply = try await client.send(Call(server.url("/")), authorizedBy: provider)
                        guard reply.text == "hello" else { throw UnexpectedReply(status: reply.status) }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// The resources of this process while each task has a connection: no request is answered before they are counted.
    ///
    /// Between requests clients close connections and open others, as they see fit.
    func footprint() async throws -> Footprint {
        let earlier = meeting.arrivals.count
        meeting.call()
        async let answers: Void = send(Self.tasks)
        await meeting.arrivals.reaches(earlier + Self.tasks)
        await server.waitForOpen(atMost: Self.tasks)
        let footprint = Footprint()
        meeting.end()
        try await answers
        return footprint
    }
}

/// Keeps the threads of a server until the test lets them go.
private final class Meeting: Sendable {
    let arrivals = Tally()
    private let gate = Lock<DispatchGroup?>(nil)

    func call() {
        let gate = DispatchGroup()
        gate.enter()
        self.gate.withLock { $0 = gate }
    }

    func end() {
        let gate = gate.withLock { gate in
            defer { gate = nil }
            return gate
        }
        gate?.leave()
    }

    /// Waits until the meeting ends.
    ///
    /// - Returns: whether there is a meeting.
    func join() -> Bool {
        guard let gate = gate.withLock({ $0 }) else { return false }
        arrivals.add()
        gate.wait()
        return true
    }
}

private struct UnexpectedReply: Error {
    let status: Int
}
#endif
