// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if PostgreSQL && canImport(Glibc)
import Foundation
import RequestAuthorization
import RequestAuthorizationPostgreSQL
import RequestAuthorizationTesting
import Testing

extension PostgreSQLTests {
    /// A sign-out is announced at once, and a refresh is not.
    @Suite struct NewsTests {
        @TaskLocal private static var isInRequest = false

        @Test func `a sign-out on one replica ends the session on another`() async throws {
            let schema = try await Schema.make()
            let clock = ManualClock()
            let (one, other) = (try await replica(schema, clock), try await replica(schema, clock))
            try await one.setToken(TestToken("a", expiresAt: .distantFuture))
            #expect(try await other.validToken().name == "a")
            let end = Task { await other.tokenChanges.first { !$0.isAuthorized } != nil }
            try await schema.isListening()
            await one.reset()
            #expect(await end.value)
        }

        @Test(.timeLimit(.minutes(5)))
        func `after a lost connection everything is read again, and a host that does not listen is heard`() async throws
        {
            let schema = try await Schema.make()
            let (one, other) = (try await schema.fleet(listens: false), try await schema.fleet())
            let store: LeasedTokenStore<TestToken> = other.store(client: "web", account: "ada")
            var changes = try #require(store.changes).makeAsyncIterator()
            // It listens.
            #expect(await changes.next() != nil)
            let silent: LeasedTokenStore<TestToken> = one.store(client: "web", account: "ada")
            try await silent.save(.make("a"))
            #expect(await changes.next() != nil)
            try await schema.query(
                "SELECT pg_terminate_backend(pid)::text FROM pg_stat_activity WHERE \(schema.listener)")
            #expect(await changes.next() != nil)
            #expect(try await store.load() == .make("a"))
        }

        @Test func `a sign-out is heard after the tables were made again, also by a host that did nothing since`()
            async throws
        {
            let schema = try await Schema.make()
            let clock = ManualClock()
            let one = try await replica(schema, clock)
            try await one.setToken(TestToken("a", expiresAt: .distantFuture))
            let idle: LeasedTokenStore<TestToken> = try await schema.fleet().store(client: "web", account: "ada")
            var changes = try #require(idle.changes).makeAsyncIterator()
            // It listens, and notices the new tables.
            #expect(await changes.next() != nil)
            try await schema.query("DROP TABLE request_authorization_tokens, request_authorization_fleet")
            _ = try await schema.fleet(listens: false)
            #expect(await changes.next() != nil)
            #expect(try await idle.load() == nil)
            await one.reset()
            while try await idle.load() == nil { #expect(await changes.next() != nil) }
            guard case .signedOut? = try await idle.load()?.content else { Issue.record("no tombstone"); return }
        }

        @Test func `it listens without the task-local values of who asked first`() async throws {
            let schema = try await Schema.make()
            let (seen, seer) = AsyncStream.makeStream(of: Bool.self)
            let database = NotingDatabase(base: try .patient(schema.connection)) { seer.yield(Self.isInRequest) }
            let tokens = try await PostgreSQLTokens(database: database, key: .test(1), callLimit: .seconds(60))
            let store: LeasedTokenStore<TestToken> = tokens.store(client: "web", account: "ada")
            let changes = Self.$isInRequest.withValue(true) { store.changes }
            #expect(await seen.first { _ in true } == false)
            withExtendedLifetime((store, changes)) {}
        }

        @Test func `only sign-ins, sign-outs and removals are announced, with the key of the row alone`() async throws {
            let schema = try await Schema.make()
            let fleet = try await schema.fleet()
            let store: LeasedTokenStore<TestToken> = fleet.store(client: "web", account: "ada")
            let payloads = try await LibPQDatabase.patient(schema.connection).listen(to: "request_authorization")
            try await store.save(.make("a"))
            #expect(try await store.save(.make("b", 1), replacing: .older(than: 1)) == .saved)
            let row = try await schema.value("SELECT encode(row_key, 'hex') FROM request_authorization_tokens")
            let tombstone = StoredToken<TestToken>(.signedOut, version: .make(1), obtainedAt: .moment)
            #expect(try await store.save(tombstone, replacing: .session(TokenVersion.make(0).session)) == .saved)
            #expect(try await fleet.remove(client: "web", account: "ada"))
            try await schema.query("SELECT pg_notify('request_authorization', 'end of \(schema.name)')::text")
            var heard: [String] = []
            for try await payload in payloads {
                if payload == "end of \(schema.name)" { break }
                heard.append(payload)
            }
            // Other tests use the same channel.
            #expect(heard.filter { $0 == row }.count == 3)
        }

        @Test func `a fleet that does not listen announces no changes`() async throws {
            let store: LeasedTokenStore<TestToken> = try await Schema.make().fleet(listens: false)
                .store(client: "web", account: "ada")
            #expect(store.changes == nil)
        }

        private func replica(
            _ schema: Schema, _ clock: ManualClock
        ) async throws -> RefreshableTokenAuthorization<TestToken> {
            RefreshableTokenAuthorization(
                service: ScriptedTokenService<TestToken>(clock: clock),
                store: try await schema.fleet().store(client: "web", account: "ada"), clock: clock)
        }
    }

