// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if PostgreSQL && canImport(Glibc)
import Foundation
import RequestAuthorization
import RequestAuthorizationPostgreSQL
import RequestAuthorizationTesting
import Testing

extension PostgreSQLTests {
    /// Exclusive access is a lease in the user's row.
    @Suite struct LeaseTests {
        @Test func `a lease that has ended can be taken, and one that has not cannot`() async throws {
            let bench = try await LeaseBench()
            let stale = try await bench.one.lock(within: .seconds(60))
            let early = await #expect(throws: TokenStoreError.self) {
                try await bench.other.lock(within: .milliseconds(60))
            }
            #expect(early?.kind == .timedOut)
            try await bench.endLease()
            let next = try await bench.other.lock(within: .seconds(60))
            #expect(try #require(next.remaining) > .zero)
            // The former holder does not release its successor's lease.
            await stale.unlock()
            let former = await #expect(throws: TokenStoreError.self) {
                try await bench.one.lock(within: .milliseconds(60))
            }
            #expect(former?.kind == .timedOut)
            await next.unlock()
            try await bench.one.lock(within: .seconds(60)).unlock()
        }

        @Test func `a token that comes while another host has the lease is saved, and that host sends nothing`()
            async throws
        {
            let bench = try await LeaseBench()
            let intent = RefreshIntent(session: TokenVersion.make(0).session, generation: 0, beganAt: .moment)
            let (stale, current) = try await bench.takeOver(from: intent)

            #expect(try await bench.one.save(.make("late", 1), replacing: .older(than: 1), ending: intent) == .saved)
            await #expect(throws: TokenStoreError.self) { try await bench.other.setIntent(intent) }
            #expect(current.remaining == .zero)
            #expect(try await bench.other.load() == .make("late", 1))
            // Nor does the former holder write an intent or remove one.
            await #expect(throws: TokenStoreError.self) { try await bench.one.setIntent(intent) }
            await stale.unlock()
            await current.unlock()
            try await bench.one.lock(within: .seconds(60)).unlock()
        }

        @Test func `two tokens for one refresh token get two generations, and that of the holder is the newer one`()
            async throws
        {
            let bench = try await LeaseBench()
            let intent = RefreshIntent(session: TokenVersion.make(0).session, generation: 0, beganAt: .moment)
            let (stale, current) = try await bench.takeOver(from: intent)
            try await bench.other.setIntent(intent)
            #expect(try await bench.one.save(.make("first", 1), replacing: .older(than: 1), ending: intent) == .saved)
            let saved = try await bench.other.save(.make("second", 1), replacing: .older(than: 1), ending: intent)
            #expect(saved == .refused(.make("second", 2)))
            #expect(try await bench.one.load() == .make("second", 2))
            await stale.unlock()
            await current.unlock()
        }

        @Test func `a holder whose lease has ended can save if it was not taken, or if its new holder saved nothing`()
            async throws
        {
            let bench = try await LeaseBench()
            let stale = try await bench.one.lock(within: .seconds(60))
            try await bench.endLease()
            #expect(try await bench.one.save(.make("a", 1), replacing: .older(than: 1)) == .saved)
            try await bench.endLease()
            try await bench.other.lock(within: .seconds(60)).unlock()
            #expect(try await bench.one.save(.make("b", 2), replacing: .older(than: 2)) == .saved)
            await stale.unlock()
        }

        @Test func `a lease without any reference to it is released`() async throws {
            let bench = try await LeaseBench()
            do { _ = try await bench.one.lock(within: .seconds(60)) }
            try await bench.other.lock(within: .seconds(60)).unlock()
        }

        @Test func `a lease whose answer was lost is held, and is released`() async throws {
            let bench = try await LeaseBench()
            let database = LosingDatabase(base: try LibPQDatabase.patient(bench.schema.connection))
            let store: LeasedTokenStore<TestToken> = try await PostgreSQLTokens(
                database: database, key: .test(1), lease: .seconds(3600), listens: false, callLimit: .seconds(60)
            ).store(client: "web", account: "ada")
            database.loseNextUpdate()
            let lock = try await store.lock(within: .seconds(60))
            let error = await #expect(throws: TokenStoreError.self) {
                try await bench.other.lock(within: .milliseconds(60))
            }
            #expect(error?.kind == .timedOut)
            await lock.unlock()
            try await bench.other.lock(within: .seconds(60)).unlock()
        }

        @Test(arguments: [(6.0, 5.0), (10, 8.5), (10, 0), (10, -1)])
        func `a lease that is too short for its token requests is refused`(lease: Double, deadline: Double) async throws
        {
            let schema = try await Schema.make()
            let error = await #expect(throws: TokenStoreError.self) {
                try await schema.fleet(lease: .seconds(lease), requestDeadline: .seconds(deadline))
            }
            #expect(error?.kind == .unsuitable)
        }

        @Test func `eight stores refresh one token once for each expiry`() async throws {
            let schema = try await Schema.make()
            let clock = ManualClock()
            let issuer = RotatingIssuer(clock: clock)
            var replicas: [RefreshableTokenAuthorization<TestToken>] = []
            for _ in 1...8 {
                replicas.append(
                    RefreshableTokenAuthorization(
                        service: issuer,
                        store: try await schema.fleet(listens: false).store(client: "web", account: "ada"),
                        clock: clock))
            }
            try await replicas[0].setToken(TestToken("0", expiresAt: clock.now))
            for expiry in 1...5 {
                let names = try await withThrowingTaskGroup { group in
                    for replica in replicas { group.addTask { try await replica.validToken().name } }
                    return try await group.reduce(into: Set()) { $0.insert($1) }
                }
                #expect(names == ["\(expiry)"])
                clock.advance(by: .seconds(1))
            }
            #expect(issuer.spent == ["0", "1", "2", "3", "4"])
        }
    }
}

