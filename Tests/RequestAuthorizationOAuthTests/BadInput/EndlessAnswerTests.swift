// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full && canImport(Glibc)
import Foundation
import LoopbackServer
import RequestAuthorizationOAuth
import Testing

/// Answers that would fill the memory.
@Suite(.timeLimit(.minutes(2)), .serialized) struct EndlessAnswerTests {
    @Test(arguments: Carrier.allCases)
    func `an answer of 1 GiB is refused while it comes in, and costs less than 16 MiB`(carrier: Carrier) async throws {
        let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 16)
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"
        let huge = Answer(steps: [.send(Array(head.utf8))] + Array(repeating: .send(piece), count: 1 << 14) + [.drop])
        let error = try await refusal(of: huge, carrier)
        #expect((error as? TokenTransportError)?.code == .responseTooLong, "\(error)")
    }

    @Test(arguments: Carrier.allCases)
    func `an answer that unpacks to 64 MiB is refused, and costs less than 16 MiB`(carrier: Carrier) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "bomb-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: file) }
        _ = try Command.run(["/bin/sh", "-c", "head -c 67108864 /dev/zero | gzip -9 > \(file)"])
        let packed = [UInt8](try #require(FileManager.default.contents(atPath: file)))
        #expect(packed.count < 1 << 20)
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(packed.count)\r\n\r\n"
        let bomb = Answer(steps: [.send(Array(head.utf8)), .send(packed)])
        let error = try await refusal(of: bomb, carrier)
        // async-http-client gives up on such a ratio by itself, before anything is counted.
        #expect(
            (error as? TokenTransportError)?.code == (carrier == .urlSession ? .responseTooLong : .connectionLost),
            "\(error)")
    }

    /// The error, after the least that one of several tries cost: other tests have memory too.
    private func refusal(of answer: Answer, _ carrier: Carrier) async throws -> any Error {
        try await withServer { _ in
            answer
        } body: { server in
            let endpoint = TokenEndpoint(
                server: .make(at: server.url("").absoluteString), client: .public(id: "app"),
                transport: carrier.transport)
            var growths: [Int] = []
            while true {
                let before = try PeakMemory.reset()
                let error = await #expect(throws: (any Error).self) {
                    try await endpoint.token(grantType: "client_credentials")
                }
                growths.append(try PeakMemory.now() - before)
                if growths.last ?? 0 < 16 << 20 { return try #require(error) }
                try #require(growths.count < 5, "\(growths)")
            }
        }
    }
}

/// The most memory that this process has had, in bytes.
private enum PeakMemory {
    /// Begins anew.
    ///
    /// - Returns: what it has now.
    static func reset() throws -> Int {
        try Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))
        return try now()
    }

    static func now() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(line.split(separator: " ").dropFirst().first.flatMap { Int($0) }) << 10
    }
}
#endif