    /// Says when it begins to listen.
    private struct NotingDatabase: ListeningPostgreSQLDatabase {
        let base: LibPQDatabase
        let onListen: @Sendable () -> Void

        func query(_ statement: String, parameters: [String?]) async throws -> [[String?]] {
            try await base.query(statement, parameters: parameters)
        }

        func listen(to channel: String) async throws -> AsyncThrowingStream<String, any Error> {
            onListen()
            return try await base.listen(to: channel)
        }
    }

    /// Rows that are no longer needed.
    @Suite struct RetentionTests {
        @Test func `old tombstones are removed, tokens and newer tombstones are not`() async throws {
            let schema = try await Schema.make()
            let fleet = try await schema.fleet()
            for (account, isSignedOut) in [("ada", false), ("bob", true), ("eve", true)] {
                let store: LeasedTokenStore<TestToken> = fleet.store(client: "web", account: account)
                try await store.save(.make("a"))
                guard isSignedOut else { continue }
                try await store.save(StoredToken(.signedOut, version: .make(0), obtainedAt: .moment))
                if account == "eve" {
                    try await schema.query(
                        """
                        UPDATE request_authorization_tokens SET changed_at = clock_timestamp() - interval '31 days'
                        WHERE status = 'token' OR row_key =
                            (SELECT row_key FROM request_authorization_tokens ORDER BY changed_at DESC LIMIT 1)
                        """)
                }
            }
            let counts = try await fleet.counts()
            #expect((counts.tokens, counts.ended) == (1, 2))
            #expect(try await fleet.removeEnded(olderThan: .max) == 0)
            #expect(try await fleet.removeEnded() == 1)
            #expect(try await fleet.counts().ended == 1)
            #expect(try await fleet.removeEnded(olderThan: 0) == 1)
            let ada: LeasedTokenStore<TestToken> = fleet.store(client: "web", account: "ada")
            #expect(try await ada.load() == .make("a"))
        }

        @Test func `a row with a lease is not removed`() async throws {
            let fleet = try await Schema.make().fleet()
            let store: LeasedTokenStore<TestToken> = fleet.store(client: "web", account: "ada")
            try await store.save(StoredToken(.signedOut, version: .make(0), obtainedAt: .moment))
            let lock = try await store.lock(within: .seconds(60))
            #expect(try await fleet.removeEnded(olderThan: 0) == 0)
            await lock.unlock()
            #expect(try await fleet.removeEnded(olderThan: 0) == 1)
        }

        @Test func `the lease of a host that died keeps its row for a day`() async throws {
            let schema = try await Schema.make()
            // Its first renewal is due in 20 minutes.
            let fleet = try await schema.fleet(lease: .seconds(3_600))
            let store: LeasedTokenStore<TestToken> = fleet.store(client: "web", account: "ada")
            try await store.save(StoredToken(.signedOut, version: .make(0), obtainedAt: .moment))
            let lock = try await store.lock(within: .seconds(60))
            for (age, count) in [("23 hours", 0), ("25 hours", 1)] {
                try await schema.query(
                    "UPDATE request_authorization_tokens SET changed_at = clock_timestamp() - interval '\(age)'")
                #expect(try await fleet.removeEnded() == 0)
                #expect(try await fleet.removeEnded(olderThan: 0) == count)
            }
            await lock.unlock()
        }

        @Test func `a removed user leaves no row, and the other users stay`() async throws {
            let schema = try await Schema.make()
            let fleet = try await schema.fleet()
            let stores: [LeasedTokenStore<TestToken>] = ["ada", "bob"].map {
                fleet.store(client: "web", account: $0)
            }
            for store in stores { try await store.save(.make("a")) }
            #expect(try await fleet.remove(client: "web", account: "ada"))
            #expect(try await !fleet.remove(client: "web", account: "ada"))
            #expect(try await stores[0].loadWithIntent().absence == .gone)
            #expect(try await stores[0].save(.make("b", 1), replacing: .older(than: 1)) == .refused(nil))
            #expect(try await stores[1].load() == .make("a"))
        }
    }
}

extension Schema {
    /// A condition on `pg_stat_activity`: the connections on which replicas of this schema listen.
    fileprivate var listener: String {
        "application_name = '\(name)' AND state = 'idle' AND query = 'LISTEN \"request_authorization\"'"
    }

    /// Returns when two replicas listen. The server checks it in a loop.
    fileprivate func isListening() async throws {
        try await query(
            """
            DO $$ BEGIN
                WHILE (SELECT count(*) FROM pg_stat_activity WHERE \(listener)) < 2
                LOOP PERFORM pg_stat_clear_snapshot(); PERFORM pg_sleep(0.005); END LOOP;
            END $$
            """)
    }
}
#endif
