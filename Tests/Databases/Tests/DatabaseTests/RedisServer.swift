// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// A Redis server of a test, which writes each change to its disk before it answers.
final class RedisServer {
    /// The server ended instead of accepting connections.
    struct DidNotStart: Error, CustomStringConvertible { let description: String }

    let port: UInt16
    private let process: Process
    private let output: LineReader

    init(in folder: URL) throws { (port, process, output) = try Self.start(in: folder, tries: 5) }

    private static func start(in folder: URL, tries: Int) throws -> (UInt16, Process, LineReader) {
        let (port, process, pipe) = (UInt16.random(in: 20_000..<30_000), Process(), Pipe())
        let output = LineReader(pipe)
        process.executableURL = URL(filePath: "/usr/bin/redis-server")
        process.arguments = [
            "--port", "\(port)", "--bind", "127.0.0.1", "--dir", folder.path, "--save", "", "--appendonly", "yes",
            "--appendfsync", "always", "--maxmemory-policy", "noeviction",
        ]
        process.standardOutput = pipe
        try process.run()
        var lines: [String] = []
        while let line = output.line() {
            if line.contains("Ready to accept connections") { return (port, process, output) }
            lines.append(line)
        }
        // Another program has the port.
        if tries > 1, lines.contains(where: { $0.contains("Failed listening") }) {
            return try start(in: folder, tries: tries - 1)
        }
        throw DidNotStart(description: lines.joined(separator: "\n"))
    }

    /// Redis does not end at a SIGTERM if it cannot write to its folder, which may be gone.
    deinit { kill(process.processIdentifier, SIGKILL) }

    /// Stops and resumes the server, as `kill -STOP` does: it then accepts connections and does not answer.
    func stop(_ isStopped: Bool) { _ = isStopped ? process.suspend() : process.resume() }
}
