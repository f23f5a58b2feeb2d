// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if PostgreSQL && canImport(Glibc)
import Foundation
import Glibc
import RequestAuthorization
import RequestAuthorizationPostgreSQL
import RequestAuthorizationTesting
import TestServers
import Testing

/// The database is unavailable, or refuses.
@Suite(.enabled(if: PostgreSQLServer.isThere, PostgreSQLServer.how), .timeLimit(.minutes(5)))
struct PostgreSQLFailureTests {
    @Test
    func `while the database is unavailable valid tokens are used, expired ones fail for now, and then all goes on`()
        async throws
    {
        let server = try await PostgreSQLServer()
        let schema = try await server.newSchema()
        let clock = ManualClock()
        let service = ScriptedTokenService<TestToken>(clock: clock)
        service.append(.token("b", lasts: .seconds(100)))
        let auth = RefreshableTokenAuthorization(
            service: service, store: try await schema.fleet().store(client: "web", account: "ada"),
            policy: .init(backOff: .init(patience: .zero)), clock: clock)
        try await auth.setToken(TestToken("a", expiresAt: clock.now.addingTimeInterval(100)))
        try await server.stop()

        #expect(try await auth.validToken().name == "a")
        clock.advance(by: .seconds(100))
        let error = await #expect(throws: RefreshFailed.self) { try await auth.validToken() }
        #expect((error?.underlying as? TokenStoreError)?.kind == .unavailable)
        #expect(error?.delivery == .notSent)
        #expect(service.calls == 0)

        try await server.start()
        clock.advance(by: .seconds(60))
        #expect(try await auth.validToken().name == "b")
        await server.end()
    }

    @Test func `a sign-out while the database is unavailable is written when it is back`() async throws {
        let server = try await PostgreSQLServer()
        let schema = try await server.newSchema()
        let clock = ManualClock()
        let store: LeasedTokenStore<TestToken> = try await schema.fleet().store(client: "web", account: "ada")
        let auth = RefreshableTokenAuthorization(
            service: ScriptedTokenService<TestToken>(clock: clock), store: store, clock: clock)
        try await auth.setToken(TestToken("a"))
        var events = auth.events.makeAsyncIterator()
        try await server.stop()
        await auth.reset()
        while let event = await events.next() { if event.kind == .clearFailed { break } }
        try await server.start()
        clock.advance(by: .seconds(60))
        try await auth.settle(within: .seconds(60))
        guard case .signedOut? = try await store.load()?.content else { Issue.record("no tombstone"); return }
        await server.end()
    }

    @Test func `a client's key that others may read is a failure of TLS, not an unreachable server`() async throws {
        let server = try await PostgreSQLServer()
        for command in [
            "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=x -keyout server.key "
                + "-out server.crt", "cp server.key open.key", "chmod 644 open.key",
        ] {
            // As the user that the server runs as, in the folder of its data.
            try await server.run("COPY (SELECT 1 WHERE false) TO PROGRAM '\(command)'")
        }
        try await server.run("ALTER SYSTEM SET ssl = on")
        try await server.stop()
        try await server.start()
        let data = server.folder + "/data"
        let secured = server.connection() + "&sslmode=require"
        try await LibPQDatabase.patient(secured).run("SELECT '1'")
        await #expect(throws: PostgreSQLError(.insecure)) {
            try await LibPQDatabase.patient("\(secured)&sslcert=\(data)/server.crt&sslkey=\(data)/open.key")
                .run("SELECT '1'")
        }
        await server.end()
    }

    @Test func `a save that a synchronous standby has not received fails, and so does its repetition`() async throws {
        let server = try await PostgreSQLServer()
        let schema = try await server.newSchema()
        let other: LeasedTokenStore<TestToken> = try await schema.fleet(listens: false)
            .store(client: "web", account: "ada")
        try await other.save(.make("a"))
        let store: LeasedTokenStore<TestToken> = try await PostgreSQLTokens(
            database: LibPQDatabase(schema.connection, statementTimeout: .seconds(10)), key: .test(1), listens: false,
            callLimit: .seconds(60)
        ).store(client: "web", account: "ada")
        try await server.run("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
        try await server.run("SELECT pg_reload_conf()::text")
        // The processes of the server learn of it one after the other.
        let write = "SELECT pg_logical_emit_message(true, '', '')::text"
        let writes = Task { while true { try await server.run(write) } }
        try await server.waitUntil("EXISTS (SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep')")
        writes.cancel()

        for _ in 1...2 {
            let error = await #expect(throws: TokenStoreError.self) {
                try await store.save(.make("b", 1), replacing: .older(than: 1))
            }
            #expect(error?.kind == .timedOut)
        }
        try await server.run("ALTER SYSTEM RESET synchronous_standby_names")
        try await server.run("SELECT pg_reload_conf()::text")
        // It waits until the server knows.
        try await LibPQDatabase.patient(server.connection()).run(write)
        #expect(try await other.save(.make("b", 1), replacing: .older(than: 1)) == .saved)
        await server.end()
    }
}