/// Two replicas and the row of one user. Their leases are so long that none ends by itself.
private struct LeaseBench {
    let schema: Schema
    let one: LeasedTokenStore<TestToken>
    let other: LeasedTokenStore<TestToken>

    init() async throws {
        schema = try await Schema.make()
        one = try await schema.fleet(lease: .seconds(3600)).store(client: "web", account: "ada")
        other = try await schema.fleet(lease: .seconds(3600)).store(client: "web", account: "ada")
        try await one.save(.make("old"))
    }

    /// Lets the row be unchanged for longer than the lease, by the clock of the database.
    func endLease() async throws {
        try await schema.query(
            "UPDATE request_authorization_tokens SET changed_at = clock_timestamp() - interval '2 hours'")
    }

    /// The lease of one host ends after it has begun a refresh, and the other host has the next lease.
    func takeOver(
        from intent: RefreshIntent, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> (stale: TokenStoreLock, current: TokenStoreLock) {
        let stale = try await one.lock(within: .seconds(60))
        #expect(try await one.load() == .make("old"), sourceLocation: sourceLocation)
        try await one.setIntent(intent)
        try await endLease()
        let current = try await other.lock(within: .seconds(60))
        #expect(try await other.load() == .make("old"), sourceLocation: sourceLocation)
        return (stale, current)
    }
}

/// Loses the answer to one update after it was made.
private struct LosingDatabase: PostgreSQLDatabase {
    let base: LibPQDatabase
    private let loses = Lock(false)

    init(base: LibPQDatabase) { self.base = base }

    func loseNextUpdate() { loses.withLock { $0 = true } }

    func query(_ statement: String, parameters: [String?]) async throws -> [[String?]] {
        let rows = try await base.query(statement, parameters: parameters)
        let isLost = loses.withLock { loses in
            guard loses, statement.hasPrefix("UPDATE") else { return false }
            defer { loses = false }
            return true
        }
        if isLost { throw PostgreSQLError(.connectionLost) }
        return rows
    }
}

/// Exchanges each token once. A second exchange ends the session.
private struct RotatingIssuer: RefreshableTokenService {
    let clock: ManualClock
    private let log = Lock<[String]>([])

    init(clock: ManualClock) { self.clock = clock }

    /// The presented tokens, in order.
    var spent: [String] { log.withLock { $0 } }

    func refresh(_ token: TestToken) async throws -> TestToken {
        let isFirst = log.withLock { log in
            defer { log.append(token.name) }
            return !log.contains(token.name)
        }
        guard isFirst, let number = Int(token.name) else {
            throw TokenEndpointError(status: 400, code: "invalid_grant")
        }
        return TestToken("\(number + 1)", expiresAt: clock.now.addingTimeInterval(1))
    }
}
#endif
