// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if PostgreSQL && canImport(Glibc)
import Foundation
import Glibc
import LoopbackServer
import RequestAuthorization
import RequestAuthorizationPostgreSQL
import TestServers

/// A real PostgreSQL in processes of its own; see `Tests/Servers/start-postgres.sh`.
final class PostgreSQLServer: Sendable {
    /// The server of the running suite.
    @TaskLocal static var current: PostgreSQLServer?

    let folder: String
    /// Reserved, so that no other socket gets it. The server listens on it all the same.
    private let port: HeldPort

    init() async throws {
        port = try HeldPort()
        // Short, as the path of a socket must be, and readable for the user that the server runs as.
        folder = FileManager.default.temporaryDirectory.appending(path: "pg-\(UUID().uuidString.prefix(8))").path
        try await start()
    }

    /// Starts the server, with the data of an earlier one.
    func start() async throws {
        let script = URL(filePath: #filePath).appending(path: "../../../Servers/start-postgres.sh").standardizedFileURL
        _ = try await Command.run(
            ["/bin/bash", script.path, folder, "\(port.number)"], environment: ["LIFETIME": "300"])
    }

    /// Stops the server as a crash would, and returns when it has ended.
    func stop() async throws {
        let text = try String(contentsOfFile: folder + "/data/postmaster.pid", encoding: .utf8)
        guard let line = text.split(separator: "\n").first, let process = pid_t(line) else {
            throw Command.Failure(text: "no process id")
        }
        _ = kill(process, SIGQUIT)
        _ = try await Command.run(["tail", "--pid=\(process)", "-f", "/dev/null"])
    }

    /// Ends the server and removes its files.
    func end() async {
        try? await stop()
        if let text = try? String(contentsOfFile: folder + "/pid", encoding: .utf8), let group = pid_t(text.trimmed) {
            Command.end(group: group)
        }
        try? FileManager.default.removeItem(atPath: folder)
    }

    var portNumber: UInt16 { port.number }

    /// The whole log so far, with all statements and their parameters.
    func log() throws -> String { try String(contentsOfFile: folder + "/log", encoding: .utf8) }

    /// - Parameter schema: the schema of its tables.
    func connection(schema: String = "public", user: String = "app") -> String {
        "postgresql://\(user)@127.0.0.1:\(port.number)/postgres?options=-csearch_path%3D\(schema)"
            + "&application_name=\(schema)"
    }

    /// A new, empty schema.
    func newSchema() async throws -> Schema {
        let schema = Schema(server: self, name: "s" + UUID().uuidString.prefix(8).lowercased())
        try await LibPQDatabase(connection()).run("CREATE SCHEMA \(schema.name)")
        return schema
    }
}

/// A schema for the tables of one test.
struct Schema: Sendable {
    let server: PostgreSQLServer
    let name: String

    static func make() async throws -> Schema {
        guard let server = PostgreSQLServer.current else { throw Command.Failure(text: "no server runs") }
        return try await server.newSchema()
    }

    var connection: String { server.connection(schema: name) }

    /// A replica with connections of its own.
    func fleet(
        key: UInt8 = 1, oldKeys: [UInt8] = [], lease: Duration = .seconds(10), requestDeadline: Duration = .seconds(5),
        listens: Bool = true
    ) async throws -> PostgreSQLTokens {
        try await PostgreSQLTokens(
            connection: connection, key: .test(key), oldKeys: oldKeys.map { try .test($0) }, lease: lease,
            requestDeadline: requestDeadline, listens: listens)
    }

    /// Queries the database directly, not through the store.
    @discardableResult
    func query(_ statement: String, _ parameters: String?...) async throws -> [[String?]] {
        try await LibPQDatabase(connection).query(statement, parameters: parameters)
    }

    /// One column of one row.
    func value(_ statement: String) async throws -> String? { try await query(statement).first?.first ?? nil }
}

extension LibPQDatabase {
    func run(_ statement: String) async throws { _ = try await query(statement, parameters: []) }
}

extension TokenKey {
    /// - Parameter number: equal numbers give equal keys.
    static func test(_ number: UInt8) throws -> TokenKey {
        try .bytes([UInt8](repeating: number, count: 32), id: "key \(number)")
    }
}

extension String {
    fileprivate var trimmed: String { trimmingCharacters(in: .whitespacesAndNewlines) }
}
#endif
