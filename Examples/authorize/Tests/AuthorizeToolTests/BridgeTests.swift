// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import TestServers
import Testing

@testable import AuthorizeTool

@Suite(.enabled(if: FastMCP.isThere, Comment(rawValue: FastMCP.how)), .timeLimit(.minutes(5)))
struct BridgeTests {
    @Test func `the official Python client initializes, lists, streams, and steps up`() async throws {
        try await User.with(server: ["STREAMING": "1"]) { user in
            let script = URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../mcp_stdio_client.py").path
            let client = try Program(
                FastMCP.python, [script, Program.authorize, user.url], environment: user.environment)
            let refusal = try await client.line()
            #expect(refusal.hasPrefix("refused") && refusal.contains("`authorize login \(user.url)`"))
            try await user.login("--scope", "read")
            try client.say("\n")
            #expect(try await client.line() == "initialized guarded")
            #expect(try await client.line() == "tools count echo write")
            for number in 1...3 { #expect(try await client.line() == "progress \(number) 3") }
            #expect(try await client.line() == "counted 3")
            let more = try await client.line()
            #expect(more.contains("`authorize login \(user.url) --scope read --scope write --no-browser`"), "\(more)")
            try await user.login("--scope", "read", "--scope", "write")
            try client.say("\n")
            #expect(try await client.line() == "wrote x")
            let result = try await client.result()
            #expect(result.status == 0, "\(result.errors)")
        }
    }

    @Test func `it ends with its input, after the answers`() async throws {
        try await User.with { user in
            try await user.login()
            let result = try await user.run("mcp", user.url, input: Self.initialize)
            #expect(result.status == 0)
            #expect(result.output.split(separator: "\n").count == 1 && result.output.contains(#""serverInfo""#))
        }
    }

    @Test func `a server that is away, or that knows nothing, is an error for each request`() async throws {
        try await User.with { user in
            for host in ["127.0.0.1", "localhost"] {
                let away = try await user.run("mcp", "http://\(host):9/mcp", input: Self.initialize + "nonsense\n")
                #expect(away.status == 0)
                #expect(away.output.contains(#""id":1"#) && away.output.contains(#""code":-32000"#))
                #expect(away.output.contains(#""message":"the server cannot be reached"#), "\(away)")
            }
            let malformed = try await user.run("mcp", "http://127.0.0.1:65536/mcp", input: Self.initialize)
            #expect(malformed.status == 64 && malformed.errors.contains("its port is above 65535"), "\(malformed)")
            let nothing = try await user.run("mcp", user.server.base + "/nothing", input: Self.initialize)
            #expect(nothing.output.contains("the server answered 404"), "\(nothing)")
        }
    }

    @Test func `a server whose certificate is not accepted is an error that says so`() async throws {
        try await User.with { user in
            try await Guarded.with(user) { guarded in
                let secure = try String(contentsOfFile: guarded.folder + "/secure", encoding: .utf8)
                let refused = try await user.run("mcp", secure + "/mcp", input: Self.initialize)
                #expect(refused.output.contains("its versions of TLS, and the CA certificates"), "\(refused)")
            }
        }
    }

    @Test func `events end lines in three ways, and keep the last id`() {
        let text = "id: 1\r\ndata: a\r\n\r\n: note\n\ndata:b\ndata: c\n\nevent: x\n\rid\rdata: é\r\rretry: 20\nid: 2\n"
        var parser = EventStream()
        var events: [String] = []
        for byte in (text + "data: lost").utf8 {
            guard let event = parser.read(byte) else { continue }
            events.append("\(parser.lastID ?? "-"): \(String(decoding: event, as: UTF8.self))")
        }
        #expect(events == ["1: a", "1: b\nc", "-: é"])
        // An event that has not ended has no id yet.
        #expect(parser.lastID == nil && parser.retry == .milliseconds(20))
        parser.begin()
        for byte in "id: 3\ndata:\n\nid: 4\u{1}\n\n".utf8 { _ = parser.read(byte) }
        #expect(parser.lastID == "3")
    }

    @Test(arguments: ["data: 45678", "data: 4\ndata: 4\ndata: 4\ndata: 4\ndata: 4\ndata: 4\n"])
    func `an event that grows without end is not kept`(text: String) {
        func events(in text: String) -> Int? {
            var events = EventStream()
            events.longest = 10
            return events.read(text.utf8)?.count
        }
        #expect(events(in: "data: 4567\n\ndata: 4567\n\n") == 2)
        #expect(events(in: text) == nil)
    }

    @Test(arguments: [("0", Duration.milliseconds(1)), ("1", .milliseconds(1)), ("none", .seconds(1))])
    func `pauses between connections grow up to a minute, whatever the server's retry is`(
        retry: String, first: Duration
    ) {
        var events = EventStream()
        #expect(events.pause == .zero)
        events.begin()
        _ = events.read("retry: \(retry)\n\n".utf8)
        var pauses: [Duration] = []
        for _ in 1...20 {
            events.fail()
            pauses.append(events.pause)
        }
        #expect(Array(pauses.prefix(3)) == [first, first * 2, first * 4])
        #expect(pauses.last == .seconds(60))
    }

    @Test(arguments: [(Duration.seconds(90), Duration.seconds(1)), (.seconds(5), .seconds(16))])
    func `the pause after a quiet connection does not grow, and one after a short one does`(
        connection: Duration, pause: Duration
    ) {
        var events = EventStream()
        for _ in 1...5 {
            events.begin()
            events.end(after: connection)
        }
        #expect(events.pause == pause)
    }

    @Test(arguments: [(Duration.seconds(60), 60), (.seconds(3600), 1), (.seconds(5), 5)])
    func `a request waits for an hour of silence, or for five short connections`(connection: Duration, count: Int) {
        var events = EventStream()
        var connections = 0
        for _ in 1...100 where !events.isSilent {
            events.begin()
            events.end(after: connection)
            connections += 1
        }
        #expect(connections == count)
        _ = events.read(": still at work\n".utf8)
        #expect(!events.isSilent)
    }

    @Test(arguments: [("7", Duration.seconds(7)), ("86400", .seconds(600)), ("soon", .seconds(1))])
    func `a server's Retry-After counts up to ten minutes`(field: String, pause: Duration) {
        var events = EventStream()
        events.fail(field)
        #expect(events.pause == pause)
    }

    @Test(arguments: [("7", true), ("1.5", true), (#""a""#, true), ("[[7]]", false), (#"{"a":7}"#, false)])
    func `the id of a message is a text or a number`(id: String, isOne: Bool) {
        let message = Message(#"{"jsonrpc":"2.0","id":\#(id),"method":"ping"}"#)
        #expect(message.isOfJSONRPC == isOne && message.requests.count == (isOne ? 1 : 0))
    }

    static let initialize =
        #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#
        + "\n"
}
