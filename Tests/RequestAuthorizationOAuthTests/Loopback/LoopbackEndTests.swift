// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
import LoopbackServer
import Testing

@testable import RequestAuthorizationOAuth

/// How a wait ends, and that it leaves no resources.
@Suite(.timeLimit(.minutes(5))) struct LoopbackEndTests {
    @Test(arguments: [false, true]) func `a wait that has ended leaves no socket`(isIPv6: Bool) async throws {
        await #expect(processExitsWith: .success) { [isIPv6 = isIPv6 as Bool] in
            let family = isIPv6 ? AF_INET6 : AF_INET
            let callback = try await withReception(.loopback(address: isIPv6 ? .ipv6 : .ipv4)) { reception in
                let idle = try await reception.connect()
                // The listening socket; the connection may not have been accepted yet.
                #expect(HeldSockets.all(on: reception.port, family: family) >= 1)
                try await reception.end()
                #expect(try await idle.rest() == "")
                try idle.close()
            }
            #expect(HeldSockets.all(on: callback.loopbackPort, family: family) == 0)
        }
    }

    #if os(Linux)
    @Test func `it listens on the literal alone`() async throws {
        // Linux has all of 127.0.0.0/8.
        for (literal, other) in [("127.0.0.1", "127.0.0.2"), ("::1", "127.0.0.1")] {
            try await withHeldPort(on: [literal, other]) { port in
                let receiver = LoopbackReceiver(port: port.number, address: literal == "::1" ? .ipv6 : .ipv4)
                _ = try await withReception(receiver) { reception in
                    await #expect(throws: (any Error).self) {
                        try await RawConnection.open(host: other, port: reception.port)
                    }
                    try await reception.end()
                }
            }
        }
    }

    @Test func `its port is free afterwards`() async throws {
        // In a separate process: a program that another test starts has a copy of every socket for a moment.
        await #expect(processExitsWith: .success) {
            try await withHeldPort { port in
                _ = try await withReception(.loopback(port: port.number)) { try await $0.end() }
                let again = try await withReception(.loopback(port: port.number, path: "/other/path")) { reception in
                    #expect(reception.redirectURI == "http://127.0.0.1:\(port.number)/other/path")
                    let answer = try await reception.ask("/other/path?code=2&state=5tate")
                    #expect(answer.status == 200)
                }
                #expect(again.path() == "/other/path")
            }
        }
    }

    @Test func `fifty sign-ins leave no descriptor behind`() async throws {
        // In a separate process, so that the descriptors of other tests do not count.
        await #expect(processExitsWith: .success) {
            func signIn() async throws {
                _ = try await withReception { reception in
                    let idle = try await reception.connect()
                    try await reception.end()
                    #expect(try await idle.rest() == "")
                    try idle.close()
                }
            }
            func descriptors() throws -> Int {
                try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
            }
            // The first sign-ins start the threads that the process keeps.
            for _ in 0..<8 { try await signIn() }
            let before = try descriptors()
            for _ in 0..<50 { try await signIn() }
            let growth = try descriptors() - before
            #expect(growth < 5, "\(growth)")
        }
    }
    #endif

    @Test func `a port on which another socket listens is an error`() async throws {
        _ = try await withReception { reception in
            let error = await #expect(throws: LoopbackReceiverError.self) {
                try await withReception(.loopback(port: reception.port)) { _ in }
            }
            #expect(error?.code == .cannotListen)
            #expect(error?.underlying != nil)
            try await reception.end()
        }
    }

    @Test(arguments: ["", "callback", "/a b", "/a?b", "/a#b", "/ü", "/a\r\nb"])
    func `a path that a redirect URI cannot have is an error`(path: String) async throws {
        let error = await #expect(throws: LoopbackReceiverError.self) {
            try await withReception(.loopback(path: path)) { _ in }
        }
        #expect(error?.code == .invalidPath)
    }

    @Test func `the deadline ends the wait`() async throws {
        let error = await #expect(throws: SignInError.self) {
            try await withReception(.loopback(timeout: .milliseconds(50))) { _ in }
        }
        #expect(error?.kind == .expired)
    }

    @Test func `the deadline ends a start that hangs`() async throws {
        let error = await #expect(throws: SignInError.self) {
            try await LoopbackReceiver.loopback(timeout: .milliseconds(50)).callback { _ in
                try await forever()
                return try .waiting(at: "")
            } show: { _ in
            }
        }
        #expect(error?.kind == .expired)
    }

    @Test func `cancelling ends the wait at once and closes the connections`() async throws {
        await #expect(processExitsWith: .success) {
            let seen = await #expect(throws: SeenEnough.self) {
                _ = try await withReception { reception in
                    _ = try await reception.connect()
                    throw SeenEnough(port: reception.port)
                }
            }
            let port = try #require(seen).port
            #expect(HeldSockets.all(on: port) == 0)
        }
    }

    @Test func `a task that is cancelled throws CancellationError and shows nothing`() async throws {
        let (gate, opening) = AsyncStream<Void>.makeStream()
        let task = Task {
            for await _ in gate {}
            return try await LoopbackReceiver.loopback.callback {
                try .waiting(at: $0)
            } show: { _ in
                Issue.record("shown")
            }
        }
        task.cancel()
        opening.finish()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `cancelling during the wait is a CancellationError`() async throws {
        let (shown, continuation) = AsyncStream<Void>.makeStream()
        let task = Task {
            try await LoopbackReceiver.loopback.callback {
                try .waiting(at: $0)
            } show: { _ in
                continuation.finish()
            }
        }
        for await _ in shown {}
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `an error of start or show ends the wait`() async throws {
        await #expect(throws: SeenEnough.self) {
            _ = try await LoopbackReceiver.loopback.callback { _ in
                throw SeenEnough()
            } show: { _ in
            }
        }
        await #expect(throws: SeenEnough.self) {
            _ = try await LoopbackReceiver.loopback.callback {
                try .waiting(at: $0)
            } show: { _ in
                throw SeenEnough()
            }
        }
    }

    @Test func `a callback before the sign-in has started is refused`() async throws {
        let callback = try await LoopbackReceiver.loopback.callback { redirectURI in
            let answer = try await Reception(of: redirectURI).ask("/callback?code=early&state=5tate")
            #expect(answer.status == 400)
            return try .waiting(at: redirectURI)
        } show: { page in
            try await Reception(of: try #require(page.fragment())).end()
        }
        #expect(callback.absoluteString.hasSuffix(Reception.good))
    }

    @Test func `a sign-in with another redirect URI is an error, not a wait`() async throws {
        let error = await #expect(throws: LoopbackReceiverError.self) {
            _ = try await LoopbackReceiver.loopback.callback { _ in
                try .waiting(at: "http://127.0.0.1:1/callback")
            } show: { _ in
                Issue.record("shown")
            }
        }
        #expect(error?.code == .otherRedirectURI)
    }

    @Test func `the errors say what to do`() {
        let codes: [LoopbackReceiverError.Code] = [.cannotListen, .invalidPath, .otherRedirectURI]
        #expect(Set(codes.map { LoopbackReceiverError($0).description }).count == 3)
        #expect(
            "\(LoopbackReceiverError(.cannotListen))"
                == "listening on the callback's port failed: use port 0, or end the program that listens on this port")
    }
}

extension URL {
    fileprivate var loopbackPort: UInt16 { port.flatMap { UInt16(exactly: $0) } ?? 0 }
}
#endif
