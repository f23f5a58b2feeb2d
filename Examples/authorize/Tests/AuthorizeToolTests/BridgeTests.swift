// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import NIOCore
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
            #expect(more.contains("`authorize login \(user.url) --scope read --scope write`"), "\(more)")
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
            let away = try await user.run("mcp", "http://127.0.0.1:9/mcp", input: Self.initialize + "nonsense\n")
            #expect(away.status == 0)
            #expect(away.output.contains(#""id":1"#) && away.output.contains(#""code":-32000"#))
            let nothing = try await user.run("mcp", user.server.base + "/nothing", input: Self.initialize)
            #expect(nothing.output.contains("the server answered 404"), "\(nothing)")
        }
    }

    @Test(arguments: [1, 2, 3, 1000]) func `events are the same in pieces of any size`(size: Int) async throws {
        let text = "id: 1\r\ndata: a\r\n\r\n: note\n\ndata:b\ndata: c\n\nevent: x\n\rid\rdata: é\r\rdata: lost"
        let bytes = Array(text.utf8)
        let pieces = stride(from: 0, to: bytes.count, by: size).map {
            ByteBuffer(bytes: bytes[$0..<min($0 + size, bytes.count)])
        }
        let stream = AsyncStream { continuation in
            for piece in pieces { continuation.yield(piece) }
            continuation.finish()
        }
        var events: [String] = []
        for try await event in EventStream(stream) {
            events.append("\(event.id ?? "-"): \(String(decoding: event.data, as: UTF8.self))")
        }
        #expect(events == ["1: a", "1: b\nc", ": é"])
    }

    static let initialize =
        #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#
        + "\n"
}
