// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if PostgreSQL && canImport(Glibc)
import Foundation
import Glibc
import RequestAuthorization
import RequestAuthorizationPostgreSQL
import RequestAuthorizationTesting
import Testing

extension PostgreSQLTests {
    /// Which errors end a connection, and which are tried again.
    @Suite struct ConnectionTests {
        @Test(arguments: ["25006", "57P01", "57P02", "57P03", "57P04", "57P05", "08P01"])
        func `a connection to a server that only reads or ends is closed`(state: String) async throws {
            let database = try LibPQDatabase.patient(try await Schema.make().connection, connections: 1)
            let process = try await database.query("SELECT pg_backend_pid()::text", parameters: [])
            await #expect(throws: PostgreSQLError(.refused, sqlState: state)) {
                try await database.run("DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '\(state)'; END $$")
            }
            #expect(try await database.query("SELECT pg_backend_pid()::text", parameters: []) != process)
        }

        @Test(arguments: ["23505", "57014", "XX000"])
        func `a connection is kept after the error of a statement`(state: String) async throws {
            let database = try LibPQDatabase.patient(try await Schema.make().connection, connections: 1)
            let process = try await database.query("SELECT pg_backend_pid()::text", parameters: [])
            await #expect(throws: PostgreSQLError(.refused, sqlState: state)) {
                try await database.run("DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '\(state)'; END $$")
            }
            #expect(try await database.query("SELECT pg_backend_pid()::text", parameters: []) == process)
        }

        @Test func `a statement for a server that only reads by now goes to the one that writes`() async throws {
            let (old, new) = (try await PostgreSQLServer(), try await PostgreSQLServer())
            let database = try LibPQDatabase.patient(
                "host=127.0.0.1,127.0.0.1 port=\(old.portNumber),\(new.portNumber) user=app dbname=postgres "
                    + "target_session_attrs=read-write connect_timeout=60", connections: 1)
            let port = "SELECT inet_server_port()::text"
            #expect(try await database.query(port, parameters: []) == [["\(old.portNumber)"]])
            // New sessions only read, and so does this one.
            try await old.run("ALTER ROLE app SET default_transaction_read_only = on")
            _ = try await database.query(
                "SELECT set_config('default_transaction_read_only', 'on', false)", parameters: [])
            try await database.run("CREATE TABLE written ()")
            #expect(try await database.query(port, parameters: []) == [["\(new.portNumber)"]])
            await old.end()
            await new.end()
        }

        @Test(arguments: ["40001", "40P01"])
        func `a statement whose transaction conflicts is tried again, ten times at most`(state: String) async throws {
            let schema = try await Schema.make()
            let store: LeasedTokenStore<TestToken> = try await schema.fleet().store(client: "web", account: "ada")
            try await schema.query("CREATE SEQUENCE tries")
            try await schema.query(
                """
                CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                    IF nextval('tries') <> 3 THEN RAISE EXCEPTION 'no' USING ERRCODE = '\(state)'; END IF;
                    RETURN NEW;
                END $$
                """)
            try await schema.query(
                """
                CREATE TRIGGER t BEFORE INSERT OR UPDATE ON request_authorization_tokens
                FOR EACH ROW EXECUTE FUNCTION refuse()
                """)
            try await store.save(.make("a"))
            #expect(try await store.load() == .make("a"))
            let error = await #expect(throws: TokenStoreError.self) { try await store.save(.make("b", 1)) }
            #expect(error?.kind == .unavailable)
            #expect((error?.underlying as? PostgreSQLError)?.sqlState == state)
            // A replacement without an answer is asked for once more.
            #expect(try await schema.value("SELECT last_value::text FROM tries") == "23")
        }

        @Test func `hosts with serializable transactions start at once, and all write one row`() async throws {
            let schema = try await Schema.make()
            let connection = schema.connection.replacingOccurrences(
                of: "options=", with: "options=-cdefault_transaction_isolation%3Dserializable%20")
            try await withThrowingTaskGroup { group in
                for host in 1...8 {
                    group.addTask {
                        let store: LeasedTokenStore<TestToken> = try await PostgreSQLTokens(
                            database: LibPQDatabase.patient(connection), key: .test(1),
                            callLimit: .seconds(60)
                        ).store(client: "web", account: "ada")
                        for number in 1...5 {
                            try await store.save(.make("\(host)", number))
                            let lock = try await store.lock(within: .seconds(60))
                            #expect(try await store.load() != nil)
                            await lock.unlock()
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    /// An error says what to do.
    @Suite struct AdviceTests {
        @Test func `a server without a free connection is not taken for an unreachable one`() async throws {
            let schema = try await Schema.make()
            try await schema.query("CREATE ROLE r_\(schema.name) LOGIN CONNECTION LIMIT 0")
            let error = await #expect(throws: TokenStoreError.self) {
                try await PostgreSQLTokens(
                    connection: schema.server.connection(schema: schema.name, user: "r_\(schema.name)"), key: .test(1))
            }
            #expect(error?.kind == .unavailable)
            #expect(error?.underlying as? PostgreSQLError == PostgreSQLError(.refused, sqlState: "53300"))
            #expect(error?.detail.contains("max_connections") == true)
        }

        /// In a separate process, because the limit holds for a whole one.
        @Test func `a process without a free descriptor is told so, not to check host and port`() async throws {
            await #expect(processExitsWith: .success) {
                let database = try LibPQDatabase("postgresql://app@127.0.0.1:1/x")
                try await #require(throws: PostgreSQLError(.unreachable)) { try await database.run("SELECT 1") }
                while open("/dev/null", O_RDONLY) >= 0 {}
                let error = try await #require(throws: PostgreSQLError.self) { try await database.run("SELECT 1") }
                try #require(error == PostgreSQLError(.tooManyFiles))
                try #require("\(error)".contains("ulimit -n"))
                try await #require(throws: PostgreSQLError(.tooManyFiles)) { try await database.listen(to: "x") }
            }
        }

        @Test(arguments: [
            ("set_byte(record, 5, get_byte(record, 5) # 1)", TokenStoreError.Kind.unreadable, "of another place"),
            ("set_byte(record, length(record) - 1, get_byte(record, length(record) - 1) # 1)", .corrupt, "is damaged"),
        ])
        func `a changed identity and a damaged key of the rows are not answered with a sign-in`(
            change: String, kind: TokenStoreError.Kind, words: String
        ) async throws {
            let schema = try await Schema.make()
            _ = try await schema.fleet()
            try await schema.query("UPDATE request_authorization_fleet SET record = \(change)")
            let error = await #expect(throws: TokenStoreError.self) { try await schema.fleet() }
            #expect(error?.kind == kind)
            #expect(error?.detail.contains(words) == true)
            #expect(error?.detail.contains("backup") == true && error?.detail.contains("sign in") == false)
        }
    }
}
#endif
