// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
import LoopbackServer
import RequestAuthorizationTesting
import Testing

extension ScenarioRun {
    /// Every byte value, and more than fits in one write.
    private static let payload = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }

    func bodyIsSentAgain() async throws {
        let auth = holding(ScriptedTokenService(.token("b")))
        try await withServer(Self.refusesA) { server in
            let call = Call.post(server.url("/"), .bytes(Self.payload), contentType: "application/x-payload")
            let reply = try await client.send(call, authorizedBy: auth)
            #expect(reply.status == 200)
            let requests = await server.requests
            #expect(requests.map(\.method) == ["POST", "POST"])
            #expect(requests.map { $0["Authorization"] } == ["Bearer a", "Bearer b"])
            #expect(requests.map { $0["Content-Type"] } == ["application/x-payload", "application/x-payload"])
            #expect(requests.map { $0.body == Self.payload } == [true, true])
        }
    }

    /// The refresh is useful: the next call uses its token.
    func oneShotBodyIsSentOnce() async throws {
        let service = ScriptedTokenService<TestToken>(.token("b"))
        let auth = holding(service)
        try await withServer(Self.refusesA) { server in
            let reply = try await client.send(.post(server.url("/"), .once(Self.payload)), authorizedBy: auth)
            #expect(reply.status == 401)
            #expect(reply.text == "no")
            #expect(await server.requests.map { $0.body == Self.payload } == [true])
            let next = try await client.send(.post(server.url("/"), .once([1, 2, 3])), authorizedBy: auth)
            #expect(next.status == 200)
            #expect(await server.requests.last?.body == [1, 2, 3])
            #expect(service.calls == 1)
        }
    }

    func bodyInPiecesIsWhole() async throws {
        let auth = holding(ScriptedTokenService(.token("b")))
        let text = String(repeating: "0123456789", count: 2_000)
        try await withServer { request in
            let answer =
                request["Authorization"] == "Bearer a" ? Answer.unauthorized("Bearer", body: text) : .text(text)
            return answer.inPieces(of: 37)
        } body: { server in
            let reply = try await client.send(Call(server.url("/")), authorizedBy: auth)
            #expect(reply.status == 200)
            #expect(reply.text == text)
        }
    }

    func headHasNoBody() async throws {
        let auth = holding(ScriptedTokenService(.token("b")))
        try await withServer { request in
            let status = request["Authorization"] == "Bearer a" ? "401 Unauthorized" : "200 OK"
            return .raw("HTTP/1.1 \(status)\r\nContent-Length: 1000\r\n\r\n")
        } body: { server in
            var call = Call(server.url("/"))
            call.method = "HEAD"
            let reply = try await client.send(call, authorizedBy: auth)
            #expect(reply.status == 200)
            #expect(reply.body.isEmpty)
            #expect(await server.requests.map(\.method) == ["HEAD", "HEAD"])
        }
    }
}
#endif
