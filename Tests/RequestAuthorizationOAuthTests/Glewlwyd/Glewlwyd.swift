// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full && canImport(Glibc)
import Foundation
import LoopbackServer
import TestServers

/// A third-party authorization server, in its own process. `Tests/Servers/start-glewlwyd.sh` has its clients and users.
final class Glewlwyd: Sendable {
    /// The server of the running suite.
    @TaskLocal static var current: Glewlwyd?

    let issuer: String
    private let base: String
    private let process: ServerProcess
    /// Reserved, so that no other socket gets it. The server, which cannot choose a port itself, listens on it all the
    /// same.
    private let port: HeldPort

    /// Starts a server on a port and with a database of its own.
    ///
    /// - Parameters:
    ///   - accessSeconds: how long access tokens live.
    ///   - demandsNonces: whether a proof of possession needs a nonce of the server's (RFC 9449 §8). Each serves four times.
    init(accessSeconds: Int = 3600, demandsNonces: Bool = false) async throws {
        port = try HeldPort()
        process = try await ServerProcess(
            script: "start-glewlwyd.sh", named: "glewlwyd", arguments: ["\(port.number)"],
            environment: ["ACCESS_SECONDS": "\(accessSeconds)", "DPOP_NONCE": demandsNonces ? "1" : ""])
        base = "http://localhost:\(port.number)"
        issuer = base + "/api/oidc"
    }

    /// Ends the server and removes its files.
    func end() { process.end() }

    func url(_ path: String) throws -> URL { try .make(base + path) }

    /// Queries its database.
    func query(_ sql: String) async throws -> String {
        try await Command.run(["sqlite3", "-readonly", "-cmd", ".timeout 5000", "\(process.folder)/db.sqlite", sql])
    }

    /// How many refresh tokens it has issued so far.
    func refreshTokens() async throws -> Int { Int(try await query("select count(*) from gpo_refresh_token")) ?? -1 }
}
#endif
