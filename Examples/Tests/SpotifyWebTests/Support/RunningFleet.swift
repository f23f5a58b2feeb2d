// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Web && Fleet && canImport(Glibc)
import Foundation
import LocalSpotify
import RequestAuthorizationPostgreSQL
import TestServers
import Testing

/// Two replicas of the site as processes, behind a real nginx, with one real PostgreSQL.
struct RunningFleet: Sendable {
    let spotify: LocalSpotify
    /// Its requests go to the two replicas in turn.
    let browser: TestBrowser
    let replicas: [Replica]
    let database: LibPQDatabase
    /// The variables of each replica.
    let environment: [String: String]

    static func run(_ body: @Sendable (RunningFleet) async throws -> Void) async throws {
        let spotify = try LocalSpotify()
        try await spotify.serve { url in
            let ports = try (0..<2).map { _ in try HeldPort() }
            let server = try await ServerProcess(
                script: "start-postgres.sh", named: "pg", arguments: ["\(ports[0].number)"])
            defer { server.end() }
            let connection = "postgresql://app@127.0.0.1:\(ports[0].number)/postgres"
            let environment = [
                "DATABASE_URL": connection, "SPOTIFY_LOCAL": url.absoluteString,
                "SESSION_KEY": newKey(),
            ]
            // At the same time, because both create the tables.
            async let one = Replica.start(environment)
            async let other = Replica.start(environment)
            let replicas = try await [one, other]
            defer { for replica in replicas { replica.kill() } }
            let proxy = try await ServerProcess(
                script: "start-nginx.sh", named: "nginx",
                arguments: ["\(ports[1].number)"] + replicas.map { "\($0.port)" })
            defer { proxy.end() }
            // The limits are long, so that no test fails on a busy machine.
            let database = try LibPQDatabase(connection + "?connect_timeout=60", statementTimeout: .seconds(60))
            try await body(
                RunningFleet(
                    spotify: spotify, browser: TestBrowser(base: "http://127.0.0.1:\(ports[1].number)"),
                    replicas: replicas, database: database, environment: environment))
        }
    }

    /// 32 random bytes in base64.
    static func newKey() -> String { Data((0..<32).map { _ in UInt8.random(in: .min ... .max) }).base64EncodedString() }

    /// Starts another replica, with other keys.
    func replica(keys: String) async throws -> Replica {
        try await Replica.start(environment.merging(["SESSION_KEY": keys]) { $1 })
    }

    /// A logged-in browser. One replica has begun its log-in, the other one has finished it.
    func loggedIn() async throws -> TestBrowser {
        var browser = browser
        let begun = try await browser.get("/login?return_to=%2Fme")
        let page = try #require(begun.location.flatMap { URL(string: $0) })
        let finished = try await browser.open(try await spotify.callback(for: page))
        #expect(finished.location == "/me")
        #expect(Set([begun.replica, finished.replica]) == Set(replicas.map(\.name)))
        return browser
    }

    /// Lets the database refuse the changes of a table.
    ///
    /// - Parameter change: `INSERT` or `DELETE`.
    func refuse(_ change: String, on table: String) async throws {
        let function = """
            CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql
            AS $body$ BEGIN RAISE EXCEPTION 'refused'; END $body$
            """
        let trigger = "CREATE TRIGGER refuse BEFORE \(change) ON \(table) FOR EACH ROW EXECUTE FUNCTION refuse()"
        for statement in [function, trigger] { _ = try await database.query(statement, parameters: []) }
    }

    /// Ends ``refuse(_:on:)``.
    func allow(on table: String) async throws {
        _ = try await database.query("DROP TRIGGER refuse ON \(table)", parameters: [])
    }

    /// Whether the real servers are installed. With `REQUIRE_FLEET=1`, as in CI, a missing server is a failure, not a
    /// skip.
    static let isThere =
        ProcessInfo.processInfo.environment["REQUIRE_FLEET"] == "1"
        || ["/usr/sbin/nginx", "/usr/lib/postgresql"].allSatisfy { FileManager.default.fileExists(atPath: $0) }

    static let how: Comment = "needs postgresql and nginx: .ci/install-tools"
}

extension TestBrowser.Answer {
    /// The replica that has answered, by a field of nginx.
    var replica: String? { field("X-Replica") }
}

/// A process of the program `spotify-web`.
final class Replica: Sendable {
    let port: UInt16
    private let id: pid_t

    /// The name that nginx uses.
    var name: String { "127.0.0.1:\(port)" }

    private init(port: UInt16, id: pid_t) { (self.port, self.id) = (port, id) }

    deinit { kill() }

    /// Starts a process, and returns when it serves.
    static func start(_ environment: [String: String]) async throws -> Replica {
        try await onOwnThread {
            let process = Process()
            let output = Pipe()
            process.executableURL = Bundle.main.bundleURL.appending(path: "spotify-web")
            process.arguments = ["--local", "--port", "0"]
            process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = output
            try process.run()
            var greeting = ""
            while !greeting.contains("\n") {
                let bytes = output.fileHandleForReading.availableData
                if bytes.isEmpty { throw Command.Failure(text: "spotify-web has ended: \(greeting)") }
                greeting += String(decoding: bytes, as: UTF8.self)
            }
            let port = greeting.firstMatch(of: #/127\.0\.0\.1:([0-9]+)/#).flatMap { UInt16($0.output.1) }
            guard let port else { throw Command.Failure(text: "spotify-web does not print its address: \(greeting)") }
            return Replica(port: port, id: process.processIdentifier)
        }
    }

    /// Kills the process, as when its host dies.
    func kill() { _ = Foundation.kill(id, SIGKILL) }
}
#endif
