// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import LoopbackServer
import RequestAuthorizationAsyncHTTPClient
import RequestAuthorizationTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct ServerSentEventSamples {
    private static func stream(_ text: String) -> Answer {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
        let chunk = String(text.utf8.count, radix: 16) + "\r\n\(text)\r\n"
        return Answer(steps: [.send(Array(head.utf8)), .send(Array(chunk.utf8)), .drop])
    }

    /// Follows a stream to its end over a client of its own.
    private func follow(
        _ server: RawServer, _ auth: any AuthorizationProvider, each: (ServerSentEvent) -> Void
    ) async throws {
        let client = HTTPClient(eventLoopGroupProvider: .singleton)
        let url = server.url("/events").absoluteString
        do { try await ServerSentEvents(client: client, url: url, auth: auth).follow { each($0) } } catch {
            Issue.record(error)
        }
        try await client.shutdown()
    }

    @Test func `a connection that the server refuses is made with a fresh token, once`() async throws {
        let service = ScriptedTokenService(.token("a"), .token("b"))
        try await withServer { request in
            switch (request["Authorization"], request["Last-Event-ID"]) {
            case ("Bearer a", nil): Self.stream("retry: 1\n\nid: 7\ndata: one\n\nid: 8\ndata: lost")
            case ("Bearer b", "7"): Self.stream("id: 8\r\nevent: news\r\ndata: two\r\ndata: lines\r\n\r\n")
            case ("Bearer b", "8"): .status(204)
            default: .unauthorized("Bearer error=\"invalid_token\"", body: "no")
            }
        } body: { server in
            var events: [ServerSentEvent] = []
            try await follow(server, RefreshableTokenAuthorization(service: service)) { events.append($0) }
            #expect(events == [.init(data: "one"), .init(name: "news", data: "two\nlines")])
            let sent = await server.requests.map { [$0["Authorization"], $0["Last-Event-ID"]] }
            #expect(sent == [["Bearer a", nil], ["Bearer a", "7"], ["Bearer b", "7"], ["Bearer b", "8"]])
            #expect(service.calls == 2)
        }
    }

    @Test func `a token that expired while the stream ran is not sent again`() async throws {
        let clock = ManualClock()
        let service = ScriptedTokenService(
            clock: clock, .token("a", lasts: .seconds(60)), .token("b", lasts: .seconds(60)))
        try await withServer { request in
            request["Last-Event-ID"] == nil ? Self.stream("retry: 1\nid: 7\ndata: one\n\n") : .status(204)
        } body: { server in
            try await follow(server, RefreshableTokenAuthorization(service: service, clock: clock)) { _ in
                clock.advance(by: .seconds(61))
            }
            #expect(await server.requests.map { $0["Authorization"] } == ["Bearer a", "Bearer b"])
        }
    }

    @Test(arguments: ["\n", "\r", "\r\n"], [1, 2, 1000]) func `events are found wherever a piece of the stream ends`(
        end: String, size: Int
    ) {
        let text = [": note", "data", "data: é", "", "", "id: 1", "retry: 5", "data:x: y", "", "data: z", "id", "", ""]
        let bytes = Array(text.joined(separator: end).utf8)
        var parser = EventParser()
        var events: [ServerSentEvent] = []
        var ids: [String?] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            let found = parser.events(in: ByteBuffer(bytes: bytes[start..<min(start + size, bytes.count)]))
            events += found
            if !found.isEmpty { ids.append(parser.lastEventID) }
        }
        #expect(events.map(\.data) == ["\né", "x: y", "z"])
        #expect(parser.pause == .milliseconds(5))
        if size < 1000 { #expect(ids == [nil, "1", ""]) }
    }
}
#endif
