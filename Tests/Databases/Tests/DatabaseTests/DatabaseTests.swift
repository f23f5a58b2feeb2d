// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import DatabaseRecords
import Foundation
import RequestAuthorizationStorage
import RequestAuthorizationTesting
import Testing

/// Redis and SQLite as databases of a fleet, with a real server and real processes.
@Suite(.serialized) struct DatabaseTests {
    enum Kind: String, CaseIterable { case redis, sqlite }

    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func withDatabase(_ kind: Kind, _ body: (String) async throws -> Void) async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        switch kind {
        case .sqlite: try await body("sqlite:\(folder.path)/tokens.sqlite")
        case .redis:
            let server = try RedisServer(in: folder)
            try await body("redis:\(server.port)")
            withExtendedLifetime(server) {}
        }
    }

    private func tokens(_ database: some RecordDatabase) async throws -> LeasedTokens {
        // The times are long, so that no test fails on a busy machine.
        try await LeasedTokens(
            database: database, key: .bytes(Data(repeating: 7, count: 32)), lease: .seconds(3_600),
            callLimit: .seconds(60))
    }

    @Test(arguments: Kind.allCases) func `a store over a database is one`(kind: Kind) async throws {
        try await withDatabase(kind) { name in
            try await SharedTokenStoreChecks<LeasedTokenStore<TestToken>>(
                reopened: { _ in try await tokens(try openDatabase(name)).store(client: "web", account: "ada") }
            ) {
                let (one, other) = (try await tokens(try openDatabase(name)), try await tokens(try openDatabase(name)))
                // The database inserts, and removes, a record for each check.
                try await one.remove(client: "web", account: "ada")
                return (one.store(client: "web", account: "ada"), other.store(client: "web", account: "ada"))
            }.run()
        }
    }

    @Test(arguments: Kind.allCases) func `eight processes refresh once for each of 100 expiries`(kind: Kind)
        async throws
    {
        try await withDatabase(kind) { name in
            let fleet = try Fleet(8, database: name, in: folder.appendingPathComponent("spent"))
            try fleet.signIn()
            for number in 1...100 {
                let tokens = try fleet.expire()
                #expect(tokens == Array(repeating: "\(number)", count: 8))
            }
            let counts = try fleet.tokens.counts()
            print("\(kind): \(counts.spent) token calls for 100 expiries, \(counts.again) for a spent token")
            #expect(counts.spent == 100)
            #expect(counts.again == 0)
        }
    }

    @Test(arguments: Kind.allCases) func `a session survives a host that is killed at any step of a refresh`(
        kind: Kind
    ) async throws {
        try await withDatabase(kind) { name in
            let fleet = try Fleet(
                8, database: name, hasGrace: true, lease: 4, in: folder.appendingPathComponent("spent"))
            try fleet.signIn()
            // A read, the lease, the intent, the token call and the save: each begins and ends.
            let steps = 1...10
            for step in steps { #expect(try fleet.killOne(atStep: step) == 1, "step \(step)") }
            let tokens = try fleet.expire()
            let counts = try fleet.tokens.counts()
            print("\(kind): \(counts.spent) tokens, \(counts.again) calls after a kill")
            #expect(Set(tokens).count == 1)
            #expect(tokens.first == "\(counts.spent)")
            #expect(counts.again <= steps.count)
        }
    }

    @Test func `a hundred users of a hung server fail within the limit`() async throws {
        try await withDatabase(.sqlite) { _ in
            let server = try RedisServer(in: folder)
            let database = RedisRecords(RedisConnection(port: server.port))
            let fleet = try await LeasedTokens(
                database: database, key: .bytes(Data(repeating: 7, count: 32)), callLimit: .seconds(5))
            server.stop(true)
            let clock = ContinuousClock()
            let began = clock.now
            await withTaskGroup(of: Void.self) { group in
                for user in 1...100 {
                    group.addTask {
                        let store: LeasedTokenStore<TestToken> = fleet.store(client: "web", account: "\(user)")
                        await #expect(throws: TokenStoreError.self) { try await store.load() }
                        await #expect(throws: TokenStoreError.self) { try await store.lock(within: .seconds(100)) }
                    }
                }
            }
            // Twice the limit, and time for a busy machine. Calls that waited for each other would take 1000 s.
            #expect(clock.now - began < .seconds(100))
            server.stop(false)
        }
    }

    @Test func `a full Redis has no space for a record, and removes one`() async throws {
        try await withDatabase(.sqlite) { _ in
            let server = try RedisServer(in: folder)
            let redis = RedisConnection(port: server.port)
            let (records, record) = (RedisRecords(redis), Data("a".utf8))
            #expect(try await records.replace(nil, by: record, at: "ada"))
            _ = try await redis.call(["CONFIG", "SET", "maxmemory", "1"].map { Data($0.utf8) })
            let error = await #expect(throws: TokenStoreError.self) {
                try await records.replace(record, by: Data("b".utf8), at: "ada")
            }
            #expect(error?.kind == .noSpace)
            #expect(try await records.replace(record, by: nil, at: "ada"))
            withExtendedLifetime(server) {}
        }
    }

    @Test func `two hosts of the guide share the token of a user`() async throws {
        try await withDatabase(.sqlite) { _ in
            let server = try RedisServer(in: folder)
            let (key, service) = (Data(repeating: 7, count: 32), ScriptedTokenService<TestToken>())
            let one = try await makeUsers(redis: RedisConnection(port: server.port), key: key, service: service)
            let other = try await makeUsers(redis: RedisConnection(port: server.port), key: key, service: service)
            try await one["ada"].setToken(TestToken("a"))
            #expect(try await other["ada"].validToken().name == "a")
            #expect(service.calls == 0)
            withExtendedLifetime(server) {}
        }
    }
}

// sample: users
/// The users of a site, each with the token that all hosts share.
func makeUsers(
    redis: RedisConnection, key: Data, service: some RefreshableTokenService<TestToken>
) async throws -> AuthorizationPool<String, TestToken> {
    let fleet = try await LeasedTokens(database: RedisRecords(redis), key: .bytes(key, id: "2027"))
    return AuthorizationPool(idleFor: .seconds(600), atMost: 1_000) { user in
        RefreshableTokenAuthorization(service: service, store: fleet.store(client: "web", account: user))
    }
}
// end sample
