// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if PostgreSQL && canImport(Glibc)
import Foundation
import RequestAuthorization
import RequestAuthorizationPostgreSQL
import RequestAuthorizationTesting
import Testing

extension PostgreSQLTests {
    /// A store in a database passes the checks of every store.
    @Suite struct StoreTests {
        @Test func `two replicas pass the checks of every shared store`() async throws {
            let schema = try await Schema.make()
            // The lease is long, so that it does not end on a busy machine.
            let lease = Duration.seconds(3_600)
            let (one, other) = (try await schema.fleet(lease: lease), try await schema.fleet(lease: lease))
            // A store that is kept keeps its identifier.
            let accounts = Lock<[ObjectIdentifier: (String, LeasedTokenStore<TestToken>)]>([:])
            let numbers = Numbers()
            try await SharedTokenStoreChecks<LeasedTokenStore<TestToken>>(
                reopened: { store in
                    let account = try #require(accounts.withLock { $0[ObjectIdentifier(store)]?.0 })
                    return try await schema.fleet(lease: lease, listens: false).store(client: "web", account: account)
                },
                unreachable: {
                    let isCut = Lock(false)
                    let database = InterruptedDatabase(base: try LibPQDatabase.patient(schema.connection)) { _ in
                        if isCut.withLock({ $0 }) { throw PostgreSQLError(.unreachable) }
                    }
                    let fleet = try await PostgreSQLTokens(database: database, key: .test(1), callLimit: .seconds(60))
                    isCut.withLock { $0 = true }
                    return fleet.store(client: "web", account: "ada")
                },
                emptied: { _ in
                    try await schema.query(
                        "DROP TABLE request_authorization_tokens, request_authorization_fleet")
                }
            ) {
                let account = "user \(numbers.next())"
                let stores: [LeasedTokenStore<TestToken>] = [one, other].map {
                    $0.store(client: "web", account: account)
                }
                accounts.withLock { for store in stores { $0[ObjectIdentifier(store)] = (account, store) } }
                return (stores[0], stores[1])
            }.run()
        }

        @Test func `a later replica finds the token, and only that of the same client and account`()
            async throws
        {
            let schema = try await Schema.make()
            let token = TestToken("a")
            let stored = StoredToken(.token(token), version: .make(3), obtainedAt: .moment)
            let store: LeasedTokenStore<TestToken> = try await schema.fleet().store(client: "web", account: "ada")
            try await store.save(stored)
            let fleet = try await schema.fleet()
            let same: LeasedTokenStore<TestToken> = fleet.store(client: "web", account: "ada")
            #expect(try await same.load() == stored)
            for (client, account) in [("web", "bob"), ("app", "ada"), ("weba", "da"), ("we", "bada")] {
                let another: LeasedTokenStore<TestToken> = fleet.store(client: client, account: account)
                #expect(try await another.load() == nil)
            }
        }

        @Test(arguments: [
            "'; DROP TABLE request_authorization_tokens; --", "\\", "\"; --", "$1", "%s", "a\u{0}b", "é\u{301}漢字",
            String(repeating: "long", count: 5000), "",
        ])
        func `a name with any characters is only a name`(account: String) async throws {
            let schema = try await Schema.make()
            let store: LeasedTokenStore<TestToken> = try await schema.fleet().store(
                client: account, account: account)
            let stored = StoredToken(.token(TestToken("a")), version: .make(0), obtainedAt: .moment)
            try await store.save(stored)
            #expect(try await store.load() == stored)
            #expect(try await schema.value("SELECT count(*)::text FROM request_authorization_tokens") == "1")
        }

