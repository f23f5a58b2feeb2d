// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full && canImport(Glibc)
import Foundation
import LoopbackServer
import RequestAuthorizationOAuth
import Testing

/// Answers that would fill the memory. Each is read in a separate process, so that the memory of other tests does not
/// count.
@Suite(.timeLimit(.minutes(5)), .serialized) struct EndlessAnswerTests {
    @Test(arguments: Carrier.allCases)
    func `an answer of 1 GiB is refused while it comes in, and costs less than 16 MiB`(carrier: Carrier) async throws {
        await #expect(processExitsWith: .success) { [carrier = carrier as Carrier] in
            let (error, growth) = try await Refusal.of(.gibibyte, over: carrier)
            #expect((error as? TokenTransportError)?.code == .responseTooLong, "\(error)")
            #expect(growth < 16 << 20, "\(growth)")
        }
    }

    /// This answer is read with the same limit as a token's.
    @Test func `RFC 9126: a pushed request that is answered with 1 GiB gives up in time`() async throws {
        try await withServer { _ in
            Answer.gibibyte
        } body: { server in
            let base = server.url("").absoluteString
            var metadata = AuthorizationServer.make(at: base)
            metadata.pushedAuthorizationRequestEndpoint = URL(string: "\(base)/par")
            let service = OAuthTokenService.authorizationCode(
                server: metadata, client: .public(id: "app"), redirectURI: "https://client.example/cb",
                pushesRequests: true, transport: Carrier.urlSession.transport)
            let error = await #expect(throws: TokenTransportError.self) { try await service.signIn(scopes: []) }
            #expect(error?.code == .responseTooLong)
        }
    }

    @Test(arguments: Carrier.allCases)
    func `an answer that unpacks to 1 GiB is refused, and costs a fraction of that`(carrier: Carrier) async throws {
        // The length on the wire is within the limit. The unpacked length counts.
        #expect(Answer.packed.count < 1 << 20)
        await #expect(processExitsWith: .success) { [carrier = carrier as Carrier] in
            let (error, growth) = try await Refusal.of(.packedGibibyte, over: carrier)
            // async-http-client itself gives up on such a ratio, before anything is counted.
            #expect(
                (error as? TokenTransportError)?.code
                    == (carrier == .urlSession ? .responseTooLong : .connectionLost), "\(error)")
            // libcurl goes on to unpack while the delegate waits for a core. FoundationNetworking cannot pause it.
            #expect(growth < (carrier == .urlSession ? 512 : 16) << 20, "\(growth)")
        }
    }
}

private enum Refusal {
    /// The outcome, and the most memory in bytes that this process used for the answer.
    static func of(_ answer: Answer, over carrier: Carrier) async throws -> (error: any Error, growth: Int) {
        let isFirst = Lock(true)
        return try await withServer { _ in
            isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            } ? .text(#"{"access_token":"a","token_type":"Bearer"}"#) : answer
        } body: { server in
            let endpoint = TokenEndpoint(
                server: .make(at: server.url("").absoluteString), client: .public(id: "app"),
                transport: carrier.transport)
            // The one-time setup of a client is not part of an answer's cost.
            _ = try await endpoint.token(grantType: "client_credentials")
            let before = try PeakMemory.reset()
            let error = await #expect(throws: (any Error).self) {
                try await endpoint.token(grantType: "client_credentials")
            }
            let growth = try PeakMemory.now() - before
            return (try #require(error), growth)
        }
    }
}

extension Answer {
    fileprivate static var gibibyte: Answer {
        let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 16)
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"
        return Answer(steps: [.send(Array(head.utf8))] + Array(repeating: .send(piece), count: 1 << 14) + [.drop])
    }

    fileprivate static var packedGibibyte: Answer {
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(packed.count)\r\n\r\n"
        return Answer(steps: [.send(Array(head.utf8)), .send(packed)])
    }

    /// What `gunzip` makes 1 073 742 337 zeros of: one block of RFC 1951 §3.2.7 whose code says "258 bytes more, as the last one" in
    /// two bits, both of them 0.
    fileprivate static let packed: [UInt8] =
        [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]  // RFC 1952 §2.3
        + [0xed, 0xc0, 0x81, 0, 0, 0, 0, 0x80, 0xa0, 0xfd, 0xa9, 0x17, 0xa9, 0]  // the code, and one 0
        + Array(repeating: 0, count: 1_040_447) + [6]  // its repetitions, and the end of the block
        + [0xad, 0xee, 0xc7, 0x95, 0x01, 0x02, 0x00, 0x40]  // checksum and length
}

/// The most memory that this process has had, in bytes.
private enum PeakMemory {
    /// Resets the maximum.
    ///
    /// - Returns: the present memory.
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
