// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(Glibc)
import Foundation
import Glibc

/// A server that a script of `Tests/Servers` has started, in a folder and a process group of its own.
package struct ServerProcess: Sendable {
    package let folder: String
    private let id: pid_t

    /// Runs a script, which returns when the server listens.
    ///
    /// - Parameter arguments: those after the first one, which is the folder.
    /// - Throws: Command.Failure with the server's log. Nothing runs then.
    package init(script: String, named name: String, arguments: [String], environment: [String: String] = [:])
        async throws
    {
        let folder = FileManager.default.temporaryDirectory.appending(path: "\(name)-\(UUID().uuidString)").path
        let script = URL(filePath: #filePath).appending(path: "../../../Servers/\(script)").standardizedFileURL
        do {
            _ = try await Command.run(
                ["/bin/bash", script.path, folder] + arguments,
                environment: environment.merging(["LIFETIME": "1800"]) { own, _ in own })
            id = try Self.processID(in: folder)
        } catch {
            if let id = try? Self.processID(in: folder) { Command.end(group: id) }
            let log = (try? String(contentsOfFile: folder + "/log", encoding: .utf8)) ?? "no log"
            try? FileManager.default.removeItem(atPath: folder)
            throw Command.Failure(text: "\(error)\n\(log)")
        }
        self.folder = folder
    }

    /// Lets the server hang: it keeps its connections and answers nobody.
    package func pause() { _ = kill(-id, SIGSTOP) }

    package func resume() { _ = kill(-id, SIGCONT) }

    /// Ends the server and removes its files.
    package func end() {
        Command.end(group: id)
        try? FileManager.default.removeItem(atPath: folder)
    }

    private static func processID(in folder: String) throws -> pid_t {
        let text = try String(contentsOfFile: folder + "/pid", encoding: .utf8)
        guard let id = pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw Command.Failure(text: "no process id")
        }
        return id
    }
}
#endif