        @Test func `a save whose answer was lost can be repeated`() async throws {
            let schema = try await Schema.make()
            let store: LeasedTokenStore<TestToken> = try await schema.fleet().store(client: "web", account: "ada")
            let session = TokenVersion.make(0).session
            try await store.save(StoredToken(.token(TestToken("a")), version: .make(0), obtainedAt: .moment))
            let next = StoredToken(.token(TestToken("b")), version: .make(1), obtainedAt: .moment)
            let condition = TokenSaveCondition.older(session: session, generation: 1)
            #expect(try await store.save(next, replacing: condition) == .saved)
            #expect(try await store.save(next, replacing: condition) == .saved)
            // It ends its own intent, and no other that was saved meanwhile.
            let (own, later) = (RefreshIntent.make(0), RefreshIntent.make(1))
            try await store.leave(own)
            #expect(try await store.save(next, replacing: condition, ending: own) == .saved)
            #expect(try await store.openIntent() == nil)
            try await store.leave(later)
            #expect(try await store.save(next, replacing: condition, ending: own) == .saved)
            #expect(try await store.openIntent() == later)
            let other = StoredToken(.token(TestToken("c")), version: .make(1), obtainedAt: .moment)
            #expect(try await store.save(other, replacing: condition) == .refused(next))
        }

        @Test func `a first save after that of another host replaces nothing`() async throws {
            let schema = try await Schema.make()
            let other: LeasedTokenStore<TestToken> = try await schema.fleet().store(client: "web", account: "ada")
            let database = OvertakenDatabase(base: try LibPQDatabase.patient(schema.connection))
            let store: LeasedTokenStore<TestToken> = try await PostgreSQLTokens(
                database: database, key: .test(1), callLimit: .seconds(60)
            ).store(client: "web", account: "ada")
            database.overtakeNextInsert { try await other.save(.make("theirs")) }
            #expect(try await store.save(.make("ours"), replacing: .nothing) == .refused(.make("theirs")))
            #expect(try await other.load() == .make("theirs"))
        }

        @Test func `a save waits for the disk, also if the database is configured not to`() async throws {
            let schema = try await Schema.make()
            _ = try await schema.fleet()
            try await schema.query("CREATE TABLE seen (setting text)")
            // At the commit of each transaction that wrote a row.
            try await schema.query(
                """
                CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN INSERT INTO seen VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$
                """)
            try await schema.query(
                """
                CREATE CONSTRAINT TRIGGER see AFTER INSERT OR UPDATE ON request_authorization_tokens
                DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION see()
                """)
            let connection = schema.connection.replacingOccurrences(
                of: "options=", with: "options=-csynchronous_commit%3Doff%20")
            let store: LeasedTokenStore<TestToken> = try await PostgreSQLTokens(
                database: LibPQDatabase.patient(connection), key: .test(1), callLimit: .seconds(60)
            ).store(client: "web", account: "ada")
            try await store.save(.make("a"))
            #expect(try await store.save(.make("b", 1), replacing: .older(than: 1)) == .saved)
            try await store.leave(RefreshIntent(session: UUID(), generation: 1, beganAt: .moment))
            try await store.clear()
            // Two saves, lease, intent, release, removal.
            #expect(try await schema.query("SELECT setting FROM seen") == Array(repeating: ["on"], count: 6))
        }
    }
}

extension RefreshIntent {
    fileprivate static func make(_ generation: Int) -> RefreshIntent {
        RefreshIntent(session: TokenVersion.make(0).session, generation: generation, beganAt: .moment)
    }
}

extension LeasedTokenStore<TestToken> {
    /// Writes an intent as a refresh does, under the lease and for the token that was read.
    fileprivate func leave(_ intent: RefreshIntent) async throws {
        let lock = try await lock(within: .seconds(60))
        _ = try await load()
        try await setIntent(intent)
        await lock.unlock()
    }
}

/// Runs another statement first, once, before a row is inserted.
private struct OvertakenDatabase: PostgreSQLDatabase {
    let base: LibPQDatabase
    private let other = Lock<(@Sendable () async throws -> Void)?>(nil)

    init(base: LibPQDatabase) { self.base = base }

    func overtakeNextInsert(_ body: @escaping @Sendable () async throws -> Void) { other.withLock { $0 = body } }

    func query(_ statement: String, parameters: [String?]) async throws -> [[String?]] {
        if statement.hasPrefix("INSERT INTO request_authorization_tokens") {
            let body = other.withLock { other in
                defer { other = nil }
                return other
            }
            try await body?()
        }
        return try await base.query(statement, parameters: parameters)
    }
}
#endif
