// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if PostgreSQL && canImport(Glibc)
import Foundation
import RequestAuthorization
import RequestAuthorizationPostgreSQL
import RequestAuthorizationTesting
import TestServers
import Testing

// sample: fleet
/// The users of a site, each with the token that all replicas share.
func makeUsers(
    database: String, key: Data, service: some RefreshableTokenService<TestToken>
) async throws -> AuthorizationPool<String, TestToken> {
    let fleet = try await PostgreSQLTokens(connection: database, key: .bytes(key, id: "2027"))
    return AuthorizationPool(idleFor: .seconds(600), atMost: 1_000) { user in
        RefreshableTokenAuthorization(service: service, store: fleet.store(client: "web", account: user))
    }
}
// end sample

// sample: fleet-migration
/// Migrates large tables, on one host, before the others start.
func migrateFleet(database: String, key: Data) async throws {
    let slow = try LibPQDatabase(database, statementTimeout: .seconds(3_600))
    _ = try await PostgreSQLTokens(
        database: slow, key: .bytes(key, id: "2027"), listens: false, callLimit: .seconds(3_600))
}
// end sample

// sample: fleet-rotation
/// Seals with the key of 2028, and opens what was sealed in 2027.
func makeRotatedFleet(database: String, new: Data, old: Data) async throws -> PostgreSQLTokens {
    try await PostgreSQLTokens(
        connection: database, key: .bytes(new, id: "2028"), oldKeys: [.bytes(old, id: "2027")])
}
// end sample

// sample: fleet-pooler
/// Behind a pooler in transaction mode.
func makePooledFleet(database: String, key: Data) async throws -> PostgreSQLTokens {
    try await PostgreSQLTokens(connection: database, key: .bytes(key, id: "2027"), listens: false)
}
// end sample

// sample: fleet-retention
/// Once a day, on any replica.
func tidy(_ fleet: PostgreSQLTokens) async throws {
    let removed = try await fleet.removeEnded(olderThan: 30)
    let counts = try await fleet.counts()
    print("\(removed) ended sessions removed, \(counts.tokens) users with a token, \(counts.ended) without")
}
// end sample

extension PostgreSQLTests {
    /// The statements of the guide.
    @Suite struct FleetSamples {
        @Test func `the samples of the guide serve a user before and after the key was changed`() async throws {
            let schema = try await Schema.make()
            let (old, new) = (Data(repeating: 1, count: 32), Data(repeating: 2, count: 32))
            let service = ScriptedTokenService<TestToken>()
            try await migrateFleet(database: schema.connection, key: old)
            let users = try await makeUsers(database: schema.connection, key: old, service: service)
            try await users["ada"].setToken(TestToken("a"))
            let pooled: LeasedTokenStore<TestToken> = try await makePooledFleet(
                database: schema.connection, key: old
            ).store(client: "web", account: "bob")
            #expect(try await pooled.load() == nil)
            let fleet = try await makeRotatedFleet(database: schema.connection, new: new, old: old)
            let store: LeasedTokenStore<TestToken> = fleet.store(client: "web", account: "ada")
            #expect(try await store.load()?.token?.name == "a")
            try await tidy(fleet)
        }
    }
}
#endif
