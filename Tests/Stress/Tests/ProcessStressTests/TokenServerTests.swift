// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import Synchronization
import Testing

@testable import ProcessStress

/// Tests the server over real connections.
@Suite struct TokenServerTests {
    /// A server with its journal, its clock and its own folder.
    private struct Bench {
        let folder: StressFolder
        let clock: ClockPage
        let journal: Journal
        let server: TokenServer
        let client: LoopbackClient

        init(
            delay: @escaping @Sendable () -> Duration = { .zero }, losesEvery: Int = 0,
            onCommit: @escaping @Sendable (ProcessName) -> Void = { _ in }
        ) throws {
            let url = FileManager.default.temporaryDirectory.appending(path: "server-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
            folder = StressFolder(url)
            clock = try ClockPage(creating: folder.clock)
            journal = try Journal(folder.log, clock: clock)
            let options = TokenServer.Options(
                setting: RunSetting(workers: 1), lifetime: 3600, delay: delay, losesEvery: losesEvery)
            server = try TokenServer(options, journal: journal, clock: clock, onCommit: onCommit)
            client = LoopbackClient(port: server.port, process: ProcessName(worker: 0, life: 0))
            server.start()
        }

        func end() {
            server.stop()
            try? FileManager.default.removeItem(at: folder.url)
        }

        /// Waits on its own thread until the log shows something.
        func waits(
            until what: String, isMet: @escaping @Sendable (ProcessStress.Progress) -> Bool
        ) async throws {
            try await withCheckedThrowingContinuation { continuation in
                Thread.detachNewThread { [journal] in
                    continuation.resume(with: Result { try journal.wait(until: what, until: isMet) })
                }
            }
        }

        var service: StressTokenService { StressTokenService(client: client, clock: clock, execution: Execution()) }
        var events: [LogLine.Event] { get throws { try LogLine.read(folder.log).map(\.event) } }
    }

    @Test func `every decision is in the log before it is answered`() async throws {
        let bench = try Bench()
        defer { bench.end() }
        let token = try await bench.service.logIn()
        #expect(try bench.events.first == .signedIn)
        let next = try await bench.service.refresh(token)
        #expect(try bench.events.contains(.committed))
        let used = try await bench.client.send("/use", fields: ["Authorization": next.authorizationHeaderValue])
        #expect(used.status == 200)
        let last = try #require(try LogLine.read(bench.folder.log).last { $0.event == .used })
        #expect(last.place == Place(family: 0, generation: 1))
        #expect(last.process == ProcessName(worker: 0, life: 0))
    }

    @Test func `a spent refresh token is an invalid grant`() async throws {
        let bench = try Bench()
        defer { bench.end() }
        let token = try await bench.service.logIn()
        _ = try await bench.service.refresh(token)
        bench.clock.advance(by: .seconds(6))
        let error = await #expect(throws: TokenEndpointError.self) { try await bench.service.refresh(token) }
        #expect(error?.code == "invalid_grant")
        #expect(bench.journal.progress.isOver)
    }

    @Test func `a client that goes away before the answer changes nothing else`() async throws {
        // The answer to the exchange becomes due after the client has gone.
        let delays = Mutex([Duration.zero, .seconds(3600), .zero])
        let bench = try Bench(delay: { delays.withLock { $0.removeFirst() } })
        defer { bench.end() }
        let token = try await bench.service.logIn()
        let body = "grant_type=refresh_token&refresh_token=\(token.refreshToken)"
        let socket = try Sockets.connect(port: bench.server.port)
        _ = Sockets.write(
            Array("POST /token HTTP/1.1\r\nUser-Agent: 0.0\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8),
            to: socket)
        try bench.journal.wait(until: "the exchange is in the log") { $0.newest.generation == 1 }
        // Also ends the connection if a process that another test starts just now has a copy of the socket.
        shutdown(socket, Int32(SHUT_RDWR))
        close(socket)
        // Within the grace the client gets the same successor, and the server still runs.
        let successor = try await bench.service.refresh(token)
        #expect(successor.refreshToken != token.refreshToken)
        // On a busy machine the server finds the end of the connection and the next call at the same time, in any order.
        let events = try bench.events.filter { [.committed, .replayed, .answerLost].contains($0) }
        #expect(events.first == .committed)
        #expect(events.count == 3 && events.contains(.replayed) && events.contains(.answerLost), "\(events)")
    }

    @Test func `a dropped answer does not undo the exchange`() async throws {
        let bench = try Bench(losesEvery: 1)
        defer { bench.end() }
        let token = try await bench.service.logIn()
        let error = await #expect(throws: TokenTransportError.self) { try await bench.service.refresh(token) }
        #expect(error?.delivery == .mayHaveBeenProcessed)
        _ = try await bench.service.refresh(token)
        let lost = try #require(try LogLine.read(bench.folder.log).first { $0.event == .answerLost })
        #expect(lost.detail == "dropped")
    }

    @Test func `a refusal on purpose happens once, and uses no token`() async throws {
        let bench = try Bench()
        defer { bench.end() }
        let token = try await bench.service.logIn()
        bench.server.refuseNextUse(by: 0)
        let fields = ["Authorization": token.authorizationHeaderValue]
        #expect(try await bench.client.send("/use", fields: fields).status == 401)
        #expect(try await bench.client.send("/use", fields: fields).status == 200)
    }

    @Test func `the commit handler is called before the answer`() async throws {
        let (commits, continuation) = AsyncStream.makeStream(of: ProcessName.self)
        let bench = try Bench(onCommit: { continuation.yield($0) })
        defer { bench.end() }
        let token = try await bench.service.logIn()
        _ = try await bench.service.refresh(token)
        continuation.finish()
        #expect(await commits.first { _ in true } == ProcessName(worker: 0, life: 0))
    }

    @Test func `a request that comes in pieces is one request`() {
        var buffer: [UInt8] = []
        let whole = Array("POST /token HTTP/1.1\r\nUser-Agent: 3.17\r\nContent-Length: 3\r\n\r\na=bGET".utf8)
        for byte in whole.prefix(whole.count - 4) {
            buffer.append(byte)
            #expect(LoopbackRequest(from: &buffer) == nil)
        }
        buffer += whole.suffix(4)
        let request = LoopbackRequest(from: &buffer)
        #expect(request?.path == "/token")
        #expect(request?.form == ["a": "b"])
        #expect(request?.process == ProcessName(worker: 3, life: 17))
        #expect(String(decoding: buffer, as: UTF8.self) == "GET")
    }

    @Test func `a 401 can wait for another user's sign-in`() async throws {
        let bench = try Bench()
        defer { bench.end() }
        let token = try await bench.service.logIn()
        bench.server.refuseNextUse(by: 0, untilReplaced: true)
        async let refused = bench.client.send(
            "/use", fields: ["Authorization": token.authorizationHeaderValue, "Request": "7"])
        try await bench.waits(until: "the use is refused") { $0.refused == [0] }
        let other = try await bench.service.logIn()
        _ = try await bench.client.send("/replaced", fields: ["Authorization": other.authorizationHeaderValue])
        #expect(try await refused.status == 401)
        let lines = try LogLine.read(bench.folder.log)
        let line = try #require(lines.first { $0.event == .unauthorized })
        #expect(line.place == Place(family: 0, generation: 0) && line.request == 7)
        let end = try #require(lines.firstIndex { $0.event == .replaced })
        #expect(lines[end].place == Place(family: 1, generation: 0))
        #expect(!lines[..<end].contains { $0.event == .answered && $0.call == line.number })
        #expect(bench.journal.progress.ended == [0])
    }
}
