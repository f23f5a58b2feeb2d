// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
import LoopbackServer
import RequestAuthorizationTesting
import TestProviders
import Testing

extension ScenarioRun {
    func cancelledBeforehand() async throws {
        try await withServer { _ in
            .text("hello")
        } body: { server in
            let call = Call(server.url("/"))
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await client.send(call, authorizedBy: .bearer("abc"))
            }
            await #expect(throws: CancellationError.self) { try await task.value }
            _ = try await client.send(Call(server.url("/next")), authorizedBy: .bearer("abc"))
            #expect(await server.requests.map(\.target) == ["/next"])
        }
    }

    func cancelledWhileHeld() async throws {
        try await endsAtOnce(withToken: TestToken("a", expiresAt: .distantPast), after: [])
    }

    func cancelledAfterRefusal() async throws {
        try await endsAtOnce(withToken: TestToken("a"), after: ["Bearer a"])
    }

    /// - Parameter sent: the requests that the server has seen when the call waits.
    private func endsAtOnce(withToken token: TestToken, after sent: [String]) async throws {
        let service = ScriptedTokenService<TestToken>(.held)
        let held = Tally()
        let auth = holding(service, token: token, held: held)
        try await withServer(Self.refusesA) { server in
            let call = Call(server.url("/"))
            let task = Task { try await client.send(call, authorizedBy: auth) }
            let refresh = try await service.nextCall()
            await held.reaches(1)
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(await server.requests.map { $0["Authorization"] } == sent)
            #expect(!refresh.isCancelled)
            refresh.succeed(TestToken("b"))
            #expect(try await client.send(call, authorizedBy: auth).status == 200)
            #expect(await server.requests.map { $0["Authorization"] } == sent + ["Bearer b"])
            #expect(service.calls == 1)
        }
    }

    func cancelledWhileSending() async throws {
        try await withServer { _ in
            .silence
        } body: { server in
            let call = Call(server.url("/"))
            let task = Task { try await client.send(call, authorizedBy: .bearer("abc")) }
            await server.waitForRequests(1)
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            await server.waitForDepartures(1)
            #expect(await server.requests.count == 1)
        }
    }

    /// Enough of the body is sent that the client must have begun to read it.
    func cancelledDuringBody() async throws {
        let sent = Tally()
        let piece = [UInt8](repeating: 0x61, count: 1 << 16)
        try await withServer { _ in
            let head = "HTTP/1.1 200 OK\r\nContent-Length: \(piece.count * 1_000)\r\n\r\n"
            return Answer(
                steps: [.send(Array(head.utf8))] + Array(repeating: .send(piece), count: 256) + [.call { sent.add() }])
        } body: { server in
            let call = Call(server.url("/"))
            let task = Task { try await client.send(call, authorizedBy: .bearer("abc")) }
            await sent.reaches(1)
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            await server.waitForDepartures(1)
        }
    }

    func transportErrorIsPassedOn() async throws {
        let service = ScriptedTokenService<TestToken>()
        let auth = holding(service)
        try await withServer { _ in
            .drop
        } body: { server in
            let call = Call.post(server.url("/"), .bytes([1, 2, 3]))
            let error = await #expect(throws: (any Error).self) { try await client.send(call, authorizedBy: auth) }
            #expect(error.map(client.isOwn) == true)
            #expect(await server.requests.count == 1)
            #expect(service.calls == 0)
        }
    }
}
#endif
