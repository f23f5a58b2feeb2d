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

    /// - Parameter primary: the server of which it is an asynchronous standby.
    init(standbyOf primary: PostgreSQLServer? = nil) async throws {
        port = try HeldPort()
        // Short, as the path of a socket must be, and readable for the user that the server runs as.
        folder = FileManager.default.temporaryDirectory.appending(path: "pg-\(UUID().uuidString.prefix(8))").path
        if let primary {
            try await run(script: "start-postgres-standby.sh", "\(primary.port.number)")
        } else {
            try await start()
        }
    }

    /// Starts the server, with the data of an earlier one.
    func start() async throws { try await run(script: "start-postgres.sh") }

    private func run(script: String, _ arguments: String...) async throws {
        let script = URL(filePath: #filePath).appending(path: "../../../Servers/\(script)").standardizedFileURL
        _ = try await Command.run(
            ["/bin/bash", script.path, folder, "\(port.number)"] + arguments, environment: ["LIFETIME": "900"])
    }

    /// Stops the server as a crash would, and returns when it has ended.
    func stop() async throws {
        let process = try postmaster()
        _ = kill(process, SIGQUIT)
        _ = try await Command.run(["tail", "--pid=\(process)", "-f", "/dev/null"])
    }

    /// Lets the server hang: it keeps its connections and accepts new ones, and answers nobody.
    func pause() throws { try signal(SIGSTOP) }

    func resume() throws {
        try signal(SIGCONT)
        // `runuser` has stopped with its child.
        if let group { _ = kill(-group, SIGCONT) }
    }

    /// Signals the server and the processes of its connections.
    private func signal(_ number: CInt) throws {
        let server = try postmaster()
        _ = kill(server, number)
        let children = try String(contentsOfFile: "/proc/\(server)/task/\(server)/children", encoding: .utf8)
        for child in children.split(separator: " ") { _ = pid_t(child.trimmed).map { kill($0, number) } }
    }

    private func postmaster() throws -> pid_t {
        let text = try String(contentsOfFile: folder + "/data/postmaster.pid", encoding: .utf8)
        guard let line = text.split(separator: "\n").first, let process = pid_t(line) else {
            throw Command.Failure(text: "no process id")
        }
        return process
    }

    /// Ends the server and removes its files.
    func end() async {
        try? resume()
        try? await stop()
        if let group { Command.end(group: group) }
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// The group of its first process.
    private var group: pid_t? {
        (try? String(contentsOfFile: folder + "/pid", encoding: .utf8)).flatMap { pid_t($0.trimmed) }
    }

    /// Runs a statement as the user "app".
    func run(_ statement: String) async throws { try await LibPQDatabase.patient(connection()).run(statement) }

    /// Returns when a condition holds. The server checks it in a loop.
    func waitUntil(_ condition: String) async throws {
        try await LibPQDatabase.patient(connection()).run(
            """
            DO $$ BEGIN
                WHILE NOT (\(condition)) LOOP PERFORM pg_stat_clear_snapshot(); PERFORM pg_sleep(0.005); END LOOP;
            END $$
            """)
    }

    /// Returns when this standby has all that its primary has written by now.
    func waitForReplay(of primary: PostgreSQLServer) async throws {
        let rows = try await LibPQDatabase.patient(primary.connection()).query(
            "SELECT pg_current_wal_lsn()::text", parameters: [])
        try await waitUntil("pg_last_wal_replay_lsn() >= '\(rows[0][0] ?? "")'::pg_lsn")
    }

    var portNumber: UInt16 { port.number }

    /// The whole log so far, with all statements and their parameters.
    func log() throws -> String { try String(contentsOfFile: folder + "/log", encoding: .utf8) }

    /// - Parameter schema: the schema of its tables.
    func connection(schema: String = "public", user: String = "app") -> String {
        "postgresql://\(user)@127.0.0.1:\(port.number)/postgres?options=-csearch_path%3D\(schema)"
            + "&application_name=\(schema)&connect_timeout=300"
    }

    /// A new, empty schema.
    func newSchema() async throws -> Schema {
        let schema = Schema(server: self, name: "s" + UUID().uuidString.prefix(8).lowercased())
        try await LibPQDatabase.patient(connection()).run("CREATE SCHEMA \(schema.name)")
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
        key: UInt8 = 1, oldKeys: [UInt8] = [], lease: Duration = .seconds(10), requestDeadline: Duration = .seconds(4),
        listens: Bool = true
    ) async throws -> PostgreSQLTokens {
        try await PostgreSQLTokens(
            database: LibPQDatabase.patient(connection), key: .test(key),
            oldKeys: oldKeys.map { try .test($0) }, lease: lease, requestDeadline: requestDeadline, listens: listens,
            callLimit: .seconds(60))
    }

    /// Queries the database directly, not through the store.
    @discardableResult
    func query(_ statement: String, _ parameters: String?...) async throws -> [[String?]] {
        try await LibPQDatabase.patient(connection).query(statement, parameters: parameters)
    }

    /// Makes the tables of schema version 1, with rows; see `Tests/Servers/postgres-version1.sql`.
    func makeVersion1() async throws {
        let file = URL(filePath: #filePath).appending(path: "../../../Servers/postgres-version1.sql")
            .standardizedFileURL
        for statement in try String(contentsOf: file, encoding: .utf8).components(separatedBy: ";\n")
        where !statement.isEmpty {
            try await query(statement)
        }
    }

    /// One column of one row.
    func value(_ statement: String) async throws -> String? { try await query(statement).first?.first ?? nil }
}

extension LibPQDatabase {
    /// The limit is long, so that no test fails on a busy machine.
    static func patient(_ connection: String, connections: Int = 8) throws -> LibPQDatabase {
        try LibPQDatabase(connection, connections: connections, statementTimeout: .seconds(60))
    }

    func run(_ statement: String) async throws { _ = try await query(statement, parameters: []) }
}

extension TokenKey {
    /// - Parameter number: equal numbers give equal keys.
    static func test(_ number: UInt8) throws -> TokenKey {
        try .bytes([UInt8](repeating: number, count: 32), id: "key \(number)")
    }
}

extension StringProtocol {
    fileprivate var trimmed: String { trimmingCharacters(in: .whitespacesAndNewlines) }
}
#endif
