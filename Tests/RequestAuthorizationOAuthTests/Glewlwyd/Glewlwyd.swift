// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full && canImport(Glibc)
import Foundation
import LoopbackServer
import RequestAuthorizationOAuth
import RequestAuthorizationURLSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// An authorization server that nobody here wrote, in a process of its own. `Tests/Servers/start-glewlwyd.sh` says what it knows.
final class Glewlwyd: Sendable {
    /// The one that runs for the suite.
    @TaskLocal static var current: Glewlwyd?

    let issuer: String
    private let base: String
    private let folder: String
    private let process: pid_t
    /// Kept from all others. The server, which cannot choose one itself, listens on it all the same.
    private let port: HeldPort

    /// Starts a server on a port and with a database of its own.
    ///
    /// - Parameter accessSeconds: how long access tokens live.
    init(accessSeconds: Int) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "glewlwyd-\(UUID().uuidString)").path
        let script = URL(filePath: #filePath).appending(path: "../../../Servers/start-glewlwyd.sh").standardizedFileURL
        port = try HeldPort()
        do {
            _ = try await Command.run(
                ["/bin/bash", script.path, folder, "\(port.number)"],
                environment: ["ACCESS_SECONDS": "\(accessSeconds)", "LIFETIME": "300"])
            process = try Self.processID(in: folder)
        } catch {
            if let process = try? Self.processID(in: folder) { Command.end(group: process) }
            let log = (try? String(contentsOfFile: folder + "/log", encoding: .utf8)) ?? "no log"
            try? FileManager.default.removeItem(atPath: folder)
            throw Command.Failure(text: "\(error)\n\(log)")
        }
        self.folder = folder
        base = "http://localhost:\(port.number)"
        issuer = base + "/api/oidc"
    }

    /// Ends the server and removes what it kept.
    func end() {
        Command.end(group: process)
        try? FileManager.default.removeItem(atPath: folder)
    }

    func url(_ path: String) throws -> URL { try .make(base + path) }

    /// Asks its database.
    func query(_ sql: String) async throws -> String {
        try await Command.run(["sqlite3", "-readonly", "-cmd", ".timeout 5000", "\(folder)/db.sqlite", sql])
    }

    /// How many refresh tokens it has issued so far.
    func refreshTokens() async throws -> Int { Int(try await query("select count(*) from gpo_refresh_token")) ?? -1 }

    private static func processID(in folder: String) throws -> pid_t {
        let text = try String(contentsOfFile: folder + "/pid", encoding: .utf8)
        guard let id = pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw Command.Failure(text: "no process id")
        }
        return id
    }
}
#endif
