// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import LoopbackServer
import RequestAuthorizationAsyncHTTPClient
import Testing

/// The library reads from inside the client whether a body can be replayed. The test compares that with the client:
/// after a 307 it sends a body again exactly if it can.
@Suite(.timeLimit(.minutes(5))) struct ReplayTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let isReplayable: Bool
        let body: HTTPClientRequest.Body?

        init(_ description: String, _ isReplayable: Bool, _ body: HTTPClientRequest.Body?) {
            (testDescription, self.isReplayable, self.body) = (description, isReplayable, body)
        }
    }

    private static let small: [UInt8] = [1, 2, 3]
    private static let large = [UInt8](repeating: 7, count: 5 << 20)
    private static let set = Set(small.prefix(1))

    /// A sequence that offers no view of its storage.
    private struct CountDown: Sequence, IteratorProtocol {
        var left: UInt8 = 3
        mutating func next() -> UInt8? {
            guard left > 0 else { return nil }
            defer { left -= 1 }
            return left
        }
    }

    static let cases = [
        Case("no body", true, nil),
        Case("a buffer", true, .bytes(ByteBuffer(bytes: small))),
        Case("an array", true, .bytes(small)),
        Case("an array over 4 MiB", false, .bytes(large)),
        Case("a slice", true, .bytes(small[...])),
        Case("an array of a length", true, .bytes(small, length: .known(Int64(3)))),
        Case("an array of a length not told", true, .bytes(small, length: .unknown)),
        Case("a collection that is not contiguous", true, .bytes(set, length: .known(Int64(1)))),
        Case("a sequence", false, .bytes(CountDown(), length: .known(Int64(3)))),
        Case("a stream of buffers", false, .stream([ByteBuffer(bytes: small)].async, length: .known(Int64(3)))),
        Case("a stream of bytes", false, .stream(small.async, length: .unknown)),
    ]

    @Test(arguments: cases) func `a body is known to be replayable if the client replays it`(
        replayCase: Case
    ) async throws {
        try await withServer { request in
            request.target == "/a" ? .redirect(307, to: "/b") : .text("hello")
        } body: { server in
            try await withClient { client in
                let request = HTTPClientRequest.post(server.url("/a"), replayCase.body)
                let response = try await client.execute(request, timeout: .seconds(120))
                #expect(response.status == (replayCase.isReplayable ? .ok : .temporaryRedirect))
                #expect(request.isReplayable == replayCase.isReplayable)
                let sent = await server.requests.map(\.body)
                #expect(sent == Array(repeating: request.bodyBytes ?? sent[0], count: replayCase.isReplayable ? 2 : 1))
                #expect((request.bodyBytes != nil) == replayCase.isReplayable)
            }
        }
    }
}
#endif