extension PostgreSQLTests {
    /// Each cause has its error, and no error has the password.
    @Suite struct CauseTests {
        @Test func `wrong credentials are told apart from an unavailable server`() async throws {
            let schema = try await Schema.make()
            let guarded = schema.connection.replacingOccurrences(of: "app@", with: "guarded:wrong@")
            for (connection, code) in [
                (guarded, PostgreSQLError.Code.accessDenied), ("postgresql://app@127.0.0.1:1/x", .unreachable),
                (guarded.replacingOccurrences(of: ":wrong@", with: "@"), .accessDenied),
                (schema.connection + "&sslmode=require", .insecure),
            ] {
                let error = await #expect(throws: TokenStoreError.self) {
                    try await PostgreSQLTokens(connection: connection, key: .test(1))
                }
                #expect(error?.kind == .unavailable)
                #expect((error?.underlying as? PostgreSQLError)?.code == code)
            }
            for connection in ["postgresql://app@127.0.0.1:port/x", "a = 'b", "nonsense", "postgresql://a\u{0}b/"] {
                let error = await #expect(throws: TokenStoreError.self) {
                    try await PostgreSQLTokens(connection: connection, key: .test(1))
                }
                #expect(error?.kind == .unsuitable, "\(connection)")
            }
        }

        @Test func `a user who may not log in, or not connect to a database, is not told of an unreachable server`()
            async throws
        {
            let schema = try await Schema.make()
            try await schema.query("CREATE ROLE r_\(schema.name) NOLOGIN")
            try await schema.query("CREATE ROLE c_\(schema.name) LOGIN")
            // It copies files, which takes long on a busy machine.
            try await LibPQDatabase.patient(schema.connection)
                .run("CREATE DATABASE \(schema.name)")
            try await schema.query("REVOKE CONNECT ON DATABASE \(schema.name) FROM PUBLIC")
            for connection in [
                schema.connection.replacingOccurrences(of: "app@", with: "r_\(schema.name)@"),
                schema.connection.replacingOccurrences(of: "app@", with: "c_\(schema.name)@")
                    .replacingOccurrences(of: "/postgres?", with: "/\(schema.name)?"),
            ] {
                await #expect(throws: PostgreSQLError(.accessDenied)) {
                    try await LibPQDatabase.patient(connection).run("SELECT '1'")
                }
            }
        }

        @Test func `a missing database is no failure of TLS, whatever its name`() async throws {
            let connection = try await Schema.make().connection
            let other = connection.replacingOccurrences(of: "/postgres?", with: "/certificates?")
            #expect(other != connection)
            await #expect(throws: PostgreSQLError(.accessDenied)) {
                try await LibPQDatabase.patient(other).query("SELECT '1'", parameters: [])
            }
        }

        /// A server in another language has other words for each error.
        @Test func `a refusal whose words are unknown is recognized by its error code`() async throws {
            let schema = try await Schema.make()
            try await schema.query("CREATE ROLE r_\(schema.name) LOGIN")
            // The server's words are "permission denied to set parameter".
            let connection = schema.server.connection(user: "r_\(schema.name)").replacingOccurrences(
                of: "options=", with: "options=-clog_statement%3Dall%20")
            await #expect(throws: PostgreSQLError(.accessDenied)) {
                try await LibPQDatabase.patient(connection).run("SELECT '1'")
            }
        }

        @Test(arguments: [true, false])
        func `a schema that is missing, or that the user may not use, is the cause that is told`(isThere: Bool)
            async throws
        {
            let schema = try await Schema.make()
            try await schema.query("CREATE ROLE r_\(schema.name) LOGIN")
            let error = await #expect(throws: TokenStoreError.self) {
                try await PostgreSQLTokens(
                    connection: schema.server.connection(
                        schema: isThere ? schema.name : "missing", user: "r_\(schema.name)"), key: .test(1))
            }
            #expect(error?.kind == .unsuitable)
            #expect(error?.detail.contains("grant USAGE") == true)
        }

        @Test(arguments: [
            ("53100", TokenStoreError.Kind.noSpace), ("25006", .readOnly), ("42501", .unsuitable),
            ("42703", .unsuitable), ("57P01", .unavailable), ("08006", .unavailable), ("40001", .unavailable),
            ("57014", .timedOut), ("XX000", .failed),
        ])
        func `each error code of the server has a meaning`(state: String, kind: TokenStoreError.Kind) async throws {
            let schema = try await Schema.make()
            let store: LeasedTokenStore<TestToken> = try await schema.fleet().store(client: "web", account: "ada")
            try await schema.query(
                """
                CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN RAISE EXCEPTION 'S3CRET' USING ERRCODE = '\(state)'; END $$
                """)
            try await schema.query(
                "CREATE TRIGGER t BEFORE INSERT ON request_authorization_tokens EXECUTE FUNCTION refuse()")
            let error = await #expect(throws: TokenStoreError.self) { try await store.save(.make("a")) }
            #expect(error?.kind == kind)
            #expect((error?.underlying as? PostgreSQLError)?.sqlState == state)
            #expect(try await store.load() == nil)
        }

        @Test func `a full disk overwrites nothing, and with space the same save succeeds`() async throws {
            let schema = try await Schema.make()
            let store: LeasedTokenStore<TestToken> = try await schema.fleet().store(client: "web", account: "ada")
            try await store.save(.make("a"))
            let disk = try await SmallDisk(for: schema)
            do {
                let large = StoredToken<TestToken>.make(
                    String((0..<40_000).map { _ in "0123456789abcdef".randomElement() ?? "0" }), 1)
                try await disk.fill()
                let error = await #expect(throws: TokenStoreError.self) {
                    try await store.save(large, replacing: .older(than: 1))
                }
                #expect(error?.kind == .noSpace)
                #expect((error?.underlying as? PostgreSQLError)?.sqlState == "53100")
                #expect(try await store.load() == .make("a"))
                try await disk.makeRoom()
                #expect(try await store.save(large, replacing: .older(than: 1)) == .saved)
                #expect(try await store.load() == large)
            } catch {
                await disk.remove()
                throw error
            }
            await disk.remove()
        }
    }
}

