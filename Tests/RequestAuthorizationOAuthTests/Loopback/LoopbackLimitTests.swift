// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import FlyingSocks
import Foundation
import LoopbackServer
import Testing

@testable import RequestAuthorizationOAuth

/// Limits for inbound connections.
@Suite(.timeLimit(.minutes(5))) struct LoopbackLimitTests {
    @Test func `the limits are those that the documentation names`() {
        let limits = LoopbackReceiver.loopback.limits
        #expect(limits.headLength == 8192)
        #expect(limits.connectionTime == .seconds(5))
        #expect(limits.connections == 16)
    }

    @Test func `an absurd time for the callback is for ever, and ends no program`() async throws {
        _ = try await withReception(LoopbackReceiver(timeout: .seconds(Int64.max))) { try await $0.end() }
    }

    @Test(arguments: [0, 1]) func `a head has 8 KiB and not a byte more`(excess: Int) async throws {
        _ = try await withReception { reception in
            let start = "GET /favicon.ico HTTP/1.1\r\nHost: \(reception.authority)\r\nCookie: "
            let filling = String(repeating: "c", count: 8192 + excess - start.utf8.count - 4)
            let answer = try await reception.say("\(start)\(filling)\r\n\r\n")
            #expect(answer.status == (excess == 0 ? 404 : 431))
            try await reception.end()
        }
    }

    @Test func `a head that does not end is refused while it comes in`() async throws {
        _ = try await withReception { reception in
            let answer = try await reception.say("GET /" + String(repeating: "a", count: 9000))
            #expect(answer.status == 431)
            try await reception.end()
        }
    }

    @Test(arguments: ["", "GET /callback?code=c0de&st"])
    func `a connection on which nothing more comes is closed in time`(beginning: String) async throws {
        var receiver = LoopbackReceiver()
        receiver.limits.connectionTime = .milliseconds(50)
        await #expect(throws: SeenEnough.self) {
            try await withReception(receiver) { reception in
                let connection = try await reception.connect()
                defer { try? connection.close() }
                do {
                    try await connection.send(beginning)
                    #expect(try await connection.rest() == "")
                } catch is SocketError {
                    // On a busy machine it is closed before the first byte arrives. Later bytes then cause a reset.
                }
                throw SeenEnough()
            }
        }
    }

    @Test func `a seventeenth connection closes the oldest that has sent no whole head`() async throws {
        _ = try await withReception { reception in
            let request = "GET / HTTP/1.1\r\nHost: \(reception.authority)\r\n\r\n"
            // The first has its answer and stays open; the second has sent half of a head.
            let answered = try await reception.connect()
            try await answered.send(request)
            #expect(try await RawAnswer(answered.rest()).status == 404)
            let half = try await reception.connect()
            try await half.send(String(request.dropLast(2)))
            var idle: [RawConnection] = []
            for _ in 0..<14 { idle.append(try await reception.connect()) }

            let seventeenth = try await reception.connect()
            try await seventeenth.send(request)
            #expect(try await RawAnswer(seventeenth.rest()).status == 404)
            #expect(try await half.rest() == "")
            // The others were left alone.
            for connection in idle {
                try await connection.send(request)
                #expect(try await RawAnswer(connection.rest()).status == 404)
            }
            for connection in [answered, half, seventeenth] + idle { try connection.close() }
            try await reception.end()
        }
    }

    @Test func `connections that stay open after their answer keep nobody out`() async throws {
        _ = try await withReception { reception in
            var answered: [RawConnection] = []
            for _ in 0..<40 {
                let connection = try await reception.connect()
                try await connection.send("GET / HTTP/1.1\r\nHost: \(reception.authority)\r\n\r\n")
                #expect(try await RawAnswer(connection.rest()).status == 404)
                answered.append(connection)
            }
            #expect(HeldSockets.accepted(on: reception.port) <= 17)
            try await reception.end()
            for connection in answered { try connection.close() }
        }
    }

    @Test func `two hundred slow connections and half requests hold up no callback`() async throws {
        _ = try await withReception { reception in
            var slow: [RawConnection] = []
            for number in 0..<200 {
                let connection = try await reception.connect()
                slow.append(connection)
                if number.isMultiple(of: 2) { try await connection.send("GET /callback?code=c0de&st") }
            }
            try await reception.end()
            for connection in slow { try connection.close() }
        }
    }

    @Test func `the timeout ends a wait with half requests, and closes their connections`() async throws {
        let slow = Lock<[RawConnection]>([])
        let error = await #expect(throws: SignInError.self) { try await wait(with: slow) }
        #expect(error?.kind == .expired)
        for connection in slow.withLock({ $0 }) {
            // Each has an end: an empty answer, or a reset of those that were not accepted any more.
            _ = try? await connection.rest()
            try connection.close()
        }
    }

    /// Waits for a callback, while twenty clients do not end their requests.
    private func wait(with slow: Lock<[RawConnection]>) async throws -> URL {
        var receiver = LoopbackReceiver(timeout: .milliseconds(500))
        receiver.limits.connectionTime = .seconds(600)
        return try await receiver.callback {
            try .waiting(at: $0)
        } show: { page in
            let reception = Reception(of: try #require(page.fragment()))
            for _ in 0..<20 {
                let connection = try await reception.connect()
                slow.withLock { $0.append(connection) }
                try await connection.send("GET /callback?code=c0de&st")
            }
        }
    }
}
#endif
