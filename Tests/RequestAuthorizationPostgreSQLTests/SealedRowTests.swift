// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if PostgreSQL && canImport(Glibc)
import Foundation
import RequestAuthorization
import RequestAuthorizationPostgreSQL
import RequestAuthorizationTesting
import Testing

extension PostgreSQLTests {
    /// A row is trusted only if this key sealed it for this user.
    @Suite struct SealedRowTests {
        @Test func `a row that was swapped for another is unreadable, and stays`() async throws {
            let bench = try await SealedBench()
            try await bench.schema.query(
                """
                UPDATE request_authorization_tokens AS t SET record = o.record
                FROM request_authorization_tokens AS o WHERE o.row_key <> t.row_key
                """)
            for store in [bench.ada, bench.bob] { try await bench.refuses(store, .unreadable) }
        }

        @Test func `a replica with another key cannot begin, and changes nothing`() async throws {
            let bench = try await SealedBench()
            let before = try await bench.contents()
            let error = await #expect(throws: TokenStoreError.self) { try await bench.schema.fleet(key: 2) }
            #expect(error?.kind == .wrongKey)
            #expect(try await bench.contents() == before)
        }

        @Test func `a row that was sealed with an unknown key is not overwritten, by a sign-in either`() async throws {
            let bench = try await SealedBench()
            let newer: LeasedTokenStore<TestToken> = try await bench.schema.fleet(key: 2, oldKeys: [1])
                .store(client: "web", account: "ada")
            try await newer.save(.make("new", 1))
            try await bench.refuses(bench.ada, .wrongKey)
            // An old key opens the rows that it sealed. The next save, not the next load, seals with the new key.
            let bob: LeasedTokenStore<TestToken> = try await bench.schema.fleet(key: 2, oldKeys: [1])
                .store(client: "web", account: "bob")
            #expect(try await bob.load() == .make("bob"))
        }

        @Test func `the key of the rows outlives the keys that seal`() async throws {
            let bench = try await SealedBench()
            let rotated: LeasedTokenStore<TestToken> = try await bench.schema.fleet(key: 2, oldKeys: [1])
                .store(client: "web", account: "ada")
            try await rotated.save(.make("new", 1))
            let later: LeasedTokenStore<TestToken> = try await bench.schema.fleet(key: 2)
                .store(client: "web", account: "ada")
            #expect(try await later.load() == .make("new", 1))
            #expect(try await bench.schema.value("SELECT count(*)::text FROM request_authorization_tokens") == "2")
        }

        @Test func `a changed row is set aside, and a refreshed token takes its place`() async throws {
            let bench = try await SealedBench()
            try await bench.schema.query(
                """
                UPDATE request_authorization_tokens
                SET record = set_byte(record, length(record) - 1, get_byte(record, length(record) - 1) # 1)
                """)
            let error = await #expect(throws: TokenStoreError.self) { try await bench.ada.load() }
            #expect(error?.kind == .corrupt)
            #expect(try await bench.setAside() == "1")
            #expect(try await bench.ada.loadWithIntent().absence == .setAside)
            #expect(try await bench.bob.save(.make("b", 1), replacing: .older(than: 1)) == .saved)
            #expect(try await bench.setAside() == "2")
            #expect(try await bench.bob.load() == .make("b", 1))
        }

        @Test func `neither tokens nor names are in the tables, in the server's log or in its running statements`()
            async throws
        {
            let schema = try await Schema.make()
            let server = try #require(PostgreSQLServer.current)
            let secret = "S3CRET-\(UUID().uuidString)"
            let account = "user-\(UUID().uuidString)"
            let store: LeasedTokenStore<TestToken> = try await schema.fleet().store(client: "web", account: account)
            let lock = try await store.lock(within: .seconds(60))
            let intent = RefreshIntent(session: TokenVersion.make(0).session, generation: 0, beganAt: .moment)
            try await store.setIntent(intent)
            try await store.save(StoredToken(.token(TestToken(secret)), version: .make(0), obtainedAt: .moment))
            #expect(try await store.load()?.token?.name == secret)
            await lock.unlock()

            let table = try await schema.value("SELECT string_agg(t::text, ' ') FROM request_authorization_tokens AS t")
            let log = try server.log()
            // The running or last statement of each connection.
            let activity = try #require(
                try await schema.value(
                    "SELECT string_agg(a::text, ' ') FROM pg_stat_activity AS a WHERE application_name = '\(schema.name)'"
                ))
            #expect(activity.contains("request_authorization_tokens"))
            // These texts have the record, so they would have a token too.
            let sealed = try #require(
                try await schema.value("SELECT encode(record, 'hex') FROM request_authorization_tokens"))
            let row = try #require(table)
            let record = try #require(
                try await schema.value(
                    "SELECT translate(encode(record, 'base64'), E'\\n', '') FROM request_authorization_tokens"))
            #expect(log.contains(record) && row.contains(sealed))
            for text in [row, log, activity] {
                for word in [secret, account] {
                    let data = Data(word.utf8)
                    #expect(!text.contains(word))
                    #expect(!text.lowercased().contains(data.map { String(format: "%02x", $0) }.joined()))
                    // For each of the three offsets in Base64 the middle of the text is the same.
                    for offset in 0..<3 {
                        let middle = data.dropFirst(offset).prefix(24).base64EncodedString()
                        #expect(!text.contains(middle))
                    }
                }
            }
        }
    }
}

/// A table with the tokens of two users.
private struct SealedBench {
    let schema: Schema
    let ada: LeasedTokenStore<TestToken>
    let bob: LeasedTokenStore<TestToken>

    init() async throws {
        schema = try await Schema.make()
        let fleet = try await schema.fleet()
        ada = fleet.store(client: "web", account: "ada")
        bob = fleet.store(client: "web", account: "bob")
        try await ada.save(.make("ada"))
        try await bob.save(.make("bob"))
    }

    func contents() async throws -> [String?] {
        [
            try await schema.value(
                "SELECT string_agg(t::text, ' ' ORDER BY row_key) FROM request_authorization_tokens AS t"),
            try await schema.value("SELECT t::text FROM request_authorization_fleet AS t"),
        ]
    }

    /// How many rows keep a damaged token.
    func setAside() async throws -> String? {
        try await schema.value(
            "SELECT count(*)::text FROM request_authorization_tokens WHERE get_byte(record, 6) & 16 = 16")
    }

    /// Neither a load nor a save of any kind works, and the row is unchanged.
    func refuses(_ store: LeasedTokenStore<TestToken>, _ kind: TokenStoreError.Kind) async throws {
        let before = try await contents()
        let calls: [@Sendable () async throws -> Void] = [
            { _ = try await store.load() }, { try await store.save(.make("x", 7)) },
            { _ = try await store.save(.make("x", 7), replacing: .older(than: 7)) },
            {
                let tombstone = StoredToken<TestToken>(.signedOut, version: .make(7), obtainedAt: .moment)
                _ = try await store.save(tombstone, replacing: .session(TokenVersion.make(0).session))
            },
        ]
        for call in calls {
            let error = await #expect(throws: TokenStoreError.self) { try await call() }
            #expect(error?.kind == kind)
        }
        #expect(try await contents() == before)
    }
}
#endif
