// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import BenchmarkSupport
import Foundation
import RequestAuthorization

#if Clients
import RequestAuthorizationPostgreSQL
import Synchronization
#endif

/// The cost of a fleet's store while the token is valid: nothing.
///
/// The trait Clients brings swift-crypto, without which that store is not compiled.
func compareWarmFleet() async throws -> [Comparison] {
    #if Clients
    let database = RowInMemory()
    let fleet = try await PostgreSQLTokens(database: database, key: .bytes(Data(repeating: 7, count: 32)))
    let store: PostgreSQLTokenStore<BenchmarkToken> = fleet.store(client: "benchmark", account: "any")
    try await store.save(
        StoredToken(.token(.valid), version: TokenVersion(session: UUID(), generation: 0), obtainedAt: .now))
    let stored = RefreshableTokenAuthorization(service: GatedService(), store: store)
    // Reads the row; from then on the token is in memory.
    keep(try await stored.validToken())
    let statements = database.count
    let contenders = [stored, Fixture.warm].map { auth in
        Contender(times: 10_000) { times in
            for _ in 0..<times { keep(try await auth.validToken()) }
            guard database.count == statements else {
                throw BenchmarkError(description: "a warm token has asked the database")
            }
        }
    }
    return [
        Comparison(
            "validToken() with a fleet's store / without", contenders[0], against: contenders[1], bound: 1.15,
            rounds: 200)
    ]
    #else
    return []
    #endif
}

#if Clients
/// A database that answers what the store asks until its token is in memory: the tables exist, with one row.
private final class RowInMemory: PostgreSQLDatabase, Sendable {
    private let rows = Mutex(Rows())

    private struct Rows {
        var fleet: [String?]?
        var sealed: String?
        var count = 0
    }

    /// The number of statements.
    var count: Int { rows.withLock(\.count) }

    func query(_ statement: String, parameters: [String?]) async throws -> [[String?]] {
        rows.withLock { rows in
            rows.count += 1
            let hex = { (text: String?) in text.map { String($0.dropFirst(2)) } }
            if statement.contains("INSERT INTO request_authorization_fleet") {
                rows.fleet = [parameters[0], "1", parameters[1], hex(parameters[2])]
            } else if statement.hasPrefix("INSERT INTO request_authorization_tokens") {
                rows.sealed = hex(parameters[4])
                return [["as set"]]
            } else if statement.hasPrefix("SELECT schema_version") {
                return rows.fleet.map { [$0] } ?? []
            } else if statement.hasPrefix("SELECT f.place") {
                return [[rows.fleet?[2], "token", rows.sealed, nil]]
            }
            return []
        }
    }
}
#endif
