// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if PostgreSQL && canImport(Glibc)
import Foundation
import Glibc
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorizationPostgreSQL

extension PostgreSQLTests {
    /// Statements through libpq.
    @Suite struct DriverTests {
        @Test func `parameters and columns are texts and NULLs`() async throws {
            let database = try await database()
            let rows = try await database.query(
                "SELECT $1::text, $2::text, length($3::text)::text", parameters: ["é'漢\\", nil, ""])
            #expect(rows == [["é'漢\\", nil, "0"]])
            #expect(try await database.query("SELECT 'x' WHERE false", parameters: []) == [])
        }

        @Test func `a text that libpq would cut is refused`() async throws {
            let database = try await database()
            let error = await #expect(throws: PostgreSQLError.self) {
                try await database.query("SELECT $1::text", parameters: ["a\0b"])
            }
            #expect(error == PostgreSQLError(.refused, sqlState: "22021"))
        }

        /// libpq closes its descriptor when the connection ends, and another file gets that number.
        @Test func `a socket that is shut down late leaves the next file with its number alone`() throws {
            var first: [CInt] = [-1, -1]
            var second: [CInt] = [-1, -1]
            try #require(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &first) == 0)
            try #require(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &second) == 0)
            defer { for number in first + second { close(number) } }
            // So high that no other test uses it.
            let number = fcntl(first[0], F_DUPFD, 900)
            let socket = OpenSocket()
            try socket.open(number)
            close(number)
            try #require(fcntl(second[0], F_DUPFD, number) == number)
            defer { close(number) }
            socket.shutDown()
            #expect(send(number, "a", 1, CInt(MSG_NOSIGNAL)) == 1)
            #expect(send(first[0], "a", 1, CInt(MSG_NOSIGNAL)) == -1)
        }

        /// Otherwise the first statement after a pause waits for a server that a firewall has forgotten.
        @Test func `an idle connection is probed`() async throws {
            let database = try await database()
            let rows = try await database.query(
                "SELECT inet_client_port()::text, inet_server_port()::text", parameters: [])
            let ports = rows[0].compactMap { $0.flatMap { UInt16($0) } }
            try #require(ports.count == 2)
            let socket = try #require(descriptor(from: ports[0], to: ports[1]))
            #expect(tcpOption(TCP_KEEPIDLE, of: socket) == 60)
            #expect(tcpOption(TCP_KEEPINTVL, of: socket) == 10)
            withExtendedLifetime(database) {}
        }

