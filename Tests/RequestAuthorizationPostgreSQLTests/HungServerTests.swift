// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if PostgreSQL && canImport(Glibc)
import RequestAuthorization
import RequestAuthorizationTesting
import TestServers
import Testing

@testable import RequestAuthorizationPostgreSQL

/// The database accepts connections and answers nobody.
@Suite(.enabled(if: PostgreSQLServer.isThere, PostgreSQLServer.how), .timeLimit(.minutes(5)))
struct PostgreSQLHungServerTests {
    @Test func `a hundred users of a server that hangs fail together, and go on afterwards`() async throws {
        let server = try await PostgreSQLServer()
        let schema = try await server.newSchema()
        let database = try LibPQDatabase(schema.connection, statementTimeout: .seconds(10))
        let users = try await HangingUsers(100, database)
        try server.pause()
        await users.fail(within: .seconds(60))
        try server.resume()
        try await users.load()
        await server.end()
    }

    @Test func `connecting is part of the limit`() async throws {
        let server = try await PostgreSQLServer()
        let database = try LibPQDatabase(server.connection(), connections: 1, statementTimeout: .seconds(10))
        try server.pause()
        let began = ContinuousClock.now
        let error = await #expect(throws: PostgreSQLError.self) {
            try await database.query("SELECT '1'", parameters: [])
        }
        #expect(error?.code == .timedOut)
        // libpq would give up after 300 s.
        #expect(began.duration(to: .now) < .seconds(60))
        try server.resume()
        #expect(try await database.query("SELECT '2'", parameters: []) == [["2"]])
        await server.end()
    }

    @Test func `a host that hangs leaves time for the next one`() async throws {
        let (hung, other) = (try await PostgreSQLServer(), try await PostgreSQLServer())
        let ports = "\(hung.portNumber),\(hung.portNumber),\(other.portNumber)"
        // The default for a single host would use up the limit.
        let database = try LibPQDatabase(
            "host=127.0.0.1,127.0.0.1,127.0.0.1 port=\(ports) user=app dbname=postgres", statementTimeout: .seconds(8))
        try hung.pause()
        #expect(
            try await database.query("SELECT inet_server_port()::text", parameters: []) == [["\(other.portNumber)"]])
        await hung.end()
        await other.end()
    }

    @Test func `who waits for a connection fails with the one that timed out, unless the server answers others`()
        async throws
    {
        let parameters = try ConnectionParameters("host=127.0.0.1")
        let pool = ConnectionPool(limit: 1) { LibPQConnection(parameters) }
        let began = ContinuousClock.now
        let connection = try await pool.take(began: began)
        // Each task runs to its first wait.
        let next = Task.immediate { try await pool.take(began: .now) }
        pool.noteAnswer()
        pool.noteTimeout(ofCallFrom: began, to: began + .seconds(5))
        pool.giveBack(connection)
        #expect(try await next.value === connection)

        let hangs = ContinuousClock.now
        let fails = (1...2).map { _ in Task.immediate { try await pool.take(began: .now) } }
        let later = Task.immediate { try await pool.take(began: hangs + .seconds(5)) }
        pool.noteTimeout(ofCallFrom: hangs, to: hangs + .seconds(5))
        for task in fails { await #expect(throws: PostgreSQLError(.timedOut)) { try await task.value } }
        pool.giveBack(connection)
        #expect(try await later.value === connection)
    }

    @Test func `a call that waits for a connection ends at its own limit`() async throws {
        let server = try await PostgreSQLServer()
        let database = try LibPQDatabase(server.connection(), connections: 1, statementTimeout: .seconds(10))
        let slow = Task.immediate { try await database.query("SELECT pg_sleep(600)::text", parameters: []) }
        let waiting = Task.immediate { try await database.query("SELECT '1'", parameters: []) }
        for call in [slow, waiting] {
            await #expect(throws: PostgreSQLError(.timedOut)) { try await call.value }
        }
        #expect(try await database.query("SELECT '2'", parameters: []) == [["2"]])
        await server.end()
    }
}

/// Users of one host, each with a row.
struct HangingUsers {
    private let stores: [LeasedTokenStore<TestToken>]

    init(_ count: Int, _ database: LibPQDatabase) async throws {
        let fleet = try await PostgreSQLTokens(
            database: database, key: .test(1), listens: false, callLimit: .seconds(60))
        stores = (1...count).map { fleet.store(client: "web", account: "\($0)") }
    }

    func load() async throws { for store in stores { #expect(try await store.load() == nil) } }

    /// All load at the same time, and get an error.
    func fail(within limit: Duration) async {
        let began = ContinuousClock.now
        await withTaskGroup { group in
            for store in stores {
                group.addTask {
                    let error = await #expect(throws: TokenStoreError.self) { try await store.load() }
                    #expect(error?.kind == .timedOut)
                }
            }
        }
        #expect(began.duration(to: .now) < limit)
    }
}
#endif
