// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import Testing

/// An MCP server that answers as it is told, and a user with an empty home folder. `scripted_server.py` says what it does.
struct Scripted {
    /// An answer of the server.
    struct Answer: Codable {
        var status = 200
        var fields: [String: String] = [:]
        var body = ""
        var isCut = false
        var hangs = false
        var staysOpen = false
        /// The kind of a message that comes before it.
        var until = ""
        /// How many times the body comes.
        var copies = 1

        static func events(_ text: String, isCut: Bool = false) -> Answer {
            Answer(fields: ["Content-Type": "text/event-stream"], body: text, isCut: isCut)
        }

        static func page(_ text: String, type: String = "application/json") -> Answer {
            Answer(fields: ["Content-Type": type], body: text)
        }
    }

    static let isThere = FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")

    let base: String
    var url: String { base + "/mcp" }
    private let server: Program
    private let home: String

    /// Serves while the closure runs.
    ///
    /// - Parameters:
    ///   - script: the answers to each kind of message, in their order.
    ///   - isGuarded: whether it wants a token.
    ///   - environment: more variables for it.
    static func with(
        _ script: [String: [Answer]] = [:], isGuarded: Bool = false, environment: [String: String] = [:],
        _ body: (Scripted) async throws -> Void
    ) async throws {
        let home = FileManager.default.temporaryDirectory.appending(path: "authorize-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: home) }
        let path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../scripted_server.py").path
        let server = try Program(
            "/usr/bin/python3", [path, String(decoding: try JSONEncoder().encode(script), as: UTF8.self)],
            environment: environment.merging(isGuarded ? ["GUARDED": "1"] : [:]) { $1 })
        let scripted = Scripted(base: try await server.line(), server: server, home: home)
        do {
            try await body(scripted)
        } catch {
            _ = try await server.result()
            throw error
        }
        _ = try await server.result()
    }

    /// The next message that came: its kind, its `Last-Event-ID`, and its scheme and token.
    func seen() async throws -> String { try await server.line() }

    /// The next message of a kind.
    func seen(_ kind: String) async throws -> String {
        while true {
            let line = try await seen()
            if line.hasPrefix("\(kind) ") { return line }
        }
    }

    /// All messages up to the end of the session.
    func seenToEnd() async throws -> [String] {
        var lines: [String] = []
        while lines.last?.hasPrefix("DELETE ") != true { lines.append(try await seen()) }
        return lines
    }

    func start(_ arguments: String...) throws -> Program {
        try Program(Program.authorize, arguments, environment: ["XDG_STATE_HOME": home, "HOME": home])
    }

    /// Runs a line of a shell, in which `authorize` is this tool.
    func shell(_ line: String) throws -> Program {
        let folder = URL(filePath: Program.authorize).deletingLastPathComponent().path
        return try Program(
            "/bin/bash", ["-c", line],
            environment: ["XDG_STATE_HOME": home, "HOME": home, "PATH": "\(folder):/usr/bin:/bin"])
    }

    func login(_ url: String, _ arguments: String...) async throws {
        let login = try Program(
            Program.authorize, ["login", url, "--no-browser"] + arguments,
            environment: ["XDG_STATE_HOME": home, "HOME": home])
        try await User.allow(try await login.page())
        let result = try await login.result()
        #expect(result.status == 0, "\(result.errors)")
    }

    /// A bridge that has been initialized.
    func bridge() async throws -> Program {
        let bridge = try start("mcp", url)
        try bridge.say(BridgeTests.initialize)
        #expect(try await bridge.line().contains("protocolVersion"))
        return bridge
    }

    static func request(_ method: String, id: String = "5") -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)"}"# + "\n"
    }

    static func notification(_ method: String) -> String { #"{"jsonrpc":"2.0","method":"\#(method)"}"# + "\n" }

    static func cancellation(of id: String) -> String {
        #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":\#(id)}}"# + "\n"
    }

    static func answer(id: String = "5", _ result: String = "{}") -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"result":\#(result)}"#
    }
}