        @Test(arguments: ["TO STDOUT", "FROM STDIN"])
        func `a COPY is refused, and the next statement gets another connection`(direction: String) async throws {
            let database = try LibPQDatabase.patient(try await Schema.make().connection, connections: 1)
            _ = try await database.query("CREATE TEMP TABLE copied (number int)", parameters: [])
            let error = await #expect(throws: PostgreSQLError.self) {
                try await database.query("COPY copied \(direction)", parameters: [])
            }
            #expect(error?.sqlState == "0A000")
            #expect(try await database.query("SELECT '1'", parameters: []) == [["1"]])
        }

        @Test func `a statement that takes too long is cancelled at the server too`() async throws {
            let schema = try await Schema.make()
            let database = try LibPQDatabase(schema.connection, statementTimeout: .seconds(10))
            let error = await #expect(throws: PostgreSQLError.self) {
                try await database.query("SELECT pg_sleep(600)::text AS \(schema.name)", parameters: [])
            }
            #expect(error?.code == .timedOut)
            try await isGone(schema)
            #expect(try await database.query("SELECT '1'", parameters: []) == [["1"]])
        }

        @Test func `an absurd limit of a statement is for ever, and ends no program`() async throws {
            let schema = try await Schema.make()
            let database = try LibPQDatabase(schema.connection, statementTimeout: .seconds(Int64.max))
            #expect(try await database.query("SELECT '1'", parameters: []) == [["1"]])
        }

        @Test func `a statement is cancelled with its task`() async throws {
            let schema = try await Schema.make()
            let database = try LibPQDatabase(schema.connection, statementTimeout: .seconds(600))
            let statement = Task {
                try await database.query("SELECT pg_sleep(600)::text AS \(schema.name)", parameters: [])
            }
            try await isRunning(schema)
            statement.cancel()
            await #expect(throws: CancellationError.self) { try await statement.value }
            try await isGone(schema)
            #expect(try await database.query("SELECT '1'", parameters: []) == [["1"]])
        }

        @Test func `a statement of a task that is cancelled already is not begun`() async throws {
            let schema = try await Schema.make()
            let connection = LibPQConnection(try ConnectionParameters(schema.connection))
            let statement = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await connection.run("CREATE TABLE begun ()", parameters: [], until: .now + .seconds(60))
            }
            await #expect(throws: CancellationError.self) { try await statement.value }
            let isBegun = "SELECT to_regclass('begun') IS NOT NULL"
            #expect(try await connection.run(isBegun, parameters: [], until: .now + .seconds(60)) == [["f"]])
        }

        @Test func `a task that waits for a connection leaves when cancelled, and the limit of connections is kept`()
            async throws
        {
            let schema = try await Schema.make()
            let database = try LibPQDatabase(schema.connection, connections: 1, statementTimeout: .seconds(600))
            let busy = Task {
                try await database.query("SELECT pg_sleep(600)::text AS \(schema.name)", parameters: [])
            }
            try await isRunning(schema)
            // Each task runs to its first wait.
            let impatient = Task.immediate { try await database.query("SELECT '1'", parameters: []) }
            let next = Task.immediate { try await database.query("SELECT pg_backend_pid()::text", parameters: []) }
            impatient.cancel()
            await #expect(throws: CancellationError.self) { try await impatient.value }
            busy.cancel()
            _ = try? await busy.value
            let process = try await next.value
            #expect(try await database.query("SELECT pg_backend_pid()::text", parameters: []) == process)
        }

        @Test func `a connection that the server has closed meanwhile is opened again`() async throws {
            let schema = try await Schema.make()
            let database = try LibPQDatabase.patient(schema.connection, connections: 1)
            let process = try #require(try await database.query("SELECT pg_backend_pid()::text", parameters: [])[0][0])
            // Returns when the connection is closed.
            try await schema.query("SELECT pg_terminate_backend(\(process), 60000)::text")
            #expect(try await database.query("SELECT '1'", parameters: []) == [["1"]])
        }

        @Test func `a connection that ends during a statement is an error, and the next statement gets another one`()
            async throws
        {
            let schema = try await Schema.make()
            let database = try LibPQDatabase(schema.connection, connections: 1, statementTimeout: .seconds(600))
            let statement = Task {
                try await database.query("SELECT pg_sleep(600)::text AS \(schema.name)", parameters: [])
            }
            try await isRunning(schema)
            try await schema.query(
                "SELECT pg_terminate_backend(pid)::text FROM pg_stat_activity WHERE query LIKE '%AS \(schema.name)'")
            let error = await #expect(throws: PostgreSQLError.self) { try await statement.value }
            #expect(error?.sqlState == "57P01" || error?.code == .connectionLost)
            #expect(try await database.query("SELECT '1'", parameters: []) == [["1"]])
        }

        @Test func `a hundred statements at once share eight connections`() async throws {
            let schema = try await Schema.make()
            let database = try LibPQDatabase.patient(schema.connection)
            let processes = try await withThrowingTaskGroup { group in
                for _ in 1...100 {
                    group.addTask { try await database.query("SELECT pg_backend_pid()::text", parameters: [])[0][0] }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect((1...8).contains(processes.count))
        }

        @Test func `a server that no longer answers is given up`() async throws {
            let schema = try await Schema.make()
            let database = try LibPQDatabase(
                schema.connection, connections: 1, statementTimeout: .seconds(10))
            let process = try await schema.backend(of: database)
            #expect(kill(process, SIGSTOP) == 0)
            defer { _ = kill(process, SIGCONT) }
            let error = await #expect(throws: PostgreSQLError.self) {
                try await database.query("SELECT '1'", parameters: [])
            }
            #expect(error?.code == .timedOut)
            // On another connection.
            #expect(try await database.query("SELECT '2'", parameters: []) == [["2"]])
        }

        @Test
        func `a listening connection gets notices, sends a query in a silence, and ends with an error when it is lost`()
            async throws
        {
            let schema = try await Schema.make()
            let listener = LibPQListener(
                parameters: try ConnectionParameters(schema.connection), silence: .milliseconds(20))
            var payloads = try await listener.payloads(of: schema.name).makeAsyncIterator()
            // It has sent a query.
            try await schema.query(
                """
                DO $$ BEGIN
                    WHILE NOT EXISTS (SELECT FROM pg_stat_activity
                        WHERE application_name = '\(schema.name)' AND query = 'SELECT 1')
                    LOOP PERFORM pg_stat_clear_snapshot(); PERFORM pg_sleep(0.005); END LOOP;
                END $$
                """)
            try await schema.query("SELECT pg_notify('\(schema.name)', 'é')::text")
            #expect(try await payloads.next() == "é")
            try await schema.query(
                """
                SELECT pg_terminate_backend(pid)::text FROM pg_stat_activity
                WHERE application_name = '\(schema.name)' AND query = 'SELECT 1' AND pid <> pg_backend_pid()
                """)
            await #expect(throws: PostgreSQLError.self) { try await payloads.next() }
        }

        @Test func `a channel may have capitals and quotes in its name`() async throws {
            let schema = try await Schema.make()
            let channel = "A\"\(schema.name)"
            var payloads = try await LibPQDatabase.patient(schema.connection).listen(to: channel).makeAsyncIterator()
            try await schema.query("SELECT pg_notify($1, 'x')::text", channel)
            #expect(try await payloads.next() == "x")
        }

        /// The socket of this process between two ports. Another test may use the same port with another server.
        private func descriptor(from own: UInt16, to peer: UInt16) -> CInt? {
            (CInt(3)..<4096).first { port(of: $0, by: getsockname) == own && port(of: $0, by: getpeername) == peer }
        }

        private func port(
            of file: CInt, by call: (CInt, UnsafeMutablePointer<sockaddr>?, UnsafeMutablePointer<socklen_t>?) -> CInt
        ) -> UInt16? {
            var address = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let status = withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { call(file, $0, &length) }
            }
            guard status == 0, CInt(address.sin_family) == AF_INET else { return nil }
            return UInt16(bigEndian: address.sin_port)
        }

        private func tcpOption(_ name: CInt, of socket: CInt) -> CInt {
            var value: CInt = -1
            var length = socklen_t(MemoryLayout<CInt>.size)
            _ = getsockopt(socket, CInt(IPPROTO_TCP), name, &value, &length)
            return value
        }

        private func database() async throws -> LibPQDatabase { try .patient(try await Schema.make().connection) }

        /// Returns when the statement with the schema's name runs. The server checks it in a loop.
        private func isRunning(_ schema: Schema) async throws { try await wait(for: "EXISTS", schema) }

        private func isGone(_ schema: Schema) async throws { try await wait(for: "NOT EXISTS", schema) }

        private func wait(for condition: String, _ schema: Schema) async throws {
            _ = try await LibPQDatabase.patient(schema.connection).query(
                """
                DO $$ BEGIN
                    WHILE NOT \(condition) (SELECT FROM pg_stat_activity
                        WHERE query LIKE '%AS \(schema.name)' AND state = 'active')
                    LOOP PERFORM pg_stat_clear_snapshot(); PERFORM pg_sleep(0.005); END LOOP;
                END $$
                """, parameters: [])
        }
    }
}

extension Schema {
    /// The server process of the only connection of a database.
    fileprivate func backend(of database: LibPQDatabase) async throws -> pid_t {
        let rows = try await database.query("SELECT pg_backend_pid()::text", parameters: [])
        return try #require(rows.first?.first.flatMap { $0 }.flatMap { pid_t($0) })
    }
}
#endif
