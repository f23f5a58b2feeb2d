// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if PostgreSQL && canImport(Glibc)
import Foundation
import RequestAuthorization
import RequestAuthorizationPostgreSQL
import RequestAuthorizationTesting
import TestServers
import Testing

extension PostgreSQLTests {
    /// A host that was stopped, and whose lease another host has taken meanwhile.
    @Suite struct TakenLeaseTests {
        @Test func `a token that comes after another host took the lease and died is saved, and is the result`()
            async throws
        {
            let bench = try await HostBench()
            let service = ScriptedTokenService<TestToken>(clock: bench.clock, .held)
            let one = bench.host(service, try await bench.schema.fleet())
            let refresh = Task { try await one.refreshNow() }
            let call = try await service.nextCall()
            try await bench.endLease()
            let dead = try await bench.store.lock(within: .seconds(60))
            #expect(call.succeed(bench.token("1")))
            #expect(try await refresh.value.name == "1")
            let third: LeasedTokenStore<TestToken> = try await bench.schema.fleet(listens: false)
                .store(client: "web", account: "ada")
            #expect(try await third.load()?.token?.name == "1")
            await dead.unlock()
        }

        @Test func `a host that is told that the lease is another's sends nothing, and adopts`() async throws {
            let bench = try await HostBench()
            let (first, second) = (
                ScriptedTokenService<TestToken>(clock: bench.clock),
                ScriptedTokenService<TestToken>(clock: bench.clock, .token("1", lasts: .seconds(100)))
            )
            let other = bench.host(second, try await bench.schema.fleet())
            // The lease, and then the intent.
            let updates = Numbers()
            let database = InterruptedDatabase(base: try LibPQDatabase.patient(bench.schema.connection)) { statement in
                guard statement.hasPrefix("UPDATE request_authorization_tokens"), updates.next() == 2 else { return }
                try await bench.endLease()
                #expect(try await other.validToken().name == "1")
            }
            let fleet = try await PostgreSQLTokens(
                database: database, key: .test(1), listens: false, callLimit: .seconds(60))
            let one = bench.host(first, fleet)
            #expect(try await one.validToken().name == "1")
            #expect(first.calls == 0)
            #expect(second.calls == 1)
        }
    }
}

/// The database fails over to an asynchronous standby.
@Suite(.enabled(if: PostgreSQLServer.isThere, PostgreSQLServer.how), .timeLimit(.minutes(5)))
struct PostgreSQLFailOverTests {
    @Test func `the host that holds a token which the standby has not received saves it again, and none is sent twice`()
        async throws
    {
        let primary = try await PostgreSQLServer()
        let standby = try await PostgreSQLServer(standbyOf: primary)
        let schema = try await primary.newSchema()
        let clock = ManualClock()
        let service = ScriptedTokenService<TestToken>(clock: clock)
        for name in ["1", "2", "3"] { service.append(.token(name, lasts: .seconds(1))) }
        let database = try LibPQDatabase.patient(
            "host=127.0.0.1,127.0.0.1 port=\(primary.portNumber),\(standby.portNumber) user=app dbname=postgres "
                + "target_session_attrs=read-write connect_timeout=60 options=-csearch_path=\(schema.name)")
        let fleet = try await PostgreSQLTokens(
            database: database, key: .test(1), listens: false, callLimit: .seconds(60))
        let auth = RefreshableTokenAuthorization(
            service: service, store: fleet.store(client: "web", account: "ada"), clock: clock)
        try await auth.setToken(TestToken("0", expiresAt: clock.now))
        #expect(try await auth.validToken().name == "1")
        let bob: LeasedTokenStore<TestToken> = fleet.store(client: "web", account: "bob")
        try await bob.save(.make("b"))
        try await standby.waitForReplay(of: primary)
        // What a standby does not have may be in the primary, so it is not taken for a sign-out.
        let error = await #expect(throws: TokenStoreError.self) {
            try await PostgreSQLTokens(connection: standby.connection(schema: schema.name), key: .test(1))
        }
        #expect(error?.kind == .readOnly)
        try await standby.run("ALTER SYSTEM SET primary_conninfo = ''")
        try await standby.run("SELECT pg_reload_conf()::text")
        try await standby.waitUntil("NOT EXISTS (SELECT FROM pg_stat_wal_receiver)")