/// A real file system of 4 MiB, to which the tables of a schema have been moved. Mounting needs root.
private struct SmallDisk {
    let schema: Schema
    private let folder: String

    init(for schema: Schema) async throws {
        self.schema = schema
        folder = FileManager.default.temporaryDirectory.appending(path: "disk-\(schema.name)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try await Self.asRoot("mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", folder)
        do {
            // Owned by the user that the server runs as.
            try await Self.asRoot("chown", "--reference=\(schema.server.folder)/data", folder)
            try await schema.query("CREATE TABLESPACE \(schema.name) LOCATION '\(folder)'")
            try await schema.query("ALTER TABLE request_authorization_tokens SET TABLESPACE \(schema.name)")
            try await schema.query("CREATE TABLE filler (bytes text) TABLESPACE \(schema.name)")
            try await schema.query("ALTER TABLE filler ALTER bytes SET STORAGE PLAIN")
        } catch {
            await remove()
            throw error
        }
    }

    /// Until no page is free.
    func fill() async throws {
        try await schema.query(
            """
            DO $$ BEGIN
                LOOP
                    BEGIN INSERT INTO filler VALUES (repeat('x', 7000));
                    EXCEPTION WHEN disk_full THEN EXIT;
                    END;
                END LOOP;
            END $$
            """)
    }

    func makeRoom() async throws { try await schema.query("DROP TABLE filler") }

    func remove() async {
        _ = try? await Self.asRoot("umount", "--lazy", folder)
        try? FileManager.default.removeItem(atPath: folder)
    }

    private static func asRoot(_ command: String...) async throws {
        _ = try await Command.run((getuid() == 0 ? [] : ["sudo", "-n"]) + command)
    }
}
#endif
