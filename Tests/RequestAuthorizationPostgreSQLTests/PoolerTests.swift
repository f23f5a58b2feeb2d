// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if PostgreSQL && canImport(Glibc)
import Foundation
import LoopbackServer
import RequestAuthorization
import RequestAuthorizationPostgreSQL
import RequestAuthorizationTesting
import TestServers
import Testing

extension PostgreSQLTests {
    /// Behind a pooler that gives each statement another connection.
    @Suite(.enabled(if: PgBouncer.isThere, PgBouncer.how)) struct PoolerTests {
        @Test func `behind a pooler in transaction mode replicas pass the checks of every shared store`() async throws {
            let pooler = try await PgBouncer()
            defer { pooler.end() }
            let (one, other) = (try await pooler.fleet(), try await pooler.fleet())
            let numbers = Numbers()
            try await SharedTokenStoreChecks<LeasedTokenStore<TestToken>> {
                let account = "user \(numbers.next())"
                return (one.store(client: "web", account: account), other.store(client: "web", account: account))
            }.run()
        }

        @Test func `stores that wait for a lease hold none of the pooler's two connections`() async throws {
            let pooler = try await PgBouncer()
            defer { pooler.end() }
            var (locks, waits): ([TokenStoreLock], [Task<Void, any Error>]) = ([], [])
            let areReleased = Lock(false)
            for account in 1...8 {
                let (one, other) = (try await pooler.fleet(), try await pooler.fleet())
                let holder: LeasedTokenStore<TestToken> = one.store(client: "web", account: "\(account)")
                let waiter: LeasedTokenStore<TestToken> = other.store(client: "web", account: "\(account)")
                // The others wait meanwhile.
                locks.append(try await holder.lock(within: .seconds(60)))
                waits.append(
                    Task.immediate {
                        let lock = try await waiter.lock(within: .seconds(300))
                        #expect(areReleased.withLock { $0 })
                        await lock.unlock()
                    })
            }
            areReleased.withLock { $0 = true }
            for lock in locks { await lock.unlock() }
            for wait in waits { try await wait.value }
        }

        @Test func `sixty users behind a pooler that hangs fail together, and go on afterwards`() async throws {
            let pooler = try await PgBouncer()
            defer { pooler.end() }
            let database = try LibPQDatabase(pooler.connection, statementTimeout: .seconds(10))
            let users = try await HangingUsers(60, database)
            pooler.pause()
            await users.fail(within: .seconds(60))
            pooler.resume()
            try await users.load()
        }

        @Test func `a search path in the connection string is refused, not ignored`() async throws {
            let pooler = try await PgBouncer()
            defer { pooler.end() }
            let error = await #expect(throws: TokenStoreError.self) {
                try await PostgreSQLTokens(
                    connection: pooler.connection + "&options=-csearch_path%3Dother", key: .test(1), listens: false)
            }
            #expect(error?.kind == .unavailable)
        }
    }
}

/// A real PgBouncer before the server of the suite, and a database of its own.
private struct PgBouncer {
    let connection: String
    private let process: ServerProcess
    private let port: HeldPort

    init() async throws {
        let server = try #require(PostgreSQLServer.current)
        let database = "d" + UUID().uuidString.prefix(8).lowercased()
        try await LibPQDatabase.patient(server.connection()).run("CREATE DATABASE \(database)")
        port = try HeldPort()
        process = try await ServerProcess(
            script: "start-pgbouncer.sh", named: "pgbouncer", arguments: ["\(port.number)", "\(server.portNumber)"])
        connection = "postgresql://anybody@127.0.0.1:\(port.number)/\(database)?connect_timeout=300"
    }

    func fleet() async throws -> PostgreSQLTokens {
        try await PostgreSQLTokens(
            database: LibPQDatabase.patient(connection), key: .test(1), lease: .seconds(3_600), listens: false,
            callLimit: .seconds(60))
    }

    func pause() { process.pause() }

    func resume() { process.resume() }

    func end() {
        process.resume()
        process.end()
    }

    /// Whether it is installed. Where it must be (`REQUIRE_POSTGRESQL=1`, as in CI) its absence is a failure, not a skip.
    static let isThere =
        ProcessInfo.processInfo.environment["REQUIRE_POSTGRESQL"] == "1"
        || FileManager.default.isExecutableFile(atPath: "/usr/sbin/pgbouncer")

    static let how: Comment = "needs pgbouncer: .ci/install-tools"
}
#endif
