// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if PostgreSQL && canImport(Glibc)
import Foundation
import RequestAuthorization
import RequestAuthorizationPostgreSQL
import RequestAuthorizationTesting
import Testing

extension PostgreSQLTests {
    /// The store creates its tables, and leaves foreign ones alone.
    @Suite struct MigrationTests {
        @Test func `eight replicas may create the tables at the same time, with the same result`() async throws {
            let schema = try await Schema.make()
            let stores = try await withThrowingTaskGroup { group in
                for _ in 1...8 {
                    group.addTask { () -> LeasedTokenStore<TestToken> in
                        try await schema.fleet().store(client: "web", account: "ada")
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            try await stores[0].save(.make("a"))
            for store in stores { #expect(try await store.load() == .make("a")) }
            #expect(try await schema.value("SELECT count(*)::text FROM request_authorization_fleet") == "1")
        }

        @Test(arguments: [
            "CREATE TABLE request_authorization_fleet (id int)",
            "CREATE TABLE request_authorization_tokens (id int)",
            "CREATE TABLE request_authorization_tokens (row_key bytea PRIMARY KEY, status text, sealed bytea)",
        ])
        func `foreign tables of the same name are a clear error, and are not touched`(statement: String) async throws {
            let schema = try await Schema.make()
            try await schema.query(statement)
            let error = await #expect(throws: TokenStoreError.self) { try await schema.fleet() }
            #expect(error?.kind == .unsuitable)
            #expect(error?.detail.contains("search_path") == true)
            for table in ["fleet", "tokens"] {
                let rows = try? await schema.value("SELECT count(*)::text FROM request_authorization_\(table)")
                #expect(rows == nil || rows == "0")
            }
        }

        @Test func `tables of a later version are used if they allow it, and their new columns are left alone`()
            async throws
        {
            let schema = try await Schema.make()
            let store: LeasedTokenStore<TestToken> = try await schema.fleet().store(client: "web", account: "ada")
            try await store.save(.make("a"))
            try await schema.query("UPDATE request_authorization_fleet SET schema_version = 3")
            try await schema.query("ALTER TABLE request_authorization_tokens ADD COLUMN later text DEFAULT 'kept'")
            try await schema.query("UPDATE request_authorization_tokens SET later = 'of a later version'")
            // A running replica, and a new one.
            let other: LeasedTokenStore<TestToken> = try await schema.fleet().store(client: "web", account: "ada")
            #expect(try await store.save(.make("b", 1), replacing: .older(than: 1)) == .saved)
            #expect(try await other.load() == .make("b", 1))
            try await other.clear()
            #expect(
                try await schema.value("SELECT later FROM request_authorization_tokens") == "of a later version")
            #expect(try await schema.value("SELECT schema_version::text FROM request_authorization_fleet") == "3")
        }

        @Test func `tables that demand a later version are a clear error`() async throws {
            let schema = try await Schema.make()
            _ = try await schema.fleet()
            try await schema.query("UPDATE request_authorization_fleet SET oldest_program = 3, schema_version = 3")
            let error = await #expect(throws: TokenStoreError.self) { try await schema.fleet() }
            #expect(error?.kind == .unsuitable)
            #expect(error?.detail.contains("later version") == true)
        }

        @Test func `eight replicas migrate the tables of version 1 at the same time, and lose nothing`() async throws {
            let schema = try await Schema.make()
            try await schema.makeVersion1()
            let fleets = try await withThrowingTaskGroup { group in
                for _ in 1...8 { group.addTask { try await schema.fleet() } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            for fleet in fleets {
                let ada: LeasedTokenStore<TestToken> = fleet.store(client: "web", account: "ada")
                let loaded = try await ada.loadWithIntent()
                #expect(loaded.stored == .make("a", 3))
                #expect(
                    loaded.intent
                        == RefreshIntent(session: TokenVersion.make(0).session, generation: 3, beganAt: .moment))
                let bob: LeasedTokenStore<TestToken> = fleet.store(client: "web", account: "bob")
                #expect(
                    try await bob.load() == StoredToken(.signedOut, version: .make(1), obtainedAt: .moment))
                let eve: LeasedTokenStore<TestToken> = fleet.store(client: "web", account: "eve")
                #expect(try await eve.loadWithIntent().absence == .setAside)
                let joe: LeasedTokenStore<TestToken> = fleet.store(client: "web", account: "joe")
                #expect(try await joe.loadWithIntent().absence == .gone)
            }
            let ada: LeasedTokenStore<TestToken> = fleets[0].store(client: "web", account: "ada")
            #expect(try await ada.save(.make("b", 4), replacing: .older(than: 4)) == .saved)
            let counts = try await fleets[1].counts()
            #expect((counts.tokens, counts.ended) == (1, 3))
            // Their age is that of version 1.
            #expect(try await fleets[1].removeEnded() == 3)
        }

        @Test func `a program of version 1 gets an error from migrated tables, and a live one prevents the migration`()
            async throws
        {
            let schema = try await Schema.make()
            try await schema.makeVersion1()
            let lease = "UPDATE request_authorization_tokens SET lease_until = clock_timestamp() + interval"
            try await schema.query("\(lease) '1 hour'")
            let error = await #expect(throws: TokenStoreError.self) { try await schema.fleet() }
            #expect(error?.kind == .unavailable)
            #expect(error?.detail.contains("earlier version") == true)
            try await schema.query("\(lease) '-1 hour'")
            _ = try await schema.fleet()
            // As that program renews a lease and reads a row.
            for statement in ["\(lease) '1 hour'", "SELECT sealed FROM request_authorization_tokens"] {
                await #expect(throws: PostgreSQLError(.refused, sqlState: "42703")) {
                    try await schema.query(statement)
                }
            }
        }

        @Test(.timeLimit(.minutes(5)))
        func `a lease of version 1 that is being committed prevents the migration, too`() async throws {
            let schema = try await Schema.make()
            try await schema.makeVersion1()
            let host = try LibPQDatabase.patient(schema.connection, connections: 1)
            _ = try await host.query("BEGIN", parameters: [])
            _ = try await host.query(
                "UPDATE request_authorization_tokens SET lease_until = clock_timestamp() + interval '1 hour'",
                parameters: [])
            let migration = Task { try await schema.fleet() }
            try await schema.query(
                """
                DO $$ BEGIN
                    WHILE NOT EXISTS (SELECT FROM pg_locks
                        WHERE NOT granted AND relation = 'request_authorization_tokens'::regclass)
                    LOOP PERFORM pg_sleep(0.005); END LOOP;
                END $$
                """)
            _ = try await host.query("COMMIT", parameters: [])
            let error = await #expect(throws: TokenStoreError.self) { try await migration.value }
            #expect(error?.detail.contains("earlier version") == true)
        }

        @Test(arguments: [false, true])
        func `dropped tables are created again, and the session in a replica is lost, not signed out`(
            isMadeByAnother: Bool
        ) async throws {
            let schema = try await Schema.make()
            let store: LeasedTokenStore<TestToken> = try await schema.fleet().store(client: "web", account: "ada")
            let other: LeasedTokenStore<TestToken> = try await schema.fleet().store(client: "web", account: "ada")
            try await store.save(.make("a"))
            #expect(try await other.load() == .make("a"))
            try await schema.query("DROP TABLE request_authorization_tokens, request_authorization_fleet")
            if isMadeByAnother { _ = try await schema.fleet() }
            let lock = try await store.lock(within: .seconds(60))
            #expect(try await store.loadWithIntent().absence == .placeMissing)
            #expect(try await store.save(.make("b", 1), replacing: .older(than: 1)) == .saved)
            await lock.unlock()
            #expect(try await other.load() == .make("b", 1))
            #expect(
                try await schema.value(
                    "SELECT count(*)::text FROM request_authorization_tokens WHERE get_byte(record, 6) & 1 = 1"
                ) == "0")
            // A session that was ended counts as gone.
            try await store.clear()
            #expect(try await other.loadWithIntent().absence == .gone)
        }

        @Test func `a database user without the right to create tables uses the existing ones`() async throws {
            let schema = try await Schema.make()
            _ = try await schema.fleet()
            try await schema.query("CREATE ROLE r_\(schema.name) LOGIN")
            try await schema.query("GRANT USAGE ON SCHEMA \(schema.name) TO r_\(schema.name)")
            let connection = schema.server.connection(schema: schema.name, user: "r_\(schema.name)")
            let error = await #expect(throws: TokenStoreError.self) {
                try await PostgreSQLTokens(connection: connection, key: .test(1))
            }
            #expect(error?.detail.contains("grant SELECT, INSERT, UPDATE and DELETE") == true)
            try await schema.query(
                "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA \(schema.name) TO r_\(schema.name)")
            let store: LeasedTokenStore<TestToken> = try await PostgreSQLTokens(
                database: LibPQDatabase.patient(connection), key: .test(1), callLimit: .seconds(60)
            ).store(client: "web", account: "ada")
            try await store.save(.make("a"))
            #expect(try await store.load() == .make("a"))
        }
    }
}
#endif