        clock.advance(by: .seconds(1))
        #expect(try await auth.validToken().name == "2")
        #expect(try await bob.save(.make("c", 1), replacing: .older(than: 1)) == .saved)
        try await primary.stop()
        try await standby.run("SELECT pg_promote()::text")
        let other: LeasedTokenStore<TestToken> = try await PostgreSQLTokens(
            database: LibPQDatabase.patient(standby.connection(schema: schema.name)), key: .test(1),
            callLimit: .seconds(60)
        ).store(client: "web", account: "ada")
        #expect(try await other.load()?.token?.name == "1")

        clock.advance(by: .seconds(1))
        // The first statement finds its connection lost.
        if (try? await auth.validToken()) == nil { clock.advance(by: .seconds(60)) }
        #expect(try await auth.validToken().name == "3")
        #expect(service.history.map(\.input?.name) == ["0", "1", "2"])
        #expect(try await other.load()?.version.generation == 3)
        // A store does so as well, with its next access.
        let lock = try await bob.lock(within: .seconds(60))
        #expect(try await bob.load() == .make("c", 1))
        await lock.unlock()
        let third: LeasedTokenStore<TestToken> = try await PostgreSQLTokens(
            database: LibPQDatabase.patient(standby.connection(schema: schema.name)), key: .test(1),
            callLimit: .seconds(60)
        ).store(client: "web", account: "bob")
        #expect(try await third.load() == .make("c", 1))
        await primary.end()
        await standby.end()
    }

    @Test func `a lease is not taken over at once because the clock of the new server is ahead`() async throws {
        let primary = try await PostgreSQLServer()
        let standby = try await PostgreSQLServer(standbyOf: primary)
        let schema = try await primary.newSchema()
        let ada: LeasedTokenStore<TestToken> = try await schema.fleet(listens: false)
            .store(client: "web", account: "ada")
        try await ada.save(.make("a"))
        let lock = try await ada.lock(within: .seconds(60))
        try await standby.waitForReplay(of: primary)
        try await primary.stop()
        try await standby.run("SELECT pg_promote()::text")
        let promoted = Schema(server: standby, name: schema.name)
        let other: LeasedTokenStore<TestToken> = try await promoted.fleet(listens: false)
            .store(client: "web", account: "ada")
        for (age, isTaken) in [("11 seconds", false), ("1 day", true)] {
            try await promoted.query(
                "UPDATE request_authorization_tokens SET changed_at = changed_at - interval '\(age)'")
            let next = try? await other.lock(within: isTaken ? .seconds(60) : .milliseconds(60))
            #expect((next != nil) == isTaken)
            await next?.unlock()
        }
        withExtendedLifetime(lock) {}
        await primary.end()
        await standby.end()
    }
}

/// A row with a token that has expired.
private struct HostBench: Sendable {
    let schema: Schema
    let clock = ManualClock()
    /// Of another host.
    let store: LeasedTokenStore<TestToken>

    init() async throws {
        schema = try await Schema.make()
        store = try await schema.fleet(listens: false).store(client: "web", account: "ada")
        let expired = TestToken("0", expiresAt: clock.now)
        try await store.save(StoredToken(.token(expired), version: .make(0), obtainedAt: clock.now))
    }

    func host(
        _ service: ScriptedTokenService<TestToken>, _ fleet: PostgreSQLTokens
    ) -> RefreshableTokenAuthorization<TestToken> {
        RefreshableTokenAuthorization(service: service, store: fleet.store(client: "web", account: "ada"), clock: clock)
    }

    func token(_ name: String) -> TestToken { TestToken(name, expiresAt: clock.now.addingTimeInterval(100)) }

    /// Lets the row be unchanged for longer than the lease, by the clock of the database.
    func endLease() async throws {
        try await schema.query(
            "UPDATE request_authorization_tokens SET changed_at = clock_timestamp() - interval '11 seconds'")
    }
}
#endif
