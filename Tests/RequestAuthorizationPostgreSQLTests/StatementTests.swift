// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if PostgreSQL && canImport(Glibc)
import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorizationPostgreSQL

extension PostgreSQLTests {
    /// The cost of a refresh for the database.
    @Suite struct StatementTests {
        @Test func `a refresh takes four statements: a read, lease, intent, save with release`() async throws {
            let bench = try await StatementBench(.token("b"))
            let statements = try await bench.refresh()
            #expect(
                statements == [.read, .update, .update, .update])
            #expect(try await bench.store.load()?.token?.name == "b")
            #expect(try await bench.store.openIntent() == nil)
        }

        @Test func `a host that adopts a token takes one: a read`() async throws {
            let bench = try await StatementBench()
            let token = TestToken("b", expiresAt: bench.clock.now.addingTimeInterval(100))
            #expect(try await bench.auth.validToken().name == "a")
            try await bench.store.save(StoredToken(.token(token), version: bench.version(1), obtainedAt: .moment))
            #expect(try await bench.refresh() == [.read])
            #expect(try await bench.auth.validToken().name == "b")
        }

        @Test func `a host that waits only reads, and adopts without a lease`() async throws {
            let bench = try await StatementBench()
            let lock = try await bench.store.lock(within: .seconds(60))
            let database = NotingDatabase(base: try LibPQDatabase.patient(bench.schema.connection))
            let waiting: LeasedTokenStore<TestToken> = try await PostgreSQLTokens(
                database: database, key: .test(1), listens: false, callLimit: .seconds(60)
            ).store(client: "web", account: "ada")
            _ = try await waiting.load()
            _ = database.takeStatements()
            let access = Task { try await waiting.lock(within: .seconds(60)) }
            await database.nextStatement()
            #expect(
                try await bench.store.save(
                    StoredToken(.token(TestToken("b")), version: bench.version(1), obtainedAt: .moment),
                    replacing: .older(than: 1)) == .saved)
            let adopting = try await access.value
            #expect(adopting.remaining == .zero)
            #expect(try await waiting.load()?.token?.name == "b")
            await adopting.unlock()
            #expect(Set(database.takeStatements()) == [.read])
            await lock.unlock()
        }

        @Test func `the row read with the lease serves one load under the lease, for a second`() async throws {
            let bench = try await StatementBench()
            let store: LeasedTokenStore<TestToken> = bench.fleet.store(client: "web", account: "ada")
            try await store.lock(within: .seconds(60)).unlock()
            try await bench.store.save(.make("b", 1))
            #expect(try await store.load() == .make("b", 1))

            let lock = try await store.lock(within: .seconds(60))
            bench.clock.advance(by: .milliseconds(1001))
            try await bench.store.save(.make("c", 2))
            #expect(try await store.load() == .make("c", 2))
            await lock.unlock()

            try await store.lock(within: .seconds(60)).unlock()
            let again = try await store.lock(within: .seconds(60))
            #expect(try await store.load() == .make("c", 2))
            try await bench.store.save(.make("d", 3))
            #expect(try await store.load() == .make("d", 3))
            await again.unlock()
        }

        @Test func `a save over a token that another host has saved meanwhile is refused`() async throws {
            let bench = try await StatementBench()
            let store: LeasedTokenStore<TestToken> = bench.fleet.store(client: "web", account: "bob")
            let other: LeasedTokenStore<TestToken> = try await bench.schema.fleet()
                .store(client: "web", account: "bob")
            try await store.save(.make("a"))
            #expect(try await store.load() == .make("a"))
            try await other.save(.make("b", 1))
            #expect(try await store.save(.make("c", 1), replacing: .older(than: 1)) == .refused(.make("b", 1)))
            #expect(try await store.load() == .make("b", 1))
            try await other.save(.make("c", 2))
            #expect(try await store.save(.make("d", 3), replacing: .older(than: 3)) == .saved)
            #expect(try await other.load() == .make("d", 3))
        }
    }
}

extension String {
    fileprivate static let read = RecordStatements(for: "row").read
    fileprivate static let update = RecordStatements(for: "row").update
}

/// A host whose statements are recorded, and the row of one user, whose token is about to expire.
private struct StatementBench {
    let schema: Schema
    let clock = ManualClock()
    let fleet: PostgreSQLTokens
    let auth: RefreshableTokenAuthorization<TestToken>
    /// Of another host.
    let store: LeasedTokenStore<TestToken>
    private let database: NotingDatabase

    init(_ steps: ScriptedTokenService<TestToken>.Step...) async throws {
        schema = try await Schema.make()
        store = try await schema.fleet().store(client: "web", account: "ada")
        database = NotingDatabase(base: try LibPQDatabase.patient(schema.connection))
        fleet = try await PostgreSQLTokens(database: database, key: .test(1), clock: clock)
        let service = ScriptedTokenService<TestToken>(clock: clock)
        for step in steps { service.append(step) }
        auth = RefreshableTokenAuthorization(
            service: service, store: fleet.store(client: "web", account: "ada"), clock: clock)
        let token = TestToken("a", expiresAt: clock.now.addingTimeInterval(1))
        try await store.save(StoredToken(.token(token), version: version(0), obtainedAt: clock.now))
        _ = try await auth.validToken()
    }

    func version(_ generation: Int) -> TokenVersion { .make(generation) }

    /// Lets the token expire and be refreshed.
    ///
    /// - Returns: the statements of the host until it has released the lease.
    func refresh() async throws -> [String] {
        _ = database.takeStatements()
        clock.advance(by: .seconds(2))
        _ = try await auth.validToken()
        try await store.lock(within: .seconds(60)).unlock()
        return database.takeStatements()
    }
}

/// Records statements before they are run.
private struct NotingDatabase: PostgreSQLDatabase {
    let base: LibPQDatabase
    private let statements = Lock<[String]>([])
    private let news = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    init(base: LibPQDatabase) { self.base = base }

    /// Returns when a statement has been run since the last call.
    func nextStatement() async { for await _ in news.stream { return } }

    func takeStatements() -> [String] {
        statements.withLock { statements in
            defer { statements = [] }
            return statements
        }
    }

    func query(_ statement: String, parameters: [String?]) async throws -> [[String?]] {
        statements.withLock { $0.append(statement) }
        defer { news.continuation.yield() }
        return try await base.query(statement, parameters: parameters)
    }
}
#endif
