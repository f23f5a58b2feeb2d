// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(Glibc)
package import Foundation
import Glibc

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A server that a script of `Tests/Servers` in Python is, on a free port. It ends with its standard input.
package final class PythonServer: Sendable {
    /// The server's origin.
    package let base: String
    private let folder: URL
    private let process: pid_t
    private let input: FileHandle

    /// Starts a server. `python` has the packages that the script needs; `environment` are more variables for it.
    package init(script: String, python: String, environment: [String: String] = [:]) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "\(script)-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        (process, input, base) = try await onOwnThread {
            try Self.start(FastMCP.script(script), python, in: folder, environment)
        }
        self.folder = folder
    }

    /// Ends the server and removes its files.
    package func end() {
        try? input.close()
        _ = kill(process, SIGKILL)
        try? FileManager.default.removeItem(at: folder)
    }

    /// Calls `/control/NAME` of the server, and returns the answer.
    @discardableResult
    package func control(_ name: String, _ method: String = "POST", _ body: Data? = nil) async throws -> Data {
        guard let url = URL(string: "\(base)/control/\(name)") else { throw URLError(.badURL) }
        var request = URLRequest(url: url)
        (request.httpMethod, request.httpBody) = (method, body)
        let (data, response) = try await URLSession.shared.data(for: request)
        guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw Command.Failure(text: "\(name) failed") }
        return data
    }

    private static func start(
        _ script: String, _ python: String, in folder: URL, _ environment: [String: String]
    ) throws -> (pid_t, FileHandle, String) {
        let process = Process()
        process.executableURL = URL(filePath: python)
        process.arguments = [script, folder.path]
        process.environment = ProcessInfo.processInfo.environment.merging(["LIFETIME": "1800"]) { $1 }
            .merging(environment) { $1 }
        let (input, output) = try launching {
            let (input, output) = (Pipe(), Pipe())
            (process.standardInput, process.standardOutput, process.standardError) = (input, output, output)
            try process.run()
            return (input, output)
        }
        // It prints a line when it listens, perhaps after warnings, and its errors if it does not.
        var text = ""
        while !text.contains("listening\n") {
            let part = output.fileHandleForReading.availableData
            guard !part.isEmpty else { throw Command.Failure(text: text) }
            text += String(decoding: part, as: UTF8.self)
        }
        let address = try String(contentsOf: folder.appending(path: "address"), encoding: .utf8)
        return (process.processIdentifier, input.fileHandleForWriting, address)
    }
}
#endif
