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

    @Test func `the seventeenth connection waits until one has ended`() async throws {
        _ = try await withReception { reception in
            var idle: [RawConnection] = []
            for _ in 0..<16 { idle.append(try await reception.connect()) }
            let request = "GET / HTTP/1.1\r\nHost: \(reception.authority)\r\n\r\n"
            let next = try await reception.connect()
            try await next.send(request)
            // After two answers on connections that stay open the listener has looked at all waiting connections.
            for connection in idle.suffix(2) {
                try await connection.send(request)
                #expect(try await RawAnswer(connection.rest()).status == 404)
            }
            #expect(HeldSockets.accepted(on: reception.port) == 16)
            try idle[0].close()
            #expect(try await RawAnswer(next.rest()).status == 404)
            try next.close()
            try await reception.end()
            for connection in idle.dropFirst() { try connection.close() }
        }
    }
}
#endif
